//! `waypost start`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::host::Host;
use waypost_app::start;
use waypost_app::workspace::{Begin, Workspace};

use super::Outcome;
use crate::ui::{self, BOLD, DIM};

/// Begin a session, or name the one that an agent's hook opened
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost start --objective \"Add login by passkey\"
  waypost start --objective \"Add login by passkey\" --workflow full")]
pub(super) struct Start {
    /// What the session is for
    #[arg(long, value_name = "TEXT")]
    objective: String,
    /// The workflow that it follows: full, quick, research or none
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl Start {
    pub(super) fn run(self, host: &Host) -> Outcome {
        let workspace = Workspace::open(host)?;
        let started = start::start(
            &workspace,
            &Begin {
                objective: Some(&self.objective),
                workflow: self.workflow.as_deref(),
                ..Begin::default()
            },
        )?;
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
