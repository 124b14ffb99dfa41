//! A session as a log: as it came, or in JSON with what the protocol's schema asks for. What was in the log that it
//! came as stays there; what happened since is added.

mod checklist;

use serde_json::{Map, Value, json};
use waypost_core::chronicle::Note;
use waypost_core::event::SessionImported;
use waypost_core::session::Lifecycle;
use waypost_core::time::Timestamp;

use super::FORMAT;
use super::entry::spelt;
use super::log::day_session;
use super::ours::{CARRIED, CHANGED, FILES, ID};
use super::{memory, state};
use crate::foreign::named_session::NamedSession;
use crate::foreign::session::{Leaving, LeftViolation, Written};

/// Writes a session as a log.
pub fn write(session: &Leaving<'_>) -> Written {
    if let Some(written) = session.came_just_so(FORMAT).and_then(as_it_came) {
        return written;
    }
    let came = session.came_as(FORMAT);
    let (mut log, mut name) = (Map::new(), format!("{}.json", session.id));
    let mut files = Map::new();
    for (file, original) in came.into_iter().flat_map(|imported| &imported.original) {
        match original {
            Value::Object(fields) if log.is_empty() && is_log(fields) => {
                (log, name) = (fields.clone(), file.clone());
            }
            other => drop(files.insert(file.clone(), other.clone())),
        }
    }
    let is_changed = came.is_none() || !session.state.is_as_imported();
    let is_made = log.is_empty();
    if is_made || is_changed {
        fill(&mut log, session, is_made);
    }
    carry(&mut log, session, files);
    Written { name, text: pretty(&Value::Object(log)), lost: lost(session) }
}

/// Adds what is no log's: the session's id, so that it is the same wherever it comes in, and its other files.
fn carry(log: &mut Map<String, Value>, session: &Leaving<'_>, files: Map<String, Value>) {
    let ours = log.entry(CARRIED).or_insert_with(|| json!({}));
    if !ours.is_object() {
        *ours = json!({});
    }
    ours[ID] = session.id.as_str().into();
    if session.came_as(FORMAT).is_some() && !session.state.is_as_imported() {
        ours[CHANGED] = true.into();
    }
    if !files.is_empty() {
        ours[FILES] = files.into();
    }
}

/// The one file that it came as, unless that told of other sessions too.
fn as_it_came(imported: &SessionImported) -> Option<Written> {
    let (name, original) = imported.original.iter().next()?;
    let text = match original {
        Value::String(text) if !memory::is_one(text) => text.clone(),
        Value::Object(_) => pretty(original),
        _ => return None,
    };
    let written = Written { name: name.clone(), text, lost: Vec::new() };
    (imported.original.len() == 1).then_some(written)
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// Whether an object is a log and no state.
fn is_log(fields: &Map<String, Value>) -> bool {
    !state::is_one(fields)
}

/// Adds what is known. In a log that there was before, that is what happened since.
fn fill(log: &mut Map<String, Value>, session: &Leaving<'_>, is_made: bool) {
    about(log, session, is_made);
    let before = session.came_as(FORMAT).filter(|_| !is_made);
    log.entry("schemaVersion").or_insert_with(|| "1.0".into());
    log.entry("protocolCompliance").or_insert_with(|| checklist::compliance(session));
    let known = before.map_or(0, |before| before.past.notes.len());
    let new = session.notes.get(known..).unwrap_or_default();
    let is_decision = |note: &&Note| note.kind == "decision";
    let work = new.iter().filter(|note| !is_decision(note)).map(entry).collect();
    append(log, &["workLog", "work"], work, true);
    let decisions = new.iter().filter(is_decision).map(entry).collect();
    append(log, &["decisions", "keyDecisions"], decisions, false);
    let known = before.map_or(0, |before| before.past.violations.len());
    let missed = session.violations.get(known..).unwrap_or_default().iter().map(violation);
    append(log, &["violations", "newViolations"], missed.collect(), false);
    commits(log, session, before);
    told_at_the_end(log, session, before);
}

fn about(log: &mut Map<String, Value>, session: &Leaving<'_>, is_made: bool) {
    let state = session.state;
    let named = named(session.id.as_str());
    let day = named.as_ref().map(|named| named.day.clone());
    let day = day.or_else(|| day_session(session.id.as_str()));
    let day = day.or_else(|| state.started_at.map(Timestamp::day)).unwrap_or_default();
    let mut about = log.get("session").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut put = |key: &str, value: Value| {
        about.entry(key.to_owned()).or_insert(value);
    };
    if is_made {
        put("id", session.id.as_str().into());
        if let Some(time) = state.started_at.filter(|_| session.came_as(FORMAT).is_none()) {
            put("startedAt", time.to_string().into());
        }
    }
    put("number", named.map_or(1, |named| named.number.max(1)).into());
    put("date", day.into());
    put("branch", state.branch.clone().unwrap_or_default().into());
    put("startingCommit", hash(state.commit.as_deref()).into());
    let objective = state.objective.clone().filter(|text| !text.trim().is_empty());
    put("objective", objective.unwrap_or_else(|| session.id.to_string()).into());
    let status = match state.lifecycle {
        Lifecycle::Completed => "complete",
        Lifecycle::Failed => "failed",
        Lifecycle::Paused => "paused",
        Lifecycle::Archived => "archived",
        Lifecycle::Active | Lifecycle::Abandoned | Lifecycle::Unstarted => "active",
    };
    about.insert("status".to_owned(), status.into());
    if let Some(pause) = &state.pause {
        about.insert("pauseReason".to_owned(), pause.reason.clone().into());
    }
    // What goes on or rests has not ended, whatever the log said before.
    let ended = state.ended_at.or(state.updated_at).filter(|_| state.lifecycle.is_over());
    about.retain(|key, _| !["endedat", "endtime", "updatedat"].contains(&spelt(key).as_str()));
    let (key, time) = match ended {
        Some(ended) => ("endedAt", Some(ended)),
        None => ("updatedAt", state.updated_at),
    };
    about.extend(time.map(|time| (key.to_owned(), time.to_string().into())));
    log.insert("session".to_owned(), about.into());
}

/// The day and number in an id, also in one of a note of Brain's: `SESSION-2026-01-18_01-add-login`.
fn named(id: &str) -> Option<NamedSession> {
    let of_note = || {
        let (day, rest) = id.strip_prefix("SESSION-")?.split_once('_')?;
        NamedSession::at_start_of(&format!("{day}-session-{rest}"))
    };
    NamedSession::at_start_of(id).or_else(of_note)
}

/// A commit as the schema allows it: nothing, or 7 to 40 digits.
fn hash(sha: Option<&str>) -> String {
    let sha = sha.unwrap_or_default().to_ascii_lowercase();
    let is_one = sha.len() >= 7 && sha.chars().all(|c| c.is_ascii_hexdigit());
    if is_one { sha.chars().take(40).collect() } else { String::new() }
}

/// Adds to the list of the first of these names that is one, or is not there yet.
fn append(log: &mut Map<String, Value>, names: &[&str], new: Vec<Value>, always: bool) {
    if new.is_empty() && !always {
        return;
    }
    let free = |name: &&&str| log.get(**name).is_none_or(Value::is_array);
    let Some(name) = names.iter().find(free) else { return };
    let list = log.entry((*name).to_owned()).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        list.extend(new);
    }
}

