//! `waypost gate`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::gates;
use waypost_app::host::Host;
use waypost_app::workspace::Workspace;
use waypost_core::gate::Proof;

use super::Outcome;
use crate::ui::{self, BOLD, DIM};

/// Look at the gates of this project
#[derive(Debug, Args)]
pub(super) struct Gate {
    #[command(subcommand)]
    command: GateCommand,
}

#[derive(Debug, Subcommand)]
enum GateCommand {
    List(List),
}

/// List the gates and where each is written down
///
/// Fails if something in waypost.toml cannot be understood, and says what was probably meant.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost gate list
  waypost gate list --json")]
struct List {
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl Gate {
    pub(super) fn run(self, host: &Host) -> Outcome {
        let GateCommand::List(list) = self.command;
        let workspace = Workspace::open(host)?;
        let listed = gates::list(&workspace)?;
        if list.json {
            let problems: Vec<String> = listed.problems.iter().map(ToString::to_string).collect();
            let policy = &listed.policy;
            ui::json(&json!({
                "enforcement": policy.enforcement,
                "gates": policy.gates,
                "problems": problems,
            }))?;
        } else {
            show(&listed);
        }
        for problem in &listed.problems {
            ui::error(&problem.to_string(), &[]);
        }
        Ok(if listed.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
    }
}

fn show(listed: &gates::Listed) {
    if listed.policy.gates.is_empty() {
        ui::note("there are no gates: add a [[gate]] to waypost.toml");
    }
    for gate in &listed.policy.gates {
        let before: Vec<String> = gate.before.iter().map(ToString::to_string).collect();
        let Proof::Ran(ran) = &gate.proof;
        ui::line(format!(
            "{} {} before {}: {}",
            ui::paint(BOLD, &gate.id),
            gate.level,
            before.join(", "),
            gate.message
        ));
        ui::line(format!("  → {}  {}", ran.next(), ui::paint(DIM, format!("({})", gate.source))));
    }
}
