//! Saying where a session belongs in git.

use serde::Serialize;
use waypost_core::command::Command;
use waypost_core::event::GitChanged;
use waypost_core::id::SessionId;
use waypost_core::text::{one_line, shortened};
use waypost_store::look;

use crate::error::AppError;
use crate::view::View;

/// Where a session belongs in git, in the words of `state.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GitContext {
    /// The branch.
    pub branch: Option<String>,
    /// The linked work tree's name; none is the main one.
    pub worktree: Option<String>,
    /// The branch that it goes back to when it is done.
    pub base_branch: Option<String>,
}

/// Changes what is given; an empty work tree is the main one. Returns where the session belongs
/// then, and what somebody should be told about the stream.
pub fn update(
    view: &View<'_>,
    session: Option<&str>,
    changed: GitChanged,
) -> Result<(SessionId, GitContext, Vec<String>), AppError> {
    let session = view.session(session)?.id;
    if let Some(name) = changed.worktree.as_ref().filter(|name| !name.is_empty()) {
        check_worktree(view, name)?;
    }
    let executed = view.execute(&session, &view.actor(), Command::ChangeGit(changed))?;
    let state = view.load(&session)?;
    let context = GitContext {
        branch: state.branch.clone(),
        worktree: state.worktree.clone(),
        base_branch: state.base_branch.clone(),
    };
    Ok((session, context, executed.warnings))
}

/// Refuses a linked work tree that git does not have.
fn check_worktree(view: &View<'_>, name: &str) -> Result<(), AppError> {
    let known: Vec<String> = match &view.project.git {
        Some(git) => look::folder(git.common.join("worktrees"))
            .map(|found| found.flatten().filter_map(|entry| entry.file_name().into_string().ok()))
            .map_or_else(|_| Vec::new(), Iterator::collect),
        None => Vec::new(),
    };
    if known.iter().any(|worktree| worktree == name) {
        return Ok(());
    }
    let name = shortened(&one_line(name), 80);
    let refused = AppError::refused(format!("git has no linked work tree `{name}` here"));
    Err(if known.is_empty() {
        refused.hint("there is none; `git worktree add` makes one")
    } else {
        refused.hint(format!("there are: {}", known.join(", ")))
    })
}
