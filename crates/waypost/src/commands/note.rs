//! `waypost note`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::sessions::note;
use waypost_app::view::View;

use super::CommandOutcome;
use super::which::WhichSession;
use crate::ui;

/// Write something down in the session
#[derive(Debug, Args)]
pub(super) struct NoteArgs {
    #[command(subcommand)]
    command: NoteCommand,
}

#[derive(Debug, Subcommand)]
enum NoteCommand {
    Add(NoteAddArgs),
}

/// Add a note, kept once and verbatim
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost note add \"The flaky test is test_login; see run 4711\"
  waypost note add --kind decision \"Passkeys only, no passwords\"")]
struct NoteAddArgs {
    /// The text
    text: String,
    /// What sort of note it is
    #[arg(long, default_value = "note")]
    kind: String,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl NoteArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let NoteCommand::Add(add) = self.command;
        let view = View::open(host)?;
        let added = note::add(&view, add.session.named(), &add.kind, &add.text);
        let (session, warnings) = added.map_err(|error| {
            if add.session.is_stray() {
                error.hint("a text of several words stands in quotes")
            } else {
                error
            }
        })?;
        ui::warnings(&warnings);
        if add.json {
            ui::json(&json!({"session_id": session}))?;
        } else {
            ui::line(format!("noted in {session}"));
        }
        Ok(ExitCode::SUCCESS)
    }
}
