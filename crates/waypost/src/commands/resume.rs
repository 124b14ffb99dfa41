//! `waypost resume`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::sessions::resume;
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui::{self, BOLD, DIM};

/// Take a session up again
///
/// Paused and abandoned sessions go on, and so does one that is over if you name it. Without an
/// id: the calling agent's session, else the work tree's only one that is paused or abandoned.
///
/// A session that is only a folder in the work tree is taken over: the published copy that came
/// with a clone, or a session folder of another program, which is converted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost resume                 the one that rests
  waypost resume 2026-11-15_add  a session by the beginning of its id")]
pub(super) struct ResumeArgs {
    /// A session's id, or enough of its beginning
    id: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl ResumeArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let resumed = resume::resume(&view, self.id.as_deref())?;
        ui::warnings(&resumed.warnings);
        if self.json {
            ui::json(&json!({
                "session_id": resumed.session,
                "lifecycle": "active",
                "adopted": resumed.adopted,
                "pause": resumed.pause,
                "elsewhere": resumed.elsewhere,
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let how = if resumed.adopted { "taken over and resumed" } else { "resumed" };
        ui::line(format!("{} {}", ui::paint(BOLD, &resumed.session), ui::paint(DIM, how)));
        if let Some(pause) = &resumed.pause {
            ui::field("it rested", &pause.reason);
            if let Some(context) = &pause.context {
                ui::field("context", context);
            }
        }
        if let Some(own) = &resumed.elsewhere {
            ui::note(format!(
                "this conversation stays in {own}; a new one joins the session that is active"
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}
