//! Logs in JSON.

use serde_json::{Map, Value};

use super::entry::{self, TIMES, WHO, each, get, told};
use super::log::{Log, MAX_NOTES, day_session, says_something};
use super::page::first_word;
use super::status::status;
use super::{ours, state};
use crate::foreign::named_session::{NamedSession, is_day};
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, ForeignFile};
use crate::foreign::session_log;

/// Lists of a log, and what is in them.
const LISTS: &[(&str, &[&str])] = &[
    ("work", &["worklog", "work", "workcompleted", "workitems", "actionstaken", "actions"]),
    ("decision", &["decisions", "keydecisions", "technicaldecisions", "decision"]),
    ("learning", &["learnings"]),
    ("blocker", &["blockers"]),
    ("question", &["openquestions", "questions"]),
    ("note", &["notes", "worknotes"]),
];

/// Reads a log; `None` if it is none.
pub(super) fn read(
    file: &ForeignFile<'_>,
    fields: &Map<String, Value>,
    times: &Times<'_>,
) -> Option<Brought> {
    let session = get(fields, &["session"]).and_then(Value::as_object);
    let compliance = get(fields, &["protocolcompliance", "compliance", "sessionprotocol"]);
    let told = session.unwrap_or(fields);
    let text = |names: &[&str]| entry::text(told, names).or_else(|| entry::text(fields, names));
    let objective = text(&["objective", "goal", "task"]);
    if !is_log(file, fields, session, objective.is_some()) {
        return None;
    }
    let mut log = Log {
        name: name(file, fields, told),
        objective,
        branch: text(&["branch"]).map(|branch| branch.trim_matches('`').to_owned()),
        starting_commit: text(&["startingcommit", "startcommit"]).map(|sha| first_word(&sha)),
        ..Log::default()
    };
    let at = |names: &[&str]| text(names).and_then(|found| log.time(&found, times));
    let ended = at(&["endedat", "endtime"]).or_else(|| at(&["updatedat"]));
    (log.started, log.updated) = (at(&["startedat", "starttime", "date"]), ended);
    log.said = text(&["status", "outcome"]);
    log.status = log.said.as_deref().and_then(status);
    // What came of it is no status, however it is called.
    log.said.take_if(|said| said.split_whitespace().count() > 4 && log.status.is_none());
    log.pause = text(&["pausereason"]);
    commits(&mut log, told, fields);
    let whole = Value::Object(fields.clone()).to_string();
    if let Ok(found) = session_log::read("log.json", whole.as_bytes()) {
        log.has_end = has_end(compliance) || has_end(Some(&Value::Object(fields.clone())));
        log.check(&found.items);
        // Names of lists are in the order of the alphabet there.
        let is_of_start = |list: &String| session_log::is_of_start(list);
        log.checklist.sort_by_key(|step| !step.list.as_ref().is_some_and(is_of_start));
    }
    notes(&mut log, fields, times);
    outcome(&mut log, fields);
    let missed = get(fields, &["violations"]).and_then(Value::as_array).into_iter().flatten();
    let missed: Vec<&Value> = missed.take(MAX_NOTES).collect();
    log.violations = missed.into_iter().map(|one| state::violation(one, &log, times)).collect();
    Some(log.brought(file, times))
}

/// Whether an object is a log: it says that it is one of a session, or is called like one.
fn is_log(
    file: &ForeignFile<'_>,
    fields: &Map<String, Value>,
    session: Option<&Map<String, Value>>,
    has_objective: bool,
) -> bool {
    let has = |names: &[&str]| get(fields, names).is_some();
    let numbers = ["number", "sessionnumber", "date", "sessionid"];
    let is_numbered = session.is_some_and(|session| get(session, &numbers).is_some());
    if has(&["protocolcompliance", "compliance", "sessionprotocol"]) {
        return true;
    }
    let is_named = day_session(file.stem()).is_some();
    has_objective && (is_numbered || is_named || has(&numbers) && has(&["endingcommit", "worklog"]))
}

