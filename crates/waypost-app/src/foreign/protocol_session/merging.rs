//! Which files tell of one session, and what they tell together.

use std::cmp::Reverse;

use serde_json::Value;
use waypost_core::session::Basics;
use waypost_core::time::Timestamp;

use super::ours::{CHANGED, ID, of_ours};
use crate::foreign::named_session::NamedSession;
use crate::foreign::session::Brought;

/// What files are called, without case and ending, that know a session by its day and number alone.
const MEMORIES: [&str; 5] = [
    ".session-state",
    "session-state",
    "session-current-state",
    "session-history",
    "session-violations-log",
];

/// The day and number that a session is known by, and whether it is told by states and memories only, which know no
/// more. Two logs that are called otherwise are of two sessions, since people take the same number twice.
pub fn known_by(brought: &Brought) -> Option<((String, u32), bool)> {
    let named = NamedSession::at_start_of(&brought.name)?;
    Some(((named.day, named.number), is_memory(brought)))
}

/// Whether a file of that name is a state or memory, and no log.
pub fn is_memory_file(file: &str) -> bool {
    let file = file.trim_end_matches('\'').to_lowercase();
    let stem = file.rsplit_once('.').map_or("", |(stem, _)| stem);
    MEMORIES.contains(&if stem.is_empty() { file.as_str() } else { stem })
}

/// Whether nothing but states and memories tells of a session.
pub(super) fn is_memory(brought: &Brought) -> bool {
    !brought.original.is_empty() && brought.original.keys().all(|file| is_memory_file(file))
}

/// Whether two tell of the same session: they have its name, or one of them knows no more than its number.
pub(super) fn same_session(one: &Brought, other: &Brought) -> bool {
    let by_number = match (known_by(one), known_by(other)) {
        (Some((one, is_memory)), Some((other, is_other))) => {
            (is_memory || is_other) && one == other
        }
        _ => false,
    };
    one.name == other.name || by_number
}

/// What several files tell of one session, in the order in which they are put together where they lie beside each
/// other: Markdown says more than what was made of it, and logs more than memories.
pub fn together(mut all: Vec<Brought>) -> Option<Brought> {
    all.sort_by_cached_key(|one| {
        let is_markdown = one.original.values().any(Value::is_string);
        let file = one.original.keys().next().cloned();
        (Reverse(one.name.len()), !is_markdown, Reverse(updated_at(one)), file)
    });
    let ours = |one: &Brought, key: &str| of_ours(one).and_then(|ours| ours.get(key).cloned());
    let is_newer = |one: &&Brought| ours(one, CHANGED) == Some(true.into());
    let newer = all.iter().find(is_newer).cloned();
    let latest = all.iter().filter(|one| !is_newer(one)).filter_map(updated_at).max();
    let id = all.iter().find_map(|one| ours(one, ID)?.as_str().map(str::to_owned));
    let mut together = all.into_iter().reduce(Brought::merged_with)?;
    if let Some(newer) = newer.filter(|newer| updated_at(newer).is_none_or(|at| Some(at) >= latest))
    {
        since(&mut together, newer);
    }
    if let Some(id) = id {
        together.manifest["session_id"] = id.as_str().into();
        together.name = id;
    }
    Some(together)
}

/// What can only have happened since: how it ended, and what was said then.
fn since(together: &mut Brought, newer: Brought) {
    for key in ["status", "current_phase", "updated_at"] {
        together.manifest[key] = newer.manifest[key].clone();
    }
    let (past, newer) = (&mut together.past, newer.past);
    (past.ended_at, past.pause) = (newer.ended_at, newer.pause);
    past.summary = newer.summary.or(past.summary.take());
    past.next_notes = newer.next_notes.or(past.next_notes.take());
}

fn updated_at(brought: &Brought) -> Option<Timestamp> {
    Basics::read(&brought.manifest).updated_at
}
