//! What gates ask about the world, and what was found out. Whoever looks is elsewhere.

mod log;
pub mod plan;
mod report;
pub mod work;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::action::{Action, NewCommit};
use crate::alongside::OtherConversation;
use crate::evidence::Tree;
use crate::id::ConversationId;
use crate::time::Timestamp;
use plan::WantedPlan;
use work::{Work, WorkFacts};

pub use log::FoundLog;
pub use report::{AskedReport, FoundReport, ReportVerdict};

/// Of how many files of another conversation a ruling tells that is about no file in particular.
const MAX_ALONGSIDE: usize = 20;

/// A file that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundFile {
    /// Its path, relative to the project.
    pub path: String,
    /// SHA-256 of its content, where it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A commit with content that nothing is known to have passed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnprovenCommit {
    /// Its hash.
    pub sha: String,
    /// The files that it changed against all its parents, as far as they fit.
    pub changed: Vec<String>,
    /// Those of them that are in no proven content as they are in the commit.
    pub files: Vec<String>,
    /// The branch that it is on, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Whether that branch is checked out nowhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub away: bool,
    /// Whether these files have changed since in the work tree.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changed_since: bool,
}

/// What was found out about the world for a ruling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The time of the ruling.
    pub now: Timestamp,
    /// The branch that is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit that is checked out, where a gate asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The linked work tree that it is about; none is the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The work tree's content, where a gate asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
    /// By what gates wait for: the commits whose content it was never seen to pass on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unproven: BTreeMap<String, Vec<UnprovenCommit>>,
    /// Which files differ from an older work tree.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub changed: BTreeMap<String, Vec<String>>,
    /// Of these, those that the conversation may have changed that wants to stop. Where that was not looked at,
    /// all of them are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<String, Vec<String>>,
    /// The files that are uncommitted, or why that cannot be told, where a gate asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean: Option<Result<Vec<String>, String>>,
    /// The files that fit each pattern that a gate asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Vec<FoundFile>>,
    /// The reports that fit each pattern that a gate asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reports: BTreeMap<String, Vec<FoundReport>>,
    /// The logs that fit each pattern that a gate asked for, by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ticked: BTreeMap<String, BTreeMap<String, FoundLog>>,
    /// The plan that was found, for each that a gate asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub plans: BTreeMap<String, Option<String>>,
    /// What expressions refer to.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub dynamic: Map<String, Value>,
    /// The conversations that are at work in the work tree, and their harnesses, where a gate asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<BTreeMap<ConversationId, String>>,
    /// What conversations that are at work changed in the work tree, where a gate asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alongside: Option<Vec<OtherConversation>>,
    /// Whether the users of other tools' rules switched them off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported_off: bool,
    /// The signatures of approvals that were checked and hold, where a gate asked for one.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub signed: BTreeSet<String>,
    /// The work that the session's workflow is about, where a gate asked for it.
    #[serde(default, skip_serializing_if = "WorkFacts::is_empty")]
    pub work: WorkFacts,
}

impl Facts {
    /// What is known without looking.
    pub fn at(now: Timestamp, branch: Option<String>) -> Self {
        Self {
            now,
            branch,
            head: None,
            worktree: None,
            tree: None,
            unproven: BTreeMap::new(),
            changed: BTreeMap::new(),
            own: BTreeMap::new(),
            clean: None,
            files: BTreeMap::new(),
            reports: BTreeMap::new(),
            ticked: BTreeMap::new(),
            plans: BTreeMap::new(),
            dynamic: Map::new(),
            others: None,
            alongside: None,
            imported_off: false,
            signed: BTreeSet::new(),
            work: WorkFacts::default(),
        }
    }
}

impl Facts {
    /// Whether the work tree differs from an older one by what others changed only.
    pub fn is_others(&self, then: &str) -> bool {
        self.own.get(then).is_some_and(Vec::is_empty)
    }

    /// Leaves out what others changed that is no matter of an action. Of what nobody can name the files, a few are
    /// enough to tell who is there.
    pub fn keep_to(&mut self, action: &Action) {
        let Some(others) = &mut self.alongside else { return };
        others.retain(|other| other.conversation != action.conversation);
        for other in others.iter_mut() {
            match action.paths.as_slice() {
                [] => other.files.truncate(MAX_ALONGSIDE),
                paths => other.files.retain(|changed| paths.contains(&changed.file)),
            }
        }
        others.retain(|other| !other.files.is_empty());
    }

    /// The files that differ from an older work tree, as far as they concern who acts.
    pub fn concerning(&self, then: &str) -> Option<&[String]> {
        self.own.get(then).or_else(|| self.changed.get(then)).map(Vec::as_slice)
    }
}

/// What has to be found out before an action can be ruled on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent questions, each asked or not")]
pub struct Needs {
    /// The work tree's content.
    pub tree: bool,
    /// The older work trees that it is compared with.
    pub compare: Vec<String>,
    /// Files that are looked for among those that differ: they are named, however many others are not.
    pub looked_for: BTreeSet<String>,
    /// The commits whose content is asked about.
    pub commits: Vec<NewCommit>,
    /// By what gates wait for: the contents that it passed on, with which these are compared.
    pub contents: BTreeMap<String, Vec<String>>,
    /// What is uncommitted.
    pub clean: bool,
    /// The commit that is checked out.
    pub head: bool,
    /// Files that fit these patterns.
    pub files: BTreeSet<String>,
    /// Those of the patterns whose files' content matters too.
    pub hashed: BTreeSet<String>,
    /// Reports that fit these patterns, and what is asked of them.
    pub reports: BTreeMap<String, Vec<AskedReport>>,
    /// Logs that fit these patterns.
    pub ticked: BTreeSet<String>,
    /// Plans that say what they have to.
    pub plans: BTreeSet<WantedPlan>,
    /// What expressions refer to.
    pub dynamic: BTreeSet<String>,
    /// Who else is at work in the work tree.
    pub others: bool,
    /// Who else changed which files of the work tree.
    pub alongside: bool,
    /// Which signatures of approvals hold.
    pub signed: bool,
    /// Parts of the work that the session's workflow is about.
    pub work: BTreeSet<Work>,
    /// The time: something that is asked for goes out of date by itself.
    pub clock: bool,
}
