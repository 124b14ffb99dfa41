//! Workflows: beginning one, completing its phases, going back.

pub(super) mod complete_phase;
pub(super) mod get_errors;
pub(super) mod get_phase;
pub(super) mod get_task;
pub(super) mod list;
mod moved;
mod phase;
pub(super) mod retry_phase;
pub(super) mod rollback;
pub(super) mod start;
mod task;

use schemars::JsonSchema;
use serde::Deserialize;

/// A phase: its name, or its number as the workflow counts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum PhaseName {
    /// Its name.
    Name(String),
    /// Its number.
    Number(u64),
}

impl PhaseName {
    /// As use cases take it.
    fn text(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}
