//! `waypost pause`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::sessions::pause;
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui::{self, BOLD, DIM};

/// Let a session rest
///
/// No new conversation joins it until `waypost resume`. The reason and the context are told to
/// whoever goes on. Without an id: the calling agent's session, else the current one of the work tree,
/// else its only active one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost pause --reason \"Waiting for the review\"
  waypost pause 2026-11-15_add --reason \"Lunch\" --context \"The form is done, tests are not\"")]
pub(super) struct PauseArgs {
    /// A session's id, or enough of its beginning
    id: Option<String>,
    /// Why it rests
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// What whoever goes on should know
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl PauseArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let (session, warnings) =
            pause::pause(&view, self.id.as_deref(), &self.reason, self.context.as_deref())?;
        ui::warnings(&warnings);
        if self.json {
            ui::json(&json!({"session_id": session, "lifecycle": "paused"}))?;
        } else {
            ui::line(format!("{} {}", ui::paint(BOLD, &session), ui::paint(DIM, "paused")));
            ui::note(format!("resume it: waypost resume {session}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
