//! What the gates before a commit say of commits that are there already, but on no branch yet.

use waypost_core::gate::Before;
use waypost_core::gate::action::Action;
use waypost_core::gate::before::ActionParts;
use waypost_core::gate::ruling::{Outcome, Ruling};

use crate::error::AppError;
use crate::rulings::judge::{self, Rules};
use crate::view::View;
use crate::view::registry::Registration;

/// What holds these commits; none if nothing does. Nothing is recorded.
pub fn objection(
    view: &View<'_>,
    registration: &Registration,
    commits: &[String],
) -> Result<Option<Ruling>, AppError> {
    if commits.is_empty() {
        return Ok(None);
    }
    let state = view.load(&registration.session)?;
    let hash = view.policy_for(&state, &registration.conversation)?.hash.clone();
    let excerpt = view.excerpt(&hash, &[Before::Commit], ActionParts::default())?;
    let rules = Rules::of_excerpt(excerpt, &registration.session, &state);
    let action = Action::new(vec![Before::Commit], registration.conversation.clone());
    let (verdict, facts) = rules.judge(view, &state, &action)?;
    if verdict.outcome != Outcome::Deny {
        return Ok(None);
    }
    judge::ruling(view, verdict, &state, facts, hash, action).map(Some)
}
