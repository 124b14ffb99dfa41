//! `waypost session get-state`

use std::process::ExitCode;

use clap::Args;
use waypost_app::machine::host::Host;
use waypost_app::orchestration::state;
use waypost_app::view::View;

use super::super::CommandOutcome;
use crate::ui;

/// Show how a session stands, as JSON that orchestrators read
///
/// Mode and its history, protocol, focus, and what agents did for each other: the invocations at hand, every
/// decision and verdict, the handoffs that wait. All of it is worked out of the records, each of which is checked.
///
/// Exit status 1: there is no session. 3: it cannot be read, or is damaged; then nothing is printed but why.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost session get-state
  waypost session get-state 2026-11-15_add | jq '.orchestratorWorkflow.verdicts'")]
pub(super) struct GetStateArgs {
    /// A session's id, or enough of its beginning; the current one without it
    id: Option<String>,
    /// Give JSON; it always does
    #[arg(long)]
    json: bool,
}

impl GetStateArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host).map_err(state::unreadable)?;
        let told = state::of(&view, self.id.as_deref())?;
        ui::json(&told.document)?;
        Ok(ExitCode::SUCCESS)
    }
}
