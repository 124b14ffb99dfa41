//! `waypost ci`

mod markdown;

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use waypost_core::text::spoken::count;

use clap::Args;
use waypost_app::enforce::ci::{self, CopyReport, Judged, Report, Wanted};
use waypost_app::machine::host::Host;
use waypost_app::view::copy::Kept;
use waypost_core::gate::{FindingStatus, Level};
use waypost_core::next_step::Voice;

use super::CommandOutcome;
use super::which::WhichSession;
use crate::error;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};

/// Where pipelines say which branch they build, for checkouts that are on none.
const BRANCH_VARIABLES: [&str; 3] = ["GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME"];
/// Where GitHub wants to be told what a reviewer should read.
const SUMMARY_VARIABLE: &str = "GITHUB_STEP_SUMMARY";

/// Look at the gates in a pipeline, by what the checkout tells
///
/// Reads waypost.toml and the published sessions, and changes nothing. The gates before a commit, a
/// push, a stop and the end are judged by the records of the branch's latest session, on the content
/// that is checked out. It needs no key; without the one that signed the copies they are unverified.
///
/// Ends with 0 if everything holds, 1 if a must-gate does not, 2 if waypost.toml is missing or wrong,
/// 3 if a copy was changed. Where GITHUB_STEP_SUMMARY names a file, a summary is added to it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost ci                            the branch that is checked out
  waypost ci --strict                   fail without a session that can be verified, too
  waypost ci --base origin/release-2    which commits are looked at
  waypost ci --markdown                 a summary for a reviewer")]
pub(super) struct CiArgs {
    #[command(flatten)]
    session: WhichSession,
    /// Where the commits begin that are looked at [default: where the branch left the default one]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    /// The branch [default: the one that is checked out, else the one that the pipeline names]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Fail, too, if the branch has no session here or its copy cannot be verified
    #[arg(long)]
    strict: bool,
    /// Give JSON
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Give Markdown
    #[arg(long)]
    markdown: bool,
}

impl CiArgs {
    pub(super) fn run(self, host: &Host) -> CommandOutcome {
        let named = |name: &&str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let wanted = Wanted {
            session: self.session.named(),
            base: self.base.as_deref(),
            branch: self.branch.clone(),
            pipeline_branch: BRANCH_VARIABLES.iter().find_map(named),
            strict: self.strict,
        };
        let report = match ci::report(host, &wanted) {
            Ok(report) => report,
            Err(error) => {
                summarise(&markdown::failure(&error));
                return Err(error);
            }
        };
        let summary = markdown::summary(&report);
        if self.json {
            ui::json(&report)?;
        } else if self.markdown {
            ui::line(&summary);
        } else {
            show(&report);
        }
        summarise(&summary);
        Ok(report.kind().map_or(ExitCode::SUCCESS, error::status))
    }
}

/// Adds the summary to the file that the pipeline names, if it names one.
fn summarise(summary: &str) {
    let Some(path) = std::env::var_os(SUMMARY_VARIABLE).filter(|path| !path.is_empty()) else {
        return;
    };
    let opened = OpenOptions::new().append(true).create(true).open(Path::new(&path));
    let written = opened.and_then(|mut file| writeln!(file, "{summary}"));
    if let Err(error) = written {
        // The verdict does not depend on who reads it.
        ui::warning(format!("{} cannot be written: {error}", Path::new(&path).display()));
    }
}

fn show(report: &Report) {
    for copy in &report.copies {
        show_copy(copy);
    }
    if let Some(judged) = &report.judged {
        show_gates(judged);
    }
    for gate in &report.untold {
        ui::line(format!("{} {gate} {}", ui::paint(WARN, "?"), ui::paint(DIM, UNTOLD)));
    }
    let range = &report.range;
    match &range.base {
        Some(base) => {
            let (all, new) = (range.commits, range.unrecorded.len());
            ui::line(format!("commits since {}: {all}, unrecorded: {new}", short(base)));
        }
        None => ui::line("no base: which commits the branch adds cannot be told"),
    }
    for commit in &range.unrecorded {
        ui::line(format!("  {} {}", ui::paint(DIM, short(&commit.sha)), commit.subject));
    }
    for note in &report.notes {
        ui::note(note);
    }
    for failure in &report.failures {
        ui::error(failure, &[]);
    }
    match (report.passed, &report.judged) {
        (true, Some(_)) => ui::line(ui::paint(GOOD, "all required gates hold")),
        (true, None) => ui::line(ui::paint(WARN, "nothing is wrong, but no gate was judged")),
        (false, _) => {}
    }
}

/// Why some gates cannot be judged from a checkout.
const UNTOLD: &str = "cannot be told here: what satisfies it counts beyond sessions";

fn show_copy(copy: &CopyReport) {
    let mark = match copy.kept {
        Kept::Damaged | Kept::Newer => ui::paint(BAD, "✗"),
        Kept::Unverified | Kept::Legacy => ui::paint(WARN, "?"),
        Kept::Copy | Kept::Live => ui::paint(GOOD, "✓"),
    };
    let told = format!("{}, {}, {}", copy.lifecycle, count(copy.records, "record"), worth(copy));
    ui::line(format!("{mark} {} {}", ui::paint(BOLD, &copy.session_id), ui::paint(DIM, told)));
}

/// What a copy is worth, in words.
fn worth(copy: &CopyReport) -> String {
    let word = match copy.kept {
        Kept::Copy | Kept::Live => "verified",
        Kept::Unverified => "unverified: unknown key",
        Kept::Legacy => "another program's",
        Kept::Damaged => "changed",
        Kept::Newer => "made by a newer Waypost",
    };
    let mut words = vec![word.to_owned()];
    if copy.violations > 0 {
        words.push(format!("{} musts missed", copy.violations));
    }
    if copy.ended_open {
        words.push("ended with changes that no gate had settled".to_owned());
    }
    words.join(", ")
}

fn show_gates(judged: &Judged) {
    ui::line(format!(
        "gates of {}, as of {}",
        ui::paint(BOLD, &judged.session_id),
        ui::moment(judged.at)
    ));
    for found in &judged.gates {
        let mark = match (found.status, found.level) {
            (FindingStatus::Met, _) => ui::paint(GOOD, "✓"),
            (_, Level::Must) => ui::paint(BAD, "✗"),
            _ => ui::paint(WARN, "!"),
        };
        let why = ui::on_one_line(&found.why);
        ui::line(format!("  {mark} {} ({}): {why}", ui::paint(BOLD, &found.gate), found.level));
        if found.status != FindingStatus::Met {
            ui::line(format!("    → {}", ui::on_one_line(&found.words(Voice::PERSON))));
        }
    }
    for missed in &judged.violations {
        let word = if missed.open { "open" } else { "settled since" };
        super::violations::show(&missed.recorded, &format!("  {word}: "));
    }
}

fn short(sha: &str) -> &str {
    sha.get(..12).unwrap_or(sha)
}
