//! The rows that the records of a session come to. The fold's state is its rows: whoever has them goes on where they
//! end, so that a live index and one that was made anew are the same.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

mod agents;
mod proof;

use std::collections::BTreeMap;

use super::rows::{
    AgentRow, CommitRow, ConversationRow, DecisionRow, EvidenceRow, GateRow, LogRow, VerdictRow,
    ViolationRow,
};
use super::told::{text, told};
use super::usage::UsageCountedRow;
use crate::event::{
    AgentCompleted, AgentInvoked, ConversationAttached, DecisionRecorded, Event, InvocationStatus,
    Known, SubagentCalled,
};
use crate::evidence::VerdictGiven;
use crate::id::{ConversationId, SessionId};
use crate::key::sha256_hex;
use crate::record::Record;

/// The number of a session, which is the same in every index.
pub fn session_key(project: &str, session: &SessionId) -> i64 {
    let hash = sha256_hex(&[project.as_bytes(), b"\0", session.as_str().as_bytes()]);
    // Sixty bits: with ten thousand sessions two are the same once in twenty thousand million machines.
    i64::from_str_radix(&hash[..15], 16).unwrap_or_default()
}

/// The rows of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionRows {
    /// The session's number.
    pub session: i64,
    /// Its conversations, by their ids.
    pub conversations: BTreeMap<String, ConversationRow>,
    /// Its agents, by the records that began them.
    pub agents: BTreeMap<u64, AgentRow>,
    /// Its gates, by their names.
    pub gates: BTreeMap<String, GateRow>,
    /// Its decisions, by their ids.
    pub decisions: BTreeMap<String, DecisionRow>,
    /// Its verdicts, by their records.
    pub verdicts: BTreeMap<u64, VerdictRow>,
    /// What was missed, by record and place.
    pub violations: BTreeMap<(u64, u64), ViolationRow>,
    /// Evidence that came since the rows were read. It never changes.
    pub evidence: Vec<EvidenceRow>,
    /// Commits that came since the rows were read.
    pub commits: BTreeMap<String, CommitRow>,
    /// What conversations used, as far as it was counted since the rows were read.
    pub counted: Vec<UsageCountedRow>,
    /// What happened since the rows were read.
    pub logs: Vec<LogRow>,
}

impl SessionRows {
    /// No rows yet of the session with this number.
    pub fn new(session: i64) -> Self {
        Self { session, ..Self::default() }
    }

    /// Takes one more record into account.
    pub fn apply(&mut self, record: &Record) {
        let (kind, what) = told(&record.event);
        self.logs.push(LogRow {
            session: self.session,
            activity: false,
            number: record.seq,
            time: record.time,
            actor: record.actor.label(),
            kind,
            what,
            status: None,
            files: None,
        });
        if let Event::Known(event) = &record.event {
            self.take_in(record, event);
        }
    }

