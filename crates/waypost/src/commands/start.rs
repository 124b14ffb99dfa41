//! `waypost start`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::sessions::begin::Begin;
use waypost_app::sessions::start;
use waypost_app::sessions::start_workflow::{Beginning, objective, offer};
use waypost_app::view::View;

use super::CommandOutcome;
use super::evidence::fields_of;
use super::resume::joined_by;
use crate::ui::{self, BOLD, DIM};

/// Begin a session
///
/// It is the current session of the work tree from then on: new conversations join it, and commands
/// mean it where you name none. An agent that runs this names the session that was opened for its own
/// conversation, or begins one for itself.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost start --objective \"Add login by passkey\"
  waypost start --objective \"Add login by passkey\" --workflow full
  waypost start --workflow spec --target specs/login --option docs=true")]
pub(super) struct StartArgs {
    /// What the session is for
    #[arg(long, value_name = "TEXT", required_unless_present = "workflow")]
    objective: Option<String>,
    /// The workflow that it follows: full, quick, research, none, or one of the project's own
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    /// What the workflow is about: a file or folder
    #[arg(long, value_name = "PATH", requires = "workflow")]
    target: Option<String>,
    /// What you choose for the workflow; values are JSON where they are that, else text
    #[arg(long = "option", value_name = "NAME=VALUE", requires = "workflow")]
    options: Vec<String>,
    /// Begin another one although the same workflow goes on for the same target
    #[arg(long, requires = "workflow")]
    anew: bool,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl StartArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let options = fields_of(&self.options)?;
        let (workflow, target) = (self.workflow.as_deref(), self.target.as_deref());
        if let Some(workflow) = workflow
            && (target.is_some() || self.objective.is_none())
        {
            let (options, anew) = (Some(&options), self.anew);
            offer(&view, &Beginning { workflow, target, options, anew })?;
        }
        let made_for = workflow.map(|workflow| objective(workflow, target));
        let objective = self.objective.as_deref().or(made_for.as_deref());
        let options = Some(&options);
        let begin = Begin { objective, workflow, target, options, ..Begin::default() };
        let started = start::start(&view, &begin)?;
        ui::warnings(&started.warnings);
        if self.json {
            let start::Started { session, adopted, current, others, .. } = &started;
            ui::json(&json!({
                "session_id": session, "adopted": adopted, "current": current, "others": others,
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        let how = if started.adopted { "named" } else { "started" };
        ui::line(format!("{} {}", ui::paint(BOLD, &started.session), ui::paint(DIM, how)));
        joined_by(started.current);
        if !started.others.is_empty() {
            let others: Vec<String> = started.others.iter().map(ToString::to_string).collect();
            ui::note(format!("also active in this work tree: {}", others.join(", ")));
        }
        Ok(ExitCode::SUCCESS)
    }
}
