//! What tools answer that move a build on.

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::tracks::build;

use crate::outcome::Answer;

/// How far building has come.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Built {
    /// The session.
    session_id: String,
    /// Its last record now: what `expected_version` is compared with.
    version: u64,
    /// How many checkpoints there are.
    checkpoints_total: Option<u64>,
    /// Those that are complete.
    checkpoints_completed: Vec<u64>,
    /// The one to work on; none when all are complete.
    current_checkpoint: Option<u64>,
    /// How many tasks are complete.
    tasks_completed: u64,
    /// What somebody should be told about how it is kept.
    warnings: Vec<String>,
}

impl Built {
    /// The answer after something was done.
    pub(super) fn answer(built: build::Built, done: &str) -> Answer<Self> {
        let build::BuildProgress {
            checkpoints_total,
            checkpoints_completed,
            current_checkpoint,
            tasks_completed,
        } = built.progress;
        let of = checkpoints_total.unwrap_or_default();
        let mut text =
            format!("{done} {} of {of} checkpoints are complete.", checkpoints_completed.len());
        match current_checkpoint {
            Some(current) => text.push_str(&format!(" Next: checkpoint {current}.")),
            None if of > 0 => text.push_str(" The build is complete."),
            None => {}
        }
        for warning in &built.warnings {
            text.push_str(&format!("\nWarning: {warning}"));
        }
        let output = Self {
            session_id: built.session.to_string(),
            version: built.version,
            checkpoints_total,
            checkpoints_completed,
            current_checkpoint,
            tasks_completed,
            warnings: built.warnings,
        };
        Answer::new(output, text)
    }
}