    #[expect(clippy::too_many_lines, reason = "one match over all events")]
    fn take_in(&mut self, record: &Record, event: &Known) {
        match event {
            Known::SessionImported(imported) => self.import(record, imported),
            Known::ConversationAttached(attached) => self.attach(record, attached),
            Known::ConversationDetached { conversation, reason } => {
                self.lose_subagents(record, conversation);
                if let Some(known) = self.conversations.get_mut(conversation.as_str()) {
                    known.detached_at = Some(record.time);
                    known.reason = Some(reason.clone());
                }
            }
            Known::TurnStarted { conversation, .. } => {
                if let Some(known) = self.conversations.get_mut(conversation.as_str()) {
                    known.turns += 1;
                }
            }
            Known::SubagentStarted { conversation, subagent, agent_type, .. } => {
                self.begin_subagent(record, conversation, subagent, agent_type);
            }
            Known::SubagentEnded { conversation, subagent, .. } => {
                self.end_subagent(record, conversation, subagent);
            }
            Known::UsageCounted(counted) => {
                self.counted.extend(UsageCountedRow::of(self.session, record, counted));
                for agent in &counted.agents {
                    if let Some(row) = self.subagent(&counted.conversation, &agent.subagent) {
                        row.tokens = Some(agent.tokens);
                    }
                }
            }
            Known::SubagentCalled(called) => self.subagent_called(record, called),
            Known::AgentInvoked(invoked) => self.invoke(record, invoked),
            Known::AgentCompleted(completed) => self.complete(record, completed),
            Known::DecisionRecorded(decision) => self.decide(record, decision),
            Known::DecisionReviewed { decision, by, approved } => {
                if let Some(known) = self.decisions.get_mut(decision) {
                    known.review(by, *approved);
                }
            }
            Known::VerdictGiven(given) => self.judge(record, given),
            Known::VerdictResolved { verdict, how } => {
                if let Some(known) = self.verdicts.get_mut(verdict) {
                    known.resolved = Some(text(how));
                }
            }
            Known::CommandRan(run) => self.ran(record, run),
            Known::EvidenceRecorded(evidence) => self.seen(record, evidence),
            Known::GateMarked(mark) => self.mark(record, mark),
            Known::GateCleared { gate, .. } => self.gate(record, gate, "cleared"),
            Known::GatesPaused(paused) => self.gates(record, &paused.gates, "paused"),
            Known::GatesUnpaused { gates } => self.gates(record, gates, "unpaused"),
            Known::GatesPassed { triggered, consumed, .. } => {
                self.gates(record, triggered, "passed");
                self.gates(record, consumed, "used_up");
            }
            Known::RulingMade(ruling) => self.rule(record, ruling),
            Known::ViolationRecorded(violation) => self.miss(record, violation),
            Known::ViolationRecovered { conversation, gate, recovery } => {
                self.recover(record, conversation.as_ref(), gate, recovery);
            }
            Known::CommitAdded(commit) => self.commit(record, commit),
            // Of these the session's own row tells, or the log alone.
            Known::ProjectInitialised { .. }
            | Known::PolicyCompiled(_)
            | Known::PolicyLost(_)
            | Known::SessionStarted(_)
            | Known::SessionNamed { .. }
            | Known::SessionPaused { .. }
            | Known::SessionResumed { .. }
            | Known::SessionEnded(_)
            | Known::SessionArchived { .. }
            | Known::BuildStarted { .. }
            | Known::BuildExtended { .. }
            | Known::CheckpointStarted { .. }
            | Known::CheckpointCompleted { .. }
            | Known::TaskCompleted { .. }
            | Known::GitChanged(_)
            | Known::FocusSet(_)
            | Known::PolicyPinned { .. }
            | Known::EditObserved { .. }
            | Known::EditsFound { .. }
            | Known::WorktreeEntered { .. }
            | Known::DebtHandedOn { .. }
            | Known::HandoffCreated(_)
            | Known::HandoffAccepted(_)
            | Known::HistoryCompacted(_)
            | Known::CarriedOver(_)
            | Known::ModeSet { .. }
            | Known::Shared(_)
            | Known::ConfigTrusted { .. }
            | Known::TrackStarted(_)
            | Known::PhaseEntered { .. }
            | Known::PhaseChecked(_)
            | Known::PhaseSkipped { .. }
            | Known::PhaseRetried { .. }
            | Known::RolledBack { .. }
            | Known::TrackExtended(_)
            | Known::TrackCompleted { .. }
            | Known::StopAllowed { .. }
            | Known::NoteAdded { .. }
            | Known::TailCut(_)
            | Known::LossAccepted { .. }
            | Known::SessionAdopted { .. }
            | Known::SessionRestored(_)
            | Known::ArtifactsChanged { .. }
            | Known::CopySetAside { .. }
            | Known::CurrentChosen { .. }
            | Known::ProjectRemoved { .. }
            | Known::GatesSwitched { .. }
            | Known::CopyTrusted { .. } => {}
        }
    }

    fn attach(&mut self, record: &Record, attached: &ConversationAttached) {
        let id = attached.conversation.to_string();
        let row = self.conversations.entry(id.clone()).or_insert_with(|| ConversationRow {
            session: self.session,
            id,
            harness: String::new(),
            attached_at: record.time,
            detached_at: None,
            reason: None,
            turns: 0,
        });
        row.harness.clone_from(&attached.harness);
        (row.detached_at, row.reason) = (None, None);
    }

