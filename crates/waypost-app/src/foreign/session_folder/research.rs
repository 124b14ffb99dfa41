//! Research with a request and what was found out, in a folder of its own.

use serde_json::{Map, Value};
use waypost_core::event::{Past, PastNote, PastStep};
use waypost_core::session::words;
use waypost_core::text::{one_line, shortened};

use super::RESEARCH;
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, ForeignFile, Outline, Reading, Status};

/// Reads the state of research.
pub(super) fn read(
    file: &ForeignFile<'_>,
    fields: &Map<String, Value>,
    times: &Times<'_>,
) -> Option<Reading> {
    let text = |key: &str| fields.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let (name, request) = (text("id")?, text("request")?);
    let is_research = ["research_plan", "subtasks", "report_style", "iterations"];
    if !is_research.iter().any(|key| fields.contains_key(*key)) {
        return None;
    }
    let time = |key: &str| text(key).and_then(|time| times.read(time));
    let status = match text("status").and_then(words::status) {
        Some("complete") => Status::Complete,
        Some("failed") => Status::Failed,
        Some("paused") => Status::Paused,
        _ => Status::Active,
    };
    let outline = Outline {
        session_id: name.to_owned(),
        topic: shortened(&one_line(request), 300),
        description: Some(request.to_owned()),
        status,
        created_at: time("created_at").or_else(|| time("started_at")),
        updated_at: time("completed_at").or_else(|| time("updated_at")),
        ..Outline::default()
    };
    let past = Past {
        workflow: Some("none".to_owned()),
        ended_at: time("completed_at").filter(|_| status == Status::Complete),
        checklist: criteria(fields),
        notes: subtasks(fields),
        ..Past::default()
    };
    Some(Reading::Sessions(vec![Brought {
        name: name.to_owned(),
        format: RESEARCH,
        manifest: outline.manifest(),
        past,
        definition: None,
        original: file.original(),
        remarks: Vec::new(),
    }]))
}

/// What had to be found out.
fn criteria(fields: &Map<String, Value>) -> Vec<PastStep> {
    let list =
        fields.get("research_plan").and_then(|plan| plan.get("success_criteria")?.as_array());
    let step = |one: &Value| {
        Some(PastStep {
            level: "MUST".to_owned(),
            step: one.get("description")?.as_str()?.to_owned(),
            list: None,
            done: Some(one.get("met").and_then(Value::as_bool).unwrap_or_default()),
            evidence: String::new(),
        })
    };
    list.into_iter().flatten().filter_map(step).collect()
}

/// What was asked of other agents.
fn subtasks(fields: &Map<String, Value>) -> Vec<PastNote> {
    let list = fields.get("subtasks").and_then(Value::as_array);
    let note = |one: &Value| {
        let text = |key: &str| one.get(key).and_then(Value::as_str);
        let status = text("status").map(|status| format!(" ({status})")).unwrap_or_default();
        Some(PastNote {
            kind: "subtask".to_owned(),
            text: format!("{}{status}", text("objective")?),
            by: None,
            time: None,
        })
    };
    list.into_iter().flatten().filter_map(note).collect()
}
