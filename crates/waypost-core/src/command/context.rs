//! Where a session belongs in git, and what it works on.

use super::{Refusal, check_open};
use crate::event::{Focus, GitChanged, Known, WorkflowPhase};
use crate::session::SessionState;
use crate::text::{one_line, shortened};

/// The longest name of a feature and of a task in focus, in bytes: the state holds them.
pub const MAX_FOCUS: usize = 256;
/// The longest name of a branch and of a work tree, in bytes.
const MAX_NAME: usize = 255;

/// What somebody says that a session works on. What is not given stays as it was; what is empty is
/// taken out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FocusChange {
    /// The feature. Another one takes the task out that is not given with it.
    pub feature: Option<String>,
    /// The task.
    pub task: Option<String>,
    /// The workflow phase's name.
    pub workflow_phase: Option<String>,
}

/// Why what somebody says of git or the focus is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContextRefusal {
    /// Nothing was said.
    #[error("nothing is given to change: give {0}")]
    Nothing(&'static str),
    /// A text is no name that a branch can have.
    #[error("`{}` cannot be the name of a branch", named(.0))]
    NotABranch(String),
    /// A text is no name that a work tree can have.
    #[error("`{}` cannot be the name of a linked work tree", named(.0))]
    NotAWorktree(String),
    /// There is no such phase.
    #[error(
        "`{}` is not a workflow phase; the phases are {}",
        named(.0),
        WorkflowPhase::ALL.map(WorkflowPhase::name).join(", ")
    )]
    UnknownPhase(String),
}

fn named(text: &str) -> String {
    shortened(&one_line(text), 80)
}

pub(super) fn change_git(state: &SessionState, changed: GitChanged) -> Result<Vec<Known>, Refusal> {
    check_open(state)?;
    if changed == GitChanged::default() {
        let choice = "branch, worktree or base_branch";
        return Err(ContextRefusal::Nothing(choice).into());
    }
    for branch in [&changed.branch, &changed.base_branch].into_iter().flatten() {
        if !is_branch(branch) {
            return Err(ContextRefusal::NotABranch(branch.clone()).into());
        }
    }
    if let Some(worktree) = changed.worktree.as_ref().filter(|name| !is_worktree(name)) {
        return Err(ContextRefusal::NotAWorktree(worktree.clone()).into());
    }
    Ok(vec![Known::GitChanged(changed)])
}

/// Whether git could have a branch of that name.
fn is_branch(name: &str) -> bool {
    let bad = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
    let part = |part: &str| {
        !part.is_empty() && !part.starts_with('.') && part.strip_suffix(".lock").is_none()
    };
    name.len() <= MAX_NAME
        && name != "@"
        && !name.starts_with('-')
        && !name.ends_with('.')
        && !name.contains("..")
        && !name.contains("@{")
        && !name.contains(bad)
        && name.split('/').all(part)
}

/// Whether git could have a linked work tree of that name; the main one's is empty.
fn is_worktree(name: &str) -> bool {
    let bad = |c: char| c.is_control() || matches!(c, '/' | '\\');
    name.len() <= MAX_NAME && !matches!(name, "." | "..") && !name.contains(bad)
}

pub(super) fn set_focus(state: &SessionState, change: FocusChange) -> Result<Vec<Known>, Refusal> {
    check_open(state)?;
    if change == FocusChange::default() {
        let choice = "feature, task or workflow_phase";
        return Err(ContextRefusal::Nothing(choice).into());
    }
    let mut focus = state.focus.clone();
    if let Some(feature) = change.feature {
        let feature = in_focus("feature", &feature)?;
        if feature != focus.feature {
            focus = Focus { feature, task: None, ..focus };
        }
    }
    if let Some(task) = change.task {
        focus.task = in_focus("task", &task)?;
    }
    if let Some(name) = change.workflow_phase {
        focus.workflow_phase = phase(name)?;
    }
    if focus == state.focus { Ok(Vec::new()) } else { Ok(vec![Known::FocusSet(focus)]) }
}

/// A name on one line; none if it is empty.
fn in_focus(what: &'static str, text: &str) -> Result<Option<String>, Refusal> {
    let text = one_line(text);
    if text.len() > MAX_FOCUS {
        return Err(Refusal::TooLong { what, found: text.len(), max: MAX_FOCUS });
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn phase(name: String) -> Result<Option<WorkflowPhase>, ContextRefusal> {
    if name.is_empty() {
        return Ok(None);
    }
    WorkflowPhase::named(&name).map(Some).ok_or(ContextRefusal::UnknownPhase(name))
}

#[cfg(test)]
mod tests;
