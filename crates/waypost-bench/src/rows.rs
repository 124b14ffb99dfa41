//! What is measured. A new row is one line in [`ROWS`].

use crate::event::Event::{self, PostEdit, PreBash, PreEdit, PreRead, PreWrite};
use crate::failure::Failure;
use crate::place::Place::{self, FiftyGates, NeverInitialised, OneGate};

pub(crate) const ROWS: &[Row] = &[
    row("/bin/true", Subject::True, Target::None),
    row("empty static Rust binary", Subject::EmptyRust, Target::None),
    row(EDIT, hook(OneGate, PreEdit), Target::TimesTrue(1.0)),
    row(
        "PreToolUse Write",
        hook(OneGate, PreWrite),
        Target::TimesTrue(1.0),
    ),
    row(
        "PreToolUse Bash",
        hook(OneGate, PreBash(LOOK)),
        Target::TimesTrue(1.25),
    ),
    row("PreToolUse Read", hook(OneGate, PreRead), Target::None),
    row(
        "PostToolUse Edit, no event",
        hook(OneGate, PostEdit),
        Target::None,
    ),
    row(
        "PreToolUse Edit, never initialised",
        hook(NeverInitialised, PreEdit),
        Target::TimesTrue(1.0),
    ),
    row(
        "PreToolUse Write, never initialised",
        hook(NeverInitialised, PreWrite),
        Target::TimesTrue(1.0),
    ),
    row(
        "PreToolUse Bash, never initialised",
        hook(NeverInitialised, PreBash(LOOK)),
        Target::TimesTrue(1.25),
    ),
    row(
        "PreToolUse Read, never initialised",
        hook(NeverInitialised, PreRead),
        Target::None,
    ),
    row(
        "PostToolUse Edit, never initialised",
        hook(NeverInitialised, PostEdit),
        Target::None,
    ),
    row(
        "PreToolUse Edit, 50 gates",
        hook(FiftyGates, PreEdit),
        Target::TimesTrue(1.0),
    ),
    row(
        "PreToolUse Write, 50 gates",
        hook(FiftyGates, PreWrite),
        Target::TimesTrue(1.0),
    ),
    row(
        "PreToolUse Bash, 50 gates",
        hook(FiftyGates, PreBash(LOOK)),
        Target::TimesTrue(1.25),
    ),
    row(
        "PreToolUse Read, 50 gates",
        hook(FiftyGates, PreRead),
        Target::None,
    ),
    row(
        "PostToolUse Edit, 50 gates, no event",
        hook(FiftyGates, PostEdit),
        Target::None,
    ),
    row(
        "Python hook: json, yaml, fcntl, git",
        Subject::PythonHook,
        Target::TimesRow(60.0, EDIT),
    ),
];

const EDIT: &str = "PreToolUse Edit";
const LOOK: &str = "ls -la src && echo done";

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) subject: Subject,
    pub(crate) target: Target,
}

/// What is spawned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The floor of any program that the system brings.
    True,
    /// The floor of any program that is built as Waypost is.
    EmptyRust,
    /// What a hook written in Python costs.
    PythonHook,
    /// `waypost hook claude-code`, told of an event in a place.
    Hook(Place, Event),
}

impl Subject {
    pub(crate) fn is_floor(self) -> bool {
        matches!(self, Self::True | Self::EmptyRust)
    }
}

/// What a row should cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Target {
    None,
    /// At most this many times `/bin/true`.
    TimesTrue(f64),
    /// At least this many times another row, which is measured with it.
    TimesRow(f64, &'static str),
}

const fn row(name: &'static str, subject: Subject, target: Target) -> Row {
    Row {
        name,
        subject,
        target,
    }
}

const fn hook(place: Place, event: Event) -> Subject {
    Subject::Hook(place, event)
}

/// The rows whose name contains `only`, the floors, and what their targets refer to.
pub(crate) fn select(only: Option<&str>) -> Result<Vec<Row>, Failure> {
    let wanted = |row: &Row| only.is_none_or(|only| row.name.contains(only));
    if !ROWS.iter().any(wanted) {
        let names: Vec<_> = ROWS.iter().map(|row| row.name).collect();
        return Err(Failure::new(format!(
            "no row is named like that; there are:\n{}",
            names.join("\n")
        )));
    }
    let referred: Vec<_> = ROWS
        .iter()
        .filter(|row| wanted(row))
        .filter_map(Row::refers_to)
        .collect();
    let selected =
        |row: &&Row| wanted(row) || row.subject.is_floor() || referred.contains(&row.name);
    Ok(ROWS.iter().filter(selected).copied().collect())
}

impl Row {
    fn refers_to(&self) -> Option<&'static str> {
        match self.target {
            Target::TimesRow(_, name) => Some(name),
            Target::None | Target::TimesTrue(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(only: &str) -> Vec<&'static str> {
        select(Some(only))
            .unwrap()
            .iter()
            .map(|row| row.name)
            .collect()
    }

    #[test]
    fn every_row_has_a_name_of_its_own_and_refers_to_one_that_is_there() {
        for (index, row) in ROWS.iter().enumerate() {
            assert!(
                ROWS[..index].iter().all(|other| other.name != row.name),
                "{}",
                row.name
            );
            assert!(
                row.refers_to()
                    .is_none_or(|name| ROWS.iter().any(|row| row.name == name))
            );
        }
        assert_eq!(select(None).unwrap().len(), ROWS.len());
    }

    #[test]
    fn a_selection_keeps_the_floors_and_what_its_targets_refer_to() {
        let floors = ["/bin/true", "empty static Rust binary"];
        assert_eq!(
            names("Read, 50"),
            [&floors[..], &["PreToolUse Read, 50 gates"]].concat()
        );
        let python = "Python hook: json, yaml, fcntl, git";
        assert_eq!(names("Python"), [&floors[..], &[EDIT, python]].concat());
        assert!(
            select(Some("nothing"))
                .unwrap_err()
                .to_string()
                .contains(EDIT)
        );
    }
}
