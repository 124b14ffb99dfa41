//! What agents do for each other, as Brain's schema has it. The one writer of it, for whoever exports a session and
//! whoever only asks how it stands.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use waypost_core::agents::{AgentWork, Agents, Compaction, Decision, Handoff, Verdict};
use waypost_core::chronicle::Note;
use waypost_core::event::{SessionImported, WorkflowPhase};
use waypost_core::id::SessionId;
use waypost_core::key::sha256_hex;
use waypost_core::session::SessionState;

use crate::foreign::brain::{STATE, shape};

/// The agents that Brain knows; it accepts no other.
const AGENTS: &[&str] = &[
    "orchestrator",
    "analyst",
    "architect",
    "planner",
    "implementer",
    "critic",
    "qa",
    "security",
    "devops",
    "retrospective",
    "memory",
    "skillbook",
    "independent-thinker",
    "high-level-advisor",
    "explainer",
    "task-generator",
    "pr-comment-responder",
];
/// The agent that stands for all others.
const ANY_OTHER: &str = "orchestrator";

/// What a state is made of.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The session.
    pub id: &'a SessionId,
    /// Its state.
    pub state: &'a SessionState,
    /// What its agents did.
    pub agents: &'a Agents,
    /// What was written down, in order, what was imported first.
    pub notes: &'a [Note],
    /// How it came here, if another program kept it before.
    pub imported: Option<&'a SessionImported>,
}

/// Who reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// Whoever asks: agents have their own names, and the phase is the one that somebody said.
    Anyone,
    /// Brain, which knows its own agents only and takes a complete phase for the end of the session.
    Brain,
}

impl Reader {
    fn agent(self, name: &str) -> &str {
        if self == Self::Anyone || AGENTS.contains(&name) { name } else { ANY_OTHER }
    }

    fn agents(self, names: &[String]) -> Vec<&str> {
        names.iter().map(|name| self.agent(name)).collect()
    }
}

impl Source<'_> {
    /// Decisions that are notes, with their agents.
    pub(super) fn noted(&self) -> Vec<(&Note, String)> {
        let came = self.imported.filter(|imported| imported.format == STATE);
        // Those are in the state that it came with.
        let notes = self.notes.iter().skip(came.map_or(0, |came| came.past.notes.len()));
        let notes = notes.filter(|note| note.kind == "decision");
        let by = |note: &Note| note.by.clone().unwrap_or_else(|| note.actor.label());
        notes.map(|note| (note, by(note))).collect()
    }

    /// How many decisions somebody made who is no agent of Brain's.
    pub(super) fn decided_by_others(&self) -> usize {
        let noted = self.noted();
        let recorded = self.agents.decisions.iter().map(|known| known.decision.decided_by.as_str());
        let by = noted.iter().map(|(_, by)| by.as_str()).chain(recorded);
        by.filter(|by| !AGENTS.contains(by)).count()
    }

    /// Other agents that Brain does not know, by their names.
    pub(super) fn unknown_agents(&self) -> BTreeSet<&str> {
        let agents = self.agents;
        let worked = agents.invocations.iter().map(|known| known.agent.as_str());
        let judged = agents.verdicts.iter().map(|known| known.verdict.agent.as_str());
        let handed = agents
            .handoffs
            .iter()
            .flat_map(|known| [known.handoff.from_agent.as_str(), known.handoff.to_agent.as_str()]);
        worked.chain(judged).chain(handed).filter(|name| !AGENTS.contains(name)).collect()
    }

    /// The workflow: what another program brought, and behind that what was recorded here. Nothing where it was
    /// never used.
    pub(super) fn workflow(
        &self,
        brought: Option<Map<String, Value>>,
        reader: Reader,
    ) -> Option<Map<String, Value>> {
        let known = &self.state.orchestration;
        let has_own = !known.is_unused();
        let decisions = self.decisions(reader);
        if brought.is_none()
            && !has_own
            && decisions.is_empty()
            && self.state.focus.workflow_phase.is_none()
        {
            return None;
        }
        let mut workflow = brought.unwrap_or_default();
        for list in
            ["agentHistory", "decisions", "verdicts", "pendingHandoffs", "compactionHistory"]
        {
            workflow.entry(list).or_insert_with(|| json!([]));
        }
        let agents = self.agents;
        let at_hand = agents.at_hand().map(|work| invocation(work, reader));
        add(&mut workflow, "agentHistory", at_hand);
        add(&mut workflow, "decisions", decisions);
        add(&mut workflow, "verdicts", agents.verdicts.iter().map(|given| verdict(given, reader)));
        let waiting = agents.handoffs.iter().filter(|handoff| handoff.accepted.is_none());
        add(&mut workflow, "pendingHandoffs", waiting.map(|waits| handoff(waits, reader)));
        let moved = agents.compactions.iter().map(|range| compaction(range, self.id));
        add(&mut workflow, "compactionHistory", moved);
        let active = known.active().map(|name| reader.agent(name));
        let started = known.started_at.or(self.state.started_at);
        let changed = known.changed_at.or(started);
        if has_own {
            workflow.insert("activeAgent".to_owned(), active.into());
            workflow.insert("lastAgentChange".to_owned(), json!(changed));
        }
        workflow.entry("activeAgent").or_insert(Value::Null);
        workflow.entry("startedAt").or_insert_with(|| json!(started));
        workflow.entry("lastAgentChange").or_insert_with(|| json!(changed));
        workflow.insert("workflowPhase".to_owned(), json!(self.phase(reader)));
        Some(workflow)
    }

    fn phase(&self, reader: Reader) -> WorkflowPhase {
        let came = self.imported.and_then(|imported| imported.past.focus.workflow_phase);
        // What goes on is not complete, though it was when it came.
        let goes_on = reader == Reader::Brain || came == Some(WorkflowPhase::Complete);
        match self.state.focus.workflow_phase {
            _ if self.state.lifecycle.is_over() => WorkflowPhase::Complete,
            None => WorkflowPhase::Implementation,
            Some(WorkflowPhase::Complete) if goes_on => WorkflowPhase::Implementation,
            Some(phase) => phase,
        }
    }

    /// Those that agents recorded and those that are notes, in the order of their records.
    fn decisions(&self, reader: Reader) -> Vec<Value> {
        let recorded = self.agents.decisions.iter();
        let mut all: Vec<(u64, Value)> =
            recorded.map(|known| (known.seq, decision(known, reader))).collect();
        let noted = self.noted().into_iter();
        all.extend(
            noted.map(|(note, by)| (note.seq, self.noted_decision(note, reader.agent(&by)))),
        );
        all.sort_by_key(|(seq, _)| *seq);
        all.into_iter().map(|(_, decision)| decision).collect()
    }

    fn noted_decision(&self, note: &Note, by: &str) -> Value {
        json!({
            "id": self.uuid(note), "type": "technical", "description": note.text, "rationale": "",
            "decidedBy": by, "approvedBy": [], "rejectedBy": [],
            "timestamp": note.time.or(self.state.started_at),
        })
    }

    /// An id in the form that Brain wants, the same each time.
    fn uuid(&self, note: &Note) -> String {
        let seq = note.seq.to_string();
        shape::uuid(&sha256_hex(&[
            self.id.as_str().as_bytes(),
            b"\0",
            seq.as_bytes(),
            b"\0",
            note.text.as_bytes(),
        ]))
    }
}

