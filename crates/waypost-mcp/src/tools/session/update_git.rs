//! `session_update_git`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::sessions::update_git;

use waypost_core::event::GitChanged;

use super::changed::Changed;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionUpdateGit;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The branch that it works on.
    branch: Option<String>,
    /// The linked work tree's name; empty is the main one.
    worktree: Option<String>,
    /// The branch that it goes back to when it is done.
    base_branch: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// The branch that it works on.
    branch: Option<String>,
    /// The linked work tree; none is the main one.
    worktree: Option<String>,
    /// The branch that it goes back to when it is done.
    base_branch: Option<String>,
}

impl Tool for SessionUpdateGit {
    const NAME: &'static str = "session_update_git";
    const TITLE: &'static str = "Say where the session belongs in git";
    const DESCRIPTION: &'static str = "Changes the session's branch, work tree or base branch. Call it after you switched \
        branches or moved the work to another work tree. At least one has to be given.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Sets;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let Input { branch, worktree, base_branch } = input;
        let change = GitChanged { branch, worktree, base_branch };
        let (id, git, warnings) = update_git::update(&call.view, call.session(), change)?;
        let changed = Changed::of(call, &id, warnings)?;
        let branch = git.branch.as_deref().unwrap_or("no branch");
        let text = changed.told(format!("Session {id} is on {branch}."));
        let update_git::GitContext { branch, worktree, base_branch } = git;
        Ok(Answer::new(Output { changed, branch, worktree, base_branch }, text))
    }
}
