//! The fold of a session's records into signals. What has begun and not ended is carried from record to record; a span
//! is told once its end is known.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

mod agents;
mod conversations;
mod phases;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Telling;
use super::signal::{Log, Place, Severity, Signal, Span, SpanId, Status, TraceId};
use super::told::{Attributes, Scene, content, provenance};
use crate::cost::Tokens;
use crate::event::{AgentUsage, Event, Known, SessionOutcome, Violation};
use crate::evidence::Run;
use crate::id::{ConversationId, SessionId};
use crate::record::Record;
use crate::time::Timestamp;

use super::traceparent::TraceParent;

/// How much of one sort may have begun without having ended. What began before that is told as unfinished.
const MAX_OPEN: usize = 64;

/// What has begun in a session and not ended, as far as signals that follow depend on it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tracing {
    /// The hash of the session's first record.
    root: String,
    /// The session itself, while it is not over.
    session: Option<Begun>,
    /// The record by which it began, also when it is over.
    stretch: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<Phase>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    conversations: BTreeMap<ConversationId, Conversation>,
    /// Agents at work, by the records that began them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    agents: BTreeMap<u64, Agent>,
}

/// Something that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Begun {
    seq: u64,
    time: Timestamp,
}

/// A phase of a workflow or a protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Phase {
    name: String,
    begun: Begun,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Conversation {
    begun: Begun,
    harness: String,
    /// Where it belongs in its client's own trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    joins: Option<TraceParent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phase: Option<Phase>,
    #[serde(default)]
    used: Tokens,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Agent {
    begun: Begun,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subagent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conversation: Option<ConversationId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    #[serde(default, skip_serializing_if = "AgentUsage::is_unknown")]
    usage: AgentUsage,
}

impl Begun {
    fn of(record: &Record) -> Self {
        Self { seq: record.seq, time: record.time }
    }
}

impl Tracing {
    /// Counts the ways in which records were told. It grows whenever the same records leave something else begun.
    pub const FOLD: u32 = 1;

    /// Takes one more record into account, with its hash, and gives what it tells.
    pub fn apply(
        &mut self,
        session: &SessionId,
        hash: &str,
        record: &Record,
        telling: Telling,
    ) -> Vec<Signal> {
        if self.root.is_empty() {
            hash.clone_into(&mut self.root);
        }
        match &record.event {
            Event::Known(event) => self.take_in(Scene { session, record, telling }, event),
            Event::Other(_) => Vec::new(),
        }
    }

    #[expect(clippy::too_many_lines, reason = "one match over all events")]
    fn take_in(&mut self, scene: Scene<'_>, event: &Known) -> Vec<Signal> {
        let place = self.place(scene.record.actor.conversation());
        let log = |event, body: String, more: Attributes| {
            one(scene.log(event, place.clone(), body, more))
        };
        match event {
            Known::SessionStarted(started) => {
                let objective = started.objective.as_deref();
                let objective = objective.and_then(|text| scene.free("waypost.objective", text));
                self.workflow = Some(started.workflow.clone());
                self.begin(scene, "started", objective.into_iter().collect())
            }
            Known::SessionImported(_) => self.begin(scene, "imported", Vec::new()),
            Known::SessionAdopted { .. } => self.begin(scene, "taken_over", Vec::new()),
            Known::SessionRestored(_) => self.begin(scene, "restored", Vec::new()),
            Known::SessionNamed { objective, workflow } => {
                if workflow.is_some() {
                    self.workflow.clone_from(workflow);
                }
                let objective = scene.free("waypost.objective", objective);
                self.changed(scene, "named", objective.into_iter().collect())
            }
            Known::SessionPaused { reason, .. } => {
                let reason = scene.free("waypost.reason", reason);
                self.changed(scene, "paused", reason.into_iter().collect())
            }
            Known::SessionResumed { .. } => self.begin(scene, "resumed", Vec::new()),
            Known::SessionEnded(ended) => {
                let summary = ended.summary.as_deref();
                let summary = summary.and_then(|text| scene.free("waypost.summary", text));
                match ended.outcome {
                    SessionOutcome::Completed => {
                        self.end(scene, "completed", Status::Good, summary)
                    }
                    SessionOutcome::Failed => self.end(scene, "failed", Status::Failed, summary),
                }
            }
            Known::SessionArchived { reason } => {
                let reason = scene.free("waypost.reason", reason);
                self.end(scene, "archived", Status::Unset, reason)
            }
            Known::CommitAdded(commit) => {
                let mut said = vec![("vcs.ref.head.revision", commit.sha.as_str().into())];
                said.push(("waypost.commit.unproven", (!commit.unproven.is_empty()).into()));
                said.extend(scene.free("waypost.commit.message", &commit.message));
                let short: String = commit.sha.chars().take(10).collect();
                log("waypost.commit", format!("commit {short}"), said)
            }
            Known::ConversationAttached(attached) => self.attach(scene, attached),
            Known::ConversationDetached { conversation, reason } => {
                self.detach(scene, conversation, reason)
            }
            Known::SubagentStarted { conversation, subagent, agent_type, .. } => {
                let (who, id) = (Some(conversation), Some(subagent.as_str()));
                self.invoke(scene, agent_type, id, who)
            }
            Known::SubagentEnded { conversation, subagent, .. } => {
                let number = self.subagent(conversation, subagent);
                self.finish(scene, number, Status::Good)
            }
            Known::SubagentCalled(called) => self.called(scene, called),
            Known::AgentInvoked(invoked) => {
                let who = scene.record.actor.conversation();
                self.invoke(scene, &invoked.agent, None, who)
            }
            Known::AgentCompleted(done) => self.completed(scene, done),
            Known::UsageCounted(counted) => {
                let place = self.place(Some(&counted.conversation));
                if let Some(known) = self.conversations.get_mut(&counted.conversation) {
                    known.use_up(counted);
                }
                scene.usage(&place, counted)
            }
            Known::VerdictGiven(given) => one(scene.verdict(place, given)),
            Known::CommandRan(run) => vec![self.ran(scene, run)],
            Known::EvidenceRecorded(evidence) => one(scene.evidence(place, evidence)),
            Known::GateMarked(mark) => {
                let mut said = vec![("waypost.gate", mark.gate.as_str().into())];
                said.push(provenance(mark.provenance));
                let note = mark.note.as_deref();
                said.extend(note.and_then(|note| scene.free("waypost.gate.note", note)));
                log("waypost.gate_marked", format!("{} {}", mark.provenance, mark.gate), said)
            }
            Known::GateCleared { gate, .. } => {
                let said = vec![("waypost.gate", gate.as_str().into())];
                log("waypost.gate_cleared", format!("cleared {gate}"), said)
            }
            Known::GatesPaused(paused) => {
                let said = vec![("waypost.gates", paused.gates.clone().into())];
                log("waypost.gates_paused", named("paused", &paused.gates), said)
            }
            Known::GatesUnpaused { gates } => {
                let said = vec![("waypost.gates", gates.clone().into())];
                log("waypost.gates_unpaused", named("unpaused", gates), said)
            }
            Known::RulingMade(ruling) => {
                let place = self.place(Some(&ruling.action.conversation));
                one(scene.ruling(place, ruling))
            }
            Known::ViolationRecorded(violation) => {
                let whose = violation.conversation.as_ref();
                one(missed(
                    scene,
                    self.place(whose.or(scene.record.actor.conversation())),
                    violation,
                ))
            }
            Known::ViolationRecovered { gate, recovery, .. } => {
                let mut said = vec![("waypost.gate", gate.as_str().into())];
                said.extend(scene.free("waypost.violation.recovery", recovery));
                log("waypost.violation_recovered", format!("{gate} holds after all"), said)
            }
            Known::ModeSet { mode } => log(
                "waypost.mode",
                format!("mode {mode}"),
                vec![("waypost.mode", mode.as_str().into())],
            ),
            Known::StopAllowed { tree, .. } => {
                let said = content(tree.as_ref()).into_iter().collect();
                log("waypost.stop_allowed", "stop allowed".to_owned(), said)
            }
            Known::TrackStarted(track) => self.begin_track(scene, track),
            Known::PhaseEntered { conversation, to, .. } => {
                self.enter(scene, conversation.as_ref(), to, Status::Good)
            }
            Known::PhaseChecked(checked) => {
                let mut said = vec![("waypost.phase", checked.phase.as_str().into())];
                said.push(("waypost.phase.passed", checked.passed.into()));
                let errors = checked.errors.iter().map(String::as_str);
                said.extend(scene.free_list("waypost.phase.errors", errors));
                let came = if checked.passed { "passed" } else { "did not pass" };
                log("waypost.phase_checked", format!("phase {} {came}", checked.phase), said)
            }
            Known::PhaseSkipped { phase, reason } => {
                let mut said = vec![("waypost.phase", phase.as_str().into())];
                said.extend(scene.free("waypost.reason", reason));
                log("waypost.phase_skipped", format!("phase {phase} left out"), said)
            }
            Known::RolledBack { to, .. } => self.enter(scene, None, to, Status::Failed),
            Known::TrackCompleted { conversation, .. } => {
                self.leave(scene, conversation.as_ref(), Status::Good)
            }
            Known::TailCut(cut) => {
                let said = vec![("waypost.bytes", cut.bytes.into())];
                let told =
                    log("waypost.records_cut", "the end of the records was damaged".into(), said);
                told.into_iter().map(warning).collect()
            }
            // Of these nobody who watches from outside wants to know, or another signal tells them.
            Known::ProjectInitialised { .. }
            | Known::PolicyCompiled(_)
            | Known::PolicyLost(_)
            | Known::BuildStarted { .. }
            | Known::BuildExtended { .. }
            | Known::CheckpointStarted { .. }
            | Known::CheckpointCompleted { .. }
            | Known::TaskCompleted { .. }
            | Known::GitChanged(_)
            | Known::FocusSet(_)
            | Known::PolicyPinned { .. }
            | Known::TurnStarted { .. }
            | Known::EditObserved { .. }
            | Known::EditsFound { .. }
            | Known::WorktreeEntered { .. }
            | Known::DebtHandedOn { .. }
            | Known::DecisionRecorded(_)
            | Known::DecisionReviewed { .. }
            | Known::VerdictResolved { .. }
            | Known::HandoffCreated(_)
            | Known::HandoffAccepted(_)
            | Known::HistoryCompacted(_)
            | Known::CarriedOver(_)
            | Known::GatesPassed { .. }
            | Known::Shared(_)
            | Known::ConfigTrusted { .. }
            | Known::PhaseRetried { .. }
            | Known::TrackExtended(_)
            | Known::NoteAdded { .. }
            | Known::LossAccepted { .. }
            | Known::ArtifactsChanged { .. }
            | Known::CopySetAside { .. }
            | Known::CurrentChosen { .. }
            | Known::ProjectRemoved { .. }
            | Known::GatesSwitched { .. }
            | Known::CopyTrusted { .. } => Vec::new(),
        }
    }

    /// Where something of a conversation belongs; without one, or where it is over, something of the session.
    fn place(&self, conversation: Option<&ConversationId>) -> Place {
        let known = conversation.and_then(|id| self.conversations.get(id));
        match known {
            Some(known) => known.place(&self.root),
            None => self.session_place(),
        }
    }

    fn session_place(&self) -> Place {
        let span = SpanId::of(&self.root, "session", self.stretch);
        Place { trace: TraceId::of(&self.root), span }
    }

    /// Tells a change of the session itself.
    fn changed(&self, scene: Scene<'_>, what: &'static str, more: Attributes) -> Vec<Signal> {
        let mut said: Attributes = vec![("waypost.session.change", what.into())];
        let workflow = self.workflow.as_deref();
        said.extend(workflow.map(|name| ("waypost.workflow", name.into())));
        said.extend(more);
        let body = format!("session {}", what.replace('_', " "));
        one(scene.log("waypost.session", self.session_place(), body, said))
    }

    fn begin(&mut self, scene: Scene<'_>, what: &'static str, more: Attributes) -> Vec<Signal> {
        if self.session.is_none() {
            self.session = Some(Begun::of(scene.record));
            self.stretch = scene.record.seq;
        }
        self.changed(scene, what, more)
    }

    fn end(
        &mut self,
        scene: Scene<'_>,
        what: &'static str,
        status: Status,
        more: Option<(&'static str, super::Value)>,
    ) -> Vec<Signal> {
        let more: Attributes = more.into_iter().collect();
        let mut told = self.leave(scene, None, Status::Unset);
        told.extend(self.changed(scene, what, more.clone()));
        let place = self.session_place();
        if let Some(begun) = self.session.take() {
            let mut attributes = scene.common();
            attributes.push(("waypost.session.outcome", what.into()));
            let workflow = self.workflow.as_deref();
            attributes.extend(workflow.map(|name| ("waypost.workflow", name.into())));
            attributes.extend(more);
            let (parent, link, name) = (None, None, "session".to_owned());
            let end = scene.record.time;
            let span =
                Span { place, parent, link, name, start: begun.time, end, attributes, status };
            told.push(ended(span));
        }
        told
    }

    fn ran(&self, scene: Scene<'_>, run: &Run) -> Signal {
        let Place { trace, span: parent } = self.place(scene.record.actor.conversation());
        let span = SpanId::of(&self.root, "run", scene.record.seq);
        let end = scene.record.time;
        let took = run.duration_ms.and_then(|took| i64::try_from(took).ok()).unwrap_or_default();
        let start = Timestamp::saturating_from_millis(end.as_millis().saturating_sub(took));
        let mut attributes = scene.run(run);
        attributes.push(("waypost.run.duration_known", run.duration_ms.is_some().into()));
        ended(Span {
            place: Place { trace, span },
            parent: Some(parent),
            link: None,
            name: format!("run {}", super::told::program(&run.command)),
            start,
            end,
            attributes,
            status: if run.has_failed() { Status::Failed } else { Status::Good },
        })
    }
}

fn missed(scene: Scene<'_>, place: Place, violation: &Violation) -> Log {
    let mut said: Attributes = vec![
        ("waypost.gate", violation.gate.as_str().into()),
        ("waypost.violation.severity", violation.severity.as_str().into()),
        ("waypost.violation.forced", violation.forced.into()),
    ];
    said.extend(scene.free("waypost.reason", &violation.reason));
    let body = format!("{} was not met", violation.gate);
    let log = scene.log("waypost.violation", place, body, said);
    Log { severity: Severity::Warning, ..log }
}

fn named(what: &str, gates: &[String]) -> String {
    match gates {
        [] => format!("all gates {what}"),
        gates => format!("{what} {}", gates.join(", ")),
    }
}

fn one(log: Log) -> Vec<Signal> {
    vec![Signal::Log(Box::new(log))]
}

fn warning(signal: Signal) -> Signal {
    match signal {
        Signal::Log(log) => Signal::Log(Box::new(Log { severity: Severity::Warning, ..*log })),
        Signal::Span(span) => Signal::Span(span),
    }
}

/// A span that has ended. Clocks may go back; no span does.
fn ended(span: Span) -> Signal {
    let end = span.end.max(span.start);
    Signal::Span(Box::new(Span { end, ..span }))
}
