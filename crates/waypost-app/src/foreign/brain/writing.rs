//! A session as Brain keeps it: a note for one that came as a note, else a state. Never signed here.

use serde_json::{Map, Value, json};
use waypost_core::chronicle::Note;
use waypost_core::text::spoken::count;

use super::{NOTE, STATE};
use crate::foreign::session::{Leaving, Written};

/// Writes a session as a note or a state.
pub fn write(session: &Leaving<'_>) -> Written {
    if session.came_as(NOTE).is_some() { note(session) } else { state(session) }
}

fn note(session: &Leaving<'_>) -> Written {
    let name = format!("{}.md", session.id);
    let original = session.came_as(NOTE).and_then(|imported| imported.original.values().next());
    let text = original.and_then(Value::as_str).unwrap_or_default();
    if session.came_just_so(NOTE).is_some() {
        return Written { name, text: text.to_owned(), lost: Vec::new() };
    }
    let status = match session.manifest["status"].as_str() {
        Some("complete") => "COMPLETE",
        Some("paused") => "PAUSED",
        Some("failed") => "FAILED",
        _ => "IN_PROGRESS",
    };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let matter = lines.iter().skip(1).position(|line| line == "---").map_or(0, |end| end + 1);
    match lines[..matter.min(lines.len())].iter().position(|line| line.starts_with("status:")) {
        Some(at) => lines[at] = format!("status: {status}"),
        None if matter > 0 => lines.insert(matter, format!("status: {status}")),
        None => {}
    }
    let new: Vec<&Note> = since(session).collect();
    if !new.is_empty() {
        lines.extend([String::new(), "## Since then".to_owned(), String::new()]);
        lines.extend(
            new.iter().map(|note| format!("- [{}] {}", note.kind, note.text.replace('\n', " "))),
        );
    }
    Written { name, text: lines.join("\n") + "\n", lost: lost(session) }
}

/// What was written down since it came here.
fn since<'s>(session: &'s Leaving<'_>) -> impl Iterator<Item = &'s Note> {
    let before = session.past().map_or(0, |past| past.notes.len());
    session.notes.iter().skip(before)
}

fn state(session: &Leaving<'_>) -> Written {
    let name = format!("{}.json", session.id);
    let came = session.came_as(STATE).and_then(|imported| imported.original.values().next());
    if let (Some(original), true) = (came, session.state.is_as_imported()) {
        let text = serde_json::to_string_pretty(original).unwrap_or_default() + "\n";
        return Written { name, text, lost: Vec::new() };
    }
    let mut state = came.and_then(Value::as_object).cloned().unwrap_or_default();
    // It was made of other content.
    state.remove("_signature");
    fill(&mut state, session);
    let text = serde_json::to_string_pretty(&state).unwrap_or_default() + "\n";
    let mut lost = lost(session);
    lost.push("its signature: Brain's own covers only the top level".to_owned());
    Written { name, text, lost }
}

fn fill(state: &mut Map<String, Value>, session: &Leaving<'_>) {
    let now = session.state;
    let mut put = |key: &str, value: Value| drop(state.insert(key.to_owned(), value));
    put("sessionId", session.id.as_str().into());
    put("version", now.version.into());
    put("currentMode", now.mode.clone().unwrap_or_else(|| "coding".to_owned()).into());
    let time = |time: Option<waypost_core::time::Timestamp>| time.map(|time| time.to_string());
    put("createdAt", time(now.started_at).into());
    put("updatedAt", time(now.updated_at).into());
    if let Some(feature) = &now.focus.feature {
        put("activeFeature", feature.clone().into());
    }
    if let Some(task) = &now.focus.task {
        put("activeTask", task.clone().into());
    }
    let over = now.lifecycle.is_over();
    put("protocolEndComplete", over.into());
    for key in ["protocolStartEvidence", "protocolEndEvidence"] {
        state.entry(key).or_insert_with(|| json!({}));
    }
    state.entry("protocolStartComplete").or_insert(true.into());
    state.entry("modeHistory").or_insert_with(|| json!([]));
    let workflow = state.entry("orchestratorWorkflow").or_insert(Value::Null);
    if !workflow.is_object() {
        *workflow = json!({"activeAgent": null, "agentHistory": [], "decisions": [], "verdicts": [],
            "pendingHandoffs": [], "compactionHistory": []});
    }
    workflow["workflowPhase"] = match (over, &now.focus.workflow_phase) {
        (true, _) => "complete".into(),
        (false, Some(phase)) => serde_json::to_value(phase).unwrap_or_default(),
        (false, None) => "implementation".into(),
    };
    for note in since(session).filter(|note| note.kind == "decision") {
        let decision = json!({"type": "technical", "description": note.text, "rationale": "",
            "decidedBy": note.by, "approvedBy": [], "rejectedBy": [],
            "timestamp": note.time.map(|time| time.to_string())});
        if let Some(list) = workflow["decisions"].as_array_mut() {
            list.push(decision);
        }
    }
}

fn lost(session: &Leaving<'_>) -> Vec<String> {
    let mut lost = Vec::new();
    let mut put = |number: usize, what: &str| {
        if number > 0 {
            lost.push(count(number, what));
        }
    };
    let others = since(session).filter(|note| note.kind != "decision").count();
    put(if session.came_as(NOTE).is_some() { 0 } else { others }, "note that is no decision");
    put(session.violations.len(), "violation");
    put(session.state.ledger.runs.len(), "run that was recorded as evidence");
    put(session.course.phases.len(), "phase of its workflow");
    lost
}
