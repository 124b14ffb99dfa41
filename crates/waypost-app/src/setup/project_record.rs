//! Recording that a project was set up, and compiling its gates for the first time.

use waypost_core::command::ProjectCommand;

use crate::error::AppError;
use crate::view::View;
use crate::view::policy::{self, Compiled};

/// Records the project, once, and compiles its gates. An agent may tighten them, not loosen them.
pub fn record(view: &View<'_>) -> Result<Compiled, AppError> {
    let actor = view.actor();
    let waypost = env!("CARGO_PKG_VERSION").to_owned();
    view.execute_for_project(&actor, ProjectCommand::Initialise { waypost })?;
    policy::compile(view, None, actor.conversation().is_none())
}
