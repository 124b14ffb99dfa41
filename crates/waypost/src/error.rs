//! How a command fails: what happened, what to do next, and the exit status.

use std::process::ExitCode;

use waypost_app::error::{AppError, Kind};

use crate::ui;

/// Tells what went wrong and gives the exit status for it.
pub(crate) fn report(error: &AppError) -> ExitCode {
    ui::error(&error.message, &error.hints);
    status(error.kind)
}

/// 1 refused, not found or not yet; 2 usage or configuration; 3 integrity.
pub(crate) fn status(kind: Kind) -> ExitCode {
    ExitCode::from(match kind {
        Kind::Refused | Kind::Conflict { .. } => 1,
        Kind::Configuration => 2,
        Kind::Integrity => 3,
    })
}
