//! Tracks: running copies of definitions that are made of phases.
//!
//! A session carries one for its workflow, a conversation one for its protocol. The definition is
//! copied when the track begins: it ends by the contract that it began with.

pub mod builtin;
mod entry;
pub mod known;
mod phase;
mod sessions;

use std::cell::RefCell;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::canonical::{self, CanonicalError};
use crate::evidence::Tree;
use crate::id::ConversationId;
use crate::key::sha256_hex;
use crate::time::Timestamp;

pub use entry::{ChecklistStep, Part, PhaseEntry, StepSubject};
pub use phase::{Next, Phase, PhaseResult, PhaseTask, SkipRule};
pub use sessions::{ANY_SESSION, ANY_SKILL_FOLDER, ANY_SKILLS, Watching};

/// How often a conversation may pass gates that do not hold.
pub const MAX_FORCED: u32 = 3;
/// The most phases that a workflow can have: the state holds their names.
pub const MAX_PHASES: usize = 200;
/// How many gates that were missed are remembered while they do not hold.
const MAX_MISSED: usize = 32;
/// Of how many definitions the hash is remembered.
const MAX_HASHED: usize = 8;
/// What a track is said to be in while a gate that was missed holds it.
pub const BLOCKED: &str = "BLOCKED";
/// What a track is said to be in while a gate that was forced does not hold.
pub const VIOLATION: &str = "VIOLATION";

/// What a track runs: phases in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Which version of it this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The number of its first phase: 0 or 1, as its author counts.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub first: u64,
    /// Its phases, in order.
    pub phases: Vec<Phase>,
    /// The file below the target in which the phases that follow are to be found, until they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases_from: Option<String>,
    /// The option that names where that file is, where it need not be the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_option: Option<String>,
    /// The texts that tell of the phases that follow and of their tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub templates: Option<Templates>,
    /// What else its author says of it, as it was written.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub also: Map<String, Value>,
}

/// The texts that tell of phases that a file names: with words in brackets in the place of what the file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Templates {
    /// How many phases stand before those that they are for.
    pub after: usize,
    /// That of a phase.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phase: String,
    /// That of a task.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The hash of a definition. Many sessions run the same few, and working it out takes longer than all else that is read of
/// one: the last ones are remembered.
fn remembered_hash(definition: &Definition) -> Result<String, CanonicalError> {
    thread_local! {
        static HASHED: RefCell<Vec<(Definition, String)>> = const { RefCell::new(Vec::new()) };
    }
    HASHED.with_borrow_mut(|hashed| {
        if let Some((_, hash)) = hashed.iter().find(|(known, _)| known == definition) {
            return Ok(hash.clone());
        }
        let (_, hash) = definition.encode()?;
        hashed.truncate(MAX_HASHED - 1);
        hashed.insert(0, (definition.clone(), hash.clone()));
        Ok(hash)
    })
}

