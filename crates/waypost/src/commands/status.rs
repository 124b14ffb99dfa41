//! `waypost status`

use std::process::ExitCode;
use waypost_core::text::spoken::count;

use clap::Args;
use serde::Serialize;
use waypost_app::machine::host::Host;
use waypost_app::standing::also;
use waypost_app::standing::lapses;
use waypost_app::standing::overview::{self, Overview};
use waypost_app::standing::state::{self, ToldState};
use waypost_app::standing::status::SessionStatus;
use waypost_app::view::View;
use waypost_core::alongside::OtherConversation;
use waypost_core::brief::{OtherSession, WaitingHandoff};
use waypost_core::course::PhaseResult;
use waypost_core::gate::FindingStatus;
use waypost_core::manifest::workflow_file::SessionFile;
use waypost_core::session::{Lifecycle, StopState};
use waypost_core::text::shortened;
use waypost_core::time::Timestamp;

use super::{CommandOutcome, list};
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};

/// How much is told of what the session before left, in characters; the brief tells more.
const MAX_LEFT: usize = 400;

/// Show where the session stands: its gates, its conversations, what is missing
///
/// Without an id: the calling agent's session, else the current one of the work tree, else its only
/// active one. Where none is active: what could be taken up, and what will be enforced. `waypost list`
/// shows all sessions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost status                 the session of this work tree
  waypost status 2026-11-15_add  a session by the beginning of its id
  waypost status --json          for scripts")]
pub(super) struct StatusArgs {
    /// A session's id, or enough of its beginning
    id: Option<String>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl StatusArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host).inspect_err(|_| {
            if let Some(removed) = lapses::after_removal(host) {
                first(&[removed]);
            }
        })?;
        if self.id.is_none() && view.has_no_session()? {
            return self.overview(&overview::of(&view)?, view.host.now());
        }
        let told = state::of(&view, self.id.as_deref())?;
        let status = &told.status;
        let also = match self.id {
            Some(_) => Vec::new(),
            None => also::to_take_up(&view, Some(&status.session_id), &view.asker(), view.voice()),
        };
        if self.json {
            ui::json(&Shown { state: &told, also: &also })?;
        } else {
            first(&status.lapses.lines());
            show(status);
            alongside(&status.others, host.now());
            others("other sessions:", &also, host.now());
            for remark in &status.remarks {
                ui::line(format!("{} {remark}", ui::paint(WARN, "!")));
            }
            ui::line(format!("{} {}", ui::paint(BOLD, "→"), status.next));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What nobody should miss: when nothing was enforced.
fn first(lines: &[String]) {
    for line in lines {
        ui::line(format!("{} {}", ui::paint(BAD, "!"), ui::on_one_line(line)));
    }
}

/// Where a session stands, and the others that could be taken up.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    state: &'a ToldState,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    also: &'a [OtherSession],
}

/// A line about each conversation that changed files here lately, and these with their times.
fn alongside(others: &[OtherConversation], now: Timestamp) {
    if !others.is_empty() {
        ui::line("changed in this work tree lately:");
    }
    for other in others {
        let session = ui::paint(DIM, format!("(in {})", other.session_id));
        let told = ui::on_one_line(&other.told(now));
        ui::line(format!("  {} {told} {session}", ui::paint(BOLD, "•")));
    }
}

/// A line about each session that could be taken up.
fn others(heading: &str, also: &[OtherSession], now: Timestamp) {
    if !also.is_empty() {
        ui::line(heading);
    }
    for other in also {
        let (style, line) = (list::style_of(other.lifecycle), other.line(now));
        ui::line(format!("  {} {line}", ui::paint(style, "•")));
    }
}

