//! `waypost explain`

use std::process::ExitCode;

use clap::Args;
use waypost_app::machine::host::Host;
use waypost_app::rulings::explain::{self, Explanation};
use waypost_app::view::View;
use waypost_core::evidence::Tree;
use waypost_core::next_step::Voice;

use super::CommandOutcome;
use crate::ui::{self, BAD, BOLD, DIM, GOOD};

/// Explain a ruling: what it depended on, and whether it comes out the same again
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost explain r-1f2e3d4c")]
pub(super) struct ExplainArgs {
    /// The ruling's id, as the message that denied something names it
    ruling: String,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl ExplainArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let explanation = explain::explain(&view, &self.ruling)?;
        if self.json {
            ui::json(&explanation)?;
        } else {
            show(&explanation);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn show(explanation: &Explanation) {
    let ruling = &explanation.ruling;
    let action: Vec<String> = ruling.action.kinds.iter().map(ToString::to_string).collect();
    ui::line(format!(
        "{} {} {}",
        ui::paint(BOLD, &ruling.id),
        ui::paint(
            if ruling.outcome == waypost_core::gate::ruling::Outcome::Deny { BAD } else { GOOD },
            ruling.outcome
        ),
        action.join(", ")
    ));
    let place =
        format!("record {} of {}, {}", explanation.seq, explanation.session_id, explanation.time);
    ui::line(ui::paint(DIM, place));
    ui::line(format!("state      version {}", ruling.state_version));
    ui::line(format!("policy     {}", ruling.policy.chars().take(12).collect::<String>()));
    match &ruling.facts.tree {
        Some(Tree::Id(id)) => ui::line(format!("work tree  {id}")),
        Some(Tree::Unknown(why)) => ui::line(format!("work tree  unknown: {why}")),
        None => {}
    }
    for finding in &ruling.findings {
        ui::line(format!(
            "gate       {} ({}): {:?}: {}",
            finding.gate, finding.level, finding.status, finding.why
        ));
        ui::line(format!("           written in {}", finding.source));
        ui::line(format!("           → {}", finding.words(Voice::PERSON)));
    }
    if ruling.gave_way {
        ui::line("gave way   it had been held too often while nothing moved");
    }
    let replay = if explanation.replay_agrees {
        ui::paint(GOOD, "made again from the same state and facts, it is the same")
    } else {
        ui::paint(BAD, "made again from the same state and facts, it is another")
    };
    ui::line(format!("replay     {replay}"));
}
