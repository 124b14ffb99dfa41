//! The workflows that sessions can follow.

use waypost_core::text::did_you_mean;
use waypost_core::track::{Definition, builtin};

use crate::error::AppError;
use crate::workspace::Workspace;

/// The workflow of that name; `None` is the one without phases.
pub fn definition(_workspace: &Workspace<'_>, name: &str) -> Result<Option<Definition>, AppError> {
    if builtin::WORKFLOWS.contains(&name) {
        return Ok(builtin::workflow(name));
    }
    let error = AppError::refused(format!("there is no workflow `{name}`"));
    Err(match did_you_mean(name, &builtin::WORKFLOWS) {
        Some(meant) => error.hint(format!("did you mean `{meant}`?")),
        None => error.hint(format!("workflows are {}", builtin::WORKFLOWS.join(", "))),
    })
}

/// The definition with the phases that a file below the target names.
pub fn unfold(
    _workspace: &Workspace<'_>,
    definition: &Definition,
    file: &str,
    target: Option<&str>,
) -> Result<Definition, AppError> {
    let _ = (definition, target);
    Err(AppError::refused(format!("{file} names no phases")))
}
