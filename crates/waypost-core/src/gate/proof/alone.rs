//! The proof `alone`: no other conversation is at work in the work tree.

use super::{Finding, FindingStatus};
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

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
