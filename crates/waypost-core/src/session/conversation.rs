//! One conversation in a session: what its gates and its stops need to know.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::judges::Judges;
use crate::evidence::Tree;
use crate::gate::Level;
use crate::gate::ruling::{MAX_RECORDED, Outcome, Ruling};
use crate::key::sha256_hex;
use crate::next_step::Voice;
use crate::time::Timestamp;
use crate::track::Track;
use crate::usage::Counted;

/// How many gates are remembered that a conversation passed.
const MAX_TRIGGERED: usize = 1000;
/// How many subagents are remembered while they work.
const MAX_SUBAGENTS: usize = 64;
/// How many other work trees are remembered in which a conversation has something to settle.
const MAX_ELSEWHERE: usize = 64;

/// An edit as the state takes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edit<'a> {
    /// The subagent that made it, if one did.
    pub(super) subagent: Option<&'a str>,
    /// The work tree, where that is not the conversation's own.
    pub(super) elsewhere: Option<&'a str>,
    /// Whether no hook saw any call.
    pub(super) unenforced: bool,
}

/// One agent's conversation, as the session knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each true or not")]
pub struct Conversation {
    /// The harness.
    pub harness: String,
    /// Whether it is still attached.
    pub attached: bool,
    /// The record that last attached or detached it.
    pub since: u64,
    /// The record that first attached it.
    #[serde(default)]
    pub first: u64,
    /// The hash of the policy that holds for it.
    pub policy: Option<String>,
    /// Whether it changed something since its stops were last settled.
    pub edited: bool,
    /// Whether it began or named its session itself.
    pub named_session: bool,
    /// The work tree when its turn began.
    pub turn_tree: Option<Tree>,
    /// The work tree when its first turn began, where a gate compares with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_on: Option<String>,
    /// Whether its turn has not come to a stop that was allowed.
    pub turn_open: bool,
    /// How often its stop was held since anything moved.
    pub stop_blocks: u32,
    /// The last time its stop was held.
    pub last_block: Option<StopBlock>,
    /// When it last joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached_at: Option<Timestamp>,
    /// When it last left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detached_at: Option<Timestamp>,
    /// The gates that one of its actions passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggered: Vec<String>,
    /// The record with which its turn began.
    #[serde(default)]
    pub turn_at: u64,
    /// The gates that held its last action that was held in this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<HeldGate>,
    /// How its last stop that gates stood before ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_stop: Option<LastStop>,
    /// Its subagents that are at work.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub subagents: BTreeMap<String, Subagent>,
    /// Its subagents whose verdict is asked for, also when they are not at work: they may be taken up again.
    #[serde(default, skip_serializing_if = "Judges::is_empty")]
    pub judges: Judges,
    /// The other work trees of the project in which it has something to settle, by name; the main one's is empty.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub elsewhere: BTreeMap<String, Elsewhere>,
    /// Whether files changed in a turn of which no hook saw any tool call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unenforced: bool,
    /// Where its protocol is, if it follows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<Box<Track>>,
    /// How far what it used was counted here.
    #[serde(default)]
    pub counted: Counted,
}

/// A subagent that is at work.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Subagent {
    /// The record with which it began.
    pub since: u64,
    /// What sort of agent it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent_type: String,
    /// The content when it began, where a gate needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
    /// Whether it changed something in the conversation's own work tree.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub edited: bool,
    /// The other work trees in which it changed something.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub elsewhere: BTreeSet<String>,
    /// How often its end was held since anything moved.
    #[serde(default)]
    pub stop_blocks: u32,
    /// The last time its end was held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_block: Option<StopBlock>,
}

/// What a conversation has to settle in a work tree that is not its own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Elsewhere {
    /// Whether it changed something there.
    pub edited: bool,
    /// What the work tree was when it came there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
    /// The record with which it came there.
    pub since: u64,
    /// The subagent that came there first, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// How often its stop was held for it since anything moved there.
    #[serde(default)]
    pub stop_blocks: u32,
    /// The last time that it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_block: Option<StopBlock>,
}

/// How often somebody's stop was held since anything moved.
#[derive(Debug, Clone, Copy)]
pub struct StopsHeld<'a> {
    /// How often.
    pub times: u32,
    /// The last time.
    pub last: Option<&'a StopBlock>,
}

/// A gate that held an action, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldGate {
    /// The gate.
    pub gate: String,
    /// The beginning of its reason's hash: enough to tell whether it is another one.
    pub why: String,
}

/// How a stop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LastStop {
    /// Every must was met.
    Satisfied,
    /// Nothing moved any more, so it was allowed.
    GivenUp,
}

/// What stands between a conversation and the end of its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopState {
    /// It changed nothing that its gates would ask about.
    Idle,
    /// Its gates will ask when it wants to stop.
    Pending,
    /// Its stop is being held.
    InProgress,
    /// Its gates were met.
    Satisfied,
    /// Its gates were not met, and gave way.
    GivenUp,
}

