//! What a log in JSON holds that is Waypost's own, so that the session that it was comes in again.

use serde_json::{Map, Value};

use crate::foreign::session::Brought;

/// The key of a log under which that stands.
pub(super) const CARRIED: &str = "waypost";
/// Below it: the session's id.
pub(super) const ID: &str = "id";
/// Below it: the files by their names.
pub(super) const FILES: &str = "files";
/// Below it: whether something happened since, so that what the log says itself is newer.
pub(super) const CHANGED: &str = "changed";

/// What a log says that is Waypost's own.
pub(super) fn of_ours(log: &Brought) -> Option<&Map<String, Value>> {
    log.original.values().find_map(|file| file.get(CARRIED)?.as_object())
}

/// The session's id, where a log says it.
pub(super) fn id(fields: &Map<String, Value>) -> Option<&str> {
    let id = fields.get(CARRIED)?.get(ID)?.as_str()?.trim();
    (!id.is_empty()).then_some(id)
}
