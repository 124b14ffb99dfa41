//! `waypost end`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::sessions::end;
use waypost_app::view::View;
use waypost_core::event::{SessionEnded, SessionOutcome};

use super::CommandOutcome;
use crate::ui::{self, BOLD, DIM};

/// End a session
///
/// It is completed, or failed with `--failed`, and takes no more notes, runs or commits unless it
/// is resumed. Without an id: the calling agent's session, else the current one of the work tree, else
/// its only active one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost end --summary \"Passkeys work in all browsers\"
  waypost end --failed --summary \"The library cannot do it\" --next-notes \"Try webauthn-rs\"")]
pub(super) struct EndArgs {
    /// A session's id, or enough of its beginning
    id: Option<String>,
    /// What came of it
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// What the next session should know
    #[arg(long, value_name = "TEXT")]
    next_notes: Option<String>,
    /// It did not reach what it was for
    #[arg(long)]
    failed: bool,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl EndArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let (outcome, word) = if self.failed {
            (SessionOutcome::Failed, "failed")
        } else {
            (SessionOutcome::Completed, "completed")
        };
        let ended = SessionEnded { outcome, summary: self.summary, next_notes: self.next_notes };
        let (session, warnings) = end::end(&view, self.id.as_deref(), ended)?;
        ui::warnings(&warnings);
        if self.json {
            ui::json(&json!({"session_id": session, "lifecycle": outcome}))?;
        } else {
            ui::line(format!("{} {}", ui::paint(BOLD, &session), ui::paint(DIM, word)));
        }
        Ok(ExitCode::SUCCESS)
    }
}
