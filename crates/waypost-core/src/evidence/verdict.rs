//! Verdicts: what one agent says of another's work, and how sure it is.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::{Provenance, Tree};

/// An agent judged what another one did. The record's sequence number is the verdict's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VerdictGiven {
    /// Which agent, as it is called by whoever recorded it.
    pub agent: String,
    /// What it says.
    pub verdict: VerdictWord,
    /// How sure it is.
    pub confidence: Confidence,
    /// Why.
    pub reasoning: String,
    /// What has to be done before it agrees.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// What stands in the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    /// How well it is known that this agent said so.
    pub provenance: Provenance,
    /// What sort of agent the harness saw, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_as: Option<String>,
    /// The work tree's content when it began to look, where a gate needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_before: Option<Tree>,
    /// The content when it gave its verdict, where a gate needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_after: Option<Tree>,
    /// Files that it changed itself, of what it judges; the first few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_work: Vec<String>,
    /// Whether nothing of that is left in the content that it judges.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// Whether it is not known what it changed, since nobody watched it from its beginning.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unwatched: bool,
    /// Whether a gate asks for a verdict of this agent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
}

impl VerdictGiven {
    /// Whether it is somebody's to give. Whoever did the work cannot approve of it; anybody may object.
    pub fn stands(&self) -> bool {
        let is_impartial = (self.own_work.is_empty() || self.undone) && !self.unwatched;
        is_impartial || self.verdict != VerdictWord::Approve
    }

    /// The content that it is about: what it looked at from beginning to end.
    pub fn content(&self) -> Option<&str> {
        let after = self.tree_after.as_ref().and_then(Tree::id)?;
        let same = self.tree_before.as_ref().is_none_or(|before| before.id() == Some(after));
        same.then_some(after)
    }
}

/// What a verdict says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictWord {
    /// It is good.
    Approve,
    /// It is not, and will not be.
    Reject,
    /// It is good once the conditions are met.
    Conditional,
    /// It has to be done again.
    NeedsRevision,
}

impl VerdictWord {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Approve, Self::Reject, Self::Conditional, Self::NeedsRevision];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Conditional => "conditional",
            Self::NeedsRevision => "needs_revision",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }
}

impl fmt::Display for VerdictWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How sure somebody is: from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct Confidence(f64);

// It is never NaN.
impl Eq for Confidence {}

impl Confidence {
    /// From a number, if it is one from 0 to 1.
    pub fn new(number: f64) -> Option<Self> {
        (0.0..=1.0).contains(&number).then_some(Self(number + 0.0))
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Self::new(number).ok_or_else(|| serde::de::Error::custom("it is not between 0 and 1"))
    }
}
