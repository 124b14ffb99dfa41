//! What is measured. A new row is one line in [`ROWS`].

use crate::event::Event::{self, PostEdit, PreBash, PreEdit, PreRead, PreWrite};
use crate::failure::Failure;
use crate::place::Place::{self, FiftyGates, NeverInitialised, OneGate, WithExpression};

use Subject::{EmptyRust, PythonHook, True};
use Target::{TimesBefore, TimesEdit, TimesTrue, Unset};

pub(crate) const ROWS: &[Row] = &[
    row(True, Unset),
    row(EmptyRust, Unset),
    hook(OneGate, PreEdit, TimesTrue(1.0)),
    hook(OneGate, PreWrite, TimesTrue(1.0)),
    hook(OneGate, PreBash(LOOK), TimesTrue(1.25)),
    hook(OneGate, PreRead, Unset),
    hook(OneGate, PostEdit, TimesBefore(1.2)),
    hook(NeverInitialised, PreEdit, TimesTrue(1.0)),
    hook(NeverInitialised, PreWrite, TimesTrue(1.0)),
    hook(NeverInitialised, PreBash(LOOK), TimesTrue(1.25)),
    hook(NeverInitialised, PreRead, Unset),
    hook(NeverInitialised, PostEdit, TimesBefore(1.2)),
    hook(FiftyGates, PreEdit, TimesTrue(1.0)),
    hook(FiftyGates, PreWrite, TimesTrue(1.0)),
    hook(FiftyGates, PreBash(LOOK), TimesTrue(1.25)),
    hook(FiftyGates, PreRead, Unset),
    hook(FiftyGates, PostEdit, TimesBefore(1.2)),
    hook(WithExpression, PreEdit, Unset),
    row(PythonHook, TimesEdit(60.0)),
];

const LOOK: &str = "ls -la src && echo done";
/// What the Python hook is compared with.
pub(crate) const EDIT: Subject = Subject::Hook(OneGate, PreEdit);

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
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
    /// What the row is called.
    pub(crate) fn name(self) -> String {
        match self {
            True => "/bin/true".to_owned(),
            EmptyRust => "empty static Rust binary".to_owned(),
            PythonHook => "Python hook: json, yaml, fcntl, git".to_owned(),
            Self::Hook(place, event) => format!("{}{}", event.name(), place.suffix()),
        }
    }

    pub(crate) fn is_floor(self) -> bool {
        matches!(self, True | EmptyRust)
    }
}

/// What a row should cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Target {
    Unset,
    /// At most this many times `/bin/true`.
    TimesTrue(f64),
    /// At least this many times [`EDIT`].
    TimesEdit(f64),
    /// At most this many times what the hook cost before the same tool, in the same place.
    TimesBefore(f64),
}

impl Row {
    /// The other row that its target refers to, floors aside.
    pub(crate) fn reference(self) -> Option<Subject> {
        match (self.target, self.subject) {
            (TimesEdit(_), _) => Some(EDIT),
            (TimesBefore(_), Subject::Hook(place, _)) => Some(Subject::Hook(place, PreEdit)),
            _ => None,
        }
    }
}

const fn row(subject: Subject, target: Target) -> Row {
    Row { subject, target }
}

const fn hook(place: Place, event: Event, target: Target) -> Row {
    row(Subject::Hook(place, event), target)
}

/// The rows whose name contains `only`, the floors, and what their targets refer to.
pub(crate) fn select(only: Option<&str>) -> Result<Vec<Row>, Failure> {
    let is_wanted = |row: &&Row| only.is_none_or(|only| row.subject.name().contains(only));
    let wanted: Vec<_> = ROWS.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        let names: Vec<_> = ROWS.iter().map(|row| row.subject.name()).collect();
        let names = names.join("\n  ");
        return Err(Failure::new(format!("no row has that in its name:\n  {names}")));
    }
    let is_needed = |row: &Row| wanted.iter().any(|other| other.reference() == Some(row.subject));
    let is_selected = |row: &&Row| is_wanted(row) || row.subject.is_floor() || is_needed(row);
    Ok(ROWS.iter().filter(is_selected).copied().collect())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names(only: &str) -> Vec<String> {
        let rows = select(Some(only)).unwrap();
        rows.iter().map(|row| row.subject.name()).collect()
    }

    #[test]
    fn every_row_has_a_name_of_its_own() {
        let names: BTreeSet<_> = ROWS.iter().map(|row| row.subject.name()).collect();
        assert_eq!(names.len(), ROWS.len());
        assert_eq!(select(None).unwrap().len(), ROWS.len());
    }

    #[test]
    fn a_selection_keeps_the_floors_and_what_its_targets_refer_to() {
        let [floor, empty] = ["/bin/true", "empty static Rust binary"];
        let read = "PreToolUse Read, 50 gates";
        assert_eq!(names("Read, 50"), [floor, empty, read]);
        let python = "Python hook: json, yaml, fcntl, git";
        assert_eq!(names("Python"), [floor, empty, "PreToolUse Edit", python]);
        let post = "PostToolUse Edit, no event, 50 gates";
        assert_eq!(names(post), [floor, empty, "PreToolUse Edit, 50 gates", post]);
        let failure = select(Some("nothing")).unwrap_err().to_string();
        assert!(failure.contains(read), "{failure}");
    }
}
