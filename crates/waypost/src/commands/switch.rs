//! `waypost switch`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::sessions::current;
use waypost_app::view::View;

use super::CommandOutcome;
use super::resume::joined_by;
use crate::ui::{self, BOLD, DIM};

/// Choose the current session of the work tree
///
/// New conversations join it, and commands mean it where you name none. One that is paused or
/// abandoned is taken up again. `pause` and `end` leave no session current, and so does `--none`: then
/// each new conversation gets a session of its own. Conversations that are under way stay where they
/// are. An agent that runs this goes over to the session itself, and changes nothing for others.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost switch 2026-11-15_add  a session by the beginning of its id
  waypost switch --none          new conversations get a session of their own")]
pub(super) struct SwitchArgs {
    /// A session's id, or enough of its beginning
    #[arg(required_unless_present = "none", conflicts_with = "none")]
    id: Option<String>,
    /// Let no session be current
    #[arg(long)]
    none: bool,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl SwitchArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let chosen = match self.id.as_deref() {
            Some(id) => current::switch(&view, id)?,
            None => current::none(&view)?,
        };
        ui::warnings(&chosen.warnings);
        if self.json {
            ui::json(&json!({
                "session_id": chosen.session,
                "current": chosen.current,
                "before": chosen.before,
                "pause": chosen.pause,
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let Some(session) = &chosen.session else {
            ui::line("no session is current in this work tree");
            ui::note("each new conversation gets a session of its own");
            return Ok(ExitCode::SUCCESS);
        };
        let how = if chosen.current { "is current" } else { "is this conversation's now" };
        ui::line(format!("{} {}", ui::paint(BOLD, session), ui::paint(DIM, how)));
        if let Some(pause) = &chosen.pause {
            ui::field("paused", &pause.reason);
            if let Some(context) = &pause.context {
                ui::field("context", context);
            }
        }
        if let Some(before) = chosen.before.as_ref().filter(|_| chosen.goes_on) {
            ui::note(format!("{before} was current until now, and stays active"));
        }
        joined_by(chosen.current);
        Ok(ExitCode::SUCCESS)
    }
}
