//! `waypost agent`

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::{Map, Value, json};
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::orchestration::{self, agents};
use waypost_app::view::View;
use waypost_core::agents::AgentWork;
use waypost_core::command::Completion;
use waypost_core::event::{AgentInvoked, InvocationStatus};
use waypost_core::id::SessionId;
use waypost_core::text::shortened;
use waypost_core::text::spoken::{count, short};

use super::CommandOutcome;
use super::evidence::fields_of;
use super::which::WhichSession;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};

/// How much of a prompt or a summary stands in a list, in characters.
const MAX_TEXT: usize = 100;
/// How far lines are moved in.
const MAX_DEPTH: usize = 12;

/// Give work to agents, record what came of it, and list who did what
///
/// Subagents that hooks see are listed by themselves. What is recorded here is for agents that work in
/// another way.
#[derive(Debug, Args)]
pub(super) struct AgentArgs {
    #[command(subcommand)]
    command: AgentCommand,
}

#[derive(Debug, Subcommand)]
enum AgentCommand {
    Invoke(AgentInvokeArgs),
    Complete(Box<AgentCompleteArgs>),
    List(AgentListArgs),
    Compact(AgentCompactArgs),
}

/// Record that an agent is given work
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost agent invoke implementer --prompt \"Write the parser\" --artifact docs/grammar.md
  waypost agent invoke qa --prompt \"Test it\" --from implementer --context area=parser")]
struct AgentInvokeArgs {
    /// The agent: implementer, qa, security or any other name
    name: String,
    /// What it is asked to do
    #[arg(long, value_name = "TEXT")]
    prompt: String,
    /// What it is told beside that; values are JSON where they are that, else text
    #[arg(long, value_name = "NAME=VALUE")]
    context: Vec<String>,
    /// A file that it is given; may be said more than once
    #[arg(long = "artifact", value_name = "FILE")]
    artifacts: Vec<String>,
    /// The agent that hands the work over
    #[arg(long, value_name = "AGENT")]
    from: Option<String>,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Record what came of an agent's work: its latest open invocation is over
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost agent complete implementer --summary \"The parser reads all samples\" --artifact src/parser.rs
  waypost agent complete qa --summary \"Half done\" --blocker \"No test data\"    its work is blocked")]
