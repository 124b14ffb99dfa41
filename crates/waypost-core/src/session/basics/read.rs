//! How the top level of another program's manifest is read: every version that is known, and what their users made of
//! it. Nothing fails: what is missing or of another type counts as not there.

use serde_json::{Map, Value};

use super::{Artifacts, Basics, PhaseHistory, SessionCommit, SessionGit, ShownProgress, words};
use crate::text::one_line;
use crate::time::Timestamp;
use crate::track::builtin;

/// The phases, in their order, and what tells when each began and ended.
const PHASES: [&str; 4] = ["spec", "plan", "build", "docs"];
const STARTED: [&str; 4] =
    ["spec_started_at", "plan_started_at", "build_started_at", "docs_started_at"];
const COMPLETED: [&str; 4] =
    ["spec_completed_at", "plan_completed_at", "build_completed_at", "docs_completed_at"];
/// What stands under a key that is not there.
static NOTHING: Value = Value::Null;

impl Basics {
    /// Reads what another program wrote. Never fails: at worst little is known.
    pub fn read(manifest: &Value) -> Self {
        let mut fields = ForeignFields::of(manifest);
        for own in ["$schema", "_signature", "waypost"] {
            fields.take(own);
        }
        let session_id = fields.string("session_id");
        let topic = fields.text("topic").map(one_line);
        let topic = topic.filter(|topic| !topic.is_empty()).or(session_id);
        let phase_history = PhaseHistory::read(fields.take("phase_history"), manifest);
        let session_type = session_type(fields.text("session_type"), manifest);
        let said = fields.text("current_phase").and_then(words::phase);
        let current_phase = if phase_history.is_complete(&session_type, said) {
            "complete"
        } else {
            said.unwrap_or_else(|| phase_history.last_begun())
        };
        let status = status(fields.text("status"), current_phase, manifest);
        let build_progress = ShownProgress::read(fields.take("build_progress"), manifest);
        Self {
            topic: topic.unwrap_or_else(|| "(no topic)".to_owned()),
            description: fields.string("description"),
            session_type,
            created_at: fields.time("created_at"),
            updated_at: fields.time("updated_at"),
            phase_history,
            build_progress,
            git: SessionGit::read(fields.take("git")),
            commits: fields.list("commits").iter().map(SessionCommit::read).collect(),
            artifacts: Artifacts::read(fields.take("artifacts")),
            status: status.to_owned(),
            // Building is what remains to do for somebody who takes a finished session up again.
            resumes_in: (current_phase == "complete").then(|| "build".to_owned()),
            current_phase: current_phase.to_owned(),
            extra: fields.rest(),
        }
    }

    /// The time that a value of a manifest says: programs that write these write UTC, also without saying so. A day is
    /// its beginning.
    pub fn time(value: &Value) -> Option<Timestamp> {
        match value {
            Value::String(text) => {
                let text = text.trim();
                Timestamp::lenient(text)
                    .or_else(|| Timestamp::lenient(&format!("{text}Z")))
                    .or_else(|| Timestamp::lenient(&format!("{text}T00:00:00Z")))
            }
            Value::Number(number) => {
                let number = number.as_i64()?;
                // So many seconds are a time long past; so many milliseconds are one of our days.
                let is_millis = number.unsigned_abs() > 100_000_000_000;
                let millis = if is_millis { number } else { number.checked_mul(1000)? };
                Timestamp::from_millis(millis).ok()
            }
            _ => None,
        }
    }
}

/// The type of the session, in the words of the second version.
fn session_type(said: Option<&str>, manifest: &Value) -> String {
    said.map(|kind| kind.trim().to_lowercase())
        .filter(|kind| matches!(kind.as_str(), "full" | "quick" | "research"))
        .or_else(|| is_research(manifest).then(|| "research".to_owned()))
        .unwrap_or_else(|| "full".to_owned())
}

