//! What stands at the top level of a manifest, ours or another program's.
//!
//! Other programs' are read with tolerance: what is missing or of another type counts as not there,
//! and keys that nobody here knows are kept and written again.

mod read;
pub mod words;

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};

use super::Lifecycle;
use super::build::{Build, MAX_CHECKPOINTS};
use crate::event::{CommitAdded, GitChanged};
use crate::time::Timestamp;

/// What stands at the top level of a manifest.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Basics {
    /// What the session is for.
    pub topic: String,
    /// The same at more length.
    pub description: Option<String>,
    /// `full`, `quick` or `research`.
    pub session_type: String,
    /// When it began.
    pub created_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    /// `spec`, `plan`, `build`, `docs` or `complete`.
    pub current_phase: String,
    /// `active`, `paused`, `complete` or `failed`.
    pub status: String,
    /// When each phase began and ended.
    pub phase_history: PhaseHistory,
    /// How far building has come.
    pub build_progress: ShownProgress,
    /// Where it belongs in git.
    pub git: SessionGit,
    /// Its commits.
    pub commits: Vec<SessionCommit>,
    /// The files that people and agents write.
    pub artifacts: Artifacts,
    /// Keys that only another program knows.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
    /// The phase that a session that is over would go on in.
    #[serde(skip)]
    pub resumes_in: Option<String>,
}

/// When each phase began and ended.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PhaseHistory {
    pub spec_started_at: Option<Timestamp>,
    pub spec_completed_at: Option<Timestamp>,
    pub plan_started_at: Option<Timestamp>,
    pub plan_completed_at: Option<Timestamp>,
    pub build_started_at: Option<Timestamp>,
    pub build_completed_at: Option<Timestamp>,
    pub docs_started_at: Option<Timestamp>,
    pub docs_completed_at: Option<Timestamp>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// How far building has come.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ShownProgress {
    pub checkpoints_total: Option<u64>,
    pub checkpoints_completed: Vec<u64>,
    pub current_checkpoint: Option<u64>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Where a session belongs in git.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SessionGit {
    pub branch: Option<String>,
    pub worktree: Option<String>,
    pub base_branch: Option<String>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A commit of the session.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SessionCommit {
    pub sha: String,
    pub message: String,
    pub checkpoint: Option<u64>,
    pub created_at: Option<Timestamp>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The files that people and agents write.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Artifacts {
    pub spec: String,
    pub plan: String,
    pub plan_readable: String,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Default for Artifacts {
    fn default() -> Self {
        Self {
            spec: "spec.md".to_owned(),
            plan: "plan.json".to_owned(),
            plan_readable: "plan.md".to_owned(),
            extra: Map::new(),
        }
    }
}

impl SessionCommit {
    /// A commit that was recorded at `time`.
    pub(crate) fn new(commit: &CommitAdded, time: Timestamp) -> Self {
        Self {
            sha: commit.sha.clone(),
            message: commit.message.clone(),
            checkpoint: commit.checkpoint,
            created_at: Some(time),
            extra: Map::new(),
        }
    }
}

impl Basics {
    /// Where the session is in its life, by what the manifest says.
    pub fn lifecycle(&self) -> Lifecycle {
        match self.status.as_str() {
            "paused" => Lifecycle::Paused,
            "complete" => Lifecycle::Completed,
            "failed" => Lifecycle::Failed,
            _ => Lifecycle::Active,
        }
    }
}

impl PhaseHistory {
    /// Shows when a phase began and ended. Of several that are shown as one, the first began it and
    /// the last ended it.
    pub(crate) fn show(
        &mut self,
        phase: &str,
        started: Option<Timestamp>,
        completed: Option<Timestamp>,
    ) {
        let (from, to) = match phase {
            "spec" => (&mut self.spec_started_at, &mut self.spec_completed_at),
            "plan" => (&mut self.plan_started_at, &mut self.plan_completed_at),
            "docs" => (&mut self.docs_started_at, &mut self.docs_completed_at),
            _ => (&mut self.build_started_at, &mut self.build_completed_at),
        };
        *from = from.or(started);
        *to = completed;
    }
}

impl ShownProgress {
    /// Shows how far building has come here.
    pub(crate) fn show(&mut self, build: &Build) {
        self.checkpoints_total = Some(build.total);
        self.checkpoints_completed = build.completed.iter().copied().collect();
        self.current_checkpoint = build.current();
    }

    /// Where another program's session goes on. Numbers that fit no build count for nothing.
    pub(super) fn build(&self) -> Build {
        let fits = |checkpoint: &u64| (1..=MAX_CHECKPOINTS).contains(checkpoint);
        let completed: BTreeSet<u64> =
            self.checkpoints_completed.iter().copied().filter(fits).collect();
        let current = self.current_checkpoint.filter(fits);
        // Older manifests say which are done and not how many there are.
        let total = self.checkpoints_total.map_or(0, |total| total.min(MAX_CHECKPOINTS));
        let seen = completed.last().copied().max(current).unwrap_or(0);
        let under_way = current.filter(|current| !completed.contains(current));
        Build {
            total: total.max(seen),
            completed,
            under_way: under_way.into_iter().collect(),
            ..Build::default()
        }
    }
}

impl SessionGit {
    /// Takes a change into account.
    pub(crate) fn change(&mut self, changed: &GitChanged) {
        changed.apply(&mut self.branch, &mut self.worktree, &mut self.base_branch);
    }
}

pub(crate) fn is_phase(word: &str) -> bool {
    matches!(word, "spec" | "plan" | "build" | "docs" | "complete")
}
