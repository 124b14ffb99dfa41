//! Events about agents that work for each other, in a few words.

use waypost_core::event::{
    AgentCompleted, AgentInvoked, DecisionRecorded, HandoffAccepted, HandoffCreated,
    HistoryCompacted, SubagentCalled,
};
use waypost_core::evidence::VerdictGiven;
use waypost_core::session::{handoff_id, verdict_id};

use super::text;

pub(super) fn called(called: &SubagentCalled) -> String {
    let subagent = text(&called.subagent);
    if called.background {
        return format!("subagent {subagent} goes on in the background");
    }
    if called.failed {
        return format!("subagent {subagent} failed");
    }
    format!("subagent {subagent} returned: {}", text(&called.about))
}

pub(super) fn invoked(invoked: &AgentInvoked) -> String {
    format!("{} invoked: {}", text(&invoked.agent), text(&invoked.prompt))
}

pub(super) fn completed(done: &AgentCompleted) -> String {
    format!("{} {}: {}", text(&done.agent), done.status.words(), text(&done.summary))
}

pub(super) fn decided(decision: &DecisionRecorded) -> String {
    format!("{} decided: {}", text(&decision.decided_by), text(&decision.description))
}

pub(super) fn reviewed(decision: &str, by: &str, approved: bool) -> String {
    let did = if approved { "approved" } else { "rejected" };
    format!("{} {did} decision {}", text(by), text(decision))
}

pub(super) fn judged(given: &VerdictGiven) -> String {
    let VerdictGiven { agent, verdict, confidence, provenance, .. } = given;
    format!("verdict of {}: {verdict} ({confidence}, {provenance})", text(agent))
}

pub(super) fn resolved(verdict: u64, how: &str) -> String {
    format!("{} resolved: {}", verdict_id(verdict), text(how))
}

pub(super) fn handed_over(handoff: &HandoffCreated) -> String {
    let (from, to) = (text(&handoff.from_agent), text(&handoff.to_agent));
    format!("handed over from {from} to {to}: {}", text(&handoff.reason))
}

pub(super) fn accepted(accepted: &HandoffAccepted) -> String {
    format!("{} accepted", handoff_id(accepted.handoff))
}

pub(super) fn compacted(range: &HistoryCompacted) -> String {
    let HistoryCompacted { count, from, to } = range;
    format!("{count} invocations archived: records {from} to {to}")
}
