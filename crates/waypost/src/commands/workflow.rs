//! `waypost workflow`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::tracks::catalogue::{self, ListedWorkflow};
use waypost_app::view::View;
use waypost_core::gate::Gate;
use waypost_core::track::{Definition, Phase, SkipRule};

use super::CommandOutcome;
use crate::ui::{self, BAD, BOLD, DIM};

/// Look at the workflows that sessions can follow
///
/// Some are built in; a project has its own in .waypost/workflows/NAME.toml, and those of praxis-os in
/// .praxis-os/workflows/NAME.
#[derive(Debug, Args)]
pub(super) struct WorkflowArgs {
    #[command(subcommand)]
    command: WorkflowCommand,
}

#[derive(Debug, Subcommand)]
enum WorkflowCommand {
    List(WorkflowListArgs),
    Show(WorkflowShowArgs),
    Check(WorkflowCheckArgs),
}

/// List the workflows, with their phases
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost workflow list
  waypost workflow list --json")]
struct WorkflowListArgs {
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Show a workflow: its phases, tasks, gates, and what may be left out
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost workflow show full
  waypost workflow show spec --json")]
struct WorkflowShowArgs {
    /// The workflow
    name: String,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Tell whether the workflows in the project are right
///
/// Ends with 0 if they are, with 1 if something could not be understood; each problem is told with
/// its file and line.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost workflow check
  waypost workflow check spec")]
struct WorkflowCheckArgs {
    /// Only this one
    name: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl WorkflowArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command {
            WorkflowCommand::List(list) => list.run(&view),
            WorkflowCommand::Show(show) => show.run(&view),
            WorkflowCommand::Check(check) => check.run(&view),
        }
    }
}

impl WorkflowListArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let all = catalogue::all(view)?;
        if self.json {
            let all: Vec<Value> = all.iter().map(as_json).collect();
            ui::json(&json!({ "workflows": all }))?;
            return Ok(ExitCode::SUCCESS);
        }
        for listed in &all {
            let name = ui::paint(BOLD, &listed.name);
            ui::line(format!("{name}  {}", ui::on_one_line(&listed.description)).trim_end());
            let source = ui::paint(DIM, format!("({})", listed.source));
            if listed.usable {
                let phases = picture(&listed.phases, listed.dynamic);
                ui::line(format!("  {}  {source}", ui::on_one_line(&phases)));
            } else {
                let what = ui::paint(BAD, "cannot be followed");
                ui::line(format!("  {what}: see `waypost workflow check`  {source}"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl WorkflowShowArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let listed = catalogue::find(view, &self.name)?;
        let definition = catalogue::definition(view, &self.name)?;
        if self.json {
            let mut shown = as_json(&listed);
            shown["definition"] = serde_json::to_value(&definition)
                .map_err(|error| AppError::refused(error.to_string()))?;
            ui::json(&shown)?;
            return Ok(ExitCode::SUCCESS);
        }
        let version = listed.version.as_deref().unwrap_or_default();
        let source = ui::paint(DIM, format!("({})", listed.source));
        let head = format!("{} {version}", ui::paint(BOLD, &listed.name));
        ui::line(format!("{}  {source}", head.trim_end()));
        if !listed.description.is_empty() {
            ui::line(ui::indented(&listed.description, 0));
        }
        ui::line(ui::on_one_line(&picture(&listed.phases, listed.dynamic)));
        if let Some(definition) = &definition {
            phases(definition);
        }
        listed.problems.iter().for_each(ui::warning);
        Ok(ExitCode::SUCCESS)
    }
}

impl WorkflowCheckArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let checked = match &self.name {
            Some(name) => vec![catalogue::find(view, name)?],
            None => catalogue::all(view)?,
        };
        let own = checked.iter().filter(|listed| listed.source != catalogue::BUILT_IN);
        let mut problems: Vec<String> =
            checked.iter().flat_map(|listed| &listed.problems).map(ToString::to_string).collect();
        if self.name.is_none() {
            problems.extend(catalogue::configured_in(view)?.map(|told| told.to_string()));
        }
        if self.json {
            let all: Vec<Value> = own.map(as_json).collect();
            ui::json(&json!({"ok": problems.is_empty(), "workflows": all, "problems": problems}))?;
        } else {
            let (count, plural) = match own.count() {
                1 => (1, ""),
                count => (count, "s"),
            };
            for problem in &problems {
                ui::error(problem, &[]);
            }
            if problems.is_empty() {
                ui::line(format!("{count} own workflow{plural}, nothing wrong"));
            }
        }
        Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn as_json(listed: &ListedWorkflow) -> Value {
    let problems: Vec<String> = listed.problems.iter().map(ToString::to_string).collect();
    json!({
        "name": listed.name,
        "description": listed.description,
        "version": listed.version,
        "source": listed.source,
        "phases": listed.phases,
        "dynamic": listed.dynamic,
        "usable": listed.usable,
        "problems": problems,
    })
}

/// The phases in a row.
fn picture(phases: &[String], dynamic: bool) -> String {
    let more = dynamic.then_some("…");
    let all: Vec<&str> = phases.iter().map(String::as_str).chain(more).collect();
    if all.is_empty() { "no phases".to_owned() } else { all.join(" → ") }
}

fn phases(definition: &Definition) {
    for (number, phase) in (definition.first..).zip(&definition.phases) {
        ui::line("");
        let name = ui::paint(BOLD, format!("{number} {}", phase.name));
        ui::line(format!("{name}  {}", ui::on_one_line(&phase.purpose)).trim_end());
        show_phase(phase);
    }
    if let Some(file) = &definition.phases_from {
        ui::line("");
        ui::line(format!("… more phases follow, named in {file} below the target"));
    }
}

fn show_phase(phase: &Phase) {
    match &phase.skip {
        None => {}
        Some(SkipRule::OnRequest) => ui::field("skip", "on request, with a reason"),
        Some(SkipRule::When(expression)) => ui::field("skip", format!("where {expression}")),
        Some(SkipRule::OnRequestOrWhen(expression)) => {
            ui::field("skip", format!("on request, with a reason, or where {expression}"));
        }
        Some(SkipRule::Always(why)) => ui::field("skip", format!("always: {why}")),
    }
    for (number, task) in (1..).zip(&phase.tasks) {
        let number = task.number.unwrap_or(number);
        ui::field(&format!("task {number}"), &task.name);
        for accept in &task.accept {
            ui::line(format!("{:14}- {}", "", ui::on_one_line(accept)));
        }
    }
    phase.entering().for_each(|gate| show_gate("to enter", gate));
    phase.gates.iter().for_each(|gate| show_gate("to complete", gate));
}

fn show_gate(what: &str, gate: &Gate) {
    let message = ui::on_one_line(&gate.message);
    ui::field(what, format!("{} {}: {message}\n→ {}", gate.id, gate.level, gate.how()));
}
