//! What is imported of a session that was imported before: a file that has changed takes the place of what it was, and
//! files that tell of other sides of it come to those that are known.

use serde_json::{Map, Value};
use waypost_core::chronicle::Chronicle;
use waypost_core::event::{ImportSource, SessionImported};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::session::Basics;
use waypost_core::time::Timestamp;

use crate::error::AppError;
use crate::foreign::session::Brought;
use crate::foreign::session::times::Times;
use crate::foreign::{brain, praxis_session, protocol_session, requirement_state, session_folder};
use crate::machine::local_time;
use crate::view::View;

/// Formats in which a session's beginning is written down once and for all.
const SURE_OF_BEGINNING: [&str; 3] = [session_folder::FORMAT, praxis_session::FORMAT, brain::STATE];

/// The formats in which several files tell of one session.
const FORMATS: [&str; 4] =
    [protocol_session::FORMAT, requirement_state::FORMAT, brain::STATE, brain::PART];

/// What was last imported of a session.
pub(super) fn last_import(
    view: &View<'_>,
    id: &SessionId,
) -> Result<Option<SessionImported>, AppError> {
    let records = view.log.records(&StreamId::Session(id.clone()))?;
    Ok(Chronicle::of(&records).imported)
}

/// Whether what was imported under a name is the session that is found under it now.
pub(super) fn is_same_session((format, manifest): (&str, &Value), found: &Brought) -> bool {
    let began = |manifest| Basics::read(manifest).created_at;
    let is_sure = format == found.format && SURE_OF_BEGINNING.contains(&found.format);
    let family = |format| if format == brain::PART { brain::STATE } else { format };
    family(format) == family(found.format)
        && match (began(manifest), began(&found.manifest)) {
            (Some(before), Some(now)) => !is_sure || before == now,
            _ => true,
        }
}

/// Whether what is found tells nothing that is not known from the same files as they were later.
pub(super) fn is_older(found: &Brought, known: &SessionImported) -> bool {
    let is_known = found.original.keys().all(|name| known.original.contains_key(name));
    let updated = |manifest| Basics::read(manifest).updated_at;
    is_known && updated(&found.manifest) < updated(&known.manifest)
}

/// What is found now, with what other files told before.
pub(super) fn with_what_is_known(
    name: &str,
    found: SessionImported,
    known: &SessionImported,
) -> SessionImported {
    let others = known.original.iter().filter(|(name, _)| !found.original.contains_key(*name));
    let others: Map<String, Value> =
        others.map(|(name, value)| (name.clone(), value.clone())).collect();
    if others.is_empty() {
        return found;
    }
    let path = |imported: &SessionImported| imported.from.clone().map(|from| from.path);
    let paths: Vec<String> = [path(known), path(&found)].into_iter().flatten().collect();
    let from = found
        .from
        .as_ref()
        .map(|from| ImportSource { path: paths.join(", "), sha256: from.sha256.clone() });
    let worktree = found.worktree.clone();
    let known = Brought { original: others, ..brought(known.clone()) };
    let both = both(name, brought(found), known);
    SessionImported {
        format: both.format.to_owned(),
        worktree,
        manifest: both.manifest,
        from,
        past: Box::new(both.past),
        definition: both.definition.map(Box::new),
        original: both.original,
        remarks: both.remarks,
    }
}

/// An import as it was brought.
fn brought(imported: SessionImported) -> Brought {
    let name = imported.manifest.get("session_id").and_then(Value::as_str).unwrap_or_default();
    let format = FORMATS.iter().find(|format| **format == imported.format);
    Brought {
        name: name.to_owned(),
        format: format.copied().unwrap_or_default(),
        manifest: imported.manifest,
        past: *imported.past,
        definition: imported.definition.map(|definition| *definition),
        original: imported.original,
        remarks: imported.remarks,
    }
}

/// What is found, and what is known from other files.
fn both(name: &str, found: Brought, known: Brought) -> Brought {
    if found.format == requirement_state::FORMAT {
        // What counts depends on all files, so all of them are read again.
        let mut files = known.original.clone();
        files.extend(found.original.clone());
        if let Some(again) = requirement_state::again(&files, name, &times()) {
            return again;
        }
    }
    let called = found.name.clone();
    let mut both = match (found.format, known.format) {
        (brain::PART, brain::STATE | brain::PART) => joined(known, found),
        (brain::STATE, brain::PART) => joined(found, known),
        _ if updated_at(&found) >= updated_at(&known) => found.merged_with(known),
        _ => known.merged_with(found),
    };
    if let Some(fields) = both.manifest.as_object_mut() {
        fields.insert("session_id".to_owned(), called.into());
    }
    both
}

fn joined(mut state: Brought, part: Brought) -> Brought {
    brain::join(&mut state, part);
    state
}

fn times() -> Times<'static> {
    Times::new(&local_time::utc_offset)
}

fn updated_at(brought: &Brought) -> Option<Timestamp> {
    Basics::read(&brought.manifest).updated_at
}

/// Whether nothing is told that is not known.
pub(super) fn says_the_same(one: &SessionImported, other: &SessionImported) -> bool {
    one.manifest == other.manifest
        && one.past == other.past
        && one.definition == other.definition
        && one.original == other.original
}
