//! `waypost history`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::sessions::history;
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui::{self, BOLD, DIM};

/// Show what happened in the session, event by event
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost history
  waypost history --json | jq '.events[].event.type'")]
pub(super) struct HistoryArgs {
    /// A session's id, or enough of its beginning
    id: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl HistoryArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let (session, entries) = history::of(&view, self.id.as_deref())?;
        if self.json {
            ui::json(&json!({"session_id": session, "events": entries}))?;
            return Ok(ExitCode::SUCCESS);
        }
        ui::line(ui::paint(BOLD, &session));
        for entry in entries {
            ui::line(format!(
                "{:>4}  {}  {:<22} {}",
                entry.seq,
                ui::paint(DIM, ui::second(entry.time)),
                entry.actor.label(),
                entry.summary
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}