impl StatusArgs {
    /// Where the work tree stands, if no session is active in it.
    fn overview(self, overview: &Overview, now: Timestamp) -> CommandOutcome {
        if self.json {
            ui::json(overview)?;
            return Ok(ExitCode::SUCCESS);
        }
        first(&overview.lapses.lines());
        let branch = overview.branch.as_deref().map_or("no branch", |name| name);
        ui::line(format!("no session is current here, on {}", ui::on_one_line(branch)));
        others("sessions:", &overview.sessions, now);
        if overview.unnamed > 0 {
            let count = overview.unnamed;
            let sessions = if count == 1 { "session" } else { "sessions" };
            ui::line(format!("  {count} {sessions} of finished conversations without a name"));
        }
        if let Some(previous) = &overview.previous {
            let text = previous.notes.as_ref().or(previous.summary.as_ref());
            let text = text.map_or("", String::as_str);
            let text = shortened(&ui::on_one_line(text), MAX_LEFT);
            ui::line(format!("{} left: {text}", previous.session_id));
        }
        enforced(overview);
        for remark in &overview.remarks {
            ui::line(format!("{} {remark}", ui::paint(WARN, "!")));
        }
        ui::line(format!("{} {}", ui::paint(BOLD, "→"), overview.next));
        Ok(ExitCode::SUCCESS)
    }
}

/// What agents will be held to.
fn enforced(overview: &Overview) {
    if let Some(protocol) = &overview.protocol {
        ui::line(format!("sessions follow the protocol {}", ui::on_one_line(protocol)));
    } else if overview.gates.is_empty() {
        ui::line("no gates: agents are recorded, and held to nothing");
    }
    for gate in &overview.gates {
        let before: Vec<String> = gate.before.iter().map(ToString::to_string).collect();
        let message = ui::on_one_line(&gate.message);
        ui::line(format!(
            "  {} ({}) before {}: {message}",
            ui::paint(BOLD, &gate.gate),
            gate.level,
            before.join(", ")
        ));
    }
}

fn show(status: &SessionStatus) {
    let objective = status.objective.as_deref().unwrap_or("(no name yet)");
    ui::line(format!("{}  {}", ui::paint(BOLD, &status.session_id), ui::paint(DIM, objective)));
    let branch = status.branch.as_deref().unwrap_or("no branch");
    let violations = match status.violations {
        0 => String::new(),
        many => ui::paint(BAD, format!(", {}", count(many, "violation"))),
    };
    let lifecycle = ui::paint(list::style_of(status.lifecycle), status.lifecycle);
    let lifecycle = if status.current { format!("{lifecycle}, current,") } else { lifecycle };
    ui::line(format!("{lifecycle} on {branch}, {}{violations}", count(status.version, "record")));
    if let Some(track) = &status.track {
        phases(status, track);
    }
    if let (Some(pause), Lifecycle::Paused) = (&status.pause, status.lifecycle) {
        ui::field("reason", &pause.reason);
    }
    work(status);
    if !status.open_commits.is_empty() {
        let short: Vec<String> =
            status.open_commits.iter().map(|sha| sha.chars().take(10).collect()).collect();
        ui::field("commits", format!("{} to be proven before the stop", short.join(", ")));
    }
    conversations(status);
    agents(status);
    gates(status, "");
}

/// The phases of its workflow in one line: what is done, where it is, what is left.
pub(super) fn phases(status: &SessionStatus, track: &SessionFile) {
    let shown = track.checkpoints.iter().map(|(number, checkpoint)| {
        let name = track.phase_names.get(number).map_or("", String::as_str);
        let current = !track.lifecycle.completed && *number == track.current_phase;
        match checkpoint {
            PhaseResult::Failed => ui::paint(BAD, format!("✗ {name}")),
            _ if current => ui::paint(BOLD, format!("▶ {name}")),
            PhaseResult::Passed => ui::paint(GOOD, format!("✓ {name}")),
            PhaseResult::Skipped => ui::paint(DIM, format!("⏭ {name}")),
            PhaseResult::Pending => ui::paint(DIM, format!("· {name}")),
        }
    });
    let shown: Vec<String> = shown.collect();
    let more = if track.workflow_structure.dynamic { "  …" } else { "" };
    let workflow = ui::paint(DIM, format!("{:<11} ", ui::on_one_line(&status.workflow)));
    ui::line(format!("  {workflow}{}{more}", shown.join("  ")));
}

