//! The gates as the project's files say them.

use crate::config::{self, Problem};
use crate::error::AppError;
use crate::workspace::Workspace;
use waypost_core::gate::policy::Policy;

/// The gates, and what could not be understood.
#[derive(Debug)]
pub struct Listed {
    /// The gates.
    pub policy: Policy,
    /// What could not be understood.
    pub problems: Vec<Problem>,
}

/// All gates of the project.
pub fn list(workspace: &Workspace<'_>) -> Result<Listed, AppError> {
    let config = config::read(&workspace.project.config_file())?.unwrap_or_default();
    Ok(Listed { policy: config.policy, problems: config.problems })
}