/// Where the session is in its life. The first version has no word for it, and the program that wrote the second leaves
/// it at `active` when it completes the last phase.
fn status(said: Option<&str>, current_phase: &str, manifest: &Value) -> &'static str {
    let known = said.and_then(words::status);
    let spec =
        manifest.get("phases").and_then(|phases| phases.get("spec")?.get("status")?.as_str());
    let is_over = current_phase == "complete" || spec.is_some_and(words::needs_no_plan);
    match known {
        Some("failed") => "failed",
        _ if is_over => "complete",
        known => known.unwrap_or("active"),
    }
}

impl PhaseHistory {
    /// Whether every phase was completed: those that its type has, all that anybody began, and the one that it says
    /// it is in. The program that writes these leaves that and the status behind when it completes the last one.
    fn is_complete(&self, session_type: &str, said: Option<&str>) -> bool {
        let is_usual = |name: &str| said == Some(name) || builtin::has_phase(session_type, name);
        let times = [
            (self.spec_started_at, self.spec_completed_at),
            (self.plan_started_at, self.plan_completed_at),
            (self.build_started_at, self.build_completed_at),
            (self.docs_started_at, self.docs_completed_at),
        ];
        let mut phases = PHASES.iter().zip(times);
        phases.all(|(name, (started, completed))| {
            let is_left_out = !is_usual(name) && started.is_none();
            is_left_out || (completed.is_some() && completed >= started)
        })
    }

    /// The last phase that anybody began; the first one if nobody began any.
    fn last_begun(&self) -> &'static str {
        let begun = [
            self.spec_started_at,
            self.plan_started_at,
            self.build_started_at,
            self.docs_started_at,
        ];
        let last = begun.iter().rposition(Option::is_some);
        PHASES[last.unwrap_or_default()]
    }

    /// The times of the phases; older manifests keep them below `phases`.
    fn read(value: &Value, manifest: &Value) -> Self {
        let mut fields = ForeignFields::of(value);
        let older = |phase: &str, names: &[&str]| {
            let phase = manifest.get("phases")?.get(phase)?;
            names.iter().find_map(|name| Basics::time(phase.get(*name)?))
        };
        let started = [0, 1, 2, 3].map(|phase| {
            let time = fields.time(STARTED[phase]);
            time.or_else(|| older(PHASES[phase], &["started_at"]))
        });
        let completed = [0, 1, 2, 3].map(|phase| {
            let time = fields.time(COMPLETED[phase]);
            time.or_else(|| older(PHASES[phase], &["completed_at", "finalized_at"]))
        });
        Self {
            spec_started_at: started[0],
            spec_completed_at: completed[0],
            plan_started_at: started[1],
            plan_completed_at: completed[1],
            build_started_at: started[2],
            build_completed_at: completed[2],
            docs_started_at: started[3],
            docs_completed_at: completed[3],
            extra: fields.rest(),
        }
    }
}

impl ShownProgress {
    /// How far building has come; older manifests keep it below `plan_state`.
    fn read(value: &Value, manifest: &Value) -> Self {
        let mut read = Self::of(value);
        let says_nothing = read.checkpoints_total.is_none_or(|total| total == 0)
            && read.checkpoints_completed.is_empty()
            && read.current_checkpoint.is_none();
        if !says_nothing {
            return read;
        }
        let older = Self::of(&older_progress(manifest));
        if !older.checkpoints_completed.is_empty() {
            read = Self { extra: read.extra, ..older };
        } else if is_building(manifest) {
            read.checkpoints_total = older.checkpoints_total.or(read.checkpoints_total);
            read.current_checkpoint = older.current_checkpoint;
        }
        read
    }

    fn of(value: &Value) -> Self {
        let mut fields = ForeignFields::of(value);
        let done = fields.list("checkpoints_completed");
        Self {
            checkpoints_total: fields.number("checkpoints_total"),
            checkpoints_completed: done.iter().filter_map(checkpoint).collect(),
            current_checkpoint: fields.number("current_checkpoint"),
            extra: fields.rest(),
        }
    }
}

/// What an older manifest says of the build.
fn older_progress(manifest: &Value) -> Value {
    let mut state = manifest.get("plan_state").cloned().unwrap_or_default();
    let current = manifest.get("phases").and_then(|phases| {
        phases.get("build")?.get("current_checkpoint").filter(|current| current.is_u64())
    });
    if let (Some(fields), Some(current)) = (state.as_object_mut(), current) {
        let known = fields.entry("current_checkpoint").or_insert(Value::Null);
        if known.is_null() {
            *known = current.clone();
        }
    }
    state
}

