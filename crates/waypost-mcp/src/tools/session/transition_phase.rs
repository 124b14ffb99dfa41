//! `session_transition_phase`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::config::workflow::COMPLETE;
use waypost_app::error::AppError;
use waypost_app::tracks::workflow::complete;

use super::changed::Changed;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionTransitionPhase;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The phase to enter: the one after the current one, or `complete` after the last.
    new_phase: String,
    /// Why phases are left out, where some are: a sentence that is kept with the session.
    reason: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// The phase before.
    previous_phase: String,
    /// The phase now.
    current_phase: String,
}

impl Tool for SessionTransitionPhase {
    const NAME: &'static str = "session_transition_phase";
    const TITLE: &'static str = "Enter the next phase of the workflow";
    const DESCRIPTION: &'static str = "Goes from one phase of the session's workflow to the next: spec, plan, build, docs, and \
        complete after the last. Call it when the work of a phase is done. Gates before the \
        phase have to hold. Phases that may be left out are, with the reason, such as docs on the way \
        from build to complete; workflow_rollback goes back.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let done = complete::transition(
            &call.view,
            call.session(),
            &input.new_phase,
            input.reason.as_deref(),
        )?;
        let warnings = done.told.into_iter().chain(done.warnings).collect();
        let changed = Changed::of(call, &done.session, warnings)?;
        let (from, to) = (done.phase, done.next_phase.unwrap_or_else(|| COMPLETE.to_owned()));
        let text = changed.told(format!("{from} -> {to}."));
        let output = Output { changed, previous_phase: from, current_phase: to };
        Ok(Answer::new(output, text))
    }
}
