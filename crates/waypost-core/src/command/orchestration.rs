//! Agents that work for each other: what somebody wants recorded of them.

use serde_json::{Map, Value};

use super::{Refusal, check, check_open};
use crate::event::{
    AgentCompleted, AgentInvoked, DecisionRecorded, DecisionType, HandoffAccepted, HandoffCreated,
    InvocationStatus, Known,
};
use crate::evidence::{VerdictGiven, VerdictWord};
use crate::key::sha256_hex;
use crate::session::{KEPT, MAX_HANDOFFS, MAX_POINTS, SessionState, handoff_id, verdict_id};
use crate::text::{one_line, shortened};

/// The longest name of an agent, in bytes: the state holds it.
const MAX_AGENT: usize = 64;
/// The longest prompt, summary, reason and the like, in bytes.
const MAX_TEXT: usize = 64 * 1024;
/// The longest item of a list, in bytes, and how many items there may be.
const MAX_ITEM: usize = 4 * 1024;
const MAX_ITEMS: usize = 100;
/// The longest point of a checklist, in bytes: the state holds it.
const MAX_POINT: usize = 256;

/// Something about agents that work for each other.
#[derive(Debug, Clone)]
pub enum OrchestrationCommand {
    /// An agent is given work.
    Invoke(AgentInvoked),
    /// An agent is done: its latest open invocation is over.
    Complete(Completion),
    /// Something is decided.
    Decide {
        /// What; its id is made here.
        decision: DecisionRecorded,
        /// What ids of decisions in this session begin with: they differ from those of other sessions.
        salt: String,
    },
    /// Somebody agrees with a decision, or does not.
    Review {
        /// The decision's id.
        decision: String,
        /// Who.
        by: String,
        /// Whether it is approved.
        approved: bool,
    },
    /// An agent judges what another one did.
    Judge(VerdictGiven),
    /// What a verdict wants done is done.
    Resolve {
        /// The verdict's record.
        verdict: u64,
        /// How.
        how: String,
    },
    /// Work is handed over.
    HandOver(HandoffCreated),
    /// A handoff is accepted.
    Accept(HandoffAccepted),
    /// The state keeps only the latest invocations.
    Compact,
}

/// What an agent says when it is done.
#[derive(Debug, Clone, Default)]
pub struct Completion {
    /// Which agent.
    pub agent: String,
    /// What it did.
    pub summary: String,
    /// The files that it leaves.
    pub artifacts: Vec<String>,
    /// What it recommends.
    pub recommendations: Vec<String>,
    /// What kept it from going on.
    pub blockers: Vec<String>,
    /// The agent that goes on.
    pub handoff_to: Option<String>,
    /// Why that one.
    pub handoff_reason: Option<String>,
    /// Whether it could not do it.
    pub failed: bool,
}

impl Completion {
    /// What comes of it: with any blocker its work is blocked.
    pub fn status(&self) -> InvocationStatus {
        match (self.failed, self.blockers.is_empty()) {
            (true, _) => InvocationStatus::Failed,
            (false, false) => InvocationStatus::Blocked,
            (false, true) => InvocationStatus::Completed,
        }
    }
}

/// Why something about agents is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrchestrationRefusal {
    /// The agent has nothing to complete.
    #[error("{agent} has no open invocation{}", open_ones(.open))]
    NothingOpen {
        /// Which agent.
        agent: String,
        /// Those that have one.
        open: Vec<String>,
    },
    /// There are few enough invocations.
    #[error(
        "compaction is not needed: the state holds {held} of {all} invocations, and the last {KEPT} stay in it"
    )]
    NotNeeded {
        /// How many are in the state.
        held: usize,
        /// How many there are.
        all: u64,
    },
    /// There is no such type of decision.
    #[error(
        "`{}` is not a type of decision; the types are {}",
        named(.0),
        DecisionType::ALL.map(DecisionType::name).join(", ")
    )]
    UnknownType(String),
    /// There is no such verdict.
    #[error(
        "`{}` is not a verdict; verdicts are {}",
        named(.0),
        VerdictWord::ALL.map(VerdictWord::name).join(", ")
    )]
    UnknownVerdict(String),
    /// A number is no confidence.
    #[error("the confidence is {0}; it goes from 0 to 1")]
    Confidence(String),
    /// A list has too many items.
    #[error("{what} has {found} items; at most {max} are kept")]
    TooMany {
        /// Which list.
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many it may have.
        max: usize,
    },
    /// Too many handoffs wait.
    #[error("{MAX_HANDOFFS} handoffs wait to be accepted: accept one of them first")]
    TooManyHandoffs,
    /// There is no such handoff, or it was accepted.
    #[error("no handoff {} waits to be accepted{}", handoff_id(*.handoff), those(.waiting))]
    NoHandoff {
        /// Which was meant.
        handoff: u64,
        /// Those that wait.
        waiting: Vec<String>,
    },
    /// There is no such verdict with anything open.
    #[error("{} has no open condition or blocker", verdict_id(*.0))]
    NothingToResolve(u64),
}

