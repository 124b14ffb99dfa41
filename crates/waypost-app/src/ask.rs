//! Asking the project's own gates before a phase is entered or a session ends.

use waypost_core::gate::Before;
use waypost_core::gate::engine::Action;
use waypost_core::gate::ruling::Outcome;
use waypost_core::id::ConversationId;

use crate::error::AppError;
use crate::view::{Session, View};
use crate::{gates, judge};

/// Asks the project's own gates before an action: a refusal if they hold it, else what they warn of.
pub(crate) fn the_gates(
    view: &View<'_>,
    session: &Session,
    conversation: ConversationId,
    before: Before,
) -> Result<Option<String>, AppError> {
    let policy = gates::in_force(view)?;
    if !policy.gates.iter().any(|gate| gate.before.contains(&before)) {
        return Ok(None);
    }
    let hash = waypost_store::policies::keep(view.log.root(), &policy)?;
    let action = Action::new(vec![before], conversation);
    let Some(ruling) = judge::settle(view, session, (hash, policy), action)? else {
        return Ok(None);
    };
    let text = ruling.for_agent();
    if ruling.outcome == Outcome::Warn {
        return Ok(Some(text));
    }
    let steps: Vec<String> = ruling.unmet().map(|found| found.next.clone()).collect();
    Err(steps.into_iter().fold(AppError::refused(text), AppError::hint))
}
