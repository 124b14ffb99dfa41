//! Which files tell of one session.

use crate::foreign::named_session::NamedSession;

/// The day and number that a session is known by, and whether its name has nothing else.
pub fn known_by(name: &str) -> Option<((String, u32), bool)> {
    let named = NamedSession::at_start_of(name)?;
    let rest = name.split_once("-session-").map_or("", |(_, rest)| rest);
    let is_bare = rest.chars().all(|c| c.is_ascii_digit()) && named.number > 0;
    Some(((named.day, named.number), is_bare))
}
