//! A session as a `state.json` that tools read which know session folders: nothing of Waypost's own in it, and every key
//! that it came with.

use serde_json::{Map, Value};
use waypost_core::manifest::workflow_file::SessionFile;
use waypost_core::text::spoken::count;
use waypost_core::time::Timestamp;
use waypost_core::track::builtin;

use crate::foreign::session::{Leaving, Written};
use crate::foreign::session_folder;
use crate::view::copy::MANIFEST;

/// What only Waypost reads.
const OWN: [&str; 2] = ["waypost", "_signature"];

pub(super) fn write(session: &Leaving<'_>) -> Written {
    let came = session.came_as(session_folder::FORMAT).map(|imported| &imported.manifest);
    let value = match came {
        Some(original) if session.state.is_as_imported() => original.clone(),
        came => {
            let mut now = session.manifest.as_object().cloned().unwrap_or_default();
            for own in OWN {
                now.remove(own);
            }
            overlaid(came.cloned().unwrap_or(Value::Null), Value::Object(now))
        }
    };
    let text = serde_json::to_string_pretty(&value).unwrap_or_default() + "\n";
    Written { name: MANIFEST.to_owned(), text, lost: lost(session) }
}

/// What is there now over what it came with: nothing that was there gets lost, and what says the same stays as it was
/// written.
fn overlaid(before: Value, now: Value) -> Value {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => Value::Object(merged(before, now)),
        (Value::Array(before), Value::Array(now)) => {
            let known = |one: &Value| {
                let sha = one.get("sha").filter(|sha| sha.is_string());
                before.iter().find(|known| sha.is_some() && known.get("sha") == sha).cloned()
            };
            Value::Array(
                now.into_iter()
                    .map(|one| match known(&one) {
                        Some(before) => overlaid(before, one),
                        None => one,
                    })
                    .collect(),
            )
        }
        // What could not be read stays what it was.
        (before, Value::Null) => before,
        (Value::String(before), Value::String(now)) if is_same(&before, &now) => {
            Value::String(before)
        }
        (_, now) => now,
    }
}

fn merged(mut before: Map<String, Value>, now: Map<String, Value>) -> Map<String, Value> {
    for (key, now) in now {
        let known = before.remove(&key).unwrap_or(Value::Null);
        before.insert(key, overlaid(known, now));
    }
    before
}

/// Whether two texts are the same point in time.
fn is_same(before: &str, now: &str) -> bool {
    matches!((Timestamp::lenient(before), Timestamp::lenient(now)), (Some(before), Some(now)) if before == now)
}

fn lost(session: &Leaving<'_>) -> Vec<String> {
    let mut lost = Vec::new();
    let from_here = session.notes.len()
        - session.past().map_or(0, |past| past.notes.len()).min(session.notes.len());
    let mut put = |number: usize, what: &str| {
        if number > 0 {
            lost.push(count(number, what));
        }
    };
    put(from_here, "note");
    put(session.violations.len(), "violation");
    put(session.state.conversations.len(), "conversation");
    put(session.state.ledger.runs.len(), "run that was recorded as evidence");
    if let Some(track) = SessionFile::of(session.id, session.state, session.course)
        && !builtin::WORKFLOWS.contains(&track.workflow_type.as_str())
    {
        let phases = count(track.phase_names.len(), "phase");
        lost.push(format!("the {phases} of {}, shown as building", track.workflow_type));
    }
    lost
}
