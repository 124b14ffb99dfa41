//! The proof `git`: what git says of the work tree.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::gate::facts::Needs;
use crate::gate::input::GateInput;
use crate::glob;
use crate::next_step::NextStep;

/// What git says of the work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum GitProof {
    /// Nothing is uncommitted.
    Clean,
    /// A branch that fits is checked out.
    On(String),
    /// No branch that fits is checked out.
    Off(String),
    /// There is a commit since the session began.
    Commit,
}

/// A text names nothing that git can say.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not `clean`, `commit`, `on BRANCH` or `off BRANCH`")]
pub struct GitProofError(String);

impl FromStr for GitProof {
    type Err = GitProofError;

    fn from_str(text: &str) -> Result<Self, GitProofError> {
        match text.split_once(' ').map(|(word, branch)| (word, branch.trim())) {
            None if text == "clean" => Ok(Self::Clean),
            None if text == "commit" => Ok(Self::Commit),
            Some(("on", branch)) if !branch.is_empty() => Ok(Self::On(branch.to_owned())),
            Some(("off", branch)) if !branch.is_empty() => Ok(Self::Off(branch.to_owned())),
            _ => Err(GitProofError(text.to_owned())),
        }
    }
}

impl TryFrom<String> for GitProof {
    type Error = GitProofError;
    fn try_from(text: String) -> Result<Self, GitProofError> {
        text.parse()
    }
}

impl From<GitProof> for String {
    fn from(git: GitProof) -> Self {
        git.to_string()
    }
}

impl fmt::Display for GitProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clean => f.write_str("clean"),
            Self::Commit => f.write_str("commit"),
            Self::On(branch) => write!(f, "on {branch}"),
            Self::Off(branch) => write!(f, "off {branch}"),
        }
    }
}

impl GitProof {
    pub(super) fn needs(&self, needs: &mut Needs) {
        needs.clean |= *self == Self::Clean;
        needs.head |= *self == Self::Commit;
    }

    pub(super) fn next(&self) -> NextStep {
        match self {
            Self::Clean => NextStep::CleanUp,
            Self::Commit => NextStep::Commit,
            Self::On(branch) => NextStep::Switch(branch.clone()),
            Self::Off(_) => NextStep::LeaveBranch,
        }
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let unmet = |status, why: String| Finding::new(status, why, self.next());
        let facts = input.facts;
        match self {
            Self::Clean => match &facts.clean {
                Some(Ok(files)) if files.is_empty() => Finding::met("nothing is uncommitted"),
                Some(Ok(files)) => {
                    let some = files.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
                    unmet(FindingStatus::Missing, format!("{} uncommitted: {some}", files.len()))
                }
                Some(Err(why)) => unmet(FindingStatus::Unknown, format!("git cannot tell: {why}")),
                None => unmet(FindingStatus::Unknown, "git was not asked".to_owned()),
            },
            Self::On(wanted) | Self::Off(wanted) => {
                let here = facts.branch.as_deref().unwrap_or_default();
                let fits = glob::matches(wanted, here);
                let is_on = matches!(self, Self::On(_));
                let shown = if here.is_empty() { "no branch" } else { here };
                if fits == is_on {
                    Finding::met(format!("{shown} is checked out"))
                } else {
                    unmet(FindingStatus::Missing, format!("{shown} is checked out"))
                }
            }
            Self::Commit => match (&facts.head, input.began_at) {
                (Some(head), then) if then != Some(head) => {
                    Finding::met("there is a commit since the session began")
                }
                (Some(_), _) => unmet(
                    FindingStatus::Missing,
                    "there is no commit since the session began".to_owned(),
                ),
                (None, _) => unmet(FindingStatus::Unknown, "there is no commit at all".to_owned()),
            },
        }
    }
}