impl Conversation {
    pub(super) fn new(harness: &str) -> Self {
        Self {
            harness: harness.to_owned(),
            attached: false,
            since: 0,
            first: 0,
            policy: None,
            edited: false,
            named_session: false,
            turn_tree: None,
            began_on: None,
            turn_open: false,
            stop_blocks: 0,
            last_block: None,
            attached_at: None,
            detached_at: None,
            triggered: Vec::new(),
            turn_at: 0,
            held: Vec::new(),
            last_stop: None,
            subagents: BTreeMap::new(),
            judges: Judges::default(),
            elsewhere: BTreeMap::new(),
            unenforced: false,
            track: None,
            counted: Counted::default(),
        }
    }

    /// The user sent a prompt.
    pub(super) fn begin_turn(&mut self, seq: u64, tree: Option<&Tree>) {
        // A turn that was cut off still owes what it changed: its beginning stays.
        if !self.turn_open || self.turn_tree.is_none() {
            self.turn_tree = tree.cloned();
        }
        if self.began_on.is_none() {
            self.began_on = tree.and_then(Tree::id).map(str::to_owned);
        }
        self.turn_open = true;
        self.turn_at = seq;
        self.held.clear();
        self.stop_blocks = 0;
        self.last_block = None;
        for known in self.elsewhere.values_mut() {
            known.stop_blocks = 0;
            known.last_block = None;
        }
    }

    /// It comes to another work tree for the first time since its stops were settled.
    pub(super) fn enter(
        &mut self,
        seq: u64,
        worktree: &str,
        tree: Option<&Tree>,
        by: Option<&str>,
    ) -> &mut Elsewhere {
        if !self.elsewhere.contains_key(worktree) && self.elsewhere.len() >= MAX_ELSEWHERE {
            // What is owed is forgotten last.
            let oldest = self.elsewhere.iter().min_by_key(|(_, known)| (known.edited, known.since));
            if let Some(name) = oldest.map(|(name, _)| name.clone()) {
                self.elsewhere.remove(&name);
            }
        }
        let (tree, by) = (tree.cloned(), by.map(str::to_owned));
        let entered = Elsewhere { tree, since: seq, by, ..Elsewhere::default() };
        self.elsewhere.entry(worktree.to_owned()).or_insert(entered)
    }

    /// Whether a subagent came to a work tree before anybody else of the conversation.
    pub fn came_first(&self, subagent: &str, worktree: &str) -> bool {
        let known = self.elsewhere.get(worktree);
        known.is_some_and(|known| known.by.as_deref() == Some(subagent))
    }

    /// Whether it has something to settle.
    pub fn owes(&self) -> bool {
        self.edited || self.turn_open || !self.elsewhere.is_empty()
    }

    /// Another conversation answers for what it owed.
    pub(super) fn hand_on(&mut self) {
        self.edited = false;
        self.turn_open = false;
        self.elsewhere.clear();
        self.stop_blocks = 0;
        self.last_block = None;
    }

    /// What it owed in another work tree is settled.
    pub(super) fn leave(&mut self, worktree: &str) {
        self.elsewhere.remove(worktree);
        for subagent in self.subagents.values_mut() {
            subagent.elsewhere.remove(worktree);
        }
    }

    /// It was allowed to stop.
    pub(super) fn allow_stop(&mut self, tree: Option<&Tree>) {
        if self.edited && self.last_stop != Some(LastStop::GivenUp) {
            self.last_stop = Some(LastStop::Satisfied);
        }
        // What was held stays known, so that the next prompt can remind of it.
        self.edited = false;
        self.turn_open = false;
        self.turn_tree = tree.cloned();
        self.stop_blocks = 0;
        self.last_block = None;
    }

    pub(super) fn start_subagent(
        &mut self,
        seq: u64,
        subagent: &str,
        agent_type: &str,
        tree: Option<&Tree>,
    ) {
        if let Some(tree) = tree {
            self.judges.watch(seq, subagent, tree);
        }
        let (agent_type, tree) = (agent_type.to_owned(), tree.cloned());
        let begun = Subagent { since: seq, agent_type, tree, ..Subagent::default() };
        self.subagents.entry(subagent.to_owned()).or_insert(begun);
        if self.subagents.len() > MAX_SUBAGENTS {
            let oldest = self.subagents.iter().min_by_key(|(_, known)| known.since);
            if let Some(name) = oldest.map(|(name, _)| name.clone()) {
                self.subagents.remove(&name);
            }
        }
    }

    pub(super) fn end_subagent(&mut self, subagent: &str) {
        self.subagents.remove(subagent);
    }

    /// It passed gates for the first time, or used up what satisfied them: those have seen nothing since.
    pub(super) fn pass(&mut self, gates: &[String], used_up: &[String]) {
        self.triggered.retain(|gate| !used_up.contains(gate));
        for gate in gates {
            remember(&mut self.triggered, gate, MAX_TRIGGERED);
        }
    }

