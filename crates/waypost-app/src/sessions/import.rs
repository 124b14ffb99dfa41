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

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use waypost_core::id::SessionId;
use waypost_core::session::Lifecycle;
use waypost_store::look;

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

/// A gate that is satisfied beyond a session, as somebody's claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SatisfiedGate {
    /// The gate.
    pub gate: String,
    /// The branch that it is satisfied on; none is everywhere.
    pub branch: Option<String>,
}

/// What an import found, and what became of it.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The sessions, in the order in which they were found.
    pub sessions: Vec<FoundSession>,
    /// The gates that are satisfied on a branch or everywhere from now on, as somebody's claim.
    pub satisfied: Vec<SatisfiedGate>,
    /// Files that were not used, since others tell the same of their session, or newer things.
    pub unused: Vec<LeftFile>,
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
        let of = self.sessions.iter().filter(|session| session.outcome == outcome);
        of.map(|session| &session.session_id).collect::<BTreeSet<_>>().len()
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
    // Where sessions lie is what the project's files say now.
    view.policy_for_caller()?;
    let mut report = Report { dry_run, ..Report::default() };
    let mut names = Names::default();
    let mut candidates = Vec::new();
    for path in paths {
        let path = tidy(&view.host.cwd.join(path));
        let found = find::below(&path)?;
        report.more |= found.more;
        candidates.extend(found.candidates);
        report.refused.extend(found.closed.into_iter().map(|(path, why)| LeftFile {
            path: names.of(view, &path),
            reason: format!("it cannot be looked into: {why}"),
        }));
        report.no_session.extend(found.links.into_iter().map(|path| LeftFile {
            path: names.of(view, &path),
            reason: "it is a link, which is not followed; name what it leads to".to_owned(),
        }));
    }
    let mut seen = BTreeSet::new();
    candidates.retain(|candidate| seen.insert(candidate.path.clone()));
    let read = candidates.len();
    let mut gathered = Gathered::default();
    for (at, candidate) in candidates.iter().enumerate() {
        let shown = names.of(view, &candidate.path);
        // How many sessions there are is not known yet: about as many as files.
        progress(at, read * 2, &shown);
        gathered.take(view, candidate, &shown, &mut report);
    }
    let settled = Settled::of(gathered, view.host.secret.as_deref());
    report.unused = settled.unused;
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

/// Paths as people and records see them.
#[derive(Debug, Default)]
struct Names(BTreeMap<String, PathBuf>);

impl Names {
    /// Below the project as it lies there, else with no more of the folders around it than tell it from others, since
    /// records know no machine.
    fn of(&mut self, view: &View<'_>, path: &Path) -> String {
        if path.starts_with(&view.project.root) {
            let below = view.project.relative(path);
            return if below.is_empty() { ".".to_owned() } else { below };
        }
        let parts: Vec<Component<'_>> =
            path.components().filter(|part| *part != Component::CurDir).collect();
        for many in 2..=parts.len().max(2) {
            let last: PathBuf = parts[parts.len().saturating_sub(many)..].iter().collect();
            let name = last.to_string_lossy().into_owned();
            match self.0.get(&name) {
                Some(known) if known != path => {}
                _ => {
                    self.0.insert(name.clone(), path.to_owned());
                    return name;
                }
            }
        }
        path.to_string_lossy().into_owned()
    }
}

/// A path without detours: `a/./b`, and `a/c/../b` where `c` is no link.
fn tidy(path: &Path) -> PathBuf {
    look::real(path).ok().filter(|_| !look::is_link(path)).unwrap_or_else(|| path.to_owned())
}
