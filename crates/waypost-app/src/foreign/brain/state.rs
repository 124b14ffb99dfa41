//! A session state.

use serde_json::{Map, Value};
use waypost_core::event::{Focus, Past, PastPause, PastStep, WorkflowPhase};
use waypost_core::gate::modes;
use waypost_core::key::sha256_hex;
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;

use super::told::{Told, words};
use super::{STATE, carried};
use crate::foreign::session::times::{LOCAL_TIMES, Times};
use crate::foreign::session::{Brought, ForeignFile, Outline, Status};

/// No more steps than this are taken.
const MAX: usize = 1_000;

/// The state that an object is, or that an answer of Brain's tools holds; `None` if there is none.
pub(super) fn within(fields: &Map<String, Value>) -> Option<&Map<String, Value>> {
    if is_state(fields) {
        return Some(fields);
    }
    let wrapped = fields.get("sessionState").or_else(|| fields.get("state"))?.as_object()?;
    is_state(wrapped).then_some(wrapped)
}

fn is_state(fields: &Map<String, Value>) -> bool {
    let has = |key: &str| fields.contains_key(key);
    let is_state = (has("currentMode") || has("mode"))
        && (has("modeHistory") || has("orchestratorWorkflow") || has("protocolStartComplete"));
    is_state && !has("$schema")
}

/// The session of a state, found in a file or in a note of that title.
pub(super) fn brought(
    file: &ForeignFile<'_>,
    title: &str,
    fields: &Map<String, Value>,
    times: &Times<'_>,
) -> Brought {
    let text = |key: &str| fields.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let phase = fields.get("orchestratorWorkflow").and_then(|told| told.get("workflowPhase"));
    let phase = phase.and_then(Value::as_str).map(str::to_ascii_lowercase);
    let mut remarks = Vec::new();
    let mode = mode(fields, &mut remarks);
    let own = text("sessionId").or_else(|| carried::get(fields, "id"));
    let name = own.map_or_else(|| named(file, title, fields), str::to_owned);
    let status = status(fields, phase.as_deref(), &mut remarks);
    let mut told = Told::new(times);
    told.state(fields);
    let first = told.notes.iter().find(|note| note.kind == "agent").map(|note| note.text.clone());
    told.notes.extend(carried::notes(fields));
    let topic = carried::get(fields, "objective").or(text("activeFeature")).or(text("activeTask"));
    let topic =
        topic.map(str::to_owned).or(first).unwrap_or_else(|| format!("Brain session {name}"));
    let time = |key: &str| fields.get(key).and_then(|time| times.value(time));
    let commits = carried::commits(fields).into_iter();
    let outline = Outline {
        session_id: name.clone(),
        topic: shortened(&one_line(&topic), 500),
        status,
        created_at: time("createdAt"),
        updated_at: time("updatedAt"),
        branch: carried::get(fields, "branch").map(str::to_owned),
        commits: commits.map(|(sha, message)| (sha, message, None)).collect(),
        ..Outline::default()
    };
    let past = Past {
        workflow: Some("none".to_owned()),
        ended_at: time("updatedAt").filter(|_| matches!(status, Status::Complete | Status::Failed)),
        mode,
        focus: Focus {
            feature: text("activeFeature").map(str::to_owned),
            task: text("activeTask").map(str::to_owned),
            workflow_phase: phase
                .filter(|_| carried::get(fields, "phase").is_none())
                .and_then(|word| serde_json::from_value::<WorkflowPhase>(word.into()).ok()),
        },
        starting_commit: carried::get(fields, "commit").map(str::to_owned),
        checklist: checklist(fields),
        notes: told.notes,
        summary: carried::get(fields, "summary").map(str::to_owned),
        next_notes: carried::get(fields, "next").map(str::to_owned),
        pause: pause(fields, time("updatedAt")),
        ..Past::default()
    };
    if times.took_naive() {
        remarks.push(LOCAL_TIMES.to_owned());
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

/// Why it rests, where it was written here.
fn pause(fields: &Map<String, Value>, since: Option<Timestamp>) -> Option<PastPause> {
    let reason = carried::get(fields, "pause")?.to_owned();
    let context = carried::get(fields, "context").map(str::to_owned);
    Some(PastPause { reason, context, since })
}

/// A name for a state that has none: that of its note or file, unless many have that. Then when it was created tells
/// it from others, which stays the same as it goes on.
fn named(file: &ForeignFile<'_>, title: &str, fields: &Map<String, Value>) -> String {
    let usual = ["", "state", "session", "session-state", "sessionstate", "current-session"];
    for told in [title, file.stem()] {
        let told = told.rsplit('/').next().unwrap_or_default().trim_start_matches('.');
        if !usual.contains(&told.to_ascii_lowercase().as_str()) {
            return told
                .strip_prefix("session-")
                .filter(|rest| rest.len() >= 8)
                .unwrap_or(told)
                .to_owned();
        }
    }
    let created = fields.get("createdAt").map(words).filter(|text| !text.is_empty());
    let told = created.unwrap_or_else(|| Value::Object(fields.clone()).to_string());
    format!("brain-{}", &sha256_hex(&[told.as_bytes()])[..8])
}

fn status(fields: &Map<String, Value>, phase: Option<&str>, remarks: &mut Vec<String>) -> Status {
    let ended = fields.get("protocolEndComplete").and_then(Value::as_bool);
    match (carried::get(fields, "status"), ended, phase) {
        (Some("failed"), _, _) => Status::Failed,
        (Some("paused"), _, _) => Status::Paused,
        (_, Some(false), Some("complete")) => {
            remarks.push(
                "its work is complete, but its end protocol was not finished there".to_owned(),
            );
            Status::Complete
        }
        (_, Some(true), _) | (_, None, Some("complete")) => Status::Complete,
        _ => Status::Active,
    }
}

/// Its mode: both spellings are there, and only those that are known here are taken.
fn mode(fields: &Map<String, Value>, remarks: &mut Vec<String>) -> Option<String> {
    let told = ["currentMode", "mode"].map(|key| fields.get(key).and_then(Value::as_str));
    let told: Vec<String> = told.iter().flatten().map(|mode| mode.to_ascii_lowercase()).collect();
    let known = told.iter().find(|mode| modes::ALL.contains(&mode.as_str()));
    if known.is_none()
        && let Some(word) = told.first()
    {
        let word = shortened(&one_line(word), 60);
        remarks.push(format!(
            "its mode is `{word}`, which is not known here; the project's own mode holds"
        ));
    }
    if known.is_some_and(|mode| mode == modes::DISABLED) {
        remarks.push("its gates were off; that is not taken over".to_owned());
        return None;
    }
    known.cloned()
}

fn checklist(fields: &Map<String, Value>) -> Vec<PastStep> {
    let sides = ["protocolStartEvidence", "protocolEndEvidence"];
    let entries = sides.iter().flat_map(|side| {
        let entries = fields.get(*side).and_then(Value::as_object).into_iter().flatten();
        entries.map(move |(step, told)| (*side, step, told))
    });
    entries
        .filter(|(_, step, _)| !carried::is_own(step))
        .take(MAX)
        .map(|(side, step, told)| PastStep {
            level: "MUST".to_owned(),
            step: step.clone(),
            list: Some(side.to_owned()),
            done: Some(true),
            evidence: words(told),
        })
        .collect()
}
