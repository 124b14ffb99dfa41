//! One conversation in a session: what its gates and its stops need to know.

use serde::{Deserialize, Serialize};

use crate::evidence::Tree;
use crate::gate::Level;
use crate::gate::ruling::{MAX_RECORDED, Outcome, Ruling};
use crate::key::sha256_hex;
use crate::next_step::Voice;
use crate::time::Timestamp;
use crate::track::Track;

/// How many gates are remembered that a conversation passed.
const MAX_TRIGGERED: usize = 1000;
/// How many subagents are remembered while they work.
const MAX_SUBAGENTS: usize = 64;

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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subagents: Vec<String>,
    /// Whether files changed in a turn of which no hook saw any tool call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unenforced: bool,
    /// Where its protocol is, if it follows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub track: Option<Box<Track>>,
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
            subagents: Vec::new(),
            unenforced: false,
            track: None,
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

    pub(super) fn start_subagent(&mut self, subagent: &String) {
        remember(&mut self.subagents, subagent, MAX_SUBAGENTS);
    }

    pub(super) fn end_subagent(&mut self, subagent: &str) {
        self.subagents.retain(|one| one != subagent);
    }

    /// It passed gates for the first time.
    pub(super) fn pass(&mut self, gates: &[String]) {
        for gate in gates {
            remember(&mut self.triggered, gate, MAX_TRIGGERED);
        }
    }

    pub(super) fn edit(&mut self, unenforced: bool) {
        self.edited = true;
        self.last_stop = None;
        self.unenforced |= unenforced;
    }

    pub(super) fn add_ruling(&mut self, seq: u64, ruling: &Ruling) {
        if ruling.outcome == Outcome::Deny {
            self.held = held_by(ruling);
            self.last_stop = None;
            if let Some(block) = ruling.stop_block {
                self.stop_blocks = block;
                self.last_block = Some(StopBlock { seq, tree: ruling.facts.tree.clone() });
            }
        } else if ruling.gave_way {
            self.last_stop = Some(LastStop::GivenUp);
        }
    }

    /// What its agent is told of a ruling: less where the same gates held its last action too,
    /// and for the same reasons.
    pub fn told(&self, ruling: &Ruling, voice: Voice) -> String {
        let again = ruling.outcome == Outcome::Deny && held_by(ruling) == self.held;
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