/// Whether building has begun. While a plan is being made, its `plan_state` tells which checkpoint is planned.
fn is_building(manifest: &Value) -> bool {
    let phase = manifest.get("current_phase").and_then(Value::as_str).and_then(words::phase);
    let build = manifest.get("phases").and_then(|phases| phases.get("build"));
    let begun = build.and_then(|build| Basics::time(build.get("started_at")?));
    begun.is_some() || matches!(phase, Some("build" | "docs" | "complete"))
}

/// The checkpoint that an entry of a list names.
fn checkpoint(value: &Value) -> Option<u64> {
    match value {
        Value::Object(fields) => {
            ["id", "checkpoint", "checkpoint_id"].iter().find_map(|name| whole(fields.get(*name)?))
        }
        value => whole(value),
    }
}

/// A whole number, also one that is written as text.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

impl SessionCommit {
    fn read(value: &Value) -> Self {
        if let Value::String(line) = value {
            // As `git log --oneline` has it.
            let (sha, message) = line.trim().split_once(char::is_whitespace).unwrap_or((line, ""));
            let is_sha = sha.len() >= 4 && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
            let (sha, message) = if is_sha { (sha, message.trim()) } else { ("", line.as_str()) };
            return Self { sha: sha.into(), message: message.into(), ..Self::default() };
        }
        let mut fields = ForeignFields::of(value);
        let text = |names: &[&str]| names.iter().find_map(|name| value.get(*name)?.as_str());
        let sha = fields.string("sha").or_else(|| text(&["hash", "commit"]).map(str::to_owned));
        let message = fields.string("message").or_else(|| text(&["subject"]).map(str::to_owned));
        let other_name = value.get("checkpoint_id").and_then(whole);
        let other_time = value.get("date").or_else(|| value.get("timestamp"));
        Self {
            sha: sha.unwrap_or_default(),
            message: message.unwrap_or_default(),
            checkpoint: fields.number("checkpoint").or(other_name),
            created_at: fields.time("created_at").or_else(|| Basics::time(other_time?)),
            extra: fields.rest(),
        }
    }
}

impl SessionGit {
    fn read(value: &Value) -> Self {
        let mut fields = ForeignFields::of(value);
        Self {
            branch: fields.string("branch"),
            worktree: fields.string("worktree"),
            base_branch: fields.string("base_branch"),
            extra: fields.rest(),
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
            extra: fields.rest(),
        }
    }
}

/// The fields of an object, asked for one after the other; the rest is what nobody knows.
struct ForeignFields<'v> {
    all: Option<&'v Map<String, Value>>,
    known: Vec<&'static str>,
}

impl<'v> ForeignFields<'v> {
    fn of(value: &'v Value) -> Self {
        Self { all: value.as_object(), known: Vec::new() }
    }

    fn take(&mut self, name: &'static str) -> &'v Value {
        self.known.push(name);
        self.all.and_then(|all| all.get(name)).unwrap_or(&NOTHING)
    }

    fn text(&mut self, name: &'static str) -> Option<&'v str> {
        self.take(name).as_str()
    }

    fn string(&mut self, name: &'static str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    fn number(&mut self, name: &'static str) -> Option<u64> {
        whole(self.take(name))
    }

    fn time(&mut self, name: &'static str) -> Option<Timestamp> {
        Basics::time(self.take(name))
    }

    fn list(&mut self, name: &'static str) -> &'v [Value] {
        self.take(name).as_array().map_or(&[], Vec::as_slice)
    }

    fn rest(self) -> Map<String, Value> {
        let unknown = |(name, _): &(&String, &Value)| !self.known.contains(&name.as_str());
        let rest = self.all.into_iter().flatten().filter(unknown);
        rest.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// Whether an older manifest, which knows no types, is one of research.
fn is_research(manifest: &Value) -> bool {
    manifest.get("granularity").and_then(Value::as_str) == Some("research")
}
