//! The proof `alone`: no other conversation is at work in the work tree, or at the files that are to be changed.

use super::{Finding, FindingStatus};
use crate::alongside::AT_IT;
use crate::gate::Before;
use crate::gate::input::GateInput;
use crate::next_step::NextStep;
use crate::text::spoken::long;

pub(super) fn find(input: &GateInput<'_>) -> Finding {
    let unmet = |status, why| Finding::new(status, why, next(&input.gate.id));
    let Some(found) = &input.facts.others else {
        return unmet(FindingStatus::Unknown, "nobody looked who else is here".to_owned());
    };
    let others = found.iter().filter(|(id, _)| **id != input.action.conversation);
    let others: Vec<String> = others.map(|(id, harness)| format!("{harness} {id}")).collect();
    if others.is_empty() {
        return Finding::met("nobody else is at work here");
    }
    let why = format!("others are at work in this work tree: {}", others.join(", "));
    unmet(FindingStatus::Missing, why)
}

pub(super) fn next(gate: &str) -> NextStep {
    let wanted = "wait until the other conversation is over, or have the user end it".to_owned();
    NextStep::Meet { wanted, gate: gate.to_owned() }
}

/// The same for the files that are to be changed. Whoever cannot say which these are has to wait for all.
pub(super) fn find_of_paths(input: &GateInput<'_>) -> Finding {
    let action = input.action;
    let is_edit = action.kinds.contains(&Before::Edit);
    // Whoever only looks at the gate does nothing, and is told of all files.
    if !is_edit && !action.kinds.is_empty() {
        return Finding::met("it changes no file");
    }
    let unmet = |status, why| Finding::new(status, why, next_of_paths(&input.gate.id));
    let Some(found) = &input.facts.alongside else {
        return unmet(FindingStatus::Unknown, "nobody looked what others changed".to_owned());
    };
    let now = input.facts.now;
    let others = found.iter().filter(|other| other.conversation != action.conversation);
    let taken = others.filter_map(|other| other.within(now, AT_IT, &action.paths));
    let taken: Vec<String> = taken.map(|other| other.told(now)).collect();
    let taken = taken.join("; ");
    if taken.is_empty() {
        let what = if action.paths.is_empty() { "a file here" } else { "it" };
        return Finding::met(format!("nobody else changed {what} within {}", long(AT_IT)));
    }
    if is_edit && action.paths.is_empty() {
        let why = format!("which files this changes cannot be told, and {taken}");
        return unmet(FindingStatus::Missing, why);
    }
    unmet(FindingStatus::Missing, taken)
}

pub(super) fn next_of_paths(gate: &str) -> NextStep {
    let wanted = format!(
        "wait until the other conversation has left it alone for {}, or work on another file",
        long(AT_IT)
    );
    NextStep::Meet { wanted, gate: gate.to_owned() }
}
