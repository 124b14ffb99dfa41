//! Which files tell of one session.

use crate::foreign::named_session::NamedSession;
use crate::foreign::session::Brought;

/// Whether two tell of the same session: they have its name, or one of them knows it by day and number alone.
pub fn same_session(one: &Brought, other: &Brought) -> bool {
    if one.name == other.name {
        return true;
    }
    let day_and_number = |brought: &Brought| NamedSession::at_start_of(&brought.name);
    let is_bare = |brought: &Brought| {
        day_and_number(brought).is_some_and(|named| {
            let rest = brought.name.split_once("-session-").map_or("", |(_, rest)| rest);
            rest.chars().all(|c| c.is_ascii_digit()) && named.number > 0
        })
    };
    let same = day_and_number(one).is_some() && day_and_number(one) == day_and_number(other);
    same && (is_bare(one) || is_bare(other))
}
