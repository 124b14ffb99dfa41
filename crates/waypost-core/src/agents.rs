//! What the records of a session tell of agents that work for each other, in full: every invocation, decision, verdict
//! and handoff, in their order. Not bounded, so nothing that decides is made of it.

#![deny(clippy::wildcard_enum_match_arm, reason = "a new event has to be decided on here")]

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::actor::Actor;
use crate::event::{
    AgentCompleted, AgentInvoked, AgentUsage, DecisionRecorded, Event, HandoffAccepted,
    HandoffCreated, HistoryCompacted, InvocationStatus, Known, SubagentCalled,
};
use crate::evidence::VerdictGiven;
use crate::id::ConversationId;
use crate::record::Record;
use crate::time::Timestamp;

/// What the records of a session tell of its agents.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Agents {
    /// Who was given work.
    pub invocations: Vec<AgentWork>,
    /// What was decided.
    pub decisions: Vec<Decision>,
    /// Who judged what.
    pub verdicts: Vec<Verdict>,
    /// What was handed over.
    pub handoffs: Vec<Handoff>,
    /// Which invocations left the state, and when.
    pub compactions: Vec<Compaction>,
    /// The modes that were set, and when.
    #[serde(skip)]
    pub modes: Vec<(String, Timestamp)>,
    /// Where decisions are, by their ids.
    #[serde(skip)]
    decision_at: BTreeMap<String, usize>,
    /// Where the latest verdict of each agent is, those that count apart from those that do not.
    #[serde(skip)]
    verdict_at: BTreeMap<(String, bool), usize>,
}

/// An agent that was given work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentWork {
    /// The record.
    pub seq: u64,
    /// The agent.
    pub agent: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it was done.
    pub completed_at: Option<Timestamp>,
    /// How far it has come.
    pub status: InvocationStatus,
    /// What it was asked to do. Of a subagent that hooks see, the few words that the call gave.
    pub prompt: String,
    /// What it was told beside that.
    pub context: Map<String, Value>,
    /// The files that it was given.
    pub given: Vec<String>,
    /// What it said when it was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<AgentCompleted>,
    /// The agent that handed the work over.
    pub handoff_from: Option<String>,
    /// The conversation that it works for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// The harness' name for it, where hooks see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// The subagent that started it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What its work took, as far as that is known.
    #[serde(skip_serializing_if = "AgentUsage::is_unknown")]
    pub usage: AgentUsage,
    /// The files that it was seen to change; the first few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Whether hooks saw it; else an agent or a human said so.
    pub observed: bool,
}

/// A decision with its place in the stream.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// The record.
    pub seq: u64,
    /// When.
    pub time: Timestamp,
    /// What, and who agrees by now.
    #[serde(flatten)]
    pub decision: DecisionRecorded,
}

/// A verdict with its place in the stream.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The record.
    pub seq: u64,
    /// When.
    pub time: Timestamp,
    /// What was said.
    #[serde(flatten)]
    pub verdict: VerdictGiven,
    /// How its conditions and blockers came to be met, if they did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<String>,
}

impl Verdict {
    /// Whether something of it is still to be done.
    pub fn is_open(&self) -> bool {
        let wants = !self.verdict.conditions.is_empty() || !self.verdict.blockers.is_empty();
        wants && self.resolved.is_none()
    }
}

/// A handoff with its place in the stream.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Handoff {
    /// The record.
    pub seq: u64,
    /// When.
    pub time: Timestamp,
    /// Who made it.
    pub actor: Actor,
    /// What was handed over.
    #[serde(flatten)]
    pub handoff: HandoffCreated,
    /// How it was accepted, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Acceptance>,
}

/// How a handoff was accepted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Acceptance {
    /// When.
    pub time: Timestamp,
    /// By whom.
    pub by: Actor,
    /// What was found of the points of its checklist that nobody can look up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<String>,
}

/// Invocations that left the state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compaction {
    /// When.
    pub time: Timestamp,
    /// Which.
    #[serde(flatten)]
    pub range: HistoryCompacted,
}

