//! What an agent is about to do.

use serde::{Deserialize, Serialize};

use super::Before;
use crate::id::ConversationId;

/// A commit that exists already, and whose content is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewCommit {
    /// Its hash.
    pub sha: String,
    /// The newest commit on top of it: where all that this has is proven, so is what it stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tip: Option<String>,
    /// The branch that it is on, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Whether that branch is checked out nowhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub away: bool,
}

impl NewCommit {
    /// A commit that nothing stands on.
    pub fn new(sha: impl Into<String>) -> Self {
        Self { sha: sha.into(), tip: None, branch: None, away: false }
    }
}

/// What an agent is about to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// Everything that it is: a Write is an edit and the tool Write.
    pub kinds: Vec<Before>,
    /// Who does it.
    pub conversation: ConversationId,
    /// The subagent that does it, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// The harness' name for the call of the tool that does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The files that it changes, relative to the project, as far as they can be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The work tree in which it happens, where that is not the conversation's own: a linked one's name, or an
    /// empty one for the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<String>,
    /// Commits that exist already, and whose content is asked about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<NewCommit>,
    /// Whether one of these was made without any gate being asked before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unruled: bool,
}

impl Action {
    /// An action that concerns no file.
    pub fn new(kinds: Vec<Before>, conversation: ConversationId) -> Self {
        Self {
            kinds,
            conversation,
            subagent: None,
            call: None,
            paths: Vec::new(),
            elsewhere: None,
            commits: Vec::new(),
            unruled: false,
        }
    }

    /// The end of a turn.
    pub fn stop(conversation: ConversationId) -> Self {
        Self::new(vec![Before::Stop], conversation)
    }

    /// Whether it is asked about commits that exist already, and nothing else.
    pub fn is_about_commits(&self) -> bool {
        !self.commits.is_empty() && !self.is_stop()
    }

    /// Whether it is the end of a turn.
    pub fn is_stop(&self) -> bool {
        self.kinds.contains(&Before::Stop)
    }
}
