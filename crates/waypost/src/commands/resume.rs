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
/// It is the current session of the work tree from then on: new conversations join it. An agent
/// that resumes a session goes on in it itself, and changes nothing for others. A session of another
/// work tree goes on in this one, unless a conversation works on it there.
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

/// Says what comes of a session being current.
pub(super) fn joined_by(current: bool) {
    if current {
        ui::note("it is the current session of this work tree: new conversations join it");
    }
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
                "resumed": resumed.resumed,
                "pause": resumed.pause,
                "current": resumed.current,
                "left": resumed.left,
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let how = match (resumed.adopted, resumed.resumed) {
            (true, _) => "taken over and resumed",
            (false, true) => "resumed",
            (false, false) => "is active already",
        };
        ui::line(format!("{} {}", ui::paint(BOLD, &resumed.session), ui::paint(DIM, how)));
        if let Some(pause) = &resumed.pause {
            ui::field("paused", &pause.reason);
            if let Some(context) = &pause.context {
                ui::field("context", context);
            }
        }
        if let Some(left) = &resumed.left {
            ui::note(format!("this conversation works in it now; it left {left}"));
        }
        joined_by(resumed.current);
        Ok(ExitCode::SUCCESS)
    }
}
