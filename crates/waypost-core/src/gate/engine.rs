//! The one engine that rules over actions.
//!
//! A ruling depends on nothing but policy, state, facts and action, so that it can be replayed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::policy::Enforcement;
use super::ruling::{GateFinding, Outcome};
use super::{Before, Gate, Level, Proof, Status};
use crate::evidence::Tree;
use crate::id::ConversationId;
use crate::session::SessionState;
use crate::time::Timestamp;

/// How often a stop is held in a row while nothing moves.
pub const MAX_STOP_BLOCKS: u32 = 3;

/// What an agent is about to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// Everything that it is: a Write is an edit and the tool Write.
    pub kinds: Vec<Before>,
    /// Who does it.
    pub conversation: ConversationId,
}

impl Action {
    /// The end of a turn.
    pub fn stop(conversation: ConversationId) -> Self {
        Self { kinds: vec![Before::Stop], conversation }
    }

    fn is_stop(&self) -> bool {
        self.kinds.contains(&Before::Stop)
    }
}

/// What was found out about the world for a ruling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The time of the ruling.
    pub now: Timestamp,
    /// The work tree's content, where a gate asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
    /// Which files differ from an older work tree.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub changed: BTreeMap<String, Vec<String>>,
}

/// What has to be found out before an action can be ruled on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Whether the work tree's content is needed at all.
    pub tree: bool,
    /// The older work trees that it is compared with.
    pub compare: Vec<String>,
}

/// What the gates say about an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Allow, warn or deny.
    pub outcome: Outcome,
    /// Whether gates that are not met gave way, because nothing moved any more.
    pub gave_way: bool,
    /// If this is a stop that is held or gave way: the how-manieth in a row while nothing moved.
    pub stop_block: Option<u32>,
    /// Every gate that had a say.
    pub findings: Vec<GateFinding>,
}

/// What has to be found out about the world to rule on `action`.
pub fn needs(gates: &[Gate], state: &SessionState, action: &Action) -> Needs {
    let mut needs = Needs::default();
    for gate in applying(gates, action) {
        let Proof::Ran(ran) = &gate.proof;
        needs.tree |= ran.fresh == super::ran::Fresh::Tree;
        needs.compare.extend(ran.trees(state).into_iter().map(str::to_owned));
    }
    if action.is_stop() && needs.tree {
        let turn = state.conversations.get(&action.conversation).and_then(|c| c.turn_tree.clone());
        needs.compare.extend(turn.as_ref().and_then(Tree::id).map(str::to_owned));
    }
    needs.compare.sort();
    needs.compare.dedup();
    needs
}

/// Rules on `action`.
pub fn rule(
    enforcement: Enforcement,
    gates: &[Gate],
    state: &SessionState,
    facts: &Facts,
    action: &Action,
) -> Verdict {
    let mut verdict = Verdict {
        outcome: Outcome::Allow,
        gave_way: false,
        stop_block: None,
        findings: Vec::new(),
    };
    if action.is_stop() && !is_armed(state, facts, action) {
        return verdict;
    }
    for gate in applying(gates, action) {
        let Proof::Ran(ran) = &gate.proof;
        let finding = ran.find(state, facts);
        if finding.status != Status::Met {
            verdict.outcome = verdict.outcome.max(match gate.level {
                Level::Must if enforcement == Enforcement::Block => Outcome::Deny,
                Level::Must | Level::Should => Outcome::Warn,
                Level::May => Outcome::Allow,
            });
        }
        verdict.findings.push(GateFinding::new(gate, finding));
    }
    if action.is_stop() && verdict.outcome == Outcome::Deny {
        bound_stop(&mut verdict, state, facts, action);
    }
    verdict
}

/// Whether the conversation changed something since its stops were last settled, seen by a hook
/// or found by comparing the work tree with that of the turn's beginning.
pub fn is_armed(state: &SessionState, facts: &Facts, action: &Action) -> bool {
    state.conversations.get(&action.conversation).is_some_and(|conversation| {
        conversation.edited || is_changed(conversation.turn_tree.as_ref(), facts)
    })
}

/// Whether the work tree is known to differ from what it was.
pub fn is_changed(then: Option<&Tree>, facts: &Facts) -> bool {
    match (then.and_then(Tree::id), facts.tree.as_ref().and_then(Tree::id)) {
        (Some(then), Some(now)) => then != now,
        _ => false,
    }
}

/// A stop is held only so often while nothing moves: no run, no change of the work tree.
fn bound_stop(verdict: &mut Verdict, state: &SessionState, facts: &Facts, action: &Action) {
    let Some(conversation) = state.conversations.get(&action.conversation) else {
        return;
    };
    let moved = conversation.last_block.as_ref().is_none_or(|block| {
        block.tree != facts.tree || state.runs.iter().any(|run| run.seq > block.seq)
    });
    let block = if moved { 1 } else { conversation.stop_blocks + 1 };
    verdict.stop_block = Some(block);
    if block > MAX_STOP_BLOCKS {
        verdict.outcome = Outcome::Allow;
        verdict.gave_way = true;
    }
}

fn applying<'a>(gates: &'a [Gate], action: &Action) -> impl Iterator<Item = &'a Gate> {
    let kinds = action.kinds.clone();
    gates.iter().filter(move |gate| gate.before.iter().any(|before| kinds.contains(before)))
}

#[cfg(test)]
mod tests;
