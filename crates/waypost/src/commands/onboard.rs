//! `waypost onboard`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use waypost_app::index::{self, Report, ScannedProject};
use waypost_app::machine::host::Host;
use waypost_core::text::spoken::count;

use super::CommandOutcome;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};
use crate::wiring;

/// How many failures are told one by one.
const TOLD: usize = 20;

/// Add projects to the index of this machine
///
/// Looks for projects below the folders: those that Waypost keeps, and those in which another program left
/// session folders. Their sessions are read into the index (`waypost index`); nothing of theirs is changed.
/// A project that was moved is known again when its new place is named.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost onboard ~/src                 every project below it
  waypost onboard . --json              this one, as JSON")]
pub(super) struct OnboardArgs {
    /// Folders
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl OnboardArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let bar = bar();
        let kept = wiring::transcripts(host);
        let report =
            index::onboard(host, &kept, &self.folders, &mut |done, _, what| bar.show(done, what));
        bar.clear();
        tell(&report?, self.json)
    }
}

/// Tells what came of reading.
pub(super) fn tell(report: &Report, json: bool) -> CommandOutcome {
    ui::warnings(&report.warnings);
    if json {
        ui::json(report)?;
    } else {
        report.projects.iter().for_each(line);
        for failed in report.failed.iter().take(TOLD) {
            ui::line(format!("{} {}: {}", ui::paint(BAD, "failed"), failed.what, failed.why));
        }
        if let Some(more @ 1..) = report.failed.len().checked_sub(TOLD) {
            ui::line(ui::paint(DIM, format!("and {more} more; --json names them all")));
        }
        ui::line(summary(report));
    }
    Ok(if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn line(project: &ScannedProject) {
    let mut told = Vec::new();
    if project.new {
        told.push(ui::paint(GOOD, "new"));
    }
    if let Some(before) = &project.moved_from {
        told.push(ui::paint(WARN, format!("moved from {before}")));
    }
    if !project.present {
        told.push(ui::paint(BAD, "not there"));
    }
    if project.archived {
        told.push(ui::paint(DIM, "archived"));
    }
    told.push(count(project.sessions, "session"));
    let name = ui::paint(BOLD, &project.name);
    let folder = ui::paint(DIM, &project.working_dir);
    ui::line(format!("{} {name}  {}  {folder}", project.id, told.join(", ")));
}

fn summary(report: &Report) -> String {
    let mut parts = vec![format!("{} synced", count(report.synced, "session"))];
    parts.extend((report.unchanged > 0).then(|| format!("{} unchanged", report.unchanged)));
    parts.extend((report.removed > 0).then(|| format!("{} gone", report.removed)));
    parts.extend((!report.failed.is_empty()).then(|| format!("{} failed", report.failed.len())));
    parts.join(", ")
}

/// A line that shows how far it has come, where somebody sits at a terminal.
pub(super) struct Bar(ProgressBar);

pub(super) fn bar() -> Bar {
    let bar = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {pos} sessions {wide_msg:.dim}");
    Bar(match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    })
}

impl Bar {
    pub(super) fn show(&self, done: u64, what: &str) {
        self.0.set_position(done);
        self.0.set_message(ui::on_one_line(what));
    }

    pub(super) fn clear(&self) {
        self.0.finish_and_clear();
    }
}