fn named(text: &str) -> String {
    shortened(&one_line(text), 80)
}

fn open_ones(open: &[String]) -> String {
    if open.is_empty() { String::new() } else { format!("; open: {}", open.join(", ")) }
}

fn those(waiting: &[String]) -> String {
    if waiting.is_empty() { String::new() } else { format!("; waiting: {}", waiting.join(", ")) }
}

pub(super) fn decide(
    state: &SessionState,
    command: OrchestrationCommand,
) -> Result<Vec<Known>, Refusal> {
    check_open(state)?;
    match command {
        OrchestrationCommand::Invoke(invoked) => invoke(state, invoked),
        OrchestrationCommand::Complete(completion) => complete(state, completion),
        OrchestrationCommand::Decide { decision, salt } => decided(state, decision, &salt),
        OrchestrationCommand::Review { decision, by, approved } => {
            let by = agent("reviewer", &by)?;
            Ok(vec![Known::DecisionReviewed { decision, by, approved }])
        }
        OrchestrationCommand::Judge(verdict) => judge(verdict),
        OrchestrationCommand::Resolve { verdict, how } => {
            check("reason", &how, MAX_ITEM)?;
            let is_open =
                |known: &crate::ledger::RecordedVerdict| known.seq == verdict && known.open > 0;
            if !state.ledger.verdicts.iter().any(is_open) {
                return Err(OrchestrationRefusal::NothingToResolve(verdict).into());
            }
            Ok(vec![Known::VerdictResolved { verdict, how }])
        }
        OrchestrationCommand::HandOver(handoff) => hand_over(state, handoff),
        OrchestrationCommand::Accept(accepted) => accept(state, accepted),
        OrchestrationCommand::Compact => match state.orchestration.archivable() {
            Some(surplus) => Ok(vec![Known::HistoryCompacted(surplus)]),
            None => Err(OrchestrationRefusal::NotNeeded {
                held: state.orchestration.invocations.len(),
                all: state.orchestration.invoked,
            }
            .into()),
        },
    }
}

/// An invocation, and the compaction that it makes necessary: they become one write.
pub(super) fn with_compaction(state: &SessionState, invocation: Known) -> Vec<Known> {
    let surplus = state.orchestration.surplus(&[state.version + 1]);
    let compacted = surplus.map(Known::HistoryCompacted);
    [invocation].into_iter().chain(compacted).collect()
}

fn invoke(state: &SessionState, invoked: AgentInvoked) -> Result<Vec<Known>, Refusal> {
    check("prompt", &invoked.prompt, MAX_TEXT)?;
    items("artifacts", &invoked.artifacts)?;
    fields("context", &invoked.context)?;
    let invoked = AgentInvoked {
        agent: agent("agent", &invoked.agent)?,
        handoff_from: agent_if_any("handoff_from", invoked.handoff_from.as_deref())?,
        ..invoked
    };
    Ok(with_compaction(state, Known::AgentInvoked(Box::new(invoked))))
}

fn complete(state: &SessionState, completion: Completion) -> Result<Vec<Known>, Refusal> {
    let status = completion.status();
    let Completion { summary, artifacts, recommendations, blockers, .. } = completion;
    let agent = agent("agent", &completion.agent)?;
    check("summary", &summary, MAX_TEXT)?;
    for (what, list) in
        [("artifacts", &artifacts), ("recommendations", &recommendations), ("blockers", &blockers)]
    {
        items(what, list)?;
    }
    let handoff_reason = completion.handoff_reason.unwrap_or_default();
    long("handoff_reason", &handoff_reason)?;
    let Some(open) = state.orchestration.latest_open(&agent) else {
        let open = state.orchestration.open().map(|known| known.agent.clone()).collect();
        return Err(OrchestrationRefusal::NothingOpen { agent, open }.into());
    };
    let handoff_to = agent_if_any("handoff_to", completion.handoff_to.as_deref())?;
    Ok(vec![Known::AgentCompleted(Box::new(AgentCompleted {
        agent,
        invocation: open.seq,
        status,
        summary,
        artifacts,
        recommendations,
        blockers,
        handoff_to,
        handoff_reason,
    }))])
}

