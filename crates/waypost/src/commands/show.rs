//! `waypost show`

use std::process::ExitCode;
use waypost_core::text::spoken::{count, long};

use clap::Args;
use waypost_app::machine::host::Host;
use waypost_app::standing::show::{self, Shown};
use waypost_app::standing::status::SessionStatus;
use waypost_app::view::View;
use waypost_app::view::copy::Kept;
use waypost_core::event::Past;
use waypost_core::manifest::workflow_file::SessionFile;
use waypost_core::session::Lifecycle;

use super::{CommandOutcome, list, status, violations};
use crate::ui::{self, BOLD, DIM, WARN};

/// Show everything about one session
///
/// Its objective and life, conversations, notes, commits, violations, evidence and gates.
/// `waypost history` shows the same event by event.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost show 2026-11-15_add
  waypost show 2026-11-15_add --json | jq '.notes'")]
pub(super) struct ShowArgs {
    /// A session's id, or enough of its beginning
    id: String,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl ShowArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let shown = show::of(&view, &self.id)?;
        if self.json {
            ui::json(&shown)?;
        } else {
            tell(&shown);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Everything about a session, line by line.
pub(super) fn tell(shown: &Shown) {
    life(shown);
    came(shown);
    written(shown);
    happened(shown);
    section("gates", shown.status.gates.len());
    status::gates(&shown.status, "  ");
}

fn life(shown: &Shown) {
    let status = &shown.status;
    let objective = ui::on_one_line(status.objective.as_deref().unwrap_or("(no name yet)"));
    ui::line(format!("{}  {objective}", ui::paint(BOLD, &status.session_id)));
    ui::field_in(list::style_of(status.lifecycle), "status", lifecycle(status));
    if let (Some(pause), Lifecycle::Paused) = (&status.pause, status.lifecycle) {
        ui::field("reason", &pause.reason);
        if let Some(context) = &pause.context {
            ui::field("context", context);
        }
    }
    if let (Some(ended), true) = (&shown.chronicle.ended, status.lifecycle.is_over()) {
        if let Some(summary) = &ended.summary {
            ui::field("summary", summary);
        }
        if let Some(notes) = &ended.next_notes {
            ui::field("next notes", notes);
        }
    }
    if shown.kept != Kept::Live {
        let kept = format!("{:?}", shown.kept).to_lowercase();
        let remark = shown.remark.as_ref().map(|remark| format!(": {remark}")).unwrap_or_default();
        ui::field_in(WARN, "kept as", format!("{kept}{remark}"));
    }
    let branch = status.branch.as_deref().unwrap_or("none");
    let commit: String =
        shown.chronicle.starting_commit.iter().flat_map(|sha| sha.chars().take(12)).collect();
    let from = if commit.is_empty() { String::new() } else { format!(", from {commit}") };
    ui::field("branch", format!("{branch}{from}"));
    if let Some(worktree) = &status.worktree {
        ui::field("work tree", worktree);
    }
    if let Some(base) = &status.base_branch {
        ui::field("base branch", base);
    }
    match &status.track {
        Some(track) => status::phases(status, track),
        None => ui::field("workflow", &status.workflow),
    }
    status::work(status);
    let moment = |time: Option<_>| time.map(ui::moment).unwrap_or_default();
    ui::field("started", moment(status.started_at));
    ui::field(
        "updated",
        format!("{}, {}", moment(status.updated_at), count(status.version, "record")),
    );
}

/// How it came here, if another program kept it before.
fn came(shown: &Shown) {
    let Some(imported) = &shown.chronicle.imported else { return };
    let from = imported.from.as_ref().map(|from| format!(" from {}", from.path));
    ui::field("imported", format!("{}{}", imported.format, from.unwrap_or_default()));
    for remark in &imported.remarks {
        ui::line(format!("  {} {}", ui::paint(WARN, "-"), ui::on_one_line(remark)));
    }
    if let Some(error) = &imported.past.last_error {
        ui::field_in(WARN, "last error", ui::on_one_line(&error.text));
    }
    if shown.status.track.is_none() {
        past_phases(&imported.past);
    }
    let steps = &imported.past.checklist;
    section("checklist", steps.len());
    for step in steps {
        let mark = match step.done {
            Some(true) => "✓",
            Some(false) => "✗",
            None => "-",
        };
        let evidence = match step.evidence.as_str() {
            "" => String::new(),
            evidence => format!(": {evidence}"),
        };
        let told = format!("{} {}{evidence}", step.level, step.step);
        ui::line(format!("  {mark} {}", ui::on_one_line(&told)));
    }
}

/// Phases of something that is no workflow here.
fn past_phases(past: &Past) {
    if let Some(phase) = &past.phase {
        ui::field("phase", ui::on_one_line(phase));
    }
    section("phases", past.phases.len());
    for phase in &past.phases {
        let result = format!("{:?}", phase.result).to_lowercase();
        let given = phase.outputs.join(", ");
        let given = if given.is_empty() { given } else { format!(": {given}") };
        ui::line(format!("  {}", ui::on_one_line(&format!("{} {result}{given}", phase.name))));
    }
}

/// When each phase began and ended.
fn phases(track: &SessionFile) {
    section("phases", track.phase_timing.len());
    for (number, timing) in &track.phase_timing {
        let name = track.phase_names.get(number).map(String::as_str).unwrap_or_default();
        let ended = timing.completed_at.map(|ended| format!(" to {}", ui::moment(ended)));
        // Of a phase whose beginning nobody knows, nobody knows how long it took.
        let took = timing.started_at.map(|_| format!(", {}", long(timing.active_seconds * 1000)));
        let rested = match timing.paused_seconds {
            ..60 => String::new(),
            seconds => format!(", paused for {}", long(seconds * 1000)),
        };
        ui::line(format!(
            "  {}  {}{}{}{rested}",
            ui::on_one_line(name),
            timing.started_at.map(ui::moment).unwrap_or_default(),
            ended.unwrap_or_default(),
            took.unwrap_or_default()
        ));
    }
}

fn lifecycle(status: &SessionStatus) -> String {
    let ended = status.archived.as_ref().map(|archived| archived.since).or(status.ended_at);
    let since = match (status.lifecycle, &status.pause, ended) {
        (Lifecycle::Paused, Some(pause), _) => format!(" since {}", ui::moment(pause.since)),
        (_, _, Some(ended)) => format!(" at {}", ui::moment(ended)),
        _ => String::new(),
    };
    let resumed = match status.resumed {
        0 => String::new(),
        1 => ", resumed once".to_owned(),
        times => format!(", resumed {times} times"),
    };
    format!("{}{since}{resumed}", status.lifecycle)
}

fn written(shown: &Shown) {
    if let Some(track) = &shown.status.track {
        phases(track);
    }
    section("open questions (spec.md)", shown.spec.open_questions.len());
    for question in &shown.spec.open_questions {
        ui::line(format!("  - {}", ui::on_one_line(question)));
    }
    section("decisions (spec.md)", shown.spec.decisions.len());
    for decision in &shown.spec.decisions {
        let why = decision.rationale.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        ui::line(format!("  - {}", ui::on_one_line(&format!("{}{why}", decision.title))));
    }
    let by_hand: Vec<_> = shown.dev_notes.iter().filter(|note| note.record.is_none()).collect();
    section("notes (dev-notes.json)", by_hand.len());
    for note in by_hand {
        let (category, content) = (ui::on_one_line(&note.category), ui::on_one_line(&note.content));
        ui::line(format!("  - {category}: {content}"));
    }
}

fn happened(shown: &Shown) {
    section("conversations", shown.status.conversations.len());
    status::conversations(&shown.status);
    section("notes", shown.chronicle.notes.len());
    for note in &shown.chronicle.notes {
        let text = ui::indented(&note.text, 20);
        // Who wrote what is recorded here stands in the history.
        let by = note.by.as_ref().filter(|by| **by != note.actor.label());
        let by = by.map(|by| format!(" ({by})")).unwrap_or_default();
        let kind = ui::on_one_line(&format!("{}{by}", note.kind));
        ui::line(format!("  {}{kind}: {text}", when(note.time)));
    }
    section("commits", shown.chronicle.commits.len());
    for recorded in &shown.chronicle.commits {
        let commit = &recorded.commit;
        let sha: String = commit.sha.chars().take(12).collect();
        let checkpoint = commit.checkpoint.map(|number| format!(" (checkpoint {number})"));
        let message = ui::on_one_line(&commit.message);
        let checkpoint = checkpoint.unwrap_or_default();
        ui::line(format!("  {}{sha} {message}{checkpoint}", when(recorded.time)));
    }
    section("violations", shown.violation_details.len());
    for violation in &shown.violation_details {
        violations::show(violation, "  ");
    }
    section("evidence", shown.chronicle.evidence.len());
    for recorded in &shown.chronicle.evidence {
        let run = &recorded.run;
        ui::line(format!(
            "  {}  {} ended with {}, {} ({})",
            time(recorded.time),
            ui::on_one_line(&run.command),
            run.status,
            run.tests_told(),
            run.provenance
        ));
    }
}

fn time(time: waypost_core::time::Timestamp) -> String {
    ui::paint(DIM, ui::moment(time))
}

/// A time before what happened then, where it is known.
fn when(at: Option<waypost_core::time::Timestamp>) -> String {
    at.map(|at| format!("{}  ", time(at))).unwrap_or_default()
}

/// A section's title, where there is something in it.
fn section(title: &str, count: usize) {
    if count > 0 {
        ui::line(ui::paint(BOLD, title));
    }
}
