//! Logs in JSON.

use serde_json::{Map, Value};

use super::log::{Log, MAX_NOTES, status};
use crate::foreign::session::times::Times;
use crate::foreign::session::{ForeignFile, Reading};
use crate::foreign::session_log;

/// Reads a log; `None` if it is none.
pub(super) fn read(
    file: &ForeignFile<'_>,
    fields: &Map<String, Value>,
    times: &Times<'_>,
) -> Option<Reading> {
    let session = get(fields, &["session"]).and_then(Value::as_object);
    let compliance = get(fields, &["protocolcompliance", "compliance", "sessionprotocol"]);
    let told = session.unwrap_or(fields);
    let text = |names: &[&str]| {
        let found = get(told, names).or_else(|| get(fields, names))?;
        found.as_str().map(str::to_owned)
    };
    let objective = text(&["objective", "goal", "task"]);
    let is_numbered = get(told, &["number", "sessionnumber", "date", "sessionid"]).is_some();
    if !(session.is_some() && is_numbered || compliance.is_some())
        || objective.is_none() && compliance.is_none()
    {
        return None;
    }
    let mut log = Log {
        name: file.stem().to_owned(),
        objective,
        branch: text(&["branch"]),
        starting_commit: text(&["startingcommit", "startcommit"]),
        started: text(&["startedat", "starttime", "date"]).and_then(|time| times.read(&time)),
        updated: text(&["endedat", "endtime"]).and_then(|time| times.read(&time)),
        status: text(&["status", "outcome"]).and_then(|word| status(&word)),
        ..Log::default()
    };
    if let Some(sha) = text(&["endingcommit", "endcommit", "commitsha"]) {
        log.commit(&sha);
    }
    let whole = Value::Object(fields.clone()).to_string();
    if let Ok(found) = session_log::read("log.json", whole.as_bytes()) {
        log.has_end = has_end(compliance);
        log.check(&found.items);
    }
    notes(&mut log, fields, times);
    Some(Reading::Sessions(vec![log.brought(file, times)]))
}

/// Whether there is anything to be ticked off at the end.
fn has_end(compliance: Option<&Value>) -> bool {
    let fields = compliance.and_then(Value::as_object);
    fields.is_some_and(|fields| get(fields, &["sessionend", "end", "endchecklist"]).is_some())
}

fn notes(log: &mut Log, fields: &Map<String, Value>, times: &Times<'_>) {
    let outcomes = get(fields, &["outcomes", "outcome"]).and_then(Value::as_object);
    let decisions = get(fields, &["decisions", "keydecisions"])
        .or_else(|| outcomes.and_then(|outcomes| get(outcomes, &["decisions"])));
    let sorts: [(&str, Option<&Value>); 3] = [
        ("work", get(fields, &["worklog", "work"])),
        ("decision", decisions),
        ("learning", get(fields, &["learnings"])),
    ];
    for (kind, found) in sorts {
        each(found, &mut |entry| {
            let time = ["time", "timestamp", "date"]
                .iter()
                .find_map(|key| times.read(get(entry.as_object()?, &[key])?.as_str()?));
            log.note(kind, &told(entry), time);
        });
    }
    let mut next = Vec::new();
    each(get(fields, &["nextsteps", "nextsession", "nextsessionnotes"]), &mut |entry| {
        next.push(told(entry));
    });
    log.next_notes = (!next.is_empty()).then(|| next.join("\n"));
}

/// Every entry of a list, or the one thing that there is.
fn each(value: Option<&Value>, take: &mut dyn FnMut(&Value)) {
    match value {
        Some(Value::Array(list)) => list.iter().take(MAX_NOTES).for_each(take),
        Some(Value::Null) | None => {}
        Some(one) => take(one),
    }
}

/// An entry in words.
fn told(entry: &Value) -> String {
    let Value::Object(fields) = entry else {
        return entry.as_str().map_or_else(|| entry.to_string(), str::to_owned);
    };
    let text = |names: &[&str]| get(fields, names).and_then(Value::as_str);
    let what =
        text(&["entry", "decision", "step", "action", "task", "summary", "description", "title"]);
    let more = text(&["rationale", "outcome", "result", "details", "notes"]);
    match (what, more) {
        (Some(what), Some(more)) => format!("{what}: {more}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => entry.to_string(),
    }
}

/// The value under one of these names, however they are spelt.
pub(super) fn get<'v>(fields: &'v Map<String, Value>, names: &[&str]) -> Option<&'v Value> {
    names.iter().find_map(|name| {
        let spelt = |key: &str| -> String {
            key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        fields.iter().find(|(key, _)| spelt(key) == **name).map(|(_, value)| value)
    })
}
