//! `waypost brief`

use std::process::ExitCode;

use clap::Args;
use waypost_app::brief;
use waypost_app::host::Host;
use waypost_app::workspace::Workspace;

use super::Outcome;
use crate::ui;

/// Tell in few words where the session stands, as agents are told
///
/// The same text that an agent gets when its conversation begins, comes back or was compacted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost brief           the session of this work tree
  waypost brief --json    for scripts")]
pub(super) struct Brief {
    /// A session's id, or enough of its beginning
    id: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl Brief {
    pub(super) fn run(self, host: &Host) -> Outcome {
        let workspace = Workspace::open(host)?;
        let brief = brief::of(&workspace, self.id.as_deref())?;
        if self.json {
            ui::json(&brief)?;
        } else {
            ui::line(brief.text());
        }
        Ok(ExitCode::SUCCESS)
    }
}
