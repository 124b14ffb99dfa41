//! What stands at the top level of a manifest, ours or another program's.
//!
//! Other programs' are read with tolerance: what is missing or of another type counts as not there,
//! and keys that nobody here knows are kept and written again.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};

use super::Lifecycle;
use super::build::{Build, MAX_CHECKPOINTS};
use crate::event::{CommitAdded, GitChanged};
use crate::text::one_line;
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

    fn read(value: &Value) -> Self {
        let mut fields = ForeignFields::of(value);
        let other_name = value.get("checkpoint_id").and_then(Value::as_u64);
        Self {
            sha: fields.string("sha").unwrap_or_default(),
            message: fields.string("message").unwrap_or_default(),
            checkpoint: fields.number("checkpoint").or(other_name),
            created_at: fields.time("created_at"),
            extra: fields.0,
        }
    }
}

impl Basics {
    /// Reads what another program wrote. Never fails: at worst little is known.
    pub fn read(manifest: &Value) -> Self {
        let mut fields = ForeignFields::of(manifest);
        for own in ["$schema", "_signature", "waypost"] {
            fields.0.remove(own);
        }
        let session_id = fields.string("session_id");
        let topic = fields.string("topic").map(|topic| one_line(&topic));
        let topic = topic.filter(|topic| !topic.is_empty()).or(session_id);
        let current_phase = fields.string("current_phase").filter(|phase| is_phase(phase));
        let current_phase = current_phase.unwrap_or_else(|| "spec".to_owned());
        let status = fields.string("status").filter(|status| is_status(status));
        let finished = if current_phase == "complete" { "complete" } else { "active" };
        Self {
            topic: topic.unwrap_or_else(|| "(no topic)".to_owned()),
            description: fields.string("description"),
            session_type: fields
                .string("session_type")
                .filter(|kind| matches!(kind.as_str(), "full" | "quick" | "research"))
                .or_else(|| is_research(manifest).then(|| "research".to_owned()))
                .unwrap_or_else(|| "full".to_owned()),
            created_at: fields.time("created_at"),
            updated_at: fields.time("updated_at"),
            phase_history: PhaseHistory::read(&fields.take("phase_history"), manifest),
            build_progress: ShownProgress::read(&fields.take("build_progress"), manifest),
            git: SessionGit::read(&fields.take("git")),
            commits: fields.list("commits").iter().map(SessionCommit::read).collect(),
            artifacts: Artifacts::read(&fields.take("artifacts")),
            status: status.unwrap_or_else(|| finished.to_owned()),
            // Building is what remains to do for somebody who takes a finished session up again.
            resumes_in: (current_phase == "complete").then(|| "build".to_owned()),
            current_phase,
            extra: fields.0,
        }
    }

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

    /// The times of the phases; older manifests keep them below `phases`.
    fn read(value: &Value, manifest: &Value) -> Self {
        let mut fields = ForeignFields::of(value);
        let older = |phase: &str, names: &[&str]| {
            let phase = manifest.get("phases")?.get(phase)?;
            names.iter().find_map(|name| Timestamp::lenient(phase.get(*name)?.as_str()?))
        };
        let mut started = |phase: &str| {
            let time = fields.time(&format!("{phase}_started_at"));
            time.or_else(|| older(phase, &["started_at"]))
        };
        let [spec, plan, build, docs] = ["spec", "plan", "build", "docs"].map(&mut started);
        let mut completed = |phase: &str| {
            let time = fields.time(&format!("{phase}_completed_at"));
            time.or_else(|| older(phase, &["completed_at", "finalized_at"]))
        };
        let ends = ["spec", "plan", "build", "docs"].map(&mut completed);
        Self {
            spec_started_at: spec,
            spec_completed_at: ends[0],
            plan_started_at: plan,
            plan_completed_at: ends[1],
            build_started_at: build,
            build_completed_at: ends[2],
            docs_started_at: docs,
            docs_completed_at: ends[3],
            extra: fields.0,
        }
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

    /// How far building has come; older manifests keep it below `plan_state`.
    fn read(value: &Value, manifest: &Value) -> Self {
        let mut fields = ForeignFields::of(value);
        let older = manifest.get("plan_state").filter(|_| !value.is_object());
        let mut older = older.map(ForeignFields::of);
        let mut number = |name: &str| {
            fields.number(name).or_else(|| older.as_mut().and_then(|older| older.number(name)))
        };
        let (total, current) = (number("checkpoints_total"), number("current_checkpoint"));
        let mut done = fields.list("checkpoints_completed");
        if let Some(older) = &mut older {
            done.extend(older.list("checkpoints_completed"));
        }
        Self {
            checkpoints_total: total,
            checkpoints_completed: done.iter().filter_map(Value::as_u64).collect(),
            current_checkpoint: current,
            extra: fields.0,
        }
    }
}

impl SessionGit {
    /// Takes a change into account.
    pub(crate) fn change(&mut self, changed: &GitChanged) {
        changed.apply(&mut self.branch, &mut self.worktree, &mut self.base_branch);
    }

    fn read(value: &Value) -> Self {
        let mut fields = ForeignFields::of(value);
        Self {
            branch: fields.string("branch"),
            worktree: fields.string("worktree"),
            base_branch: fields.string("base_branch"),
            extra: fields.0,
        }
    }
}

impl Artifacts {
    fn read(value: &Value) -> Self {
        let mut fields = ForeignFields::of(value);
        let usual = Self::default();
        Self {
            spec: fields.string("spec").unwrap_or(usual.spec),
            plan: fields.string("plan").unwrap_or(usual.plan),
            plan_readable: fields.string("plan_readable").unwrap_or(usual.plan_readable),
            extra: fields.0,
        }
    }
}

/// The fields of an object, taken out one after the other; what stays is what nobody knows.
struct ForeignFields(Map<String, Value>);

impl ForeignFields {
    fn of(value: &Value) -> Self {
        Self(value.as_object().cloned().unwrap_or_default())
    }

    fn take(&mut self, name: &str) -> Value {
        self.0.remove(name).unwrap_or_default()
    }

    fn string(&mut self, name: &str) -> Option<String> {
        match self.take(name) {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    fn number(&mut self, name: &str) -> Option<u64> {
        self.take(name).as_u64()
    }

    fn time(&mut self, name: &str) -> Option<Timestamp> {
        Timestamp::lenient(self.take(name).as_str()?)
    }

    fn list(&mut self, name: &str) -> Vec<Value> {
        match self.take(name) {
            Value::Array(items) => items,
            _ => Vec::new(),
        }
    }
}

pub(crate) fn is_phase(word: &str) -> bool {
    matches!(word, "spec" | "plan" | "build" | "docs" | "complete")
}

/// Whether an older manifest, which knows no types, is one of research.
fn is_research(manifest: &Value) -> bool {
    manifest.get("granularity").and_then(Value::as_str) == Some("research")
}

fn is_status(word: &str) -> bool {
    matches!(word, "active" | "paused" | "complete" | "failed")
}