/// Why it was put away, how far building has come, and what is worked on.
pub(super) fn work(status: &SessionStatus) {
    if let Some(archived) = &status.archived {
        ui::field("reason", &archived.reason);
    }
    let build = &status.build;
    if let Some(total) = build.checkpoints_total {
        let done = build.checkpoints_completed.len();
        let at = build.current_checkpoint.map(|current| format!(", at {current}"));
        let at = at.unwrap_or_default();
        ui::field("build", format!("{done} of {total} checkpoints completed{at}"));
    }
    if build.tasks_completed > 0 {
        ui::field("tasks", format!("{} completed", build.tasks_completed));
    }
    if !status.focus.is_empty() {
        ui::field("focus", status.focus.to_string());
    }
}

/// A line about each conversation.
pub(super) fn conversations(status: &SessionStatus) {
    for conversation in &status.conversations {
        let state = match (conversation.attached, conversation.running) {
            (false, _) => "over",
            (true, Some(false)) => "gone",
            (true, Some(true)) => "running",
            (true, None) => "attached",
        };
        let stop = match conversation.stop {
            StopState::Idle => "",
            StopState::Pending => ", has changes to prove",
            StopState::InProgress => ", its stop is held",
            StopState::Satisfied => ", its changes are proven",
            StopState::GivenUp => ", stopped with changes unproven",
        };
        let subagents = match conversation.subagents {
            0 => String::new(),
            1 => ", 1 subagent".to_owned(),
            count => format!(", {count} subagents"),
        };
        let unenforced = if conversation.unenforced {
            ui::paint(BAD, ", UNENFORCED: files changed and no hook saw a tool call")
        } else {
            String::new()
        };
        let (harness, id) = (&conversation.harness, &conversation.id);
        ui::line(format!("  {harness} {id}  {state}{stop}{subagents}{unenforced}"));
        if let (Some(reopen), "over" | "gone") = (&conversation.reopen, state) {
            ui::line(format!("    {}", ui::paint(DIM, format!("go back to it: {reopen}"))));
        }
        if let Some(protocol) = &conversation.protocol {
            let blocked = match protocol.blocked_by.join(", ") {
                gates if gates.is_empty() => String::new(),
                gates => ui::paint(BAD, format!(", BLOCKED by {gates}")),
            };
            ui::line(format!("    protocol {}: {}{blocked}", protocol.name, protocol.phase));
        }
    }
}

/// Who is at work, what waits to be accepted, and what those who judged the work still want done.
pub(super) fn agents(status: &SessionStatus) {
    if !status.agents_at_work.is_empty() {
        ui::field("agents", format!("{} at work", status.agents_at_work.join(", ")));
    }
    for handoff in &status.pending_handoffs {
        let WaitingHandoff { handoff_id, from_agent, to_agent, accept, .. } = handoff;
        let waits = ui::paint(WARN, "waits to be accepted");
        let what = ui::on_one_line(&format!("{handoff_id} from {from_agent} to {to_agent}"));
        ui::line(format!("  {what} {waits}"));
        ui::line(format!("    → {accept}"));
    }
    for concern in &status.open_verdicts {
        ui::field_in(WARN, "verdict", concern.line());
    }
}

/// A line about each gate, and the next step where it is not met, moved in by `indent`.
pub(super) fn gates(status: &SessionStatus, indent: &str) {
    for gate in &status.gates {
        let met = gate.status == FindingStatus::Met;
        let mark = match (met, gate.due) {
            (true, _) => ui::paint(GOOD, "✓"),
            (false, true) => ui::paint(BAD, "✗"),
            (false, false) => ui::paint(DIM, "·"),
        };
        if !met && !gate.due {
            let before: Vec<String> = gate.before.iter().map(ToString::to_string).collect();
            let asked = format!("asked before {} once something changes", before.join(", "));
            let name = ui::paint(BOLD, &gate.gate);
            ui::line(format!("{indent}{mark} {name} ({}): {asked}", gate.level));
            continue;
        }
        ui::line(format!(
            "{indent}{mark} {} ({}): {}",
            ui::paint(BOLD, &gate.gate),
            gate.level,
            gate.why
        ));
        if !met {
            ui::line(format!("{indent}  → {}", gate.next));
        }
    }
}
