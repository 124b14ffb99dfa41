//! `waypost verdict`

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::orchestration;
use waypost_app::orchestration::handoffs::seq_of;
use waypost_app::orchestration::verdicts::{self, Told};
use waypost_app::view::View;
use waypost_core::agents::Verdict;
use waypost_core::evidence::VerdictWord;
use waypost_core::session::verdict_id;

use super::CommandOutcome;
use super::which::WhichSession;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};

/// Record what one agent says of another's work, and list it
///
/// A gate with `verdict = "approve"` takes a verdict of the subagent that judged, called by itself as an
/// MCP tool, or of a human at a terminal. What anybody else records for an agent is only what was said.
#[derive(Debug, Args)]
pub(super) struct VerdictArgs {
    #[command(subcommand)]
    command: VerdictCommand,
}

#[derive(Debug, Subcommand)]
enum VerdictCommand {
    Record(VerdictRecordArgs),
    List(VerdictListArgs),
    Resolve(VerdictResolveArgs),
}

/// Record a verdict
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost verdict record security --decision approve --confidence 0.9 --reasoning \"No new inputs\"
  waypost verdict record qa --decision conditional --confidence 0.7 --reasoning \"Nearly\" \\
      --condition \"Test the empty file\"")]
struct VerdictRecordArgs {
    /// The agent that judges
    agent: String,
    /// approve, reject, conditional or needs_revision
    #[arg(long, value_name = "WORD")]
    decision: String,
    /// How sure it is, from 0 to 1
    #[arg(long, value_name = "NUMBER")]
    confidence: f64,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reasoning: String,
    /// Something that has to be done before it agrees; may be said more than once
    #[arg(long = "condition", value_name = "TEXT")]
    conditions: Vec<String>,
    /// Something that stands in the way; may be said more than once
    #[arg(long = "blocker", value_name = "TEXT")]
    blockers: Vec<String>,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// List every verdict of a session, and which conditions and blockers are open
#[derive(Debug, Args)]
struct VerdictListArgs {
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Say that a verdict's conditions and blockers are met (for people, not for agents)
///
/// The agent's next verdict settles them, too. A gate that asks for another word than the verdict's stays
/// open: have the agent look again, or approve the gate.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost verdict resolve verdict-41 --how \"The empty file is tested now\"")]
struct VerdictResolveArgs {
    /// The verdict's id, as the list shows it
    verdict: String,
    /// How they came to be met
    #[arg(long, value_name = "TEXT")]
    how: String,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl VerdictArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command {
            VerdictCommand::Record(record) => record.run(&view),
            VerdictCommand::List(list) => list.run(&view),
            VerdictCommand::Resolve(resolve) => resolve.run(&view),
        }
    }
}

impl VerdictRecordArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let (agent, decision) = (ui::on_one_line(&self.agent), ui::on_one_line(&self.decision));
        let told = Told {
            agent: self.agent,
            decision: self.decision,
            confidence: self.confidence,
            reasoning: self.reasoning,
            conditions: self.conditions,
            blockers: self.blockers,
        };
        let given = verdicts::judge(view, self.session.named(), told, None)?;
        ui::warnings(&given.recorded.warnings);
        let id = verdict_id(given.recorded.seq);
        if self.json {
            ui::json(&json!({
                "session_id": given.recorded.session,
                "verdict_id": id,
                "provenance": given.provenance,
                "why_not": given.why_not,
            }))?;
        } else {
            let provenance = ui::paint(DIM, format!("{id}, {}", given.provenance));
            ui::line(format!("{} said {decision} {provenance}", ui::paint(BOLD, agent)));
            if let Some(why) = given.why_not {
                ui::note(format!("it counts for no gate: {why}"));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl VerdictListArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, all) = orchestration::all(view, self.session.named())?;
        if self.json {
            ui::json(&json!({"session_id": session.id, "verdicts": all.verdicts}))?;
            return Ok(ExitCode::SUCCESS);
        }
        if all.verdicts.is_empty() {
            ui::note("nobody gave a verdict");
        }
        all.verdicts.iter().for_each(tell);
        Ok(ExitCode::SUCCESS)
    }
}

fn tell(known: &Verdict) {
    let verdict = &known.verdict;
    let style = match verdict.verdict {
        VerdictWord::Approve => GOOD,
        VerdictWord::Conditional | VerdictWord::NeedsRevision => WARN,
        VerdictWord::Reject => BAD,
    };
    let (time, id) = (ui::paint(DIM, ui::moment(known.time)), verdict_id(known.seq));
    let word = ui::paint(style, verdict.verdict);
    let (agent, confidence) = (ui::on_one_line(&verdict.agent), verdict.confidence);
    let provenance = verdict.provenance;
    let agent = ui::paint(BOLD, agent);
    ui::line(format!("{time}  {id}  {agent} {word}, confidence {confidence} ({provenance})"));
    ui::field("why", ui::on_one_line(&verdict.reasoning));
    let open = if known.is_open() { BAD } else { DIM };
    for (name, wants) in [("blocker", &verdict.blockers), ("condition", &verdict.conditions)] {
        for want in wants {
            ui::field_in(open, name, ui::on_one_line(want));
        }
    }
    if let Some(how) = &known.resolved {
        ui::field("resolved", ui::on_one_line(how));
    }
}

impl VerdictResolveArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let seq = seq_of(&self.verdict).ok_or_else(|| {
            AppError::refused(format!("`{}` is no verdict", ui::on_one_line(&self.verdict)))
                .hint("the list of verdicts shows their ids")
        })?;
        let recorded = verdicts::resolve(view, self.session.named(), seq, &self.how)?;
        ui::warnings(&recorded.warnings);
        if self.json {
            ui::json(&json!({"session_id": recorded.session, "verdict_id": verdict_id(seq)}))?;
        } else {
            ui::line(format!("{} resolved", ui::paint(BOLD, verdict_id(seq))));
        }
        Ok(ExitCode::SUCCESS)
    }
}
