//! Recording that a project was set up, and compiling its gates for the first time.

use waypost_core::command::ProjectCommand;
use waypost_core::key::sha256_hex;

use crate::error::AppError;
use crate::share::trust;
use crate::view::View;
use crate::view::human;
use crate::view::policy::{self, Compiled};

/// Records the project, once, and compiles its gates. An agent may tighten them, not loosen them.
/// `wrote` is the configuration that was just written: what a human has written here may be run here.
pub fn record(view: &View<'_>, wrote: Option<&str>) -> Result<Compiled, AppError> {
    let actor = view.actor();
    let waypost = env!("CARGO_PKG_VERSION").to_owned();
    view.execute_for_project(&actor, ProjectCommand::Initialise { waypost })?;
    if let Some(text) = wrote
        && human::only(view.host, "trusting a configuration").is_ok()
    {
        trust::trust_config(view, sha256_hex(&[text.as_bytes()]))?;
    }
    policy::compile(view, None, actor.conversation().is_none())
}
