//! Asking the project's own gates before a phase is entered or a session ends.

use waypost_core::gate::Before;
use waypost_core::gate::action::Action;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::ruling::Outcome;
use waypost_core::id::ConversationId;

use crate::error::AppError;
use crate::rulings::judge;
use crate::view::{Session, View};

/// Asks the project's own gates before an action: a refusal if they hold it, else what they warn of.
pub(crate) fn the_gates(
    view: &View<'_>,
    session: &Session,
    conversation: ConversationId,
    before: Before,
) -> Result<Option<String>, AppError> {
    let in_force = view.policy_for_caller()?;
    let policy = Policy::clone(&in_force.policy);
    if !policy.gates.iter().any(|gate| gate.before.contains(&before)) {
        return Ok(None);
    }
    let hash = in_force.hash.clone();
    let action = Action::new(vec![before], conversation);
    let Some(ruling) = judge::settle(view, session, hash, policy, action)? else {
        return Ok(None);
    };
    let voice = view.voice();
    let text = ruling.for_agent(voice);
    if ruling.outcome == Outcome::Warn {
        return Ok(Some(text));
    }
    let steps: Vec<String> = ruling.unmet().map(|found| found.words(voice)).collect();
    Err(steps.into_iter().fold(AppError::refused(text), AppError::hint))
}
