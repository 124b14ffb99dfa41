//! `waypost mode`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::sessions::mode;
use waypost_app::view::View;

use super::CommandOutcome;
use super::which::WhichSession;
use crate::ui::{self, BOLD, DIM};

/// Show or change what the session's agents may do
///
/// `analysis` holds every edit and command line, `planning` every edit but those of the session's own
/// spec.md, plan.json, research/ and debug/, `coding` nothing. `disabled` lets gates only report; only
/// a human at a terminal can choose it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost mode
  waypost mode planning")]
pub(super) struct ModeArgs {
    /// analysis, planning, coding or disabled; without one, the mode is shown
    #[arg(value_name = "MODE")]
    wanted: Option<String>,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl ModeArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let (named, wanted) = self.session.or_first(self.wanted.as_deref());
        if let Some(mode) = wanted {
            mode::set(&view, named, mode)?;
        }
        let (session, mode) = mode::of(&view, named)?;
        if self.json {
            ui::json(&json!({"session_id": session, "mode": mode}))?;
        } else {
            ui::line(format!(
                "{} {}",
                ui::paint(BOLD, ui::on_one_line(&mode)),
                ui::paint(DIM, &session)
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}
