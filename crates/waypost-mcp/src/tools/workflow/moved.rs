//! What tools answer that moved a workflow.

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::tracks::workflow::back::Moved;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tools::session::changed::Changed;

/// A workflow that was moved.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// The phase that it was in.
    previous_phase: String,
    /// The phase that it is in now.
    current_phase: String,
    /// Phases that were completed and are to be done again; how they went is kept.
    taken_back: Vec<String>,
}

impl Output {
    /// The answer of a tool that moved it.
    pub(super) fn answer(
        call: &Call<'_>,
        moved: Moved,
        done: String,
    ) -> Result<Answer<Self>, AppError> {
        let Moved { session, from, to, taken_back, warnings } = moved;
        let changed = Changed::of(call, &session, warnings)?;
        let text = changed.told(done);
        let output = Self { changed, previous_phase: from, current_phase: to, taken_back };
        Ok(Answer::new(output, text))
    }
}