fn decided(
    state: &SessionState,
    decision: DecisionRecorded,
    salt: &str,
) -> Result<Vec<Known>, Refusal> {
    check("description", &decision.description, MAX_TEXT)?;
    long("rationale", &decision.rationale)?;
    items("approved_by", &decision.approved_by)?;
    items("rejected_by", &decision.rejected_by)?;
    let decided_by = agent("decided_by", &decision.decided_by)?;
    let id = if decision.id.is_empty() {
        uuid(&[salt, &(state.version + 1).to_string(), &decision.description])
    } else {
        agent("id", &decision.id)?
    };
    Ok(vec![Known::DecisionRecorded(Box::new(DecisionRecorded { id, decided_by, ..decision }))])
}

/// An id in the usual form, the same for the same parts.
fn uuid(parts: &[&str]) -> String {
    let hash = sha256_hex(&[parts.join("\0").as_bytes()]);
    let part = |from: usize, to: usize| &hash[from..to];
    format!("{}-{}-8{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

fn judge(verdict: VerdictGiven) -> Result<Vec<Known>, Refusal> {
    check("reasoning", &verdict.reasoning, MAX_TEXT)?;
    items("conditions", &verdict.conditions)?;
    items("blockers", &verdict.blockers)?;
    let agent = agent("agent", &verdict.agent)?;
    Ok(vec![Known::VerdictGiven(Box::new(VerdictGiven { agent, ..verdict }))])
}

fn hand_over(state: &SessionState, handoff: HandoffCreated) -> Result<Vec<Known>, Refusal> {
    check("reason", &handoff.reason, MAX_TEXT)?;
    check("context", &handoff.context, MAX_TEXT)?;
    items("artifacts", &handoff.artifacts)?;
    if let Some(preserved) = &handoff.preserved_context {
        fields("preserved_context", preserved)?;
    }
    if handoff.checklist.len() > MAX_POINTS {
        let found = handoff.checklist.len();
        let refusal =
            OrchestrationRefusal::TooMany { what: "the checklist", found, max: MAX_POINTS };
        return Err(refusal.into());
    }
    for point in &handoff.checklist {
        check("point of the checklist", point, MAX_POINT)?;
    }
    if state.orchestration.handoffs.len() >= MAX_HANDOFFS {
        return Err(OrchestrationRefusal::TooManyHandoffs.into());
    }
    let handoff = HandoffCreated {
        from_agent: agent("from_agent", &handoff.from_agent)?,
        to_agent: agent("to_agent", &handoff.to_agent)?,
        checklist: handoff.checklist.iter().map(|point| one_line(point)).collect(),
        ..handoff
    };
    Ok(vec![Known::HandoffCreated(Box::new(handoff))])
}

fn accept(state: &SessionState, accepted: HandoffAccepted) -> Result<Vec<Known>, Refusal> {
    items("what was found", &accepted.checked)?;
    let pending = &state.orchestration.handoffs;
    if !pending.iter().any(|known| known.seq == accepted.handoff) {
        let waiting = pending.iter().map(|known| handoff_id(known.seq)).collect();
        return Err(OrchestrationRefusal::NoHandoff { handoff: accepted.handoff, waiting }.into());
    }
    Ok(vec![Known::HandoffAccepted(accepted)])
}

/// An agent's name on one line.
fn agent(what: &'static str, name: &str) -> Result<String, Refusal> {
    let name = one_line(name).trim().to_owned();
    check(what, &name, MAX_AGENT)?;
    Ok(name)
}

fn agent_if_any(what: &'static str, name: Option<&str>) -> Result<Option<String>, Refusal> {
    let name = name.filter(|name| !name.trim().is_empty());
    name.map(|name| agent(what, name)).transpose()
}

fn long(what: &'static str, text: &str) -> Result<(), Refusal> {
    if text.len() > MAX_TEXT {
        return Err(Refusal::TooLong { what, found: text.len(), max: MAX_TEXT });
    }
    Ok(())
}

fn items(what: &'static str, list: &[String]) -> Result<(), Refusal> {
    if list.len() > MAX_ITEMS {
        let found = list.len();
        return Err(OrchestrationRefusal::TooMany { what, found, max: MAX_ITEMS }.into());
    }
    match list.iter().find(|item| item.len() > MAX_ITEM) {
        Some(item) => Err(Refusal::TooLong { what, found: item.len(), max: MAX_ITEM }),
        None => Ok(()),
    }
}

fn fields(what: &'static str, given: &Map<String, Value>) -> Result<(), Refusal> {
    let found = serde_json::to_string(given).map_or(0, |text| text.len());
    if found > MAX_TEXT {
        return Err(Refusal::TooLong { what, found, max: MAX_TEXT });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
