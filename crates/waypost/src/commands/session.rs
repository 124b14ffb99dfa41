//! `waypost session`

mod get_state;
mod set_state;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::share::archive;
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui::{self, BOLD, DIM};

/// Read or change how a session stands as JSON, or put one away
#[derive(Debug, Args)]
pub(super) struct SessionArgs {
    #[command(subcommand)]
    command: SessionCommand,
}

#[derive(Debug, Subcommand)]
enum SessionCommand {
    GetState(get_state::GetStateArgs),
    SetState(set_state::SetStateArgs),
    Delete(SessionDeleteArgs),
}

/// Archive a session: out of sight, with every file of it kept
///
/// It is no longer listed, except by `waypost list --all` or `--status archived`, and takes nothing
/// until `waypost resume ID`. For people at a terminal; agents are refused.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost session delete 2026-11-15_trial --reason \"Only a trial\"
  waypost resume 2026-11-15_trial            resumes it")]
struct SessionDeleteArgs {
    /// A session's id, or enough of its beginning
    id: String,
    /// Why it is put away
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl SessionArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        match self.command {
            SessionCommand::GetState(command) => command.run(host),
            SessionCommand::SetState(command) => command.run(host),
            SessionCommand::Delete(command) => command.run(host),
        }
    }
}

impl SessionDeleteArgs {
    fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let (session, warnings) = archive::archive(&view, Some(&self.id), &self.reason)?;
        ui::warnings(&warnings);
        if self.json {
            ui::json(&json!({"session_id": session, "lifecycle": "archived"}))?;
        } else {
            ui::line(format!("{} {}", ui::paint(BOLD, &session), ui::paint(DIM, "archived")));
        }
        Ok(ExitCode::SUCCESS)
    }
}
