//! What the conversation used, counted at the ends of turns: by its client's transcript, which no other call reads.

use waypost_core::gate::proof::Proof;
use waypost_core::usage::Usage;

use super::Call;
use crate::error::AppError;
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
    let near = policy.policy.gates.iter().filter(|gate| {
        let mut is_near = false;
        gate.proof.each(&mut |proof| {
            if let Proof::Check(check) = proof {
                is_near |= check.nears(&state.usage, before);
            }
        });
        is_near
    });
    let near: Vec<&str> = near.map(|gate| gate.id.as_str()).collect();
    Ok((!near.is_empty()).then(|| told(&near, &state.usage)))
}

fn told(near: &[&str], usage: &Usage) -> String {
    let (gates, verb) = (near.join(", "), if near.len() == 1 { "is" } else { "are" });
    let used = usage.words();
    format!("{gates} {verb} near the limit: this session used {used}, more than 80% of it")
}