impl Agents {
    /// What these records tell.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut agents = Self::default();
        for record in records {
            agents.add(record);
        }
        agents
    }

    /// The invocations whose records lie in a range.
    pub fn within(&self, from: u64, to: u64) -> impl Iterator<Item = &AgentWork> {
        self.invocations.iter().filter(move |known| (from..=to).contains(&known.seq))
    }

    /// The invocations that did not leave the state.
    pub fn at_hand(&self) -> impl Iterator<Item = &AgentWork> {
        let left = self.compactions.last().map_or(0, |last| last.range.to);
        self.invocations.iter().filter(move |known| known.seq > left)
    }

    /// The subagents that work for a subagent, and for those in turn.
    pub fn below<'a>(&'a self, conversation: &ConversationId, subagent: &'a str) -> Vec<&'a str> {
        let mut found = vec![subagent];
        let mut at = 0;
        while let Some(parent) = found.get(at).copied() {
            let own = self.invocations.iter().filter(|known| {
                known.conversation.as_ref() == Some(conversation)
                    && known.parent.as_deref() == Some(parent)
            });
            let new: Vec<&str> = own.filter_map(|known| known.subagent.as_deref()).collect();
            for name in new {
                if !found.contains(&name) {
                    found.push(name);
                }
            }
            at += 1;
        }
        found.split_off(1)
    }

    /// Takes one more record into account.
    #[expect(clippy::too_many_lines, reason = "one match over all events")]
    pub fn add(&mut self, record: &Record) {
        let (seq, time) = (record.seq, record.time);
        let Event::Known(event) = &record.event else { return };
        match event {
            Known::AgentInvoked(invoked) => self.invoke(record, invoked),
            Known::AgentCompleted(completed) => self.complete(record, completed),
            Known::SubagentStarted { conversation, subagent, agent_type, .. } => {
                let work = AgentWork::begun(record, agent_type);
                self.invocations.push(AgentWork {
                    conversation: Some(conversation.clone()),
                    subagent: Some(subagent.clone()),
                    observed: true,
                    ..work
                });
            }
            Known::UsageCounted(counted) => {
                for agent in &counted.agents {
                    if let Some(work) = self.subagent(&counted.conversation, &agent.subagent) {
                        work.usage.tokens = Some(agent.tokens);
                    }
                }
            }
            Known::SubagentEnded { conversation, subagent, files } => {
                if let Some(work) = self.subagent(conversation, subagent) {
                    // That the call failed may be known by then.
                    if work.status == InvocationStatus::InProgress {
                        work.finish(time, InvocationStatus::Completed);
                    }
                    work.files.clone_from(files);
                }
            }
            Known::SubagentCalled(called) => self.called(record, called),
            // Nobody tells of the end of its subagents any more.
            Known::ConversationDetached { conversation, .. } => {
                let is_lost = |known: &&mut AgentWork| {
                    known.observed
                        && known.status == InvocationStatus::InProgress
                        && known.conversation.as_ref() == Some(conversation)
                };
                for work in self.invocations.iter_mut().filter(is_lost) {
                    work.finish(time, InvocationStatus::Failed);
                }
            }
            Known::DecisionRecorded(decision) => {
                self.decision_at.insert(decision.id.clone(), self.decisions.len());
                let decision = DecisionRecorded::clone(decision);
                self.decisions.push(Decision { seq, time, decision });
            }
            Known::DecisionReviewed { decision, by, approved } => {
                self.review(decision, by, *approved);
            }
            Known::VerdictGiven(verdict) => self.judge(record, verdict),
            Known::VerdictResolved { verdict, how } => {
                for known in self.verdicts.iter_mut().filter(|known| known.seq == *verdict) {
                    known.resolved = Some(how.clone());
                }
            }
            Known::HandoffCreated(handoff) => self.handoffs.push(Handoff {
                seq,
                time,
                actor: record.actor.clone(),
                handoff: HandoffCreated::clone(handoff),
                accepted: None,
            }),
            Known::HandoffAccepted(accepted) => self.accept(record, accepted),
            Known::HistoryCompacted(range) => {
                self.compactions.push(Compaction { time, range: range.clone() });
            }
            Known::ModeSet { mode } => self.modes.push((mode.clone(), time)),
            // These tell of no agent that works for another one.
            Known::ProjectInitialised { .. }
            | Known::PolicyCompiled(_)
            | Known::PolicyLost(_)
            | Known::SessionStarted(_)
            | Known::SessionNamed { .. }
            | Known::SessionPaused { .. }
            | Known::SessionResumed { .. }
            | Known::SessionEnded(_)
            | Known::SessionArchived { .. }
            | Known::SessionImported(_)
            | Known::CommitAdded(_)
            | Known::BuildStarted { .. }
            | Known::BuildExtended { .. }
            | Known::CheckpointStarted { .. }
            | Known::CheckpointCompleted { .. }
            | Known::TaskCompleted { .. }
            | Known::GitChanged(_)
            | Known::FocusSet(_)
            | Known::ConversationAttached(_)
            | Known::PolicyPinned { .. }
            | Known::TurnStarted { .. }
            | Known::EditObserved { .. }
            | Known::EditsFound { .. }
            | Known::WorktreeEntered { .. }
            | Known::DebtHandedOn { .. }
            | Known::CommandRan(_)
            | Known::EvidenceRecorded(_)
            | Known::GateMarked(_)
            | Known::GateCleared { .. }
            | Known::GatesPaused(_)
            | Known::GatesUnpaused { .. }
            | Known::CarriedOver(_)
            | Known::GatesPassed { .. }
            | Known::Shared(_)
            | Known::ConfigTrusted { .. }
            | Known::RulingMade(_)
            | Known::ViolationRecorded(_)
            | Known::ViolationRecovered { .. }
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

    fn invoke(&mut self, record: &Record, invoked: &AgentInvoked) {
        self.invocations.push(AgentWork {
            prompt: invoked.prompt.clone(),
            context: invoked.context.clone(),
            given: invoked.artifacts.clone(),
            handoff_from: invoked.handoff_from.clone(),
            conversation: record.actor.conversation().cloned(),
            parent: record.actor.subagent().map(str::to_owned),
            ..AgentWork::begun(record, &invoked.agent)
        });
    }

    fn complete(&mut self, record: &Record, completed: &AgentCompleted) {
        // They are in the order of their records.
        let found = self.invocations.binary_search_by_key(&completed.invocation, |known| known.seq);
        if let Some(work) = found.ok().and_then(|at| self.invocations.get_mut(at)) {
            work.finish(record.time, completed.status);
            work.output = Some(completed.clone());
        }
    }

    /// What the harness told of a subagent when the call that started it returned.
    fn called(&mut self, record: &Record, called: &SubagentCalled) {
        let Some(conversation) = record.actor.conversation() else { return };
        let Some(work) = self.subagent(conversation, &called.subagent) else { return };
        work.prompt.clone_from(&called.about);
        work.parent = record.actor.subagent().map(str::to_owned);
        // What is there already was added up from everything that it said; a harness may tell only of its last answer.
        work.usage = called.usage.or(work.usage);
        if called.failed {
            work.finish(record.time, InvocationStatus::Failed);
        }
    }

    fn subagent(&mut self, conversation: &ConversationId, name: &str) -> Option<&mut AgentWork> {
        let is_it = |known: &&mut AgentWork| {
            known.subagent.as_deref() == Some(name)
                && known.conversation.as_ref() == Some(conversation)
        };
        self.invocations.iter_mut().rev().find(is_it)
    }

    fn review(&mut self, id: &str, by: &str, approved: bool) {
        let at = self.decision_at.get(id).copied();
        let Some(known) = at.and_then(|at| self.decisions.get_mut(at)) else { return };
        // Whoever thought again is on one side only.
        let decision = &mut known.decision;
        let (to, from) = if approved {
            (&mut decision.approved_by, &mut decision.rejected_by)
        } else {
            (&mut decision.rejected_by, &mut decision.approved_by)
        };
        from.retain(|other| other != by);
        if !to.iter().any(|other| other == by) {
            to.push(by.to_owned());
        }
    }

    fn judge(&mut self, record: &Record, given: &VerdictGiven) {
        let whose = (given.agent.to_ascii_lowercase(), given.provenance.counts() && given.stands());
        let before = self.verdict_at.insert(whose, self.verdicts.len());
        // Only the latest one of an agent says what it still wants.
        if let Some(before) =
            before.and_then(|at| self.verdicts.get_mut(at)).filter(|it| it.is_open())
        {
            before.resolved = Some("it judged again".to_owned());
        }
        let (seq, time, verdict) = (record.seq, record.time, given.clone());
        self.verdicts.push(Verdict { seq, time, verdict, resolved: None });
    }

    fn accept(&mut self, record: &Record, accepted: &HandoffAccepted) {
        let (time, by) = (record.time, record.actor.clone());
        let checked = accepted.checked.clone();
        if let Some(known) = self.handoffs.iter_mut().find(|known| known.seq == accepted.handoff) {
            known.accepted = Some(Acceptance { time, by, checked });
        }
    }
}

impl AgentWork {
    fn begun(record: &Record, agent: &str) -> Self {
        Self {
            seq: record.seq,
            agent: agent.to_owned(),
            started_at: record.time,
            completed_at: None,
            status: InvocationStatus::InProgress,
            prompt: String::new(),
            context: Map::new(),
            given: Vec::new(),
            output: None,
            handoff_from: None,
            conversation: None,
            subagent: None,
            parent: None,
            usage: AgentUsage::default(),
            files: Vec::new(),
            observed: false,
        }
    }

    fn finish(&mut self, time: Timestamp, status: InvocationStatus) {
        self.status = status;
        self.completed_at.get_or_insert(time);
    }

    /// How long it took, or the harness says that it took.
    pub fn duration_ms(&self) -> Option<u64> {
        let took = || {
            let done = self.completed_at?.as_millis();
            u64::try_from(done - self.started_at.as_millis()).ok()
        };
        self.usage.duration_ms.or_else(took)
    }
}
