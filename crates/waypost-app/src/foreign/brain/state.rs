//! A session state as JSON.

use serde_json::{Map, Value};
use waypost_core::event::{Focus, Past, PastNote, PastStep, WorkflowPhase};
use waypost_core::gate::modes;
use waypost_core::key::sha256_hex;
use waypost_core::text::{one_line, shortened};

use super::STATE;
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, ForeignFile, Outline, Reading, Status};

/// No more entries than this are taken of one sort.
const MAX: usize = 1_000;
/// How much of a text is in a note, in characters.
const MAX_TEXT: usize = 4_000;

/// Reads a state; `None` if it is none.
pub(super) fn read(
    file: &ForeignFile<'_>,
    fields: &Map<String, Value>,
    times: &Times<'_>,
) -> Option<Reading> {
    let has = |key: &str| fields.contains_key(key);
    let is_state = (has("currentMode") || has("mode"))
        && (has("modeHistory") || has("orchestratorWorkflow") || has("protocolStartComplete"));
    if !is_state || has("$schema") {
        return None;
    }
    Some(Reading::Sessions(vec![brought(file, fields, times)]))
}

fn brought(file: &ForeignFile<'_>, fields: &Map<String, Value>, times: &Times<'_>) -> Brought {
    let text = |key: &str| fields.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let flag = |key: &str| fields.get(key).and_then(Value::as_bool) == Some(true);
    let orchestration = fields.get("orchestratorWorkflow");
    let within = |key: &str| orchestration.and_then(|told| told.get(key));
    let phase = within("workflowPhase").and_then(Value::as_str);
    let mut remarks = Vec::new();
    let mode = mode(fields, &mut remarks);
    let name = text("sessionId").map_or_else(|| named(file, fields), str::to_owned);
    let complete = flag("protocolEndComplete") || phase == Some("complete");
    let notes = notes(fields, times);
    let first = notes.iter().find(|note| note.kind == "agent").map(|note| note.text.clone());
    let topic = text("activeFeature").or(text("activeTask")).map(str::to_owned).or(first);
    let updated_at = text("updatedAt").and_then(|time| times.read(time));
    let outline = Outline {
        session_id: name.clone(),
        topic: shortened(&one_line(&topic.unwrap_or_else(|| format!("Brain session {name}"))), 300),
        status: if complete { Status::Complete } else { Status::Active },
        created_at: text("createdAt").and_then(|time| times.read(time)),
        updated_at,
        ..Outline::default()
    };
    let workflow_phase =
        phase.and_then(|word| serde_json::from_value::<WorkflowPhase>(word.into()).ok());
    let past = Past {
        workflow: Some("none".to_owned()),
        ended_at: updated_at.filter(|_| complete),
        mode,
        focus: Focus {
            feature: text("activeFeature").map(str::to_owned),
            task: text("activeTask").map(str::to_owned),
            workflow_phase,
        },
        checklist: checklist(fields),
        notes,
        ..Past::default()
    };
    if times.took_naive() {
        remarks
            .push("times without a time zone are taken as local times of this machine".to_owned());
    }
    Brought {
        name,
        format: STATE,
        manifest: outline.manifest(),
        past,
        definition: None,
        original: file.original(),
        remarks,
    }
}

/// A name for a state that has none: that of its file, unless many have that.
fn named(file: &ForeignFile<'_>, fields: &Map<String, Value>) -> String {
    let usual = ["state", "session", "session-state", "sessionstate", "current-session"];
    let stem = file.stem().trim_start_matches('.');
    if !stem.is_empty() && !usual.contains(&stem.to_ascii_lowercase().as_str()) {
        return stem.to_owned();
    }
    let whole = Value::Object(fields.clone()).to_string();
    format!("brain-{}", &sha256_hex(&[whole.as_bytes()])[..8])
}

/// Its mode: both spellings are there, and only those that are known here are taken.
fn mode(fields: &Map<String, Value>, remarks: &mut Vec<String>) -> Option<String> {
    let told = ["currentMode", "mode"].map(|key| fields.get(key).and_then(Value::as_str));
    let known = told.iter().flatten().find(|mode| modes::ALL.contains(mode));
    if known.is_none()
        && let Some(word) = told.iter().flatten().next()
    {
        remarks.push(format!("its mode is {}, which is none here", one_line(word)));
    }
    if known == Some(&modes::DISABLED) {
        remarks.push("its gates were off; that is not taken over".to_owned());
        return None;
    }
    known.map(|mode| (*mode).to_owned())
}

fn checklist(fields: &Map<String, Value>) -> Vec<PastStep> {
    let sides = ["protocolStartEvidence", "protocolEndEvidence"];
    let entries = sides.iter().filter_map(|side| fields.get(*side)?.as_object()).flatten();
    entries
        .take(MAX)
        .map(|(step, told)| PastStep {
            level: "MUST".to_owned(),
            step: step.clone(),
            done: Some(true),
            evidence: words(told),
        })
        .collect()
}

fn notes(fields: &Map<String, Value>, times: &Times<'_>) -> Vec<PastNote> {
    let orchestration = fields.get("orchestratorWorkflow");
    let list = |key: &str| {
        let found = orchestration.and_then(|told| told.get(key)).or_else(|| fields.get(key));
        found.and_then(Value::as_array).into_iter().flatten().take(MAX)
    };
    let mut notes = Vec::new();
    let mut put = |kind: &str, text: String, by: Option<&str>, time: Option<&Value>| {
        notes.push(PastNote {
            kind: kind.to_owned(),
            text: shortened(&text, MAX_TEXT),
            by: by.map(str::to_owned),
            time: time.and_then(|time| times.value(time)),
        });
    };
    for change in list("modeHistory") {
        put("mode", get(change, "mode"), None, change.get("timestamp"));
    }
    for ran in list("agentHistory") {
        let (agent, status) = (get(ran, "agent"), get(ran, "status"));
        let output = ran.get("output").unwrap_or(&Value::Null);
        let prompt = ran.get("input").map(|input| get(input, "prompt")).unwrap_or_default();
        let summary = get(output, "summary");
        let text =
            [prompt, summary].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
        put(
            "agent",
            format!("{status}: {}", text.join(" -> ")),
            Some(&agent),
            ran.get("startedAt"),
        );
        for blocker in
            output.get("blockers").and_then(Value::as_array).into_iter().flatten().take(MAX)
        {
            put("blocker", words(blocker), Some(&agent), ran.get("completedAt"));
        }
    }
    for decision in list("decisions") {
        let (what, why) = (get(decision, "description"), get(decision, "rationale"));
        let kind = get(decision, "type");
        let text = format!("{kind}: {what}: {why}");
        put("decision", text, Some(&get(decision, "decidedBy")), decision.get("timestamp"));
    }
    for verdict in list("verdicts") {
        let confidence = verdict.get("confidence").map(words).unwrap_or_default();
        let text =
            format!("{} ({confidence}): {}", get(verdict, "decision"), get(verdict, "reasoning"));
        put("verdict", text, Some(&get(verdict, "agent")), verdict.get("timestamp"));
    }
    for handoff in list("pendingHandoffs") {
        let text = format!(
            "to {}: {}: {}",
            get(handoff, "toAgent"),
            get(handoff, "reason"),
            get(handoff, "context")
        );
        put("handoff", text, Some(&get(handoff, "fromAgent")), handoff.get("createdAt"));
    }
    notes
}

fn get(value: &Value, key: &str) -> String {
    value.get(key).map(words).unwrap_or_default()
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
