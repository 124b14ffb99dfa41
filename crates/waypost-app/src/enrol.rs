//! Recording that a project was set up, and compiling its gates for the first time.

use waypost_core::event::Known;
use waypost_core::id::StreamId;
use waypost_core::project::ProjectState;
use waypost_core::record::Draft;

use crate::error::AppError;
use crate::policy::{self, Compiled};
use crate::view::View;

/// Records the project, once, and compiles its gates. An agent may tighten them, not loosen them.
pub fn enrol(view: &View<'_>) -> Result<Compiled, AppError> {
    view.log.create(&StreamId::Project)?;
    let now = view.host.now();
    let actor = view.actor();
    view.log.transact(&StreamId::Project, now, |state: &ProjectState| {
        let event = Known::ProjectInitialised { waypost: env!("CARGO_PKG_VERSION").to_owned() };
        let draft = Draft { time: now, actor: actor.clone(), event: event.into() };
        Ok::<_, AppError>((if state.version == 0 { vec![draft] } else { Vec::new() }, ()))
    })?;
    policy::compile(view, None, actor.conversation().is_none())
}
