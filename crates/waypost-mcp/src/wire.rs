//! What several tools and resources give, as it goes over the wire.

use schemars::JsonSchema;
use serde::Serialize;
use waypost_app::sessions::list::ListedSession;
use waypost_app::standing::status::{ConversationStatus, SessionStatus};
use waypost_core::gate::FindingStatus;
use waypost_core::standing::ShownGate;
use waypost_core::text::{one_line, shortened, spoken};

/// The longest foreign text in a line for a model, in characters.
const MAX_TEXT: usize = 300;

/// What a gate finds now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Gate {
    /// The gate's name.
    pub(crate) name: String,
    /// How much it insists: must, should or may.
    pub(crate) level: String,
    /// Whether it holds: met, stale, failed, missing or unknown.
    pub(crate) status: String,
    /// What the gate says.
    pub(crate) message: String,
    /// Why it holds, or does not.
    pub(crate) why: String,
    /// The exact step that would satisfy it.
    pub(crate) next: String,
}

impl Gate {
    /// As a model reads it.
    pub(crate) fn line(&self) -> String {
        let Self { name, level, status, message, why, next } = self;
        if status == "met" {
            return format!("- {name} ({level}): holds");
        }
        let message = shortened(&one_line(message), MAX_TEXT);
        format!("- {name} ({level}) {status}: {message} Why: {why}. Next: {next}")
    }
}

impl From<ShownGate> for Gate {
    fn from(finding: ShownGate) -> Self {
        Self {
            level: finding.level.to_string(),
            status: word(&finding.status),
            name: finding.gate,
            message: finding.message,
            why: finding.why,
            next: finding.next,
        }
    }
}

/// Where a session stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct State {
    /// The session.
    pub(crate) session_id: String,
    /// What it is for, as its user or agent wrote it.
    pub(crate) objective: Option<String>,
    /// Where it is in its life: active, paused, completed, failed or abandoned.
    pub(crate) lifecycle: String,
    /// Its last record: what `expected_version` is compared with.
    pub(crate) version: u64,
    /// The workflow that it follows.
    pub(crate) workflow: String,
    /// The phase of the workflow that it is in, or `complete`.
    pub(crate) phase: String,
    /// How the workflow went so far: numbered phases, their timing, checkpoints and evidence.
    pub(crate) track: Option<serde_json::Map<String, serde_json::Value>>,
    /// How many checkpoints its build has.
    pub(crate) checkpoints_total: Option<u64>,
    /// The checkpoints that are completed.
    pub(crate) checkpoints_completed: Vec<u64>,
    /// The checkpoint that work is at.
    pub(crate) current_checkpoint: Option<u64>,
    /// What it works on just now.
    pub(crate) focus: Option<String>,
    /// The branch it began on.
    pub(crate) branch: Option<String>,
    /// The linked work tree it began in; none is the main one.
    pub(crate) worktree: Option<String>,
    /// When it began.
    pub(crate) started_at: Option<String>,
    /// When something last happened.
    pub(crate) updated_at: Option<String>,
    /// The latest pause, also after resuming.
    pub(crate) pause: Option<Pause>,
    /// How often work was taken up again.
    pub(crate) resumed: u64,
    /// When it ended, while it is over.
    pub(crate) ended_at: Option<String>,
    /// The mode that it is in.
    pub(crate) mode: String,
    /// How many musts were missed.
    pub(crate) violations: u64,
    /// The conversations that work in it.
    pub(crate) conversations: Vec<Conversation>,
    /// What its gates find now.
    pub(crate) gates: Vec<Gate>,
    /// The exact next step.
    pub(crate) next: String,
}

/// Why work rests, or rested last.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Pause {
    /// Why.
    pub(crate) reason: String,
    /// What whoever goes on should know.
    pub(crate) context: Option<String>,
    /// Since when.
    pub(crate) since: String,
}

impl From<waypost_core::session::Pause> for Pause {
    fn from(pause: waypost_core::session::Pause) -> Self {
        Self { reason: pause.reason, context: pause.context, since: pause.since.to_string() }
    }
}

/// A conversation of a session.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Conversation {
    /// The harness' own id of it.
    pub(crate) id: String,
    /// The harness.
    pub(crate) harness: String,
    /// Whether it is attached.
    pub(crate) attached: bool,
    /// Whether its process still runs; unknown where no process was checked.
    pub(crate) running: Option<bool>,
    /// Whether it changed something that its gates have not settled.
    pub(crate) edited: bool,
    /// Whether files changed in a turn of which no hook saw a tool call.
    pub(crate) unenforced: bool,
}

