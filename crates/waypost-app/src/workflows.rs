//! The workflows that sessions can follow.

use waypost_core::text::did_you_mean;
use waypost_core::track::{Definition, builtin};

use crate::error::AppError;

/// The workflow of that name; `None` is the one without phases.
pub fn definition(name: &str) -> Result<Option<Definition>, AppError> {
    if builtin::WORKFLOWS.contains(&name) {
        return Ok(builtin::workflow(name));
    }
    let error = AppError::refused(format!("there is no workflow `{name}`"));
    Err(match did_you_mean(name, &builtin::WORKFLOWS) {
        Some(meant) => error.hint(format!("did you mean `{meant}`?")),
        None => error.hint(format!("workflows are {}", builtin::WORKFLOWS.join(", "))),
    })
}
