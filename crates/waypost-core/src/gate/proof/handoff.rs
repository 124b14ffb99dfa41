//! The proof `handoff`: whoever goes on has accepted what was handed over.

use super::{Finding, FindingStatus};
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

pub(super) fn find(input: &GateInput<'_>) -> Finding {
    let own = &input.action.conversation;
    let mut waiting = input.handoffs.iter().filter(|handoff| handoff.by.as_ref() != Some(own));
    let Some(first) = waiting.next() else { return Finding::met("no handoff waits") };
    let more = match waiting.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let why = format!(
        "{} from {} to {} is not accepted yet{more}",
        first.id(),
        first.from_agent,
        first.to_agent
    );
    Finding::new(FindingStatus::Missing, why, next(Some(first.id())))
}

pub(super) fn next(handoff: Option<String>) -> NextStep {
    NextStep::AcceptHandoff(handoff.unwrap_or_else(|| "ID".to_owned()))
}

#[cfg(test)]
mod tests;
