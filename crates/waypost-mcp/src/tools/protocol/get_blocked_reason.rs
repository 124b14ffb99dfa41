//! `get_blocked_reason`

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::standing::blocked;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Nothing, Tool};
use crate::toolset::Toolset;

pub(crate) struct GetBlockedReason;

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether anything holds this conversation.
    is_blocked: bool,
    /// The phase that it is in.
    current_phase: String,
    /// What holds it, in order.
    blocked_phases: Vec<Held>,
    /// What to do, in order.
    suggested_actions: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Held {
    /// The gate.
    phase: String,
    /// MUST, SHOULD or MAY.
    requirement_level: String,
    /// What is missing.
    reason: String,
    /// What would show that it is done.
    evidence_needed: Vec<String>,
}

impl Tool for GetBlockedReason {
    const NAME: &'static str = "get_blocked_reason";
    const TITLE: &'static str = "Why can I not go on?";
    const DESCRIPTION: &'static str = "Why this conversation cannot go on in the protocol, and the \
        exact steps that would let it, in order. Call it when an edit was held, when advance_phase \
        did not succeed, or when you do not know what to do next. It changes nothing.";
    const TOOLSET: Toolset = Toolset::Protocol;
    const EFFECT: Effect = Effect::Reads;
    type Input = Nothing;
    type Output = Output;

    fn call(call: &Call<'_>, _: Nothing) -> Result<Answer<Output>, AppError> {
        let found = blocked::reason(&call.view, call.session())?;
        let held = found.blocked_phases.into_iter().map(|held| Held {
            phase: held.phase,
            requirement_level: held.requirement_level,
            reason: held.reason,
            evidence_needed: held.evidence_needed,
        });
        let output = Output {
            is_blocked: found.is_blocked,
            current_phase: found.current_phase,
            blocked_phases: held.collect(),
            suggested_actions: found.suggested_actions,
        };
        let mut lines = vec![if output.is_blocked {
            format!("Blocked in {}:", output.current_phase)
        } else {
            "Nothing blocks you.".to_owned()
        }];
        let line =
            |held: &Held| format!("{} {}: {}", held.requirement_level, held.phase, held.reason);
        lines.extend(output.blocked_phases.iter().map(line));
        lines.extend(output.suggested_actions.iter().map(|action| format!("Next: {action}")));
        Ok(Answer::new(output, lines.join("\n")))
    }
}
