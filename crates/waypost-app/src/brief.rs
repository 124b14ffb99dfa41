//! The brief: where a session stands, in few words, for the agent that goes on with it.

use serde::Serialize;
use waypost_core::gate::ruling::GateFinding;
use waypost_core::gate::{Before, Level, Status, modes};
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::session::{Lifecycle, SessionState};
use waypost_core::text::{one_line, shortened};

use crate::error::AppError;
use crate::judge::Rules;
use crate::status;
use crate::workspace::Workspace;

/// How many open gates are written out.
const MAX_GATES: usize = 12;
/// The longest objective, message or reason that is written out, in characters.
const MAX_TEXT: usize = 300;

/// Where a session stands for one conversation.
#[derive(Debug, Serialize)]
pub struct Brief {
    /// The session.
    pub session_id: SessionId,
    /// The last record.
    pub version: u64,
    /// What it is for, once somebody named it.
    pub objective: Option<String>,
    /// Its first prompt, while nobody has named it; kept on this machine only.
    pub first_prompt: Option<String>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// Why it rests, while it does.
    pub pause: Option<String>,
    /// The mode, where it denies something.
    pub mode: Option<String>,
    /// Where the conversation is in the protocol that the project follows, if it follows one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<InProtocol>,
    /// The gates that are not met.
    pub open: Vec<OpenGate>,
    /// The gates that are met.
    pub met: Vec<String>,
    /// The other conversations that work in it.
    pub others: Vec<String>,
    /// Whether hooks may not have been called.
    pub unenforced: bool,
    /// The exact next step.
    pub next: String,
}

/// Where a conversation is in a protocol.
#[derive(Debug, Serialize)]
pub struct InProtocol {
    /// The protocol.
    pub name: String,
    /// The phase; none before the conversation began to follow it.
    pub phase: Option<String>,
    /// The gates that hold it.
    pub blocked_by: Vec<String>,
}

impl InProtocol {
    fn of(name: &str, state: &SessionState, conversation: &ConversationId) -> Self {
        let track = state.track(Some(conversation)).filter(|track| track.is_running());
        Self {
            name: name.to_owned(),
            phase: track.map(|track| track.phase.clone()),
            blocked_by: track
                .map(|track| track.blocked_by().map(str::to_owned).collect())
                .unwrap_or_default(),
        }
    }

    fn line(&self) -> String {
        match (&self.phase, self.blocked_by.as_slice()) {
            (None, _) => "This project follows a session protocol: call Waypost's tool \
                          session_start with the objective, then do what it lists."
                .to_owned(),
            (Some(phase), []) => format!(
                "Session protocol: phase {phase}. The tool get_blocked_reason tells what is missing \
                 before the next, advance_phase enters it, session_end ends."
            ),
            (Some(phase), gates) => {
                let gates = gates.join(", ");
                format!(
                    "Session protocol: BLOCKED in phase {phase} by {gates}. The tool \
                     get_blocked_reason tells what to do."
                )
            }
        }
    }
}

/// A gate that is not met.
#[derive(Debug, Serialize)]
pub struct OpenGate {
    /// What it stands before.
    pub before: Vec<Before>,
    /// What it finds.
    #[serde(flatten)]
    pub finding: GateFinding,
}

impl OpenGate {
    /// As an agent reads it.
    pub fn line(&self) -> String {
        let GateFinding { gate, level, message, why, next, .. } = &self.finding;
        let message = shortened(&one_line(message), MAX_TEXT);
        let before: Vec<String> = self.before.iter().map(ToString::to_string).collect();
        let before = before.join(", ");
        format!("- {gate} ({level}) before {before}: {message} Why open: {why}. Next: {next}")
    }
}

/// The brief of a session for whoever asks.
pub fn of(workspace: &Workspace<'_>, session: Option<&str>) -> Result<Brief, AppError> {
    let session = workspace.session(session)?;
    let rules = status::rules(workspace, &session)?;
    let asker = status::asker(workspace);
    Brief::of(workspace, (&session.id, &session.state), &rules, &asker)
}

impl Brief {
    /// Looks at where `session` stands for `conversation`.
    pub fn of(
        workspace: &Workspace<'_>,
        (session, state): (&SessionId, &SessionState),
        rules: &Rules,
        conversation: &ConversationId,
    ) -> Result<Self, AppError> {
        let findings = rules.examine(workspace, state, conversation)?;
        let (met, unmet): (Vec<_>, Vec<_>) =
            findings.into_iter().partition(|finding| finding.status == Status::Met);
        let open = unmet.into_iter().map(|finding| OpenGate {
            before: rules.stands_before(&finding.gate).to_vec(),
            finding,
        });
        let mut brief = Self {
            session_id: session.clone(),
            version: state.version,
            objective: state.objective.clone(),
            first_prompt: first_prompt(workspace, session, state),
            lifecycle: state.lifecycle,
            pause: resting(state),
            mode: Some(rules.mode(state)).filter(|mode| *mode != modes::CODING).map(str::to_owned),
            protocol: rules
                .protocol
                .as_deref()
                .map(|name| InProtocol::of(name, state, conversation)),
            open: open.collect(),
            met: met.into_iter().map(|finding| finding.gate).collect(),
            others: others(state, conversation),
            unenforced: state.conversations.values().any(|known| known.unenforced),
            next: String::new(),
        };
        brief.next = brief.next_step();
        Ok(brief)
    }

