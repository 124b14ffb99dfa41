//! What stands below a manifest's key `waypost`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::FORMAT;
use super::workflow_file::SessionFile;
use crate::course::{Course, Passage};
use crate::event::{Focus, Past, Violation};
use crate::evidence::Provenance;
use crate::id::{ConversationId, SessionId};
use crate::ledger::RecordedVerdict;
use crate::session::{Archive, Build, Lifecycle, Orchestration, Pause, SessionState};
use crate::text::shortened;
use crate::time::Timestamp;
use crate::usage::Usage;

/// How much of a text that was imported is shown, in characters, and of how many violations; the record has all.
const MAX_TEXT: usize = 1000;
const MAX_IMPORTED: usize = 1000;

/// What Waypost knows beyond what other tools expect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct WaypostPart {
    format: u64,
    version: u64,
    head: String,
    workflow: String,
    /// The hash of the definition that the workflow began with.
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<String>,
    phase: String,
    lifecycle: Lifecycle,
    timing: SessionTiming,
    pause: Option<Pause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived: Option<Archive>,
    #[serde(skip_serializing_if = "Build::is_unused")]
    build: Build,
    #[serde(skip_serializing_if = "Focus::is_empty")]
    focus: Focus,
    #[serde(skip_serializing_if = "Option::is_none")]
    orchestration: Option<ShownAgents>,
    #[serde(skip_serializing_if = "Usage::is_unused")]
    usage: Usage,
    conversations: Vec<ShownConversation>,
    evidence: Vec<ShownRun>,
    violations: Vec<ShownViolation>,
    artifacts: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    track: Option<SessionFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    earlier_phases: Vec<Passage>,
}

/// How long it took.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct SessionTiming {
    active_ms: i64,
    paused_ms: i64,
    resumed: u64,
    ended_at: Option<Timestamp>,
}

/// A conversation that works in the session or did lately.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct ShownConversation {
    id: ConversationId,
    harness: String,
    attached: bool,
}

/// The latest run of each sort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct ShownRun {
    seq: u64,
    time: Timestamp,
    command: String,
    status: i32,
    provenance: Provenance,
}

/// Agents that work for each other: what is open or was last, and how many there were. The records have all of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct ShownAgents {
    #[serde(flatten)]
    known: Orchestration,
    verdicts: Vec<RecordedVerdict>,
}

/// A must that was missed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct ShownViolation {
    timestamp: Timestamp,
    gate: String,
    requirement: String,
    severity: String,
    reason: String,
}

/// What a manifest shows that neither state nor course remember.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) artifacts: BTreeMap<String, String>,
    violations: Vec<ShownViolation>,
}

impl Gathered {
    /// What was missed before Waypost kept it.
    pub(super) fn import(&mut self, past: &Past, time: Timestamp) {
        let short = |text: &str| shortened(text, MAX_TEXT);
        let surplus = past.violations.len().saturating_sub(MAX_IMPORTED);
        self.violations = past.violations[surplus..]
            .iter()
            .map(|missed| ShownViolation {
                timestamp: missed.time.unwrap_or(time),
                gate: short(missed.phase.as_deref().unwrap_or_default()),
                requirement: short(&missed.requirement),
                severity: short(&missed.severity),
                reason: short(missed.recovery.as_deref().unwrap_or_default()),
            })
            .collect();
    }

    /// A must was missed.
    pub(super) fn violate(&mut self, missed: &Violation, time: Timestamp) {
        self.violations.push(ShownViolation {
            timestamp: time,
            gate: missed.gate.clone(),
            requirement: missed.requirement.clone(),
            severity: missed.severity.clone(),
            reason: missed.reason.clone(),
        });
    }
}

impl WaypostPart {
    pub(super) fn of(
        id: &SessionId,
        state: SessionState,
        course: Course,
        gathered: Gathered,
        head: &str,
        lifecycle: Lifecycle,
    ) -> Self {
        let track = SessionFile::of(id, &state, &course);
        let phase = state.phase().to_owned();
        let conversation = |(id, known): (ConversationId, crate::session::Conversation)| {
            ShownConversation { id, harness: known.harness, attached: known.attached }
        };
        let evidence = |run: crate::evidence::RecordedRun| ShownRun {
            seq: run.seq,
            time: run.time,
            command: run.run.command,
            status: run.run.status,
            provenance: run.run.provenance,
        };
        let verdicts = state.ledger.verdicts;
        let is_used = !state.orchestration.is_unused();
        let orchestration = is_used.then_some(ShownAgents { known: state.orchestration, verdicts });
        Self {
            format: FORMAT,
            version: state.version,
            head: head.to_owned(),
            workflow: state.workflow,
            definition: state.track.map(|track| track.definition),
            phase,
            lifecycle,
            timing: SessionTiming {
                active_ms: course.active_ms,
                paused_ms: course.paused_ms,
                resumed: state.resumed,
                ended_at: state.ended_at,
            },
            pause: state.pause,
            archived: state.archived,
            build: state.build,
            focus: state.focus,
            orchestration,
            usage: state.usage,
            conversations: state.conversations.into_iter().map(conversation).collect(),
            evidence: state.ledger.runs.into_iter().map(evidence).collect(),
            violations: gathered.violations,
            artifacts: gathered.artifacts,
            track,
            earlier_phases: course.earlier,
        }
    }
}
