//! `waypost status`

use std::process::ExitCode;

use clap::Args;
use waypost_app::host::Host;
use waypost_app::status::{self, SessionStatus};
use waypost_app::workspace::Workspace;
use waypost_core::gate::Status as GateStatus;

use super::Outcome;
use crate::ui::{self, BAD, BOLD, DIM, GOOD};

/// Show where the session stands: its gates, its conversations, what is missing
///
/// Without an id: the work tree's only active session.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost status                 the session of this work tree
  waypost status 2026-11-15_add  a session by the beginning of its id
  waypost status --all           all sessions, a line each
  waypost status --json          for scripts")]
pub(super) struct Status {
    /// A session's id, or enough of its beginning
    id: Option<String>,
    /// All sessions, a line each
    #[arg(long, conflicts_with = "id")]
    all: bool,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl Status {
    pub(super) fn run(self, host: &Host) -> Outcome {
        let workspace = Workspace::open(host)?;
        if self.all {
            return all(&workspace, self.json);
        }
        let status = status::of(&workspace, self.id.as_deref())?;
        if self.json {
            ui::json(&status)?;
        } else {
            show(&status);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn all(workspace: &Workspace<'_>, json: bool) -> Outcome {
    let sessions = workspace.sessions()?;
    if json {
        let entries: Vec<_> = sessions
            .iter()
            .map(|session| serde_json::json!({"session_id": session.id, "state": session.state}))
            .collect();
        ui::json(&entries)?;
    } else {
        for session in &sessions {
            let objective = session.state.objective.as_deref().unwrap_or("(no name)");
            ui::line(format!("{}  {}", ui::paint(BOLD, &session.id), ui::paint(DIM, objective)));
        }
        if sessions.is_empty() {
            ui::note("there is no session yet: waypost start --objective \"…\"");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(status: &SessionStatus) {
    let objective = status.objective.as_deref().unwrap_or("(no name yet)");
    ui::line(format!("{}  {}", ui::paint(BOLD, &status.session_id), ui::paint(DIM, objective)));
    let branch = status.branch.as_deref().unwrap_or("no branch");
    let violations = match status.violations {
        0 => String::new(),
        count => ui::paint(BAD, format!(", {count} violations")),
    };
    ui::line(format!("on {branch}, {} records{violations}", status.version));
    for conversation in &status.conversations {
        let state = match (conversation.attached, conversation.running) {
            (false, _) => "over",
            (true, Some(false)) => "gone",
            (true, Some(true)) => "running",
            (true, None) => "attached",
        };
        let edited = if conversation.edited { ", has changes to prove" } else { "" };
        ui::line(format!("  {} {}  {state}{edited}", conversation.harness, conversation.id));
    }
    for gate in &status.gates {
        let met = gate.status == GateStatus::Met;
        let mark = if met { ui::paint(GOOD, "✓") } else { ui::paint(BAD, "✗") };
        ui::line(format!("{mark} {} ({}): {}", ui::paint(BOLD, &gate.gate), gate.level, gate.why));
        if !met {
            ui::line(format!("  → {}", gate.next));
        }
    }
}
