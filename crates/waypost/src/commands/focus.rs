//! `waypost focus`

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::sessions::focus;
use waypost_app::view::View;
use waypost_core::command::FocusChange;
use waypost_core::event::Focus as Now;
use waypost_core::id::SessionId;

use super::CommandOutcome;
use super::which::WhichSession;
use crate::ui;

/// Show or say what the session works on now
///
/// What is not given stays as it was; another feature takes the task out, and an empty text takes its
/// field out. Whoever resumes the session is told.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost focus                                    shows it
  waypost focus --feature login --task 1.2.3
  waypost focus --phase validation
  waypost focus --clear")]
pub(super) struct FocusArgs {
    /// The feature
    #[arg(long, value_name = "TEXT")]
    feature: Option<String>,
    /// The task, best by its id in the plan
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    /// The workflow phase: planning, implementation, validation or complete
    #[arg(long, value_name = "NAME")]
    phase: Option<String>,
    /// Take everything out
    #[arg(long, conflicts_with_all = ["feature", "task", "phase"])]
    clear: bool,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl FocusArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let named = self.session.named();
        let says = self.feature.is_some() || self.task.is_some() || self.phase.is_some();
        if !says && !self.clear {
            let session = view.session(named)?;
            return show(&session.id, &session.state.focus, self.json);
        }
        let empty = || self.clear.then(String::new);
        let change = FocusChange {
            feature: self.feature.clone().or_else(empty),
            task: self.task.clone().or_else(empty),
            workflow_phase: self.phase.clone().or_else(empty),
        };
        let (session, now, warnings) = focus::set(&view, named, change)?;
        ui::warnings(&warnings);
        show(&session, &now, self.json)
    }
}

fn show(session: &SessionId, focus: &Now, json: bool) -> CommandOutcome {
    if json {
        ui::json(&json!({
            "session_id": session,
            "feature": focus.feature,
            "task": focus.task,
            "workflow_phase": focus.workflow_phase,
        }))?;
    } else {
        ui::line(ui::on_one_line(&focus.to_string()));
    }
    Ok(ExitCode::SUCCESS)
}
