//! `waypost audit`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use waypost_app::audit::{self, Audit, Counts, LIMITS, Short, Worst};
use waypost_app::machine::host::Host;
use waypost_app::machine::project::{self, Project};
use waypost_app::machine::since::Since;
use waypost_app::share::export;
use waypost_app::transcripts::Scope;
use waypost_core::text::spoken::count;

use super::CommandOutcome;
use super::transcripts::tell_unreadable;
use crate::ui::{self, BAD, BOLD, DIM, GOOD};
use crate::wiring;

/// Tell how often it was so when an agent said that something was done, fixed or tested
///
/// Reads the transcripts that clients keep on this machine, whether or not Waypost was there, and changes nothing. A
/// claim is `verified` if a test run that could fail passed after the last change; `stale` if something was changed
/// after such a run; `failed` if the last one failed; `never ran` if there was none, and `not seen` if the transcript
/// does not tell. Runs are judged as Waypost's gates judge them: a pipe, `|| true`, the background, a part of the tests
/// or no test at all prove nothing.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost audit
  waypost audit --all --since 30d
  waypost audit ../shop --json
  waypost audit --svg audit.svg --html audit.html")]
pub(super) struct AuditArgs {
    /// The folder whose conversations are read; without it: this project
    #[arg(value_name = "DIR", conflicts_with = "all")]
    folder: Option<PathBuf>,
    /// Read the conversations of all projects
    #[arg(long)]
    all: bool,
    /// Only turns since: a day (2026-11-01), a time, or how long ago (7d, 12h)
    #[arg(long)]
    since: Option<Since>,
    /// Give JSON
    #[arg(long)]
    json: bool,
    /// Write the figures as a picture to this file, which must not be there yet
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a page with everything to this file, which must not be there yet
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl AuditArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let folder = self.folder.as_ref().map_or_else(|| host.cwd.clone(), |at| host.cwd.join(at));
        let root = if self.all { None } else { Some(project::find_or_here(&folder)?.root) };
        let since = self.since.map(|since| since.before(host.moment()));
        let audit = audit::audit(&wiring::transcripts(host), &Scope { root, since });
        if let Some(path) = &self.svg {
            write(host, path, &audit::card(&audit))?;
        }
        if let Some(path) = &self.html {
            write(host, path, &audit::page(&audit, &LIMITS.map(str::to_owned)))?;
        }
        if self.json {
            ui::json(&audit)?;
        } else {
            show(&audit, self.all);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// How long whoever sets a project up waits for it, at the most: transcripts that are larger together are left for the
/// command itself.
const SHORT_BYTES: u64 = 64 * 1024 * 1024;

/// A line of it, where clients keep conversations of the project.
pub(super) fn tell_short(host: &Host, project: &Project) {
    let scope = Scope { root: Some(project.root.clone()), since: None };
    let kept = wiring::transcripts(host);
    match audit::short(&kept, &scope, SHORT_BYTES) {
        Short::Nothing => {}
        Short::Much => ui::line(format!(
            "Clients keep conversations of this project: {} tells how often what agents claimed was so",
            ui::paint(BOLD, "waypost audit")
        )),
        Short::Done(audit) if audit.counts.claims == 0 => {}
        Short::Done(audit) => ui::line(format!(
            "{} ({})",
            sentence(&audit.counts, audit.conversations).trim_end_matches('.'),
            ui::paint(BOLD, "waypost audit")
        )),
    }
}

fn write(host: &Host, path: &Path, text: &str) -> Result<(), waypost_app::error::AppError> {
    export::write(&host.cwd.join(path), text.as_bytes())?;
    ui::note(format!("written: {}", path.display()));
    Ok(())
}

fn show(audit: &Audit, all: bool) {
    if audit.conversations == 0 {
        ui::note(if all {
            "no client keeps a conversation on this machine"
        } else {
            "no client keeps a conversation of this folder; `waypost audit --all` looks at all projects"
        });
        return;
    }
    ui::line(sentence(&audit.counts, audit.conversations));
    table(audit, all);
    if !audit.worst.is_empty() {
        ui::line(format!("\n{}", ui::paint(BOLD, "The worst")));
        audit.worst.iter().for_each(of_worst);
    }
    if audit.would_hold > 0 {
        let gate = match audit.gates.as_slice() {
            [] => "A gate on the tests before a stop (`waypost init` sets one up)".to_owned(),
            gates => format!("Before a stop, {}", gates.join(" or ")),
        };
        ui::line(format!("\n{gate} would have held {} of these turns.", audit.would_hold));
    }
    ui::line(format!("\n{}", ui::paint(DIM, "It cannot know:")));
    for limit in LIMITS {
        ui::line(ui::paint(DIM, ui::indented(&format!("- {limit}"), 2)));
    }
    tell_unreadable(audit.unreadable);
}

/// All of it in a sentence.
fn sentence(counts: &Counts, conversations: u64) -> String {
    let of = count(conversations, "conversation");
    if counts.claims == 0 {
        return format!("In {of}, no agent said that something was done, fixed or tested.");
    }
    let verified =
        ui::paint(if counts.verified == counts.claims { GOOD } else { BAD }, counts.verified);
    format!(
        "In {of}, agents said {} that something was done, fixed or tested; {verified} of these {} verified.",
        count(counts.claims, "time"),
        if counts.verified == 1 { "was" } else { "were" }
    )
}

fn table(audit: &Audit, all: bool) {
    let names = ["week", "turns", "claims", "verified", "stale", "failed", "never ran", "not seen"];
    let mut project = None;
    ui::line(format!("\n{}", ui::paint(DIM, cells(&names.map(str::to_owned)))));
    for row in &audit.weeks {
        if all && project != Some(&row.project) {
            ui::line(ui::paint(BOLD, ui::on_one_line(&row.project.display().to_string())));
            project = Some(&row.project);
        }
        ui::line(of_counts(&row.week, &row.counts));
    }
    if audit.weeks.len() > 1 {
        ui::line(ui::paint(BOLD, of_counts("all", &audit.counts)));
    }
}

fn of_counts(name: &str, counts: &Counts) -> String {
    let Counts { turns, claims, verified, stale, failed, never_ran, not_seen } = *counts;
    let numbers = [turns, claims, verified, stale, failed, never_ran, not_seen];
    let mut all = vec![name.to_owned()];
    all.extend(numbers.map(|number| number.to_string()));
    cells(&all)
}

fn cells(texts: &[String]) -> String {
    let first = texts.first().map_or("", String::as_str);
    let rest = texts.iter().skip(1).map(|text| format!("{text:>10}"));
    format!("{first:<10}{}", rest.collect::<String>())
}

fn of_worst(worst: &Worst) {
    let time = worst.time.map_or_else(String::new, ui::moment);
    let class = ui::paint(BAD, worst.class.replace('_', " "));
    ui::line(format!("  {}  {class}  \"{}\"", ui::paint(DIM, time), worst.quote));
    ui::line(format!("    {}", worst.why));
    let place = format!(
        "{} {}  {}, byte {}",
        worst.client,
        worst.conversation,
        worst.file.display(),
        worst.at
    );
    ui::line(format!("    {}", ui::paint(DIM, ui::on_one_line(&place))));
}
