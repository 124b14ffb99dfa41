//! `waypost violations`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::rulings::violations::{self, RecordedViolation};
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui::{self, BAD, DIM};

/// Show the session's violations: must-gates that were not met
///
/// Without an id: the calling agent's session, else the current one of the work tree, else its only
/// active one.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost violations
  waypost violations 2026-11-15_add --json")]
pub(super) struct ViolationsArgs {
    /// A session's id, or enough of its beginning
    id: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl ViolationsArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let (session, found) = violations::of(&view, self.id.as_deref())?;
        if self.json {
            ui::json(&json!({"session_id": session, "violations": found}))?;
            return Ok(ExitCode::SUCCESS);
        }
        if found.is_empty() {
            ui::note(format!("no violations in {session}"));
        }
        for violation in &found {
            show(violation, "");
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Two lines about one violation, moved in by `indent`.
pub(super) fn show(recorded: &RecordedViolation, indent: &str) {
    let violation = &recorded.violation;
    ui::line(format!(
        "{indent}{}  {} ({}): {}",
        ui::paint(DIM, ui::moment(recorded.time)),
        ui::paint(BAD, &violation.gate),
        violation.severity,
        ui::on_one_line(&violation.requirement)
    ));
    ui::line(format!("{indent}                  {}", ui::on_one_line(&violation.reason)));
}
