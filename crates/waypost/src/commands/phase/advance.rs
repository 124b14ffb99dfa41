//! `waypost phase advance`

use std::process::ExitCode;

use clap::Args;
use waypost_app::tracks::protocol::advance;
use waypost_app::view::View;

use super::CommandOutcome;
use crate::commands::which::WhichSession;
use crate::ui::{self, BAD, BOLD};

/// Enter the next phase of the protocol that the conversation follows
///
/// For agents that have no tools of Waypost's. A gate that does not hold blocks, and is recorded as
/// missed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost phase advance
  waypost phase advance WORKING    one phase after the other, up to this one")]
pub(super) struct PhaseAdvanceArgs {
    /// The phase to go to; without it the next one
    phase: Option<String>,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl PhaseAdvanceArgs {
    pub(super) fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, phase) = self.session.or_first(self.phase.as_deref());
        let advanced = advance::advance(view, session, phase, false)?;
        let success = advanced.success;
        if self.json {
            ui::json(&advanced)?;
        } else {
            let phase = ui::paint(BOLD, &advanced.current_phase);
            let held = match advanced.blocked_by.join(", ") {
                gates if gates.is_empty() => String::new(),
                gates => ui::paint(BAD, format!(", BLOCKED by {gates}")),
            };
            ui::line(format!("{phase}{held}"));
            for step in &advanced.next_steps {
                ui::line(format!("  → {}", ui::on_one_line(step)));
            }
        }
        Ok(if success { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}
