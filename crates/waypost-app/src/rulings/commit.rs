//! Recording that a commit belongs to a session.

use waypost_core::command::Command;
use waypost_core::event::{CommitAdded, Event, Known};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::record::Record;
use waypost_core::text::{one_line, shortened};

use crate::error::AppError;
use crate::machine::git;
use crate::view::View;

/// A commit that was recorded.
#[derive(Debug)]
pub struct Committed {
    /// The session.
    pub session: SessionId,
    /// The commit's full hash.
    pub sha: String,
    /// Whether all of it was recorded before, by a hook or by whoever said so first.
    pub known: bool,
    /// What somebody should be told about the stream.
    pub warnings: Vec<String>,
}

/// Records a commit by its full hash. In a git project git has to know it. One that is recorded stays
/// as it is, unless it is told now which checkpoint it belongs to.
pub fn add(
    view: &View<'_>,
    session: Option<&str>,
    commit: CommitAdded,
) -> Result<Committed, AppError> {
    let session = view.session(session)?;
    let sha = match view.project.git {
        Some(_) => known_to_git(view, &commit.sha)?,
        None => commit.sha.clone(),
    };
    let mut commit = CommitAdded { sha: sha.clone(), ..commit };
    if session.state.commits.contains(&sha) && commit.checkpoint.is_some() {
        let recorded = view.log.records(&StreamId::Session(session.id.clone()))?;
        commit.checkpoint.take_if(|given| checkpoint_of(&recorded, &sha) == Some(*given));
    }
    let known = session.state.commits.contains(&sha) && commit.checkpoint.is_none();
    let executed = view.execute(&session.id, &view.actor(), Command::AddCommit(commit))?;
    Ok(Committed { session: session.id, sha, known, warnings: executed.warnings })
}

/// The checkpoint that a commit was last said to belong to.
fn checkpoint_of(records: &[Record], sha: &str) -> Option<u64> {
    records.iter().rev().find_map(|record| match &record.event {
        Event::Known(Known::CommitAdded(commit)) if commit.sha == sha => commit.checkpoint,
        _ => None,
    })
}

/// The full hash of a commit that git knows under this name.
pub fn resolve(view: &View<'_>, revision: &str) -> Option<String> {
    view.project.git.as_ref()?;
    known_to_git(view, revision).ok()
}

fn known_to_git(view: &View<'_>, revision: &str) -> Result<String, AppError> {
    let unknown = || {
        let revision = shortened(&one_line(revision), 80);
        AppError::refused(format!("git knows no commit `{revision}` in this repository"))
            .hint("`git log --oneline` shows the commits; commit first, then record it")
    };
    if revision.trim().is_empty() || revision.starts_with('-') {
        return Err(unknown());
    }
    let revision = format!("{revision}^{{commit}}");
    let args = ["rev-parse", "--verify", "-q", "--end-of-options", &revision];
    let command = git::command(&view.place().project.root);
    let output =
        git::output(command, args, git::Deadline::after(git::LIMIT)).map_err(|_| unknown())?;
    Ok(String::from_utf8_lossy(&output).trim().to_owned())
}