    /// It changed something, or one of its subagents did, in its own work tree or in another.
    pub(super) fn edit(&mut self, seq: u64, edit: &Edit<'_>) {
        let Edit { subagent, elsewhere, unenforced } = *edit;
        match elsewhere {
            None => self.edited = true,
            Some(worktree) => self.enter(seq, worktree, None, subagent).edited = true,
        }
        if let Some(name) = subagent {
            self.judges.edit(name, elsewhere.is_some());
        }
        if let Some(known) = subagent.and_then(|name| self.subagents.get_mut(name)) {
            match elsewhere {
                None => known.edited = true,
                Some(worktree) => drop(known.elsewhere.insert(worktree.to_owned())),
            }
        }
        self.last_stop = None;
        self.unenforced |= unenforced;
    }

    /// Whether it changed something in a work tree, its own where none is named, that is not settled.
    pub fn has_edited(&self, elsewhere: Option<&str>) -> bool {
        match elsewhere {
            None => self.edited,
            Some(worktree) => self.elsewhere.get(worktree).is_some_and(|known| known.edited),
        }
    }

    /// The same of one of its subagents.
    pub fn has_edited_as(&self, subagent: &str, elsewhere: Option<&str>) -> bool {
        let Some(known) = self.subagents.get(subagent) else { return false };
        elsewhere.map_or(known.edited, |worktree| known.elsewhere.contains(worktree))
    }

    /// A work tree when its turn began, or when it came there.
    pub fn turn_tree(&self, elsewhere: Option<&str>) -> Option<&Tree> {
        match elsewhere {
            None => self.turn_tree.as_ref(),
            Some(worktree) => self.elsewhere.get(worktree)?.tree.as_ref(),
        }
    }

    /// How often its stop was held for a work tree, or that of one of its subagents.
    pub fn stops_held(&self, subagent: Option<&str>, elsewhere: Option<&str>) -> StopsHeld<'_> {
        let held = match (subagent, elsewhere) {
            (None, None) => Some((self.stop_blocks, &self.last_block)),
            (None, Some(name)) => {
                self.elsewhere.get(name).map(|known| (known.stop_blocks, &known.last_block))
            }
            (Some(name), _) => {
                self.subagents.get(name).map(|known| (known.stop_blocks, &known.last_block))
            }
        };
        let (times, last) = held.map_or((0, None), |(times, last)| (times, last.as_ref()));
        StopsHeld { times, last }
    }

    pub(super) fn add_ruling(&mut self, seq: u64, ruling: &Ruling) {
        if ruling.outcome == Outcome::Deny {
            self.held = held_by(ruling);
            self.last_stop = None;
            if let Some(block) = ruling.stop_block {
                let action = &ruling.action;
                let (times, last) = match (&action.subagent, &action.elsewhere) {
                    (None, None) => (&mut self.stop_blocks, &mut self.last_block),
                    (None, Some(worktree)) => {
                        let known = self.enter(seq, worktree, None, None);
                        (&mut known.stop_blocks, &mut known.last_block)
                    }
                    (Some(name), _) => match self.subagents.get_mut(name) {
                        Some(known) => (&mut known.stop_blocks, &mut known.last_block),
                        None => return,
                    },
                };
                *times = block;
                *last = Some(StopBlock { seq, tree: ruling.facts.tree.clone() });
            }
        } else if ruling.gave_way {
            self.last_stop = Some(LastStop::GivenUp);
        }
    }

    /// Whether the same gates held its last action too, and for the same reasons.
    pub fn was_held_by(&self, ruling: &Ruling) -> bool {
        held_by(ruling) == self.held
    }

    /// What its agent is told of a ruling: less where the same gates held its last action too,
    /// and for the same reasons.
    pub fn told(&self, ruling: &Ruling, voice: Voice) -> String {
        let again = ruling.outcome == Outcome::Deny && self.was_held_by(ruling);
        if again { ruling.again_for_agent(voice) } else { ruling.for_agent(voice) }
    }

    /// What stands between it and the end of its turn.
    pub fn stop_state(&self) -> StopState {
        match self.last_stop {
            _ if self.stop_blocks > 0 => StopState::InProgress,
            _ if self.edited => StopState::Pending,
            Some(LastStop::Satisfied) => StopState::Satisfied,
            Some(LastStop::GivenUp) => StopState::GivenUp,
            None => StopState::Idle,
        }
    }
}

/// A stop that was held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopBlock {
    /// The record of the ruling.
    pub seq: u64,
    /// The work tree then.
    pub tree: Option<Tree>,
}

/// The must-gates that hold an action.
fn held_by(ruling: &Ruling) -> Vec<HeldGate> {
    let recorded = ruling.unmet().take(MAX_RECORDED);
    let musts = recorded.filter(|finding| finding.level == Level::Must);
    let why = |text: &str| sha256_hex(&[text.as_bytes()]).chars().take(16).collect();
    musts.map(|found| HeldGate { gate: found.gate.clone(), why: why(&found.why) }).collect()
}

/// Adds a name that is not there yet; with too many, the oldest goes.
fn remember(names: &mut Vec<String>, name: &String, most: usize) {
    if !names.contains(name) {
        names.push(name.clone());
    }
    let surplus = names.len().saturating_sub(most);
    names.drain(..surplus);
}
