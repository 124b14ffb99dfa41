//! What stands below a manifest's key `waypost`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::FORMAT;
use crate::event::{Event, Focus, Known};
use crate::evidence::Provenance;
use crate::id::ConversationId;
use crate::record::Record;
use crate::session::{Archive, Build, Lifecycle, Pause, SessionState};
use crate::time::Timestamp;

/// What Waypost knows beyond what other tools expect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Details {
    format: u64,
    version: u64,
    head: String,
    workflow: String,
    lifecycle: Lifecycle,
    timing: Timing,
    pause: Option<Pause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    archived: Option<Archive>,
    #[serde(skip_serializing_if = "Build::is_unused")]
    build: Build,
    #[serde(skip_serializing_if = "Focus::is_empty")]
    focus: Focus,
    conversations: Vec<Conversation>,
    evidence: Vec<Evidence>,
    violations: Vec<Missed>,
    pub(super) artifacts: BTreeMap<String, String>,
}

/// How long it took.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
struct Timing {
    active_ms: u64,
    paused_ms: u64,
    resumed: u64,
    ended_at: Option<Timestamp>,
}

/// A conversation that works in the session or did lately.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Conversation {
    id: ConversationId,
    harness: String,
    attached: bool,
}

/// The latest run of each sort.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Evidence {
    seq: u64,
    time: Timestamp,
    command: String,
    status: i32,
    provenance: Provenance,
}

/// A must that was missed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Missed {
    timestamp: Timestamp,
    gate: String,
    requirement: String,
    severity: String,
    reason: String,
}

impl Details {
    pub(super) fn of(
        records: &[Record],
        state: SessionState,
        head: &str,
        lifecycle: Lifecycle,
    ) -> Self {
        let mut artifacts = BTreeMap::new();
        let mut violations = Vec::new();
        for record in records {
            match &record.event {
                Event::Known(Known::ArtifactsChanged { files }) => artifacts.extend(files.clone()),
                Event::Known(Known::ViolationRecorded(missed)) => violations.push(Missed {
                    timestamp: record.time,
                    gate: missed.gate.clone(),
                    requirement: missed.requirement.clone(),
                    severity: missed.severity.clone(),
                    reason: missed.reason.clone(),
                }),
                _ => {}
            }
        }
        let conversation = |(id, known): (ConversationId, crate::session::Conversation)| {
            Conversation { id, harness: known.harness, attached: known.attached }
        };
        let evidence = |run: crate::evidence::RecordedRun| Evidence {
            seq: run.seq,
            time: run.time,
            command: run.run.command,
            status: run.run.status,
            provenance: run.run.provenance,
        };
        Self {
            format: FORMAT,
            version: state.version,
            head: head.to_owned(),
            workflow: state.workflow,
            lifecycle,
            timing: Timing { resumed: state.resumed, ended_at: state.ended_at, ..timing(records) },
            pause: state.pause,
            archived: state.archived,
            build: state.build,
            focus: state.focus,
            conversations: state.conversations.into_iter().map(conversation).collect(),
            evidence: state.ledger.runs.into_iter().map(evidence).collect(),
            violations,
            artifacts,
        }
    }
}

/// Active and paused time up to the last record. A clock that was set back adds nothing.
fn timing(records: &[Record]) -> Timing {
    let mut timing = Timing::default();
    let mut state = SessionState::default();
    for record in records {
        let before = state.updated_at.unwrap_or(record.time);
        let passed = u64::try_from(record.time.as_millis() - before.as_millis()).unwrap_or(0);
        match state.lifecycle {
            Lifecycle::Active => timing.active_ms += passed,
            Lifecycle::Paused => timing.paused_ms += passed,
            _ => {}
        }
        state.apply(record);
    }
    timing
}
