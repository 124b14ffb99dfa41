//! How a session stands now, in the shape of Brain's state and nothing beside it: for whoever asks, not for a file.

use serde_json::{Map, Value, json};
use waypost_core::time::Timestamp;

use super::workflow::{Reader, Source};
use crate::foreign::brain::{STATE, kept, shape};

/// What a state may hold at its top level.
const FIELDS: [&str; 13] = [
    "currentMode",
    "modeHistory",
    "protocolStartComplete",
    "protocolEndComplete",
    "protocolStartEvidence",
    "protocolEndEvidence",
    "orchestratorWorkflow",
    "activeFeature",
    "activeTask",
    "version",
    "createdAt",
    "updatedAt",
    "sessionId",
];

/// How far the protocol of a session is.
#[derive(Debug, Clone, Default)]
pub struct Protocol {
    /// Whether what it asks for before the work is done; nothing where it asks for nothing.
    pub start: Option<bool>,
    /// Whether it was followed to its end.
    pub end: bool,
    /// What shows what is done before the work, by gate.
    pub start_evidence: Map<String, Value>,
    /// The same after the work.
    pub end_evidence: Map<String, Value>,
}

/// The state of a session that is in this mode.
pub fn current(source: &Source<'_>, mode: &str, protocol: Protocol) -> Map<String, Value> {
    let now = source.state;
    let mut state = shape::fitted(brought(source));
    state.retain(|field, _| FIELDS.contains(&field.as_str()));
    history(&mut state, source);
    let workflow = match state.remove("orchestratorWorkflow") {
        Some(Value::Object(fields)) => Some(fields),
        _ => None,
    };
    let workflow = source.workflow(workflow, Reader::Anyone).map_or(Value::Null, Value::Object);
    let began = protocol.start.or_else(|| state.get("protocolStartComplete")?.as_bool());
    let created = state.remove("createdAt");
    for (field, more) in [
        ("protocolStartEvidence", protocol.start_evidence),
        ("protocolEndEvidence", protocol.end_evidence),
    ] {
        let told = state.remove(field);
        let mut evidence = match told {
            Some(Value::Object(told)) => told,
            _ => Map::new(),
        };
        evidence.extend(more);
        evidence.retain(|_, told| told.is_string());
        state.insert(field.to_owned(), evidence.into());
    }
    for (field, value) in [("activeFeature", &now.focus.feature), ("activeTask", &now.focus.task)] {
        match value {
            Some(value) => drop(state.insert(field.to_owned(), value.clone().into())),
            None => drop(state.remove(field)),
        }
    }
    state.extend([
        ("sessionId".to_owned(), json!(source.id)),
        ("currentMode".to_owned(), mode.into()),
        ("protocolStartComplete".to_owned(), began.unwrap_or(true).into()),
        ("protocolEndComplete".to_owned(), (protocol.end || now.lifecycle.is_over()).into()),
        ("orchestratorWorkflow".to_owned(), workflow),
        ("version".to_owned(), now.version.into()),
        ("createdAt".to_owned(), created.unwrap_or_else(|| json!(now.started_at))),
        ("updatedAt".to_owned(), json!(now.updated_at.or(now.started_at))),
    ]);
    state
}

/// The state that it came with, if it came with one.
fn brought(source: &Source<'_>) -> Map<String, Value> {
    let imported = source.imported.filter(|imported| imported.format == STATE);
    let found = imported.and_then(|imported| imported.original.values().find_map(kept::state_of));
    found.unwrap_or_default()
}

/// The modes that it was in: those that it came with, and those that were set here.
pub(super) fn history(state: &mut Map<String, Value>, source: &Source<'_>) {
    let entry = |mode: &str, time: Option<Timestamp>| json!({"mode": mode, "timestamp": time});
    let now = source.state;
    let set = source.agents.modes.iter().map(|(mode, time)| entry(mode, Some(*time)));
    let mut all = match state.remove("modeHistory") {
        Some(Value::Array(known)) => known,
        _ => Vec::new(),
    };
    all.extend(set);
    if let (true, Some(mode)) = (all.is_empty(), &now.mode) {
        all.push(entry(mode, now.started_at));
    }
    state.insert("modeHistory".to_owned(), all.into());
}
