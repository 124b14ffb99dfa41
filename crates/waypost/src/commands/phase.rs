//! `waypost phase`

mod advance;
mod moves;

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::tracks::workflow::look::{self, LookedPhase, LookedWorkflow};
use waypost_app::view::View;
use waypost_core::course::{Passage, PhaseResult};
use waypost_core::gate::FindingStatus;
use waypost_core::text::spoken::short;

use super::CommandOutcome;
use super::which::WhichSession;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};

/// Go through the phases of the session's workflow, and look at them
///
/// A phase is named by its name or its number. Without a session's id: the calling agent's session, else
/// the current one of the work tree, else its only active one.
#[derive(Debug, Args)]
pub(super) struct PhaseArgs {
    #[command(subcommand)]
    command: PhaseCommand,
}

#[derive(Debug, Subcommand)]
enum PhaseCommand {
    List(PhaseListArgs),
    Show(PhaseShowArgs),
    Complete(moves::PhaseCompleteArgs),
    Enter(moves::PhaseEnterArgs),
    Retry(moves::PhaseRetryArgs),
    Rollback(moves::PhaseRollbackArgs),
    Skip(moves::PhaseSkipArgs),
    Advance(advance::PhaseAdvanceArgs),
    Errors(PhaseErrorsArgs),
}

/// List the phases and how each went
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost phase list
  waypost phase list --json")]
struct PhaseListArgs {
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Show a phase: its tasks, and what has to hold before it is complete
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost phase show
  waypost phase show 2")]
struct PhaseShowArgs {
    /// The phase; without it the one that the workflow is in
    phase: Option<String>,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Show everything that went wrong in the workflow, the latest last
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost phase errors
  waypost phase errors --json")]
struct PhaseErrorsArgs {
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl PhaseArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command {
            PhaseCommand::List(command) => command.run(&view),
            PhaseCommand::Show(command) => command.run(&view),
            PhaseCommand::Complete(command) => command.run(&view),
            PhaseCommand::Enter(command) => command.run(&view),
            PhaseCommand::Retry(command) => command.run(&view),
            PhaseCommand::Rollback(command) => command.run(&view),
            PhaseCommand::Skip(command) => command.run(&view),
            PhaseCommand::Advance(command) => command.run(&view),
            PhaseCommand::Errors(command) => command.run(&view),
        }
    }
}

impl PhaseListArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let whole = look::whole(view, self.session.named())?;
        if self.json {
            ui::json(&whole)?;
        } else {
            list(&whole);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(whole: &LookedWorkflow) {
    let mut head = ui::paint(BOLD, &whole.workflow);
    if let Some(target) = &whole.target {
        head.push_str(&format!(": {}", ui::on_one_line(target)));
    }
    if whole.workflow_complete {
        head.push_str(&format!("  {}", ui::paint(DIM, "complete")));
    }
    ui::line(head);
    for passage in &whole.course.phases {
        let is_current = !whole.workflow_complete && passage.phase == whole.current_phase;
        ui::line(one(passage, is_current));
        if passage.checkpoint == PhaseResult::Failed {
            let errors = passage.errors.iter();
            errors.for_each(|error| ui::line(format!("    {}", ui::on_one_line(error))));
        }
    }
    if whole.dynamic {
        ui::line("  … more follow, which are not known yet");
    }
    if !whole.course.earlier.is_empty() {
        ui::line(ui::paint(DIM, "taken back:"));
        whole.course.earlier.iter().for_each(|passage| ui::line(one(passage, false)));
    }
}

/// A phase on a line.
fn one(passage: &Passage, is_current: bool) -> String {
    let (mark, style, what) = match passage.checkpoint {
        PhaseResult::Passed => ("✓", GOOD, "passed"),
        PhaseResult::Failed => ("✗", BAD, "failed"),
        PhaseResult::Skipped => ("-", DIM, "skipped"),
        PhaseResult::Pending if is_current => ("▸", WARN, "here"),
        PhaseResult::Pending => ("·", DIM, ""),
    };
    let worked = passage.started_at.is_some() && passage.checkpoint != PhaseResult::Skipped;
    let time = worked.then(|| short(passage.active_ms));
    let told: Vec<String> =
        [what.to_owned()].into_iter().filter(|what| !what.is_empty()).chain(time).collect();
    let name = ui::on_one_line(&passage.phase);
    let mut line = format!("  {} {} {name}", ui::paint(style, mark), passage.number);
    if !told.is_empty() {
        line.push_str(&format!("  {}", ui::paint(DIM, told.join(", "))));
    }
    line
}

impl PhaseShowArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, phase) = self.session.or_first(self.phase.as_deref());
        let phase = look::phase(view, session, phase)?;
        if self.json {
            ui::json(&phase)?;
        } else {
            show(&phase);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn show(phase: &LookedPhase) {
    let passage = &phase.passage;
    ui::line(one(passage, phase.is_current).trim_start());
    if !phase.purpose.is_empty() {
        ui::field("purpose", &phase.purpose);
    }
    for looked in &phase.tasks {
        let mark = if looked.completed { "[x]" } else { "[ ]" };
        ui::field(&format!("task {}", looked.id), format!("{mark} {}", looked.task.name));
        for accept in &looked.task.accept {
            ui::line(format!("{:18}- {}", "", ui::on_one_line(accept)));
        }
    }
    if phase.skippable {
        ui::field("skip", "it may be skipped, with a reason");
    }
    for gate in &phase.gates {
        let (mark, next) = match gate.status {
            FindingStatus::Met => ("✓", String::new()),
            _ => ("✗", format!("\n→ {}", gate.next)),
        };
        ui::field("gate", format!("{mark} {} {}: {}{next}", gate.gate, gate.level, gate.why));
    }
    passage.errors.iter().for_each(|error| ui::field_in(BAD, "error", error));
    passage.next_steps.iter().for_each(|step| ui::field("next", step));
}

impl PhaseErrorsArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, failures) = look::errors(view, self.session.named())?;
        if self.json {
            ui::json(&json!({"session_id": session, "errors": failures}))?;
            return Ok(ExitCode::SUCCESS);
        }
        if failures.is_empty() {
            ui::note(format!("nothing went wrong in the workflow of {session}"));
        }
        for failure in &failures {
            let time = ui::paint(DIM, ui::moment(failure.time));
            for error in &failure.errors {
                ui::line(format!("{time}  {}: {}", failure.phase, ui::on_one_line(error)));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