    /// As an agent reads it.
    pub fn text(&self) -> String {
        let mut lines = vec![self.purpose()];
        match (&self.pause, self.lifecycle) {
            (Some(why), Lifecycle::Paused) => lines.push(format!("It is paused: \"{why}\".")),
            (_, lifecycle) if lifecycle.is_over() => {
                lines.push(format!("It is over ({lifecycle})."));
            }
            _ => {}
        }
        if let Some(mode) = &self.mode {
            lines.push(format!("Mode: {mode}. `waypost mode` tells what it denies."));
        }
        lines.extend(self.protocol.as_ref().map(InProtocol::line));
        if !self.open.is_empty() {
            lines.push("Open gates:".to_owned());
        }
        lines.extend(self.open.iter().take(MAX_GATES).map(OpenGate::line));
        if let Some(more) = self.open.len().checked_sub(MAX_GATES).filter(|more| *more > 0) {
            lines.push(format!("- and {more} more: `waypost gate list` shows them."));
        }
        if !self.met.is_empty() {
            lines.push(format!("Gates that hold: {}.", self.met.join(", ")));
        }
        for other in &self.others {
            lines.push(format!("Another conversation works here too: {other}."));
        }
        if self.unenforced {
            let unseen = "Files changed here in a turn of which no hook saw a tool call";
            lines.push(format!("{unseen}: gates may not have been enforced."));
        }
        lines.push(format!("Next: {}", self.next));
        lines.join("\n")
    }

    fn purpose(&self) -> String {
        let kept = format!("Waypost keeps this session: {}.", self.session_id);
        match (&self.objective, &self.first_prompt) {
            (Some(objective), _) => {
                let objective = shortened(&one_line(objective), MAX_TEXT);
                format!("{kept} Objective (written by its user or agent): \"{objective}\".")
            }
            (None, Some(prompt)) => {
                format!("{kept} It has no objective yet; its first prompt was: \"{prompt}\".")
            }
            (None, None) => format!("{kept} It has no objective yet."),
        }
    }

    fn next_step(&self) -> String {
        if self.lifecycle == Lifecycle::Paused || self.lifecycle.is_over() {
            return "`waypost resume` takes it up again.".to_owned();
        }
        if self.protocol.as_ref().is_some_and(|protocol| protocol.phase.is_none()) {
            return "call session_start with the objective.".to_owned();
        }
        let must = |open: &&OpenGate| open.finding.level == Level::Must;
        let at_end = |open: &&OpenGate| open.before.iter().all(is_end);
        let first = self.open.iter().filter(must).find(|open| !at_end(open));
        if let Some(OpenGate { finding, .. }) = first {
            return format!("{} (for {}).", finding.next, finding.gate);
        }
        if self.objective.is_none() {
            return "`waypost start --objective \"…\"` names what this is for.".to_owned();
        }
        let last: Vec<&str> =
            self.open.iter().filter(must).map(|open| open.finding.gate.as_str()).collect();
        if last.is_empty() {
            return "go on with the objective; no gate is open.".to_owned();
        }
        format!("go on with the objective; before you are done: {}.", last.join(", "))
    }
}

/// Whether a gate before this asks only when work is done.
fn is_end(before: &Before) -> bool {
    matches!(before, Before::Stop | Before::End | Before::Commit | Before::Push)
}

/// The first prompt of a session that has no objective yet, as this machine remembers it.
fn first_prompt(
    workspace: &Workspace<'_>,
    session: &SessionId,
    state: &SessionState,
) -> Option<String> {
    if state.objective.is_some() {
        return None;
    }
    let all = workspace.registry().all();
    let mut here = all.into_iter().filter(|known| known.session == *session);
    here.find_map(|known| known.prompt)
}

/// Why a paused session rests.
fn resting(state: &SessionState) -> Option<String> {
    let pause = state.pause.as_ref().filter(|_| state.lifecycle == Lifecycle::Paused)?;
    let context = pause.context.as_ref().map(|context| format!(" ({context})"));
    let why = format!("{}{}", pause.reason, context.unwrap_or_default());
    Some(shortened(&one_line(&why), 2 * MAX_TEXT))
}

/// The other conversations that are attached.
pub fn others(state: &SessionState, conversation: &ConversationId) -> Vec<String> {
    let attached = state.conversations.iter().filter(|(_, known)| known.attached);
    attached
        .filter(|(id, _)| *id != conversation)
        .map(|(id, known)| format!("{} {id}", known.harness))
        .collect()
}