    fn agent(&mut self, record: &Record, agent: &str) -> &mut AgentRow {
        self.agents.entry(record.seq).or_insert_with(|| AgentRow {
            session: self.session,
            seq: record.seq,
            agent: agent.to_owned(),
            subagent: None,
            conversation: record.actor.conversation().map(ToString::to_string),
            prompt: None,
            status: InvocationStatus::InProgress.name().to_owned(),
            started_at: record.time,
            ended_at: None,
            summary: None,
            tokens: None,
            duration_ms: None,
            tool_calls: None,
        })
    }

    fn invoke(&mut self, record: &Record, invoked: &AgentInvoked) {
        self.agent(record, &invoked.agent).prompt = Some(text(&invoked.prompt));
    }

    fn complete(&mut self, record: &Record, completed: &AgentCompleted) {
        if let Some(row) = self.agents.get_mut(&completed.invocation) {
            row.finish(record, completed.status);
            row.summary = Some(text(&completed.summary));
        }
    }

    fn begin_subagent(
        &mut self,
        record: &Record,
        conversation: &ConversationId,
        subagent: &str,
        agent_type: &str,
    ) {
        let row = self.agent(record, agent_type);
        row.subagent = Some(subagent.to_owned());
        row.conversation = Some(conversation.to_string());
    }

    /// The latest one of the conversation that the harness calls so.
    fn subagent(&mut self, conversation: &ConversationId, subagent: &str) -> Option<&mut AgentRow> {
        let is_it = |row: &&mut AgentRow| {
            row.subagent.as_deref() == Some(subagent)
                && row.conversation.as_deref() == Some(conversation.as_str())
        };
        self.agents.values_mut().rev().find(is_it)
    }

    fn end_subagent(&mut self, record: &Record, conversation: &ConversationId, subagent: &str) {
        if let Some(row) = self.subagent(conversation, subagent) {
            // That the call failed may be known by then.
            if row.ended_at.is_none() {
                row.finish(record, InvocationStatus::Completed);
            }
        }
    }

    /// Nobody tells of the end of a conversation's subagents any more.
    fn lose_subagents(&mut self, record: &Record, conversation: &ConversationId) {
        let is_lost = |row: &&mut AgentRow| {
            row.subagent.is_some()
                && row.ended_at.is_none()
                && row.conversation.as_deref() == Some(conversation.as_str())
        };
        for row in self.agents.values_mut().filter(is_lost) {
            row.finish(record, InvocationStatus::Failed);
        }
    }

    fn subagent_called(&mut self, record: &Record, called: &SubagentCalled) {
        let Some(conversation) = record.actor.conversation() else { return };
        let Some(row) = self.subagent(conversation, &called.subagent) else { return };
        row.prompt = Some(text(&called.about));
        // What is there already was added up from everything that it said.
        row.use_up(called.usage.or(row.usage()));
        if called.failed {
            row.finish(record, InvocationStatus::Failed);
        }
    }

    fn decide(&mut self, record: &Record, decision: &DecisionRecorded) {
        let row = DecisionRow {
            session: self.session,
            id: decision.id.clone(),
            seq: record.seq,
            time: record.time,
            kind: decision.decision_type.name().to_owned(),
            description: text(&decision.description),
            rationale: text(&decision.rationale),
            decided_by: decision.decided_by.clone(),
            approved_by: decision.approved_by.join("\n"),
            rejected_by: decision.rejected_by.join("\n"),
        };
        self.decisions.insert(decision.id.clone(), row);
    }

    fn judge(&mut self, record: &Record, given: &VerdictGiven) {
        let is_of_same = |row: &&mut VerdictRow| {
            row.agent == given.agent && row.counts == given.provenance.counts()
        };
        // Only the latest one of an agent says what it still wants.
        let before = self.verdicts.values_mut().rev().find(is_of_same);
        if let Some(before) = before.filter(|row| row.wants > 0 && row.resolved.is_none()) {
            before.resolved = Some("it judged again".to_owned());
        }
        let row = VerdictRow {
            session: self.session,
            seq: record.seq,
            time: record.time,
            agent: given.agent.clone(),
            verdict: given.verdict.name().to_owned(),
            confidence: given.confidence.value(),
            reasoning: text(&given.reasoning),
            provenance: given.provenance.to_string(),
            counts: given.provenance.counts(),
            wants: (given.conditions.len() + given.blockers.len()) as u64,
            resolved: None,
        };
        self.verdicts.insert(record.seq, row);
    }
}
