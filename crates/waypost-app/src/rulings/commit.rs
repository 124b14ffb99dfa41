//! Recording that a commit belongs to a session.

use waypost_core::command::Command;
use waypost_core::event::CommitAdded;
use waypost_core::id::SessionId;
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
    /// What somebody should be told about the stream.
    pub warnings: Vec<String>,
}

/// Records a commit by its full hash. In a git project git has to know it.
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
    let command = Command::AddCommit(CommitAdded { sha: sha.clone(), ..commit });
    let executed = view.execute(&session.id, &view.actor(), command)?;
    Ok(Committed { session: session.id, sha, warnings: executed.warnings })
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
    let command = git::command(&view.project.root);
    let output =
        git::output(command, args, git::Deadline::after(git::LIMIT)).map_err(|_| unknown())?;
    Ok(String::from_utf8_lossy(&output).trim().to_owned())
}