impl Definition {
    /// A definition with nothing but phases.
    pub fn new(name: impl Into<String>, phases: Vec<Phase>) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            version: None,
            first: 0,
            phases,
            phases_from: None,
            target_option: None,
            templates: None,
            also: Map::new(),
        }
    }

    /// Its bytes and their hash.
    pub fn encode(&self) -> Result<(String, String), CanonicalError> {
        let text = canonical::to_string(self)?;
        let hash = sha256_hex(&[text.as_bytes()]);
        Ok((text, hash))
    }

    /// Reads a definition; `None` if the bytes are not those that have this hash.
    pub fn decode(bytes: &[u8], hash: &str) -> Option<Self> {
        (sha256_hex(&[bytes]) == hash).then(|| serde_json::from_slice(bytes).ok())?
    }

    /// Its hash.
    pub fn hash(&self) -> Result<String, CanonicalError> {
        remembered_hash(self)
    }

    /// Everything that stands between phases, in order, with the phase that it leads to.
    pub fn entries(&self) -> impl Iterator<Item = (&Phase, &PhaseEntry)> {
        self.phases.iter().filter_map(|phase| Some((phase, phase.entry.as_ref()?)))
    }

    /// Everything between phases that somebody can mean by a name: the one that has exactly this name, else
    /// whatever is called so.
    pub fn entries_called(&self, name: &str) -> Vec<(&Phase, &PhaseEntry)> {
        let name = name.trim();
        if let Some(exact) = self.entry(name) {
            return vec![exact];
        }
        let by_name = self.entries().filter(|(_, entry)| entry.gate.eq_ignore_ascii_case(name));
        let found: Vec<_> = by_name.collect();
        if !found.is_empty() {
            return found;
        }
        self.entries().filter(|(_, entry)| entry.is_called(name)).collect()
    }

    /// What stands between phases under this name.
    pub fn entry(&self, gate: &str) -> Option<(&Phase, &PhaseEntry)> {
        self.entries().find(|(_, entry)| entry.gate == gate)
    }

    /// What stands between `phase` and the one after it.
    pub fn after(&self, phase: &str) -> Option<&Phase> {
        self.phases.get(self.place(phase)? + 1)
    }

    /// The phase of that name.
    pub fn phase(&self, name: &str) -> Option<&Phase> {
        self.phases.get(self.place(name)?)
    }

    /// The number of the phase of that name.
    pub fn number(&self, name: &str) -> Option<u64> {
        Some(self.first.saturating_add(u64::try_from(self.place(name)?).ok()?))
    }

    /// The phase that somebody means by a name or a number.
    pub fn meant(&self, name_or_number: &str) -> Option<&Phase> {
        let name = name_or_number.trim();
        let number = || name.parse::<u64>().ok()?.checked_sub(self.first);
        let numbered = || self.phases.get(usize::try_from(number()?).ok()?);
        self.phase(name).or_else(numbered)
    }

    /// The place of the phase of that name.
    pub(crate) fn place(&self, phase: &str) -> Option<usize> {
        self.phases.iter().position(|known| known.name == phase)
    }
}

/// A track as the state knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Track {
    /// The definition's name.
    pub name: String,
    /// The definition's hash.
    pub definition: String,
    /// The names of its phases, in order.
    pub phases: Vec<String>,
    /// The phase that it is in: always a real one.
    pub phase: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it entered its phase.
    pub entered_at: Timestamp,
    /// The work tree when it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
    /// The gates that were missed or forced, and do not hold yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missed: Vec<MissedGate>,
    /// How often a gate that did not hold was passed.
    #[serde(default)]
    pub forced: u32,
    /// When it was completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// The phases that were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// Whether the last try to complete its phase failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Whether more phases follow that are not known yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unfolding: bool,
    /// What it is about: a file or folder, as whoever began it named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// A gate that was missed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissedGate {
    /// The gate.
    pub gate: String,
    /// Whether it was passed all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
}

impl Track {
    /// The track that begins, unless its definition has no phase.
    pub(crate) fn begin(started: &TrackStarted, time: Timestamp) -> Option<Self> {
        let TrackStarted { definition, tree, target, at, .. } = started;
        let begun = Self::begin_at(definition, at.as_deref(), time)?;
        Some(Self { tree: tree.clone(), target: target.clone(), ..begun })
    }

    /// The track that begins in a phase of a definition; in the first one where it has no phase of that name.
    pub(crate) fn begin_at(
        definition: &Definition,
        phase: Option<&str>,
        time: Timestamp,
    ) -> Option<Self> {
        let phase = phase.and_then(|phase| definition.phase(phase));
        Some(Self {
            name: definition.name.clone(),
            definition: definition.hash().ok()?,
            phase: phase.or_else(|| definition.phases.first())?.name.clone(),
            phases: definition.names(),
            started_at: time,
            entered_at: time,
            tree: None,
            missed: Vec::new(),
            forced: 0,
            completed_at: None,
            skipped: Vec::new(),
            failed: false,
            unfolding: definition.phases_from.is_some(),
            target: None,
        })
    }

