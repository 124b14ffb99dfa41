//! Tracks: running copies of definitions that are made of phases.
//!
//! A session carries one for its workflow, a conversation one for its protocol. The definition is
//! copied when the track begins: it ends by the contract that it began with.

pub mod builtin;

use serde::{Deserialize, Serialize};

use crate::canonical::{self, CanonicalError};
use crate::event::{Known, Violation};
use crate::evidence::Tree;
use crate::gate::{Gate, Level};
use crate::id::ConversationId;
use crate::key::sha256_hex;
use crate::time::Timestamp;

/// How often a conversation may pass gates that do not hold.
pub const MAX_FORCED: u32 = 3;
/// How many gates that were missed are remembered while they do not hold.
const MAX_MISSED: usize = 32;
/// What a track is said to be in while a gate that was missed holds it.
pub const BLOCKED: &str = "BLOCKED";
/// What a track is said to be in while a gate that was forced does not hold.
pub const VIOLATION: &str = "VIOLATION";

/// What a track runs: phases in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its phases, in order.
    pub phases: Vec<Phase>,
}

/// A part of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub purpose: String,
    /// What has to hold before it is entered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<Entry>,
}

/// What has to hold before a phase is entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name, under which agents and people speak of it.
    pub gate: String,
    /// Whether the phase cannot be entered while it does not hold.
    pub blocking: bool,
    /// Whether it belongs to the beginning or the end of the work.
    pub part: Part,
    /// Its steps, each with a gate of its own.
    pub steps: Vec<Step>,
}

/// The beginning or the end of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Before the work.
    Start,
    /// After the work.
    End,
}

/// One step of a checklist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its name among the steps of its gate.
    pub name: String,
    /// What has to be there for it to make sense.
    pub subject: Subject,
    /// What it asks for.
    pub gate: Gate,
}

/// What a step is about. Where that is not there, the step is skipped, and says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// It is always there.
    Always,
    /// It was not there when the track began, and this is why.
    Absent(String),
    /// An MCP server of this name is configured.
    Server(String),
    /// A file that fits is there.
    File(String),
    /// The project is a git repository.
    Git,
    /// Files that fit changed since the track began.
    Changed(String),
    /// Something other than documentation changed since the track began.
    Code,
    /// All of these are there.
    All(Vec<Subject>),
}

impl Definition {
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
        self.encode().map(|(_, hash)| hash)
    }

    /// Everything that stands between phases, in order, with the phase that it leads to.
    pub fn entries(&self) -> impl Iterator<Item = (&Phase, &Entry)> {
        self.phases.iter().filter_map(|phase| Some((phase, phase.entry.as_ref()?)))
    }

    /// What stands between phases under this name.
    pub fn entry(&self, gate: &str) -> Option<(&Phase, &Entry)> {
        self.entries().find(|(_, entry)| entry.gate == gate)
    }

    /// What stands between `phase` and the one after it.
    pub fn after(&self, phase: &str) -> Option<&Phase> {
        let place = self.phases.iter().position(|known| known.name == phase)?;
        self.phases.get(place + 1)
    }
}

impl Entry {
    /// How much it insists: as much as its strictest step.
    pub fn level(&self) -> Level {
        let has = |level| self.steps.iter().any(|step| step.gate.level == level);
        if has(Level::Must) {
            Level::Must
        } else if has(Level::Should) {
            Level::Should
        } else {
            Level::May
        }
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
    pub missed: Vec<Missed>,
    /// How often a gate that did not hold was passed.
    #[serde(default)]
    pub forced: u32,
    /// When it was completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
}

/// A gate that was missed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missed {
    /// The gate.
    pub gate: String,
    /// Whether it was passed all the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
}

impl Track {
    fn begin(definition: &Definition, tree: Option<&Tree>, time: Timestamp) -> Option<Self> {
        Some(Self {
            name: definition.name.clone(),
            definition: definition.hash().ok()?,
            phase: definition.phases.first()?.name.clone(),
            phases: definition.phases.iter().map(|phase| phase.name.clone()).collect(),
            started_at: time,
            entered_at: time,
            tree: tree.cloned(),
            missed: Vec::new(),
            forced: 0,
            completed_at: None,
        })
    }

    /// Takes an event about it into account; beginning is one too.
    pub fn fold(track: &mut Option<Box<Self>>, time: Timestamp, event: &Known) {
        match (event, track) {
            (Known::TrackStarted(started), track) => {
                let begun = Self::begin(&started.definition, started.tree.as_ref(), time);
                *track = begun.map(Box::new);
            }
            (event, Some(track)) => track.apply(time, event),
            (_, None) => {}
        }
    }

    fn apply(&mut self, time: Timestamp, event: &Known) {
        match event {
            Known::PhaseEntered { to, .. } => {
                self.phase.clone_from(to);
                self.entered_at = time;
            }
            Known::ViolationRecorded(violation) => self.miss(violation),
            Known::ViolationRecovered { gate, .. } => {
                self.missed.retain(|missed| missed.gate != *gate);
            }
            Known::TrackCompleted { .. } => {
                if let Some(last) = self.phases.last() {
                    self.phase.clone_from(last);
                }
                self.missed.clear();
                self.completed_at = Some(time);
            }
            _ => {}
        }
    }

    fn miss(&mut self, violation: &Violation) {
        let Violation { gate, forced, phase: Some(_), .. } = violation else { return };
        self.forced += u32::from(*forced);
        self.missed.retain(|missed| missed.gate != *gate);
        self.missed.push(Missed { gate: gate.clone(), forced: *forced });
        let surplus = self.missed.len().saturating_sub(MAX_MISSED);
        self.missed.drain(..surplus);
    }

    /// Whether it goes on.
    pub fn is_running(&self) -> bool {
        self.completed_at.is_none()
    }

    /// The phase after the one that it is in.
    pub fn next(&self) -> Option<&str> {
        let place = self.phases.iter().position(|phase| *phase == self.phase)?;
        self.phases.get(place + 1).map(String::as_str)
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
}
