//! What `waypost init` asks a person at a terminal.

use waypost_app::machine::project::Project;
use waypost_app::setup::init::{self, Chosen, Found, Preset, Proposal, TestGate};

use crate::ui::{self, BOLD, DIM};

/// Which command runs the tests: one of those that were found, or another.
pub(super) fn tests(project: &Project) -> Chosen {
    let found = init::test_commands(&project.root);
    if !found.packages.is_empty() {
        return each_package(&found);
    }
    if found.top.len() < 2 {
        let best = found.top.first();
        let default = best.map_or("none", |proposal| proposal.command.as_str());
        return chosen(&found.top, default);
    }
    ui::aside("These commands may run the tests:");
    for (index, proposal) in found.top.iter().enumerate() {
        ui::aside(format!("  {} {}", ui::paint(BOLD, index + 1), shown(proposal)));
    }
    chosen(&found.top, "1")
}

fn each_package(found: &Found) -> Chosen {
    let count = found.packages.len();
    ui::aside("No command runs the tests of the whole project, but these packages have one each:");
    for proposal in found.packages.iter().take(30) {
        ui::aside(format!("  {}", shown(proposal)));
    }
    if found.is_too_much() {
        ui::aside(format!("{count} gates would be too many."));
        return chosen(&[], "none");
    }
    let question = "A gate for each (yes), none, or a command for all of them?";
    match ui::ask(question, "yes") {
        Some(answer) if ui::is_yes(&answer) => Chosen::Proposed,
        Some(answer) if !is_no(&answer) => Chosen::Command(answer),
        _ => Chosen::Nothing,
    }
}

fn chosen(proposals: &[Proposal], default: &str) -> Chosen {
    let Some(answer) = ui::ask("Which command runs the tests?", default) else {
        return Chosen::Nothing;
    };
    let by_number =
        answer.parse::<usize>().ok().and_then(|number| proposals.get(number.checked_sub(1)?));
    let by_name = proposals.iter().find(|proposal| proposal.command == answer);
    match by_number.or(by_name) {
        Some(proposal) => Chosen::One(proposal.clone()),
        None if is_no(&answer) => Chosen::Nothing,
        None => Chosen::Command(answer),
    }
}

fn shown(proposal: &Proposal) -> String {
    let Proposal { command, folder, because } = proposal;
    let place = folder.as_ref().map_or_else(String::new, |folder| format!(" in {folder}"));
    format!("{}{place} {}", ui::paint(BOLD, command), ui::paint(DIM, format!("({because})")))
}

/// Whether agents may have the tests run without asking.
pub(super) fn allow_run() -> bool {
    let question = "May agents have Waypost run the tests without asking you (yes or no)?";
    ui::ask(question, "yes").is_some_and(|answer| ui::is_yes(&answer))
}

/// Whether to run the commands of the gates once, now. What a repository holds is run on somebody's word only, so
/// nothing said means no.
pub(super) fn probe(gates: &[TestGate]) -> bool {
    let commands: Vec<String> = gates.iter().map(|gate| format!("`{}`", gate.command)).collect();
    let question =
        format!("Run {} once now, to see whether the tests pass (yes or no)?", commands.join(", "));
    ui::ask(&question, "no").is_some_and(|answer| ui::is_yes(&answer))
}

/// Whether to delete records as well.
pub(super) fn delete(what: &str) -> bool {
    let question = format!("Delete {what} as well (yes or no)?");
    ui::ask(&question, "no").is_some_and(|answer| ui::is_yes(&answer))
}

/// Whether there is anything to choose.
pub(super) fn has_choice(project: &Project, preset: Option<Preset>) -> bool {
    !project.config_file().exists() && preset != Some(Preset::Minimal) && ui::can_ask()
}

fn is_no(answer: &str) -> bool {
    matches!(answer.to_lowercase().as_str(), "n" | "no" | "none")
}