/// Puts more behind what a list holds. What stands there and is no list gives way to what is known.
fn add(workflow: &mut Map<String, Value>, list: &str, more: impl IntoIterator<Item = Value>) {
    let more: Vec<Value> = more.into_iter().collect();
    if more.is_empty() {
        return;
    }
    match workflow.get_mut(list) {
        Some(Value::Array(known)) => known.extend(more),
        _ => drop(workflow.insert(list.to_owned(), more.into())),
    }
}

fn invocation(work: &AgentWork, reader: Reader) -> Value {
    let output = match &work.output {
        Some(told) => json!({
            "artifacts": told.artifacts, "summary": told.summary,
            "recommendations": told.recommendations, "blockers": told.blockers,
        }),
        // Nobody told what came of it; hooks saw the files.
        None if work.completed_at.is_some() => json!({
            "artifacts": work.files, "summary": "", "recommendations": [], "blockers": [],
        }),
        None => Value::Null,
    };
    let told = work.output.as_ref();
    let to = told.and_then(|told| told.handoff_to.as_deref());
    json!({
        "agent": reader.agent(&work.agent),
        "startedAt": work.started_at,
        "completedAt": work.completed_at,
        "status": work.status,
        "input": {"prompt": work.prompt, "context": work.context, "artifacts": work.given},
        "output": output,
        "handoffFrom": work.handoff_from.as_deref().map(|name| reader.agent(name)),
        "handoffTo": to.map(|name| reader.agent(name)),
        "handoffReason": told.map(|told| told.handoff_reason.as_str()).unwrap_or_default(),
    })
}

fn decision(known: &Decision, reader: Reader) -> Value {
    let decision = &known.decision;
    json!({
        "id": decision.id,
        "type": decision.decision_type,
        "description": decision.description,
        "rationale": decision.rationale,
        "decidedBy": reader.agent(&decision.decided_by),
        "approvedBy": reader.agents(&decision.approved_by),
        "rejectedBy": reader.agents(&decision.rejected_by),
        "timestamp": known.time,
    })
}

fn verdict(known: &Verdict, reader: Reader) -> Value {
    let given = &known.verdict;
    let mut told = json!({
        "agent": reader.agent(&given.agent),
        "decision": given.verdict,
        "confidence": given.confidence,
        "reasoning": given.reasoning,
        "timestamp": known.time,
    });
    for (key, list) in [("conditions", &given.conditions), ("blockers", &given.blockers)] {
        if !list.is_empty() {
            told[key] = json!(list);
        }
    }
    told
}

fn handoff(known: &Handoff, reader: Reader) -> Value {
    let handoff = &known.handoff;
    let mut told = json!({
        "fromAgent": reader.agent(&handoff.from_agent),
        "toAgent": reader.agent(&handoff.to_agent),
        "reason": handoff.reason,
        "context": handoff.context,
        "artifacts": handoff.artifacts,
        "createdAt": known.time,
    });
    if let Some(preserved) = &handoff.preserved_context {
        told["preservedContext"] = json!(preserved);
    }
    told
}

fn compaction(known: &Compaction, session: &SessionId) -> Value {
    json!({
        "notePath": known.range.note_path(session),
        "compactedAt": known.time,
        "count": known.range.count,
    })
}