    /// More of its phases became known: `definition` is all of it now.
    pub(crate) fn extend(&mut self, definition: &Definition) {
        self.phases = definition.names();
        self.unfolding = definition.phases_from.is_some();
        if let Ok(hash) = definition.hash() {
            self.definition = hash;
        }
    }

    pub(crate) fn enter(&mut self, phase: &str, time: Timestamp) {
        phase.clone_into(&mut self.phase);
        self.entered_at = time;
        self.failed = false;
    }

    pub(crate) fn skip(&mut self, phase: &str) {
        self.skipped.push(phase.to_owned());
    }

    /// Goes back to a phase: what was left out from there on is so no longer.
    pub(crate) fn roll_back(&mut self, phase: &str, time: Timestamp) {
        self.enter(phase, time);
        let place = self.place();
        let (phases, skipped) = (&self.phases, &mut self.skipped);
        skipped.retain(|name| phases.iter().position(|phase| phase == name) < place);
    }

    pub(crate) fn complete(&mut self, time: Timestamp) {
        if let Some(last) = self.phases.last() {
            self.phase.clone_from(last);
        }
        self.missed.clear();
        self.failed = false;
        self.completed_at = Some(time);
    }

    /// A gate between its phases was missed, or passed by force.
    pub(crate) fn miss(&mut self, gate: &str, forced: bool) {
        self.forced += u32::from(forced);
        self.missed.retain(|missed| missed.gate != gate);
        self.missed.push(MissedGate { gate: gate.to_owned(), forced });
        let surplus = self.missed.len().saturating_sub(MAX_MISSED);
        self.missed.drain(..surplus);
    }

    /// What was missed holds after all.
    pub(crate) fn recover(&mut self, gate: &str) {
        self.missed.retain(|missed| missed.gate != gate);
    }

    /// Whether it goes on.
    pub fn is_running(&self) -> bool {
        self.completed_at.is_none()
    }

    /// The phase after the one that it is in.
    pub fn next(&self) -> Option<&str> {
        self.phases.get(self.place()? + 1).map(String::as_str)
    }

    fn place(&self) -> Option<usize> {
        self.phases.iter().position(|phase| *phase == self.phase)
    }

    /// Whether a phase comes before the one that it is in.
    pub fn is_behind(&self, phase: &str) -> bool {
        let place = self.phases.iter().position(|known| known == phase);
        place.is_some() && place < self.place()
    }

    /// The gates that were missed and hold it.
    pub fn blocked_by(&self) -> impl Iterator<Item = &str> {
        self.missed.iter().filter(|missed| !missed.forced).map(|missed| missed.gate.as_str())
    }

    /// Whether a step of a gate that was passed by force is meant.
    pub fn was_forced(&self, step: &str) -> bool {
        let of = |gate: &str| step.strip_prefix(gate).is_some_and(|rest| rest.starts_with('/'));
        self.missed.iter().any(|missed| missed.forced && of(&missed.gate))
    }

    /// What it is said to be in: its phase, unless a gate that was missed does not hold yet.
    pub fn state(&self) -> &str {
        if self.blocked_by().next().is_some() {
            BLOCKED
        } else if self.missed.is_empty() {
            &self.phase
        } else {
            VIOLATION
        }
    }
}

/// A track began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackStarted {
    /// The conversation that carries it; none is the session itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// What it runs.
    pub definition: Definition,
    /// The work tree then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
    /// What it is about: a file or folder, as whoever began it named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What whoever began it chose.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
    /// The phase that it goes on in, if it began elsewhere; none is the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

impl TrackStarted {
    /// A track that begins at its beginning.
    pub fn new(conversation: Option<ConversationId>, definition: Definition) -> Self {
        let (tree, target, options, at) = (None, None, Map::new(), None);
        Self { conversation, definition, tree, target, options, at }
    }
}
