//! What is imported of a session that was imported before: a file that has changed takes the place of what it was, and
//! files that tell of other sides of it come to those that are known.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use waypost_core::chronicle::Chronicle;
use waypost_core::event::SessionImported;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::session::Basics;

use crate::error::AppError;
use crate::foreign::session::Brought;
use crate::foreign::session::times::Times;
use crate::foreign::{brain, praxis_session, protocol_session, requirement_state, session_folder};
use crate::machine::local_time;
use crate::view::View;

/// Formats in which a session's beginning is written down once and for all.
const SURE_OF_BEGINNING: [&str; 3] = [session_folder::FORMAT, praxis_session::FORMAT, brain::STATE];

/// Formats in which several files tell of one session.
const MANY_FILES: [&str; 4] =
    [protocol_session::FORMAT, requirement_state::FORMAT, brain::STATE, brain::PART];
/// No more sessions than this are compared with a log.
const MAX_COMPARED: usize = 32;

/// What was last imported of a session.
pub(super) fn last_import(
    view: &View<'_>,
    id: &SessionId,
) -> Result<Option<SessionImported>, AppError> {
    let records = view.log.records(&StreamId::Session(id.clone()))?;
    Ok(Chronicle::of(&records).imported)
}

/// A session as far as it has to be known to tell it from others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) format: &'a str,
    pub(super) manifest: &'a Value,
    pub(super) original: &'a Map<String, Value>,
}

impl<'a> Known<'a> {
    pub(super) fn of(imported: &'a SessionImported) -> Self {
        let SessionImported { format, manifest, original, .. } = imported;
        Self { format, manifest, original }
    }

    pub(super) fn found(brought: &'a Brought) -> Self {
        let Brought { format, manifest, original, .. } = brought;
        Self { format, manifest, original }
    }
}

/// Whether what was imported under a name is the session that is found under it now.
pub(super) fn is_same_session(known: Known<'_>, found: Known<'_>) -> bool {
    let began = |manifest| Basics::read(manifest).created_at;
    let is_sure = known.format == found.format && SURE_OF_BEGINNING.contains(&found.format);
    let family = |format| if format == brain::PART { brain::STATE } else { format };
    let is_other_log = found.format == protocol_session::FORMAT && are_other_logs(known, found);
    family(known.format) == family(found.format)
        && !is_other_log
        && match (began(known.manifest), began(found.manifest)) {
            (Some(before), Some(now)) => !is_sure || before == now,
            _ => true,
        }
}

/// Whether both have logs, and none of the one's is called as one of the other's: people take the same number twice.
fn are_other_logs(known: Known<'_>, found: Known<'_>) -> bool {
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
    let logs = |of: Known<'_>| -> BTreeSet<String> {
        let names = of.original.keys().filter(|name| !protocol_session::is_memory(name));
        names.map(|name| stem(name.trim_end_matches('\''))).collect()
    };
    let (known, found) = (logs(known), logs(found));
    !known.is_empty() && !found.is_empty() && known.is_disjoint(&found)
}

/// A session that was imported from a log with exactly this content, whatever the file is called now.
pub(super) fn same_log(view: &View<'_>, found: &Brought) -> Result<Option<SessionId>, AppError> {
    let Some(((day, number), false)) = protocol_session::known_by(found) else { return Ok(None) };
    if found.original.keys().any(|file| file.starts_with(&found.name)) {
        return Ok(None);
    }
    let prefix = format!("{day}-session-");
    let is_of_day = |id: &SessionId| {
        let number_of = |id: &str| {
            let digits = id.strip_prefix(&prefix)?.split(|c: char| !c.is_ascii_digit()).next()?;
            digits.parse::<u32>().ok()
        };
        number_of(id.as_str()) == Some(number) && id.as_str() != found.name
    };
    for id in view.log.sessions()?.into_iter().filter(is_of_day).take(MAX_COMPARED) {
        let Some(known) = last_import(view, &id)? else { continue };
        let has = |content: &Value| known.original.values().any(|known| known == content);
        if known.format == found.format && found.original.values().all(has) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Whether what is found tells nothing that is not known from the same files as they were later.
pub(super) fn is_older(found: &Brought, known: &SessionImported) -> bool {
    let is_known = found.original.keys().all(|name| known.original.contains_key(name));
    let has_many = MANY_FILES.contains(&found.format);
    let updated = |manifest| Basics::read(manifest).updated_at;
    (is_known || !has_many) && updated(&found.manifest) < updated(&known.manifest)
}

/// What is found now, with what other files told before. What counts may depend on all of them, so all are read again.
pub(super) fn with_what_is_known(
    name: &str,
    found: SessionImported,
    known: &SessionImported,
) -> SessionImported {
    let mut files = known.original.clone();
    files.extend(found.original.clone());
    let times = Times::new(&local_time::utc_offset);
    let again = match found.format.as_str() {
        _ if files.len() == found.original.len() => None,
        requirement_state::FORMAT => requirement_state::again(&files, name, &times),
        protocol_session::FORMAT => protocol_session::again(&files, name, &times),
        brain::STATE | brain::PART => brain::again(&files, name, &times),
        // One file is all of it.
        _ => None,
    };
    let Some(again) = again else { return found };
    SessionImported {
        format: again.format.to_owned(),
        manifest: again.manifest,
        past: Box::new(again.past),
        definition: again.definition.map(Box::new),
        original: again.original,
        remarks: again.remarks,
        ..found
    }
}

/// Whether nothing is told that is not known.
pub(super) fn says_the_same(one: &SessionImported, other: &SessionImported) -> bool {
    one.manifest == other.manifest
        && one.past == other.past
        && one.definition == other.definition
        && one.original == other.original
}
