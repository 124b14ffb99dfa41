//! `waypost decision`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::machine::host::Host;
use waypost_app::orchestration;
use waypost_app::orchestration::decisions::{self, Decided};
use waypost_app::view::View;
use waypost_core::agents::Decision;
use waypost_core::next_step::Voice;

use super::CommandOutcome;
use super::which::WhichSession;
use crate::ui::{self, BAD, BOLD, DIM, GOOD};

/// Record what was decided and why, and list it
#[derive(Debug, Args)]
pub(super) struct DecisionArgs {
    #[command(subcommand)]
    command: DecisionCommand,
}

#[derive(Debug, Subcommand)]
enum DecisionCommand {
    Record(DecisionRecordArgs),
    List(DecisionListArgs),
    Approve(DecisionReviewArgs),
    Reject(DecisionReviewArgs),
}

/// Record a decision, for good
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost decision record \"Passkeys only, no passwords\" --rationale \"Fewer ways in\"
  waypost decision record --type architectural --description \"One binary\" \\
      --rationale \"Easy to install\" --decided-by architect --approved-by security")]
struct DecisionRecordArgs {
    /// What was decided
    #[arg(value_name = "TEXT", required_unless_present = "description")]
    text: Option<String>,
    /// The same, as an option
    #[arg(long, value_name = "TEXT", conflicts_with = "text")]
    description: Option<String>,
    /// architectural, technical, process or scope
    #[arg(long = "type", value_name = "TYPE", default_value = "technical")]
    decision_type: String,
    /// Why, and what was decided against
    #[arg(long, value_name = "TEXT")]
    rationale: String,
    /// Who decided it; without a name, the agent that runs this, or a human
    #[arg(long, alias = "by", value_name = "NAME")]
    decided_by: Option<String>,
    /// Somebody who agrees; may be said more than once
    #[arg(long, value_name = "NAME")]
    approved_by: Vec<String>,
    /// Somebody who does not; may be said more than once
    #[arg(long, value_name = "NAME")]
    rejected_by: Vec<String>,
    /// A session's id, or enough of its beginning
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// List every decision of a session
#[derive(Debug, Args)]
struct DecisionListArgs {
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Say that somebody agrees with a decision, or does not
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost decision approve 5f1c --by security
  waypost decision reject 5f1c --by qa")]
struct DecisionReviewArgs {
    /// The decision's id, or enough of its beginning
    decision: String,
    /// Who
    #[arg(long, value_name = "NAME")]
    by: String,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl DecisionArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command {
            DecisionCommand::Record(record) => record.run(&view),
            DecisionCommand::List(list) => list.run(&view),
            DecisionCommand::Approve(review) => review.run(&view, true),
            DecisionCommand::Reject(review) => review.run(&view, false),
        }
    }
}

impl DecisionRecordArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let caller = match view.voice() {
            Voice::Person => "human",
            Voice::Agent { .. } => "orchestrator",
        };
        let decided = Decided {
            decision_type: self.decision_type,
            description: self.text.or(self.description).unwrap_or_default(),
            rationale: self.rationale,
            decided_by: self.decided_by.unwrap_or_else(|| caller.to_owned()),
            approved_by: self.approved_by,
            rejected_by: self.rejected_by,
        };
        let (recorded, id) = decisions::decide(view, self.session.as_deref(), decided)?;
        ui::warnings(&recorded.warnings);
        if self.json {
            ui::json(&json!({"session_id": recorded.session, "decision_id": id}))?;
        } else {
            let session = ui::paint(DIM, &recorded.session);
            ui::line(format!("decision {} recorded {session}", ui::paint(BOLD, id)));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl DecisionListArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, all) = orchestration::all(view, self.session.named())?;
        if self.json {
            ui::json(&json!({"session_id": session.id, "decisions": all.decisions}))?;
            return Ok(ExitCode::SUCCESS);
        }
        if all.decisions.is_empty() {
            ui::note("nothing was decided that somebody recorded");
        }
        all.decisions.iter().for_each(tell);
        Ok(ExitCode::SUCCESS)
    }
}

fn tell(known: &Decision) {
    let decision = &known.decision;
    let (time, id) = (ui::moment(known.time), decision.id.chars().take(8).collect::<String>());
    let what = ui::on_one_line(&decision.description);
    ui::line(format!("{}  {}  {what}", ui::paint(DIM, time), ui::paint(BOLD, id)));
    let by = ui::on_one_line(&decision.decided_by);
    ui::field("decided", format!("by {by}, {}", decision.decision_type.name()));
    if !decision.rationale.trim().is_empty() {
        ui::field("why", ui::on_one_line(&decision.rationale));
    }
    for (name, style, who) in
        [("approved", GOOD, &decision.approved_by), ("rejected", BAD, &decision.rejected_by)]
    {
        if !who.is_empty() {
            ui::field_in(style, name, format!("by {}", ui::on_one_line(&who.join(", "))));
        }
    }
}

impl DecisionReviewArgs {
    fn run(self, view: &View<'_>, approved: bool) -> CommandOutcome {
        let named = self.session.named();
        let (recorded, found) = decisions::review(view, named, &self.decision, &self.by, approved)?;
        ui::warnings(&recorded.warnings);
        let word = if approved { "approved" } else { "rejected" };
        if self.json {
            ui::json(&json!({
                "session_id": recorded.session,
                "decision_id": found.decision.id,
                "by": self.by,
                "approved": approved,
            }))?;
        } else {
            let what = ui::on_one_line(&found.decision.description);
            ui::line(format!("{word} by {}: {what}", ui::on_one_line(&self.by)));
        }
        Ok(ExitCode::SUCCESS)
    }
}
