//! `session_add_commit`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::rulings::commit;
use waypost_core::event::CommitAdded;

use super::changed::Changed;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionAddCommit;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The commit's hash, or another name that git knows it by.
    sha: String,
    /// What it is about.
    message: String,
    /// The build checkpoint that it belongs to.
    checkpoint: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    changed: Changed,
    /// The commit's full hash.
    sha: String,
}

impl Tool for SessionAddCommit {
    const NAME: &'static str = "session_add_commit";
    const TITLE: &'static str = "Record a commit";
    const DESCRIPTION: &'static str = "Records that a commit belongs to the session. Call it after \
        you committed; git has to know the commit. Where hooks recorded it already, it adds the checkpoint.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Sets;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let Input { sha, message, checkpoint } = input;
        let commit = CommitAdded { checkpoint, ..CommitAdded::new(sha, message) };
        let committed = commit::add(&call.view, call.session(), commit)?;
        let changed = Changed::of(call, &committed.session, committed.warnings)?;
        let (sha, id) = (committed.sha, committed.session);
        let was = if committed.known { "was recorded already in" } else { "belongs to" };
        let text = changed.told(format!("Commit {sha} {was} session {id}."));
        Ok(Answer::new(Output { changed, sha }, text))
    }
}
