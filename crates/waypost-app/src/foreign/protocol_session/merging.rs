//! Which files tell of one session.

use crate::foreign::named_session::NamedSession;
use crate::foreign::session::Brought;

/// The day and number that a session is known by, and whether that is all that is known: it is what states and memories
/// say. Two logs that are called otherwise are of two sessions, since people take the same number twice.
pub fn known_by(brought: &Brought) -> Option<((String, u32), bool)> {
    let name = brought.name.as_str();
    let named = NamedSession::at_start_of(name)?;
    let rest = name.split_once("-session-").map_or("", |(_, rest)| rest);
    let is_log = |file: &String| file.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let is_bare = rest.chars().all(|c| c.is_ascii_digit())
        && named.number > 0
        && !brought.original.keys().any(is_log);
    Some(((named.day, named.number), is_bare))
}

/// Whether two tell of the same session: they have its name, or one of them knows no more than its number.
pub(super) fn same_session(one: &Brought, other: &Brought) -> bool {
    let is_number_of = |bare: &Brought, other: &Brought| match (known_by(bare), known_by(other)) {
        (Some((number, true)), Some((of_other, _))) => number == of_other,
        _ => false,
    };
    one.name == other.name || is_number_of(one, other) || is_number_of(other, one)
}

/// Whether a file is a state or memory, which know a session by its number only.
pub fn is_memory(file: &str) -> bool {
    const STEMS: [&str; 5] = [
        ".session-state",
        "session-state",
        "session-current-state",
        "session-history",
        "session-violations-log",
    ];
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    STEMS.iter().any(|known| stem.eq_ignore_ascii_case(known))
}
pub fn again(
    _: &serde_json::Map<String, serde_json::Value>,
    _: &str,
    _: &crate::foreign::session::times::Times<'_>,
) -> Option<Brought> {
    None
}
