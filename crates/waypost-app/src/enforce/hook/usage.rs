//! What the conversation used, counted at the ends of turns: by its client's transcript, which no other call reads.

use waypost_core::usage::Usage;

use super::Call;
use crate::error::AppError;
use crate::usage::budgets;
use crate::usage::counting::{self, Transcript};
use crate::view::registry::Registration;
use crate::view::{View, agent};

/// Counts it. Tells which budgets came near their end by it, and why it could not be counted: whatever becomes of that,
/// gates go by what was counted last.
pub(super) fn count(view: &View<'_>, call: &Call, registration: &Registration) -> Option<String> {
    let file = call.transcript.as_deref()?;
    let actor = agent(call.harness, &call.conversation, None);
    let transcript = Transcript { client: call.harness, file, readers: call.readers };
    let counted =
        counting::count(view, &registration.session, &call.conversation, transcript, &actor);
    let near = counted.and_then(|before| match before {
        Some(before) => near(view, call, registration, &before),
        None => Ok(None),
    });
    near.unwrap_or_else(|error| {
        Some(format!("what this conversation used could not be counted: {}", error.message))
    })
}

fn near(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
    before: &Usage,
) -> Result<Option<String>, AppError> {
    let state = view.load(&registration.session)?;
    let policy = view.policy_for(&state, &call.conversation)?;
    Ok(budgets::near(&policy.policy.gates, &state.usage, before).map(|(_, told)| told))
}
