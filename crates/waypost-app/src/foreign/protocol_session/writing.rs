//! A session as a log: as it came, or in JSON with what the protocol's schema asks for.

use serde_json::{Map, Value, json};
use waypost_core::chronicle::Note;
use waypost_core::event::PastStep;
use waypost_core::text::spoken::count;
use waypost_core::time::Timestamp;

use super::FORMAT;
use crate::foreign::named_session::NamedSession;
use crate::foreign::session::{Leaving, Written};

/// Under which a log in Markdown stands in one in JSON.
const MARKDOWN: &str = "importedMarkdown";

/// Writes a session as a log.
pub fn write(session: &Leaving<'_>) -> Written {
    let came = session.came_as(FORMAT);
    if let Some(imported) = session.came_just_so(FORMAT)
        && let Some((name, original)) = imported.original.iter().next()
        && imported.original.len() == 1
        && (original.is_object() || is_log(name))
    {
        let text = match original {
            Value::String(text) => text.clone(),
            value => serde_json::to_string_pretty(value).unwrap_or_default() + "\n",
        };
        return Written { name: name.clone(), text, lost: Vec::new() };
    }
    let mut log = Map::new();
    for (name, original) in came.into_iter().flat_map(|imported| &imported.original) {
        match original {
            Value::Object(fields) if fields.contains_key("session") => log.extend(fields.clone()),
            Value::String(text) => drop(log.insert(MARKDOWN.to_owned(), json!({ (name): text }))),
            _ => {}
        }
    }
    fill(&mut log, session);
    let text = serde_json::to_string_pretty(&log).unwrap_or_default() + "\n";
    Written { name: format!("{}.json", session.id), text, lost: lost(session) }
}

fn is_log(name: &str) -> bool {
    NamedSession::at_start_of(name).is_some()
}

fn fill(log: &mut Map<String, Value>, session: &Leaving<'_>) {
    let state = session.state;
    let named = NamedSession::at_start_of(session.id.as_str());
    let day = named.as_ref().map(|named| named.day.clone());
    let day = day.or_else(|| state.started_at.map(Timestamp::day)).unwrap_or_default();
    let mut about = log.get("session").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut put = |key: &str, value: Value| {
        about.entry(key.to_owned()).or_insert(value);
    };
    put("number", named.map_or(1, |named| named.number).into());
    put("date", day.into());
    put("branch", state.branch.clone().unwrap_or_default().into());
    put("startingCommit", state.commit.clone().unwrap_or_default().into());
    put("objective", state.objective.clone().unwrap_or_default().into());
    put("status", session.manifest["status"].clone());
    log.insert("session".to_owned(), about.into());
    log.entry("schemaVersion").or_insert_with(|| "1.0".into());
    log.entry("protocolCompliance").or_insert_with(|| compliance(session));
    let of_kind = |wanted: fn(&str) -> bool| {
        let notes = session.notes.iter().filter(move |note| wanted(&note.kind));
        notes.map(entry).collect::<Vec<Value>>()
    };
    log.insert(
        "workLog".to_owned(),
        of_kind(|kind| !matches!(kind, "decision" | "learning")).into(),
    );
    log.insert("decisions".to_owned(), of_kind(|kind| kind == "decision").into());
    let last = session.manifest["commits"].as_array().and_then(|commits| commits.last());
    let sha = last.map_or_else(|| "".into(), |commit| commit["sha"].clone());
    log.insert("endingCommit".to_owned(), sha);
    let next = session.next_notes.unwrap_or_default().lines();
    let next: Vec<&str> = next.filter(|line| !line.trim().is_empty()).collect();
    log.insert("nextSteps".to_owned(), next.into());
    if let Some(summary) = session.summary {
        log.insert("outcomes".to_owned(), json!({"summary": summary}));
    }
}

fn entry(note: &Note) -> Value {
    let mut entry = Map::new();
    let key = if note.kind == "decision" { "decision" } else { "entry" };
    entry.insert(key.to_owned(), note.text.clone().into());
    if !matches!(note.kind.as_str(), "decision" | "work") {
        entry.insert("kind".to_owned(), note.kind.clone().into());
    }
    if let Some(time) = note.time {
        entry.insert("time".to_owned(), time.to_string().into());
    }
    if let Some(by) = &note.by {
        entry.insert("by".to_owned(), by.clone().into());
    }
    entry.into()
}

/// The checklists, as far as any are known.
fn compliance(session: &Leaving<'_>) -> Value {
    let steps = session.past().map(|past| past.checklist.as_slice()).unwrap_or_default();
    let item = |step: &PastStep| {
        let item = json!({"step": step.step, "level": step.level, "complete": step.done, "evidence": step.evidence});
        item
    };
    let all: Vec<Value> = steps.iter().map(item).collect();
    json!({"sessionStart": {}, "sessionEnd": {"items": all}})
}

fn lost(session: &Leaving<'_>) -> Vec<String> {
    let mut lost = Vec::new();
    let mut put = |number: usize, what: &str| {
        if number > 0 {
            lost.push(count(number, what));
        }
    };
    put(session.violations.len(), "violation");
    put(session.state.ledger.runs.len(), "run that was recorded as evidence");
    put(session.course.phases.len(), "phase of its workflow");
    lost
}
