//! What is imported of a session that was imported before: a file that has changed takes the place of what it was, and
//! files that tell of other sides of it come to those that are known.

use serde_json::{Map, Value};
use waypost_core::event::{Event, ImportSource, Known, SessionImported};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::session::Basics;

use crate::error::AppError;
use crate::foreign::session::Brought;
use crate::foreign::{brain, praxis_session, session_folder};
use crate::view::View;

/// Formats in which a session's beginning is written down once and for all.
const SURE_OF_BEGINNING: [&str; 3] = [session_folder::FORMAT, praxis_session::FORMAT, brain::STATE];

/// What was last imported of a session.
pub(super) fn last_import(
    view: &View<'_>,
    id: &SessionId,
) -> Result<Option<SessionImported>, AppError> {
    let records = view.log.records(&StreamId::Session(id.clone()))?;
    Ok(records.into_iter().rev().find_map(|record| match record.event {
        Event::Known(Known::SessionImported(imported)) => Some(imported),
        _ => None,
    }))
}

/// Whether what was imported under a name is the session that is found under it now.
pub(super) fn is_same_session((format, manifest): (&str, &Value), found: &Brought) -> bool {
    let began = |manifest| Basics::read(manifest).created_at;
    let is_sure = SURE_OF_BEGINNING.contains(&found.format);
    format == found.format
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
    found: SessionImported,
    known: &SessionImported,
) -> SessionImported {
    let others = known.original.iter().filter(|(name, _)| !found.original.contains_key(*name));
    let others: Map<String, Value> =
        others.map(|(name, value)| (name.clone(), value.clone())).collect();
    if others.is_empty() {
        return found;
    }
    let brought = |imported: SessionImported, original| Brought {
        name: String::new(),
        format: "",
        manifest: imported.manifest,
        past: *imported.past,
        definition: imported.definition.map(|definition| *definition),
        original,
        remarks: imported.remarks,
    };
    let updated = |manifest| Basics::read(manifest).updated_at;
    let is_newer = updated(&found.manifest) >= updated(&known.manifest);
    let (format, worktree) = (found.format.clone(), found.worktree.clone());
    let name = found.manifest.get("session_id").cloned();
    let path = |imported: &SessionImported| imported.from.clone().map(|from| from.path);
    let paths: Vec<String> = [path(known), path(&found)].into_iter().flatten().collect();
    let from = found
        .from
        .as_ref()
        .map(|from| ImportSource { path: paths.join(", "), sha256: from.sha256.clone() });
    let original = found.original.clone();
    let (found, known) = (brought(found, original), brought(known.clone(), others));
    let mut both = if is_newer { found.merged_with(known) } else { known.merged_with(found) };
    if let (Some(fields), Some(name)) = (both.manifest.as_object_mut(), name) {
        fields.insert("session_id".to_owned(), name);
    }
    SessionImported {
        format,
        worktree,
        manifest: both.manifest,
        from,
        past: Box::new(both.past),
        definition: both.definition.map(Box::new),
        original: both.original,
        remarks: both.remarks,
    }
}

/// Whether nothing is told that is not known.
pub(super) fn says_the_same(one: &SessionImported, other: &SessionImported) -> bool {
    one.manifest == other.manifest
        && one.past == other.past
        && one.definition == other.definition
        && one.original == other.original
}
