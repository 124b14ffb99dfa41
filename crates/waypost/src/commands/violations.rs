//! `waypost violations`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::rulings::violations::{self, RecordedViolation};
use waypost_app::view::View;

use super::CommandOutcome;
use crate::ui::{self, BAD, BOLD, DIM};

/// Show the session's violations: must-gates that were not met
///
/// Without an id: the calling agent's session, else the current one of the work tree, else its only
/// active one. With `--all`: every session of the project that has any.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost violations
  waypost violations 2026-11-15_add --json
  waypost violations --all")]
pub(super) struct ViolationsArgs {
    /// A session's id, or enough of its beginning
    id: Option<String>,
    /// Those of every session
    #[arg(long, conflicts_with = "id")]
    all: bool,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl ViolationsArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        if self.all {
            return of_all(&view, self.json);
        }
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

fn of_all(view: &View<'_>, json: bool) -> CommandOutcome {
    let sessions = violations::of_all(view)?;
    if json {
        ui::json(&json!({"sessions": sessions}))?;
        return Ok(ExitCode::SUCCESS);
    }
    if sessions.is_empty() {
        ui::note("no violations in any session");
    }
    for session in &sessions {
        let objective = session.objective.as_deref().unwrap_or("(no name)");
        let id = ui::paint(BOLD, &session.session_id);
        ui::line(format!("{id}  {}", ui::on_one_line(objective)));
        for violation in &session.violations {
            show(violation, "  ");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What was missed and why, and how it came to hold if it did, moved in by `indent`.
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
    if let Some(how) = &recorded.recovery {
        let how = format!("came to hold: {}", ui::on_one_line(how));
        ui::line(format!("{indent}                  {}", ui::paint(DIM, how)));
    }
}
