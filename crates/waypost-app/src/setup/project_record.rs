//! Recording that a project was set up or Waypost taken out of it, and compiling its gates for the first time.

use waypost_core::command::ProjectCommand;
use waypost_core::id::StreamId;
use waypost_core::key::sha256_hex;
use waypost_store::look;

use crate::error::AppError;
use crate::machine::host::Host;
use crate::machine::project::Project;
use crate::share::trust;
use crate::view::View;
use crate::view::human;
use crate::view::policy::{self, Compiled};

/// Records that Waypost is about to be taken out of the work tree, where it was set up.
pub fn removed(host: &Host, project: &Project) -> Result<(), AppError> {
    if !look::is_folder(project.store.join(StreamId::Project.to_string())) {
        return Ok(());
    }
    let view = View::with(host, project.clone(), host.keyring()?);
    let (worktree, said) = (project.worktree(), human::speaker(&view));
    view.execute_for_project(&view.actor(), ProjectCommand::Remove { worktree, said })
}

/// Records the project, once, and compiles its gates. An agent may tighten them, not loosen them.
/// `wrote` is the configuration that was just written: what a human has written here may be run here.
pub fn record(view: &View<'_>, wrote: Option<&str>) -> Result<Compiled, AppError> {
    let actor = view.actor();
    let waypost = env!("CARGO_PKG_VERSION").to_owned();
    let worktree = view.project.worktree();
    view.execute_for_project(&actor, ProjectCommand::Initialise { waypost, worktree })?;
    if let Some(text) = wrote
        && human::only(view.host, "trusting a configuration").is_ok()
    {
        trust::trust_config(view, sha256_hex(&[text.as_bytes()]))?;
    }
    policy::compile(view, None, actor.conversation().is_none())
}
