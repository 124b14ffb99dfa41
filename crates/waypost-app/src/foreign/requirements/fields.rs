//! What one requirement says of itself.

use super::cascade::{At, Entry, Given};
use crate::config::Problem;
use waypost_core::text::{one_line, shortened};

/// One requirement.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Where the last file that gives it has its name.
    pub(super) at: At,
    /// Its fields.
    pub(super) entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// Those of the requirement under a key.
    pub(super) fn of(entry: &'a Entry) -> Result<Self, Problem> {
        let Some(entries) = entry.given.as_map() else {
            let name = shown(&entry.key);
            let what = entry.given.type_name();
            let message = format!("`{name}` is left out: it must be a map of fields, not {what}");
            return Err(entry.at.problem(message));
        };
        Ok(Self { name: &entry.key, at: entry.at.clone(), entries })
    }

    /// The value of a field.
    pub(super) fn get(&self, field: &str) -> Option<&'a Given> {
        self.entries.iter().find(|entry| entry.key == field).map(|entry| &entry.given)
    }

    /// The text of a field, if it is one and not empty.
    pub(super) fn text(&self, field: &str) -> Option<&'a str> {
        self.get(field)?.as_str().filter(|text| !text.trim().is_empty())
    }

    /// The whole number of a field, if it is one above zero.
    pub(super) fn seconds(&self, field: &str) -> Option<i64> {
        milliseconds(self.get(field)?)
    }

    /// Whether a field says yes.
    pub(super) fn is_true(&self, field: &str) -> bool {
        self.get(field).is_some_and(Given::is_true)
    }

    /// Whether it is in force: only one that says so is.
    pub(super) fn is_enabled(&self) -> bool {
        self.is_true("enabled")
    }

    /// Its scope, in its own words.
    pub(super) fn scope(&self) -> &'a str {
        self.text("scope").unwrap_or("session")
    }

    /// Its type.
    pub(super) fn kind(&self) -> &'a str {
        self.text("type").unwrap_or("blocking")
    }

    /// That it is left out, and why.
    pub(super) fn dropped(&self, at: &At, why: &str) -> Problem {
        at.problem(format!("requirement `{}` is left out: {why}", shown(self.name)))
    }

    /// That it is left out for what a field says.
    pub(super) fn wrong(&self, field: &str, why: &str) -> Problem {
        let at = self.get(field).map_or(&self.at, |given| &given.at);
        self.dropped(at, &format!("`{field}` {why}"))
    }

    /// Something to know about it, that changes nothing.
    pub(super) fn note(&self, at: &At, what: &str) -> Problem {
        at.problem(format!("requirement `{}`: {what}", shown(self.name)))
    }
}

/// Milliseconds, of a number of seconds above zero.
pub(super) fn milliseconds(given: &Given) -> Option<i64> {
    let seconds = given.plain()?.as_number().filter(|seconds| *seconds > 0.0)?;
    // Beyond this nobody waits, and numbers with a point are exact.
    let bounded = seconds.min(1e12);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is bounded, and parts of a millisecond do not count"
    )]
    let whole = (bounded * 1000.0) as i64;
    Some(whole)
}

/// A name as it can be shown in one line.
pub(super) fn shown(name: &str) -> String {
    shortened(&one_line(name), 60)
}