/// What it is called: by its id here if it was taken out of here, as its file if that says which session it is, else as it
/// says itself.
fn name(file: &ForeignFile<'_>, fields: &Map<String, Value>, told: &Map<String, Value>) -> String {
    if let Some(id) = ours::id(fields) {
        return id.to_owned();
    }
    if day_session(file.stem()).is_some() {
        return file.stem().to_owned();
    }
    let own = [told, fields]
        .iter()
        .find_map(|fields| entry::text(fields, &["id", "sessionid"]))
        .filter(|id| day_session(id).is_some() || NamedSession::at_start_of(id).is_some());
    let day = entry::text(told, &["date"]).filter(|day| is_day(day));
    let number = get(told, &["number", "sessionnumber"]).and_then(Value::as_u64);
    let number = number.and_then(|number| u32::try_from(number).ok());
    let by_day = || Some(NamedSession { day: day?, number: number? }.id());
    own.or_else(by_day).unwrap_or_else(|| file.stem().to_owned())
}

/// Whether there is anything to be ticked off at the end.
fn has_end(compliance: Option<&Value>) -> bool {
    let fields = compliance.and_then(Value::as_object);
    let end = fields.and_then(|fields| get(fields, &["sessionend", "end", "endchecklist"]));
    end.is_some_and(|end| match end {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    })
}

fn commits(log: &mut Log, told: &Map<String, Value>, fields: &Map<String, Value>) {
    each(get(fields, &["commits", "newcommits"]), MAX_NOTES, &mut |commit| match commit {
        Value::String(text) => log.commit(&first_word(text), ""),
        Value::Object(fields) => {
            let text = |names: &[&str]| entry::text(fields, names).unwrap_or_default();
            log.commit(&text(&["sha", "hash", "commit", "id"]), &text(&["message", "subject"]));
        }
        _ => {}
    });
    for fields in [told, fields] {
        if let Some(sha) = entry::text(fields, &["endingcommit", "endcommit", "commitsha"]) {
            log.commit(&first_word(&sha), "");
        }
    }
}

fn notes(log: &mut Log, fields: &Map<String, Value>, times: &Times<'_>) {
    let outcomes = get(fields, &["outcomes", "outcome"]).and_then(Value::as_object);
    for (kind, names) in LISTS {
        let mut found: Vec<&Value> = names.iter().filter_map(|name| get(fields, &[name])).collect();
        if *kind == "decision" {
            found.extend(outcomes.and_then(|outcomes| get(outcomes, &["decisions"])));
        }
        for list in found {
            each(Some(list), MAX_NOTES, &mut |one| note(log, kind, one, times));
        }
    }
    // Kinds stand apart in a log; where all tell when they were written, they can stand in order again.
    if log.notes.iter().all(|note| note.time.is_some()) {
        log.notes.sort_by_key(|note| note.time);
    }
    let mut next = Vec::new();
    let names = ["nextsteps", "nextsession", "nextsessionnotes"];
    each(get(fields, &names), MAX_NOTES, &mut |one| next.push(told(one, &[])));
    log.next_notes = (!next.is_empty()).then(|| next.join("\n"));
}

fn note(log: &mut Log, kind: &str, entry: &Value, times: &Times<'_>) {
    let fields = entry.as_object();
    let text = |names: &[&str]| fields.and_then(|fields| entry::text(fields, names));
    let written = text(TIMES);
    let time = written.as_deref().and_then(|time| log.time(time, times));
    let by = text(WHO);
    // The kind of a note of Waypost's own, which has its text under one key.
    let own = text(&["kind"]).filter(|_| text(&["entry"]).is_some());
    let mut apart: Vec<&str> = Vec::new();
    if time.is_some() {
        apart.extend(TIMES);
    }
    if by.is_some() {
        apart.extend(WHO);
    }
    if own.is_some() {
        apart.push("kind");
    }
    log.note_by(own.as_deref().unwrap_or(kind), &told(entry, &apart), time, by);
}

/// What came of it.
fn outcome(log: &mut Log, fields: &Map<String, Value>) {
    let found = ["summary", "outcomes", "outcome", "worksummary"];
    let mut texts: Vec<String> = Vec::new();
    for name in found {
        each(get(fields, &[name]), MAX_NOTES, &mut |one| texts.push(told(one, &["decisions"])));
    }
    texts.retain(|text| says_something(text) && log.said.as_ref() != Some(text));
    log.summary = (!texts.is_empty()).then(|| texts.join("\n"));
}
