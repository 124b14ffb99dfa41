//! The part of a policy that a call needs.

use waypost_core::gate::Before;
use waypost_core::gate::before::ActionParts;
use waypost_core::gate::policy::Excerpt;
use waypost_core::session::SessionState;

use super::seen_call::SeenCall;
use crate::error::AppError;
use crate::orchestration::checklist;
use crate::view::View;
use crate::view::registry::Registration;

/// The policy that holds for the conversation, as far as the action needs it.
pub(super) fn excerpt(
    view: &View<'_>,
    registration: &Registration,
    state: &SessionState,
    seen: &SeenCall,
) -> Result<(String, Excerpt), AppError> {
    let (hash, mut excerpt) = excerpt_for(view, registration, state, &seen.kinds, seen.details())?;
    checklist::watch(state, &mut excerpt.watched);
    Ok((hash, excerpt))
}

/// The same for an action that is `kinds`, and made of `details`.
pub(super) fn excerpt_for(
    view: &View<'_>,
    registration: &Registration,
    state: &SessionState,
    kinds: &[Before],
    details: ActionParts<'_>,
) -> Result<(String, Excerpt), AppError> {
    let hash = view.policy_for_call(state, registration)?;
    if let Ok(excerpt) = view.excerpt(&hash, kinds, details) {
        return Ok((hash, excerpt));
    }
    // It is made again, if that can be done.
    let hash = view.policy_for(state, &registration.conversation)?.hash.clone();
    let excerpt = view.excerpt(&hash, kinds, details)?;
    Ok((hash, excerpt))
}