struct AgentCompleteArgs {
    /// The agent, by the name that it was invoked by
    name: String,
    /// What it did
    #[arg(long, value_name = "TEXT")]
    summary: String,
    /// A file that it leaves; may be said more than once
    #[arg(long = "artifact", value_name = "FILE")]
    artifacts: Vec<String>,
    /// Something that it recommends; may be said more than once
    #[arg(long = "recommend", value_name = "TEXT")]
    recommendations: Vec<String>,
    /// Something that kept it from going on; may be said more than once
    #[arg(long = "blocker", value_name = "TEXT")]
    blockers: Vec<String>,
    /// The agent that goes on
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
    /// Why that one
    #[arg(long, value_name = "TEXT", requires = "to")]
    why: Option<String>,
    /// It could not do it
    #[arg(long)]
    failed: bool,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// List every invocation of a session, who started whom, and what each took
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost agent list
  waypost agent list --archive session://2026-11-15_add-login_k7x2mq/history/12-240
  waypost agent list --json")]
struct AgentListArgs {
    /// Only the invocations that a `notePath` of the compaction history names
    #[arg(long, value_name = "NOTEPATH")]
    archive: Option<String>,
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Leave all but the last three invocations to the records, where they stay readable
///
/// It happens by itself above ten.
#[derive(Debug, Args)]
struct AgentCompactArgs {
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl AgentArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        match self.command {
            AgentCommand::Invoke(invoke) => invoke.run(&view),
            AgentCommand::Complete(complete) => complete.run(&view),
            AgentCommand::List(list) => list.run(&view),
            AgentCommand::Compact(compact) => compact.run(&view),
        }
    }
}

impl AgentInvokeArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let context: Map<String, Value> = fields_of(&self.context)?;
        let Self { name, prompt, artifacts, from, session, json, .. } = self;
        let text = ui::on_one_line(&name);
        let handoff_from = from;
        let invoked = AgentInvoked { agent: name, prompt, context, artifacts, handoff_from };
        let recorded = agents::invoke(view, session.named(), invoked)?;
        ui::warnings(&recorded.warnings);
        if json {
            ui::json(&json!({"session_id": recorded.session, "invocation": recorded.seq}))?;
        } else {
            let session = ui::paint(DIM, &recorded.session);
            ui::line(format!("{} is at work {session}", ui::paint(BOLD, text)));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl AgentCompleteArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let text = ui::on_one_line(&self.name);
        let completion = Completion {
            agent: self.name,
            summary: self.summary,
            artifacts: self.artifacts,
            recommendations: self.recommendations,
            blockers: self.blockers,
            handoff_to: self.to,
            handoff_reason: self.why,
            failed: self.failed,
        };
        let status = completion.status();
        let recorded = agents::complete(view, self.session.named(), completion)?;
        ui::warnings(&recorded.warnings);
        if self.json {
            ui::json(&json!({"session_id": recorded.session, "status": status}))?;
        } else {
            let session = ui::paint(DIM, &recorded.session);
            ui::line(format!(
                "the work of {} is {} {session}",
                ui::paint(BOLD, text),
                status.words()
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Who did what, as data.
#[derive(Serialize)]
struct Listed<'a> {
    session_id: &'a SessionId,
    invocations: Vec<&'a AgentWork>,
    compactions: Vec<Value>,
}

impl AgentListArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let range = self.archive.as_deref().map(agents::range_of).transpose()?;
        let named = range.as_ref().and_then(|(session, ..)| session.as_deref());
        let (session, all) = orchestration::all(view, named.or(self.session.named()))?;
        let shown = match range {
            Some((_, from, to)) => agents::archived(&all, from, to),
            None => all.invocations.iter().collect(),
        };
        if self.json {
            let compactions = all.compactions.iter().map(|known| {
                json!({
                    "note_path": agents::note_path(&session.id, &known.range),
                    "time": known.time,
                    "count": known.range.count,
                })
            });
            let compactions = compactions.collect();
            ui::json(&Listed { session_id: &session.id, invocations: shown, compactions })?;
            return Ok(ExitCode::SUCCESS);
        }
        if shown.is_empty() {
            ui::note("no agent was given work");
        }
        let tree = Tree::of(&shown);
        for top in (0..shown.len()).filter(|at| !tree.is_below.contains(at)) {
            tree.tell(top, &shown);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Who started whom, by their places in a list.
#[derive(Default)]
struct Tree {
    below: BTreeMap<usize, Vec<usize>>,
    is_below: BTreeSet<usize>,
}

impl Tree {
    fn of(all: &[&AgentWork]) -> Self {
        let mut tree = Self::default();
        // The latest of that name, as far as it has come.
        let mut known = BTreeMap::new();
        for (at, work) in all.iter().enumerate() {
            let parent = work.parent.as_ref().map(|parent| (&work.conversation, parent));
            if let Some(above) = parent.and_then(|parent| known.get(&parent)) {
                tree.below.entry(*above).or_default().push(at);
                tree.is_below.insert(at);
            }
            if let Some(subagent) = &work.subagent {
                known.insert((&work.conversation, subagent), at);
            }
        }
        tree
    }

    /// A line about an invocation, and below it those that its agent made.
    fn tell(&self, top: usize, all: &[&AgentWork]) {
        let mut left = vec![(top, 0)];
        while let Some((at, depth)) = left.pop() {
            line_of(all[at], depth);
            let below = self.below.get(&at).into_iter().flatten().rev();
            left.extend(below.map(|below| (*below, depth + 1)));
        }
    }
}

/// How long something took: agents often take less than a minute.
fn in_short(took: u64) -> String {
    match i64::try_from(took) {
        Ok(long) if long >= 60_000 => short(long),
        _ => format!("{} s", took.div_ceil(1000)),
    }
}

/// A line about an invocation, and one about what it was for.
fn line_of(work: &AgentWork, depth: usize) {
    let style = match work.status {
        InvocationStatus::InProgress => BOLD,
        InvocationStatus::Completed => GOOD,
        InvocationStatus::Failed => BAD,
        InvocationStatus::Blocked => WARN,
    };
    let took = work.duration_ms().map(|took| format!(", {}", in_short(took))).unwrap_or_default();
    let tokens = work.usage.tokens.map(|tokens| format!(", {}", count(tokens, "token")));
    let files = match work.files.len() {
        0 => String::new(),
        files => format!(", {}", count(u64::try_from(files).unwrap_or(u64::MAX), "file")),
    };
    let seen = if work.observed { "" } else { ", as it was said" };
    let (time, indent) =
        (ui::paint(DIM, ui::moment(work.started_at)), "  ".repeat(depth.min(MAX_DEPTH)));
    let agent = ui::paint(BOLD, ui::on_one_line(&work.agent));
    let status = ui::paint(style, work.status.words());
    let tokens = tokens.unwrap_or_default();
    ui::line(format!("{time}  {indent}{agent} {status}{took}{tokens}{files}{seen}"));
    let said = work.output.as_ref().map(|output| &output.summary);
    let said = said.unwrap_or(&work.prompt);
    if !said.is_empty() {
        let said = shortened(&ui::on_one_line(said), MAX_TEXT);
        ui::line(format!("                  {indent}  {}", ui::paint(DIM, said)));
    }
}

impl AgentCompactArgs {
    fn run(self, view: &View<'_>) -> CommandOutcome {
        let (recorded, range) = agents::compact(view, self.session.named())?;
        ui::warnings(&recorded.warnings);
        let range = range.ok_or_else(|| AppError::refused("nothing was archived"))?;
        let note_path = agents::note_path(&recorded.session, &range);
        if self.json {
            ui::json(&json!({
                "session_id": recorded.session,
                "count": range.count,
                "note_path": note_path,
            }))?;
        } else {
            let invocations = count(range.count, "invocation");
            ui::line(format!("{invocations} archived {}", ui::paint(DIM, note_path)));
        }
        Ok(ExitCode::SUCCESS)
    }
}
