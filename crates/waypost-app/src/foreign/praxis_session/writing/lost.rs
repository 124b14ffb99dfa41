//! What a session has that a file of this format has no place for.

use serde_json::{Map, Value};
use waypost_core::session::Lifecycle;

use super::strict::is_strict;
use crate::foreign::session::Leaving;

/// A sentence for each thing that has no place. `original` is the file that it came in.
pub(super) fn lost(session: &Leaving<'_>, original: Option<&Map<String, Value>>) -> Vec<String> {
    let (state, course) = (session.state, session.course);
    let definition = course.definition();
    let gates: usize =
        definition.map_or(0, |it| it.phases.iter().map(|phase| phase.gates.len()).sum());
    let commits = session.manifest.get("commits").and_then(Value::as_array).map_or(0, Vec::len);
    let counted = [
        (session.notes.len(), "notes"),
        (session.violations.len(), "violations"),
        (commits.max(state.commits.len()), "commits"),
        (state.conversations.len(), "conversations"),
        (state.ledger.runs.len(), "runs recorded as evidence"),
        (state.ledger.marks.len(), "marks by which gates are satisfied"),
        (gates, "gates at the end of phases"),
        (course.earlier.len(), "phases that were taken back"),
        (course.failures.len().saturating_sub(1), "errors before the last one"),
    ];
    let mut lost: Vec<String> = (counted.iter())
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{what}: {count}"))
        .collect();
    let is_complete = course.completed_at.is_some();
    let follows = definition.is_some();
    let narrow = original.is_some_and(is_strict);
    let made =
        course.phases.iter().any(|one| !one.artifacts.is_empty() || !one.commands.is_empty());
    let others = [
        (session.summary.is_some() && state.lifecycle != Lifecycle::Failed, "the summary"),
        (session.next_notes.is_some(), "what whoever comes next should know"),
        (state.branch.is_some(), "the branch"),
        (state.worktree.is_some(), "the work tree"),
        (state.mode.is_some(), "the mode"),
        (!state.focus.is_empty(), "what is worked on just now"),
        (!state.build.is_unused(), "how far building has come"),
        (state.archived.is_some(), "that it was archived"),
        (
            follows && state.lifecycle == Lifecycle::Completed && !is_complete,
            "that the session was ended before its workflow was complete",
        ),
        (
            follows
                && is_complete
                && matches!(state.lifecycle, Lifecycle::Active | Lifecycle::Paused),
            "that the session goes on though its workflow is complete",
        ),
        (narrow && made, "the files and commands of phases"),
        (
            narrow && course.phases.iter().any(|one| one.attempts > 1),
            "how often somebody tried to complete a phase",
        ),
        (
            original.is_none(),
            "the time zone: times are local ones of this machine, as praxis-os writes them",
        ),
        (!follows, "that it follows no workflow: it is written as one of a single phase"),
    ];
    lost.extend(others.iter().filter(|(has, _)| *has).map(|(_, what)| (*what).to_owned()));
    lost
}
