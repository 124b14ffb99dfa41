//! A session as a `state.json` that tools read which know session folders: nothing of Waypost's own in it, and every key
//! that it came with.

mod lost;
mod older;

use serde_json::{Map, Value};
use waypost_core::event::{Known, SessionImported};
use waypost_core::id::SessionId;
use waypost_core::manifest::Manifest;
use waypost_core::record::Record;
use waypost_core::session::SessionState;
use waypost_core::time::Timestamp;

use crate::foreign::session::{Leaving, Written};
use crate::foreign::session_folder;
use crate::view::copy::MANIFEST;

/// What only Waypost reads.
const OWN: [&str; 2] = ["waypost", "_signature"];
/// What no manifest can do without.
const NEEDED: [&str; 4] = ["session_id", "topic", "created_at", "updated_at"];

pub(super) fn write(session: &Leaving<'_>) -> Written {
    let value = match original(session) {
        Some((original, _)) if session.state.is_as_imported() => original.clone(),
        Some((original, imported)) => {
            let came = came(session, imported);
            let now = without_own(session.manifest);
            let mut value = overlaid(Some(original), &came, &now);
            older::follow(&mut value, &came, &now);
            fill(&mut value, &now);
            value
        }
        None => without_own(session.manifest),
    };
    let text = serde_json::to_string_pretty(&value).unwrap_or_default() + "\n";
    Written { name: MANIFEST.to_owned(), text, lost: lost::lost(session) }
}

/// Puts in what no manifest can do without.
fn fill(value: &mut Value, now: &Value) {
    for key in NEEDED {
        if value.get(key).is_none_or(Value::is_null)
            && let Some(fields) = value.as_object_mut()
        {
            fields.insert(key.to_owned(), now.get(key).cloned().unwrap_or_default());
        }
    }
}

/// The `state.json` that it came with, of a session or of research.
fn original<'a>(session: &'a Leaving<'_>) -> Option<(&'a Value, &'a SessionImported)> {
    if let Some(imported) = session.came_as(session_folder::FORMAT) {
        return Some((&imported.manifest, imported));
    }
    let imported = session.came_as(session_folder::RESEARCH)?;
    imported.original.values().find(|file| file.is_object()).map(|file| (file, imported))
}

/// The manifest as it was when the session came here.
fn came(session: &Leaving<'_>, imported: &SessionImported) -> Value {
    let record = Record {
        seq: 1,
        time: session.state.started_at.unwrap_or(Timestamp::saturating_from_millis(0)),
        actor: waypost_core::actor::Actor::Waypost,
        event: Known::SessionImported(imported.clone()).into(),
    };
    let lifecycle = SessionState::fold([&record]).lifecycle;
    let id: &SessionId = session.id;
    let manifest = Manifest::of(id, &[record], "", lifecycle);
    without_own(&serde_json::to_value(&manifest).unwrap_or_default())
}

fn without_own(manifest: &Value) -> Value {
    let mut fields = manifest.as_object().cloned().unwrap_or_default();
    for own in OWN {
        fields.remove(own);
    }
    Value::Object(fields)
}

/// What has changed since it came, put into what it came with: nothing that was there gets lost, and what says the same
/// stays as it was written, also where it was read as something else or not at all.
fn overlaid(original: Option<&Value>, came: &Value, now: &Value) -> Value {
    let Some(original) = original else { return now.clone() };
    match (original, came, now) {
        (Value::Object(original), Value::Object(came), Value::Object(now)) => {
            Value::Object(merged(original, came, now))
        }
        (original, came, now) if came == now => original.clone(),
        (Value::Array(original), Value::Array(came), Value::Array(now))
            if original.len() == came.len() =>
        {
            let each = now.iter().enumerate().map(|(at, now)| match came.get(at) {
                Some(came) => overlaid(original.get(at), came, now),
                None => now.clone(),
            });
            Value::Array(each.collect())
        }
        (_, _, now) => now.clone(),
    }
}

fn merged(
    original: &Map<String, Value>,
    came: &Map<String, Value>,
    now: &Map<String, Value>,
) -> Map<String, Value> {
    let mut merged = original.clone();
    for (key, now) in now {
        let came = came.get(key).unwrap_or(&Value::Null);
        merged.insert(key.clone(), overlaid(original.get(key), came, now));
    }
    merged
}
