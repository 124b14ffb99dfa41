//! `waypost start`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::error::AppError;
use waypost_app::host::Host;
use waypost_app::start;
use waypost_app::workspace::Workspace;

use super::Outcome;
use crate::ui::{self, BOLD, DIM};

/// Begin a session, or name the one that an agent's hook opened
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost start --objective \"Add login by passkey\"")]
pub(super) struct Start {
    /// What the session is for
    #[arg(long, value_name = "TEXT")]
    objective: String,
    /// The workflow that it follows
    #[arg(long, default_value = "none")]
    workflow: String,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl Start {
    pub(super) fn run(self, host: &Host) -> Outcome {
        if self.workflow != "none" {
            return Err(AppError::configuration(format!(
                "there is no workflow `{}`; this version knows `none`",
                self.workflow
            )));
        }
        let workspace = Workspace::open(host)?;
        let started = start::start(&workspace, &self.objective)?;
        ui::warnings(&started.warnings);
        if self.json {
            let start::Started { session, adopted, others, .. } = &started;
            ui::json(&json!({"session_id": session, "adopted": adopted, "others": others}))?;
            return Ok(ExitCode::SUCCESS);
        }
        let how = if started.adopted { "named" } else { "started" };
        ui::line(format!("{} {}", ui::paint(BOLD, &started.session), ui::paint(DIM, how)));
        if !started.others.is_empty() {
            let others: Vec<String> = started.others.iter().map(ToString::to_string).collect();
            ui::note(format!("also active in this work tree: {}", others.join(", ")));
        }
        Ok(ExitCode::SUCCESS)
    }
}
