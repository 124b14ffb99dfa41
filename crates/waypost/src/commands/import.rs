//! `waypost import`

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use waypost_app::machine::host::Host;
use waypost_app::sessions::import::{self, FoundSession, LeftFile, Outcome, Report, SatisfiedGate};
use waypost_app::view::View;
use waypost_core::text::spoken::count;

use super::CommandOutcome;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};

/// How many files are named for each reason.
const NAMED: usize = 3;
/// How many sessions are told one by one.
const TOLD: usize = 40;

/// Bring in sessions that other tools kept
///
/// Waypost recognises files by their content: session folders with a state.json, praxis-os sessions,
/// session logs in Markdown and JSON and their state, states and notes of Brain, states of the requirements
/// framework, memories of Serena, and sessions that `waypost export` wrote. A finished session stays
/// finished; `waypost resume` goes on in one. The originals are not touched, everything in them is kept
/// in the record (`waypost show`), and importing the same again changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost import --dry-run .                 what is there, without writing anything
  waypost import ../old-project/agents/sessions
  waypost import .praxis-os/state .agents/sessions .git/requirements
  waypost import session.json && waypost resume 062f24e7")]
pub(super) struct ImportArgs {
    /// Files and folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only say what would be imported
    #[arg(long)]
    dry_run: bool,
    /// Name every file, also those that hold no session
    #[arg(long, short)]
    verbose: bool,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl ImportArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let view = View::open(host)?;
        let bar = bar();
        let report = import::import(&view, &self.paths, self.dry_run, &mut |done, all, what| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
            bar.set_message(ui::on_one_line(what));
        });
        bar.finish_and_clear();
        let report = report?;
        if self.json {
            ui::json(&report)?;
        } else {
            self.tell(&report);
        }
        let found_nothing = report.sessions.is_empty();
        let failed = !report.refused.is_empty() || found_nothing;
        Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }

    fn tell(&self, report: &Report) {
        let news = |session: &&FoundSession| session.outcome != Outcome::Unchanged;
        let told: Vec<&FoundSession> =
            report.sessions.iter().filter(|one| self.verbose || news(one)).collect();
        let most = if self.verbose { usize::MAX } else { TOLD };
        for session in told.iter().take(most) {
            tell_session(session, report.dry_run);
        }
        if let Some(more @ 1..) = told.len().checked_sub(most) {
            ui::line(ui::paint(DIM, format!("and {more} more; --verbose names them all")));
        }
        for LeftFile { path, reason } in &report.refused {
            ui::line(format!("{} {path}: {reason}", ui::paint(BAD, "refused")));
        }
        for LeftFile { path, reason } in report.unused.iter().take(most) {
            ui::line(format!("{} {path}: {reason}", ui::paint(DIM, "not used")));
        }
        for SatisfiedGate { gate, branch } in &report.satisfied {
            let place = branch.as_ref().map_or("everywhere".to_owned(), |it| format!("on {it}"));
            ui::line(format!("{} {gate} {place}, as a claim", ui::paint(GOOD, "satisfied")));
        }
        self.tell_rest(&report.no_session);
        ui::line(summary(report));
        if report.more {
            ui::note("there is more than is looked at in one go: name folders further down");
        }
        if report.dry_run {
            ui::note("nothing was written; the same without --dry-run imports it");
        }
    }

    /// Files without a session: what they are, not one by one.
    fn tell_rest(&self, files: &[LeftFile]) {
        let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for LeftFile { path, reason } in files {
            reasons.entry(reason).or_default().push(path);
        }
        for (reason, paths) in reasons {
            let most = if self.verbose { paths.len() } else { NAMED };
            let named = paths[..paths.len().min(most)].join(", ");
            let more = match paths.len().saturating_sub(most) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            ui::line(ui::paint(DIM, format!("no session: {named}{more}: {reason}")));
        }
    }
}

fn tell_session(session: &FoundSession, dry_run: bool) {
    let how = match session.outcome {
        Outcome::Imported if dry_run => ui::paint(GOOD, "would import"),
        Outcome::Updated if dry_run => ui::paint(GOOD, "would update"),
        Outcome::Imported => ui::paint(GOOD, "imported"),
        Outcome::Updated => ui::paint(GOOD, "updated"),
        Outcome::Unchanged => ui::paint(DIM, "unchanged"),
        Outcome::Kept => ui::paint(WARN, "kept"),
    };
    let phase = session.phase.as_ref().map(|phase| format!(", {phase}")).unwrap_or_default();
    let what = format!("{}{phase}  {}", session.lifecycle, session.objective);
    ui::line(format!("{how} {}  {what}", ui::paint(BOLD, &session.session_id)));
    let files = match session.files {
        0 => String::new(),
        files => format!(", {} copied", count(files, "file")),
    };
    ui::line(ui::paint(DIM, format!("  {} from {}{files}", session.format, session.source)));
    for remark in &session.remarks {
        ui::line(format!("  {} {remark}", ui::paint(WARN, "-")));
    }
}

fn summary(report: &Report) -> String {
    let mut parts = Vec::new();
    let sessions = |outcome, word: &str| match report.count(outcome) {
        0 => None,
        many => Some(format!("{} {word}", count(many, "session"))),
    };
    let words = if report.dry_run { ["to import", "to update"] } else { ["imported", "updated"] };
    parts.extend(sessions(Outcome::Imported, words[0]));
    parts.extend(sessions(Outcome::Updated, words[1]));
    parts.extend(sessions(Outcome::Unchanged, "here already"));
    parts.extend(sessions(Outcome::Kept, "left as here"));
    if !report.satisfied.is_empty() {
        parts.push(format!(
            "{} taken over as claims",
            count(report.satisfied.len(), "satisfied gate")
        ));
    }
    if !report.unused.is_empty() {
        parts.push(format!("{} not used", count(report.unused.len(), "file")));
    }
    if !report.refused.is_empty() {
        parts.push(format!("{} refused", report.refused.len()));
    }
    if !report.no_session.is_empty() {
        parts.push(format!("{} without a session", count(report.no_session.len(), "file")));
    }
    if parts.is_empty() { "nothing was found there".to_owned() } else { parts.join(", ") }
}

/// A bar that shows how far it has come, where somebody sits at a terminal.
fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg:.dim}");
    let bar = ProgressBar::new(0);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
