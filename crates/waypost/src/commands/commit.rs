//! `waypost commit`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::rulings::commit;
use waypost_app::view::View;
use waypost_core::event::CommitAdded;

use super::CommandOutcome;
use super::which::WhichSession;
use crate::ui;

/// Record that a commit belongs to the session
///
/// In a git repository the commit has to be there; its full hash is kept. It commits nothing
/// itself. One that a hook recorded already stays as it is, and gets its checkpoint.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost commit HEAD -m \"Add the login form\"
  waypost commit 1f2e3d4 -m \"Add passkeys\" --checkpoint 2")]
pub(super) struct CommitArgs {
    /// The commit: its hash, enough of the hash's beginning, or a name such as HEAD
    sha: String,
    /// What it is about
    #[arg(long, short, value_name = "TEXT")]
    message: String,
    /// The build checkpoint that it belongs to
    #[arg(long, value_name = "N")]
    checkpoint: Option<u64>,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl CommitArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let added =
            CommitAdded { checkpoint: self.checkpoint, ..CommitAdded::new(self.sha, self.message) };
        let committed = commit::add(&view, self.session.named(), added)?;
        ui::warnings(&committed.warnings);
        if self.json {
            ui::json(&json!({"session_id": committed.session, "sha": committed.sha}))?;
        } else {
            let sha: String = committed.sha.chars().take(12).collect();
            let how = if committed.known { "was recorded already" } else { "recorded" };
            ui::line(format!("commit {sha} {how} in {}", committed.session));
        }
        Ok(ExitCode::SUCCESS)
    }
}