fn commits(log: &mut Map<String, Value>, session: &Leaving<'_>, before: Option<&SessionImported>) {
    let all = |manifest: &Value| manifest["commits"].as_array().cloned().unwrap_or_default();
    let known = before.map(|before| all(&before.manifest)).unwrap_or_default();
    let mut new = all(session.manifest);
    new.retain(|commit| !known.iter().any(|one| one["sha"] == commit["sha"]));
    let last = new.last().and_then(|commit| commit["sha"].as_str()).map(str::to_owned);
    let told = new.iter().map(|commit| {
        json!({"sha": commit["sha"], "message": commit["message"], "timestamp": commit["created_at"]})
    });
    append(log, &["commits", "newCommits"], told.collect(), false);
    match last {
        Some(sha) => drop(log.insert("endingCommit".to_owned(), hash(Some(&sha)).into())),
        None => drop(log.entry("endingCommit").or_insert_with(|| "".into())),
    }
}

/// What came of it, and what comes next.
fn told_at_the_end(
    log: &mut Map<String, Value>,
    session: &Leaving<'_>,
    before: Option<&SessionImported>,
) {
    let past = before.map(|before| &before.past);
    let next = new_text(session.next_notes, past.and_then(|past| past.next_notes.as_deref()));
    let item = |line: &str| Value::from(line.strip_prefix("- ").unwrap_or(line));
    let next = next.unwrap_or_default().lines().map(item).collect();
    append(log, &["nextSteps", "nextSession"], next, true);
    let summary = new_text(session.summary, past.and_then(|past| past.summary.as_deref()));
    let Some(summary) = summary else { return };
    let outcomes = log.entry("outcomes").or_insert_with(|| json!({}));
    match outcomes {
        Value::Object(fields) if !fields.contains_key("summary") => {
            fields.insert("summary".to_owned(), summary.into());
        }
        Value::Array(list) => list.push(summary.into()),
        _ => {
            append(log, &["summary", "worksummary"], vec![summary.into()], false);
        }
    }
}

/// A text, if it was not known before. What was is told again shortened.
pub(in crate::foreign) fn new_text<'t>(
    text: Option<&'t str>,
    known: Option<&str>,
) -> Option<&'t str> {
    let is_known =
        |text: &&str| known.is_some_and(|known| known.starts_with(text.trim_end_matches('…')));
    text.filter(|text| !is_known(text))
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

/// What was missed, as states of the protocol write it.
fn violation(missed: &LeftViolation) -> Value {
    json!({
        "timestamp": missed.time.map(|time| time.to_string()),
        "phase": missed.phase,
        "requirement": missed.requirement,
        "severity": missed.severity,
        "recovery": missed.recovery,
    })
}

fn lost(session: &Leaving<'_>) -> Vec<String> {
    let mut lost = Vec::new();
    let mut put = |number: usize, one: &str, more: &str| match number {
        0 => {}
        1 => lost.push(format!("1 {one}")),
        _ => lost.push(format!("{number} {more}")),
    };
    put(session.state.ledger.runs.len(), "run that is evidence", "runs that are evidence");
    put(session.course.phases.len(), "phase of its workflow", "phases of its workflow");
    put(
        checklist::optional(session),
        "step that may be done, as one that should",
        "steps that may be done, as ones that should",
    );
    lost
}
