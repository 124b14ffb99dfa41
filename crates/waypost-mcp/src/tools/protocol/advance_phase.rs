//! `advance_phase`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::tracks::protocol::advance;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct AdvancePhase;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The phase to reach, such as WORKING; the gates on the way have to hold. Without it: the next.
    target_phase: Option<String>,
    /// Pass the next gate although it does not hold. It is a violation that everybody sees, and
    /// possible three times in a conversation.
    force: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The phase before.
    previous_phase: String,
    /// The phase now.
    current_phase: String,
    /// The phase now, or BLOCKED or VIOLATION while something that was missed does not hold.
    state: String,
    /// Whether the phase that was asked for was reached.
    success: bool,
    /// The gates that hold it.
    blocked_by: Vec<String>,
    /// What was missed, or passed by force.
    violations: Vec<String>,
    /// What to do next.
    next_steps: Vec<String>,
}

impl Tool for AdvancePhase {
    const NAME: &'static str = "advance_phase";
    const TITLE: &'static str = "Enter the next phase";
    const DESCRIPTION: &'static str = "Enters the next phase of the protocol, or goes up to the one \
        that is named, as far as the gates between hold. Call it when you did what the checklist \
        asks for: target_phase WORKING before you begin the work. A gate that does not hold blocks, \
        is recorded as a violation until it holds, and the answer says what to do.";
    const TOOLSET: Toolset = Toolset::Protocol;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        call.progress.tell(0, 1, "looking at the gates");
        let force = input.force.unwrap_or(false);
        let target = input.target_phase.as_deref();
        let advanced = advance::advance(&call.view, call.session(), target, force)?;
        call.progress.tell(1, 1, "done");
        let output = Output {
            previous_phase: advanced.previous_phase,
            current_phase: advanced.current_phase,
            state: advanced.state,
            success: advanced.success,
            blocked_by: advanced.blocked_by,
            violations: advanced.violations,
            next_steps: advanced.next_steps,
        };
        let mut lines = vec![if output.success {
            format!("{} -> {}.", output.previous_phase, output.current_phase)
        } else {
            let by = output.blocked_by.join(", ");
            format!("Still in {}, {} by {by}.", output.current_phase, output.state)
        }];
        lines.extend(output.violations.iter().map(|missed| format!("Violation: {missed}")));
        lines.extend(output.next_steps.iter().map(|step| format!("Next: {step}")));
        Ok(Answer::new(output, lines.join("\n")))
    }
}