impl From<ConversationStatus> for Conversation {
    fn from(status: ConversationStatus) -> Self {
        Self {
            id: status.id.to_string(),
            harness: status.harness,
            attached: status.attached,
            running: status.running,
            edited: status.edited,
            unenforced: status.unenforced,
        }
    }
}

impl State {
    /// As a model reads it.
    pub(crate) fn text(&self) -> String {
        let Self { session_id, lifecycle, version, .. } = self;
        let mut lines = vec![
            format!("Session {session_id}: {lifecycle}, version {version}."),
            objective(self.objective.as_deref()),
        ];
        if let (Some(pause), "paused") = (&self.pause, lifecycle.as_str()) {
            lines.push(format!("Paused: {}.", quoted(&pause.reason)));
        }
        if !self.gates.is_empty() {
            lines.push("Gates:".to_owned());
            lines.extend(self.gates.iter().map(Gate::line));
        }
        lines.join("\n")
    }
}

impl From<SessionStatus> for State {
    fn from(status: SessionStatus) -> Self {
        Self {
            session_id: status.session_id.to_string(),
            objective: status.objective,
            lifecycle: status.lifecycle.to_string(),
            version: status.version,
            workflow: status.workflow,
            phase: status.phase,
            track: status.track.and_then(|track| match serde_json::to_value(track) {
                Ok(serde_json::Value::Object(track)) => Some(track),
                _ => None,
            }),
            checkpoints_total: status.build.checkpoints_total,
            checkpoints_completed: status.build.checkpoints_completed,
            current_checkpoint: status.build.current_checkpoint,
            focus: Some(status.focus.to_string()).filter(|_| !status.focus.is_empty()),
            branch: status.branch,
            worktree: status.worktree,
            started_at: status.started_at.map(|time| time.to_string()),
            updated_at: status.updated_at.map(|time| time.to_string()),
            pause: status.pause.map(Pause::from),
            resumed: status.resumed,
            ended_at: status.ended_at.map(|time| time.to_string()),
            mode: status.mode,
            violations: status.violations,
            conversations: status.conversations.into_iter().map(Conversation::from).collect(),
            gates: status.gates.into_iter().map(Gate::from).collect(),
            next: status.next,
        }
    }
}

/// One session among others.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Summary {
    /// The session.
    pub(crate) session_id: String,
    /// What it is for, as its user or agent wrote it.
    pub(crate) objective: Option<String>,
    /// Where it is in its life: active, paused, completed, failed or abandoned.
    pub(crate) lifecycle: String,
    /// The phase of its workflow that it is in, if it follows one, or `complete`.
    pub(crate) phase: Option<String>,
    /// The branch it began on.
    pub(crate) branch: Option<String>,
    /// The linked work tree it began in; none is the main one.
    pub(crate) worktree: Option<String>,
    /// When it began.
    pub(crate) started_at: Option<String>,
    /// When something last happened.
    pub(crate) updated_at: Option<String>,
    /// Its last record.
    pub(crate) version: u64,
    /// How many musts were missed.
    pub(crate) violations: u64,
    /// Whether new conversations in this work tree join it.
    pub(crate) current: bool,
    /// The command with which its client goes back to the conversation that was last in it.
    pub(crate) reopen: Option<String>,
    /// How it is kept here: live, or only as a folder in the work tree.
    pub(crate) kept: String,
    /// What there is to say about that.
    pub(crate) remark: Option<String>,
}

impl From<ListedSession> for Summary {
    fn from(listed: ListedSession) -> Self {
        Self {
            session_id: listed.session_id.to_string(),
            objective: listed.objective,
            lifecycle: listed.lifecycle.to_string(),
            phase: listed.phase,
            branch: listed.branch,
            worktree: listed.worktree,
            started_at: listed.started_at.map(|time| time.to_string()),
            updated_at: listed.updated_at.map(|time| time.to_string()),
            version: listed.version,
            violations: listed.violations,
            current: listed.current,
            reopen: listed.reopen,
            kept: word(&listed.kept),
            remark: listed.remark,
        }
    }
}

/// Whether a gate holds.
pub(crate) fn is_met(finding: &ShownGate) -> bool {
    finding.status == FindingStatus::Met
}

/// A text that somebody wrote, marked as theirs.
pub(crate) fn objective(text: Option<&str>) -> String {
    match text {
        Some(text) => format!("Objective (written by its user or agent): {}.", quoted(text)),
        None => "It has no objective yet.".to_owned(),
    }
}

/// A text that somebody wrote, on one line and in quotes that it cannot close.
pub(crate) fn quoted(text: &str) -> String {
    spoken::quoted(text, MAX_TEXT)
}

/// The word that a value of a small enumeration is written as.
pub(crate) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
