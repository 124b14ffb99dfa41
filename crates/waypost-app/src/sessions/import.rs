//! Sessions that other programs kept, brought in as they are: a finished one stays finished, nothing is resumed, the
//! originals stay untouched, and importing the same twice changes nothing. Each session is one record, so that whoever
//! is killed in between goes on where it stopped.

mod bring;
mod copying;
mod find;
mod gathering;
mod own;
mod place;
mod settling;
mod together;

use std::path::{Path, PathBuf};

use serde::Serialize;
use waypost_core::id::SessionId;
use waypost_core::session::Lifecycle;

use crate::error::AppError;
use crate::view::View;

use self::gathering::Gathered;
use self::settling::Settled;

/// What became of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is here from now on.
    Imported,
    /// It was here, nothing had happened to it since, and its source had changed: it is as the source is now.
    Updated,
    /// It was here just so.
    Unchanged,
    /// It was here and has gone on since, and its source has changed too: it stays as it is here.
    Kept,
}

/// A session that was found.
#[derive(Debug, Clone, Serialize)]
pub struct FoundSession {
    /// What it is called here.
    pub session_id: SessionId,
    /// What became of it.
    pub outcome: Outcome,
    /// Its format.
    pub format: String,
    /// The file or folder that it was found in.
    pub source: String,
    /// What it is for.
    pub objective: String,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// The phase that it is in, if it follows a workflow.
    pub phase: Option<String>,
    /// How many files were copied beside it.
    pub files: usize,
    /// What was put right, or is told otherwise here than there.
    pub remarks: Vec<String>,
}

/// A file that no session was taken from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftFile {
    /// Which.
    pub path: String,
    /// Why, and what to do.
    pub reason: String,
}

/// What an import found, and what became of it.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The sessions, in the order in which they were found.
    pub sessions: Vec<FoundSession>,
    /// How many entries that satisfy gates on a branch or everywhere were taken.
    pub satisfied: usize,
    /// Files that tell of a session which others tell of better.
    pub aside: Vec<LeftFile>,
    /// Sessions that could not be taken.
    pub refused: Vec<LeftFile>,
    /// Files that hold no session.
    pub no_session: Vec<LeftFile>,
    /// Whether there was more than is looked at in one go.
    pub more: bool,
}

impl Report {
    /// How many sessions came to this.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.sessions.iter().filter(|session| session.outcome == outcome).count()
    }
}

/// How far an import has come: what is done, of how much, and what it is at.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize, &str);

/// Brings in what other programs kept in these files and folders. With `dry_run` nothing is written.
pub fn import(
    view: &View<'_>,
    paths: &[PathBuf],
    dry_run: bool,
    progress: Progress<'_>,
) -> Result<Report, AppError> {
    let mut report = Report { dry_run, ..Report::default() };
    let mut candidates = Vec::new();
    for path in paths {
        let path = view.host.cwd.join(path);
        let (found, more) = find::below(&path)?;
        report.more |= more;
        candidates.extend(found);
    }
    let mut seen = std::collections::BTreeSet::new();
    candidates.retain(|candidate| seen.insert(candidate.path.clone()));
    let read = candidates.len();
    let mut gathered = Gathered::default();
    for (at, candidate) in candidates.iter().enumerate() {
        let shown = shown(view, &candidate.path);
        // How many sessions there are is not known yet: about as many as files.
        progress(at, read * 2, &shown);
        gathered.take(view, candidate, &shown, &mut report);
    }
    let settled = Settled::of(gathered, view.host.secret.as_deref());
    report.aside = settled.aside;
    let all = read + settled.sources.len();
    for (at, source) in (read..).zip(settled.sources) {
        progress(at, all, &source.shown);
        let shown = source.shown.clone();
        match bring::bring(view, source, dry_run) {
            Ok(found) => report.sessions.push(found),
            Err(error) => report.refused.push(LeftFile { path: shown, reason: error.message }),
        }
    }
    report.satisfied = bring::share(view, settled.shared, dry_run)?;
    progress(all, all, "");
    Ok(report)
}

/// A path as people and records see it: below the project where it is, else with no more than the folder around it,
/// since records know no machine.
fn shown(view: &View<'_>, path: &Path) -> String {
    if path.starts_with(&view.project.root) {
        return view.project.relative(path);
    }
    let mut parts: Vec<_> = path.components().rev().take(2).collect();
    parts.reverse();
    parts.iter().collect::<PathBuf>().to_string_lossy().into_owned()
}
