//! Policies: all gates compiled into one document, indexed by action.
//!
//! The first line is the index, every further line a gate. The hook reads the index and only the
//! gates that stand before the action at hand. A policy is named by the hash of its bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::before::ActionParts;
use super::proof::ran::WatchedRun;
use super::{Before, Gate, Proof, Scope, modes};
use crate::canonical::{self, CanonicalError};
use crate::key::sha256_hex;
use crate::runner::Profile;

/// Whether gates block or only report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Enforcement {
    /// Gates that are not met are reported, nothing is denied.
    Report,
    /// Must-gates that are not met deny.
    #[default]
    Block,
}

/// What the protocol is called that needs no file.
pub const BUILTIN_PROTOCOL: &str = "builtin";

/// All gates of a project, and what they depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Where published sessions lie, which is not part of the work tree's content.
    pub sessions_dir: String,
    /// Whether gates block or only report.
    pub enforcement: Enforcement,
    /// The mode that sessions begin in.
    pub mode: String,
    /// The protocol that conversations follow, if any: the built-in one's name, or a file of the project.
    pub protocol: Option<String>,
    /// The hash of that protocol as it was when this was compiled, for any session.
    pub protocol_steps: Option<String>,
    /// The gates, each with a name of its own.
    pub gates: Vec<Gate>,
    /// The project's own runners.
    pub runners: Vec<Profile>,
    /// Whether another command line may run in the place of one that would prove nothing.
    pub rewrite: bool,
    /// Whether agents may only tighten the mode.
    pub modes_by_humans: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            sessions_dir: "agents/sessions".to_owned(),
            enforcement: Enforcement::default(),
            mode: modes::CODING.to_owned(),
            protocol: None,
            protocol_steps: None,
            gates: Vec::new(),
            runners: Vec::new(),
            rewrite: true,
            modes_by_humans: false,
        }
    }
}

/// A policy's bytes are not those of a policy.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The bytes do not have the hash under which they were kept.
    #[error("its content does not have the hash under which it is kept")]
    Hash,
    /// The bytes are not a policy that this version reads.
    #[error("it is not a policy that this Waypost reads: {0}")]
    Content(#[from] serde_json::Error),
    /// The index names a gate that is not there.
    #[error("its index names a gate that is not there")]
    Index,
}

#[derive(Serialize, Deserialize)]
struct Index {
    v: u64,
    enforcement: Enforcement,
    sessions_dir: String,
    #[serde(default = "coding")]
    mode: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    protocol: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    protocol_steps: Option<String>,
    before: BTreeMap<String, Vec<usize>>,
    #[serde(default)]
    watched: Watched,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    runners: Vec<Profile>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    as_written: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    modes_by_humans: bool,
}

/// The mode of policies that say none.
fn coding() -> String {
    modes::CODING.to_owned()
}

/// What has to be noted when it happens, because some gate asks for it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Watched {
    /// These commands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ran: Vec<WatchedRun>,
    /// Reading these files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    /// Calling tools that fit these patterns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub called: Vec<String>,
    /// Using these skills.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skill: Vec<String>,
    /// Which of the above count on the whole branch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on_branch: Vec<String>,
    /// Which of the above count for good.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub for_good: Vec<String>,
    /// Whether some gate wants to know which actions have happened.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tracked: bool,
}

impl Watched {
    /// What `gates` ask for.
    pub fn of(gates: &[Gate]) -> Self {
        let mut watched = Self::default();
        for gate in gates {
            watched.add(gate);
        }
        watched
    }

    fn add(&mut self, gate: &Gate) {
        self.tracked |= gate.is_tracked();
        gate.proof.each(&mut |proof| {
            let ran;
            let (list, name) = match proof {
                Proof::Ran(proof) => {
                    ran = self.add_run(WatchedRun::of(gate, proof));
                    (None, &ran)
                }
                Proof::Read(proof) => (Some(&mut self.read), &proof.file),
                Proof::Called(proof) => (Some(&mut self.called), &proof.tool),
                Proof::Skill(proof) => {
                    ran = proof.watched().to_owned();
                    (Some(&mut self.skill), &ran)
                }
                _ => return,
            };
            if let Some(list) = list {
                add_once(list, name);
            }
            match gate.scope {
                Scope::Branch => add_once(&mut self.on_branch, name),
                Scope::Permanent => add_once(&mut self.for_good, name),
                Scope::Conversation | Scope::Session | Scope::SingleUse => {}
            }
        });
    }
}

impl Watched {
    /// Adds a run that is waited for, and gives its name.
    fn add_run(&mut self, run: WatchedRun) -> String {
        let name = run.name();
        match self.ran.iter_mut().find(|known| known.name() == name) {
            Some(known) => {
                known.not_fewer |= run.not_fewer;
                known.baseline |= run.baseline;
            }
            None => self.ran.push(run),
        }
        name
    }
}

fn add_once(list: &mut Vec<String>, name: &str) {
    if !list.iter().any(|known| known == name) {
        list.push(name.to_owned());
    }
}

/// The part of a policy that one action needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Whether gates block or only report.
    pub enforcement: Enforcement,
    /// The mode that sessions begin in.
    pub mode: String,
    /// Where published sessions lie.
    pub sessions_dir: String,
    /// What the gates stand before, of all that the action is.
    pub kinds: Vec<Before>,
    /// The gates that stand before the action.
    pub gates: Vec<Gate>,
    /// What has to be noted when it happens.
    pub watched: Watched,
    /// The project's own runners.
    pub runners: Vec<Profile>,
    /// Whether another command line may run in the place of one that would prove nothing.
    pub rewrite: bool,
    /// Whether agents may only tighten the mode.
    pub modes_by_humans: bool,
}

impl Policy {
    /// The policy's bytes and their hash.
    pub fn encode(&self) -> Result<(String, String), CanonicalError> {
        let mut before: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut watched = Watched::default();
        let mut lines = String::new();
        for (number, gate) in self.gates.iter().enumerate() {
            for action in &gate.before {
                before.entry(action.to_string()).or_default().push(number);
            }
            watched.add(gate);
            lines.push_str(&canonical::to_string(gate)?);
            lines.push('\n');
        }
        let (sessions_dir, mode) = (self.sessions_dir.clone(), self.mode.clone());
        let (enforcement, protocol) = (self.enforcement, self.protocol.clone());
        let (runners, as_written) = (self.runners.clone(), !self.rewrite);
        let index = Index {
            v: 1,
            enforcement,
            sessions_dir,
            mode,
            protocol,
            protocol_steps: self.protocol_steps.clone(),
            before,
            watched,
            runners,
            as_written,
            modes_by_humans: self.modes_by_humans,
        };
        let text = format!("{}\n{lines}", canonical::to_string(&index)?);
        let hash = sha256_hex(&[text.as_bytes()]);
        Ok((text, hash))
    }

    /// Reads a whole policy.
    pub fn decode(bytes: &[u8], hash: &str) -> Result<Self, PolicyError> {
        let (index, gates) = split(bytes, hash)?;
        let gates = gates.map(serde_json::from_slice).collect::<Result<_, _>>()?;
        Ok(Self {
            sessions_dir: index.sessions_dir,
            enforcement: index.enforcement,
            mode: index.mode,
            protocol: index.protocol,
            protocol_steps: index.protocol_steps,
            gates,
            runners: index.runners,
            rewrite: !index.as_written,
            modes_by_humans: index.modes_by_humans,
        })
    }

    /// Reads only what stands before an action that is `kinds`, and made of `details`.
    pub fn excerpt(
        bytes: &[u8],
        hash: &str,
        kinds: &[Before],
        details: ActionParts<'_>,
    ) -> Result<Excerpt, PolicyError> {
        let (index, lines) = split(bytes, hash)?;
        let mut wanted: Vec<usize> = Vec::new();
        let mut found = kinds.to_vec();
        for kind in kinds {
            wanted.extend(index.before.get(&kind.to_string()).into_iter().flatten());
        }
        // Only what names a pattern has to be looked at one by one.
        for (name, numbers) in &index.before {
            if !Before::is_pattern(name) {
                continue;
            }
            let Ok(before) = name.parse::<Before>() else { return Err(PolicyError::Index) };
            if before.covers(kinds, details) {
                wanted.extend(numbers);
                found.push(before);
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        let mut gates = Vec::with_capacity(wanted.len());
        if !wanted.is_empty() {
            let lines: Vec<&[u8]> = lines.collect();
            for number in wanted {
                let line = lines.get(number).ok_or(PolicyError::Index)?;
                gates.push(serde_json::from_slice(line)?);
            }
        }
        Ok(Excerpt {
            enforcement: index.enforcement,
            mode: index.mode,
            sessions_dir: index.sessions_dir,
            kinds: found,
            gates,
            watched: index.watched,
            runners: index.runners,
            rewrite: !index.as_written,
            modes_by_humans: index.modes_by_humans,
        })
    }

    /// The stricter of both: everything of `self`, and what `newer` adds to it.
    #[must_use]
    pub fn tightened_by(&self, newer: &Self) -> Self {
        let mut tightened = self.clone();
        tightened.enforcement = self.enforcement.max(newer.enforcement);
        tightened.modes_by_humans |= newer.modes_by_humans;
        // Under a file that nobody ever could read nothing was asked for: whatever can be read is tighter.
        let never_read =
            self.protocol_steps.is_none() && self.protocol.as_deref() != Some(BUILTIN_PROTOCOL);
        if self.protocol.is_none() || (never_read && newer.protocol_steps.is_some()) {
            tightened.protocol.clone_from(&newer.protocol);
            tightened.protocol_steps.clone_from(&newer.protocol_steps);
        }
        for gate in &newer.gates {
            match tightened.gates.iter_mut().find(|known| known.id == gate.id) {
                Some(known) => known.tighten(gate),
                None => tightened.gates.push(gate.clone()),
            }
        }
        tightened
    }

    /// How `newer` differs, a line for each change, for people.
    pub fn changes_to(&self, newer: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        if self.enforcement != newer.enforcement {
            let to = if newer.enforcement == Enforcement::Block { "block" } else { "report" };
            changes.push(format!("enforcement is now {to}"));
        }
        if self.mode != newer.mode {
            changes.push(format!("sessions now begin in mode {}", newer.mode));
        }
        if self.modes_by_humans != newer.modes_by_humans {
            let who = if newer.modes_by_humans { "only people" } else { "agents, too," };
            changes.push(format!("{who} may loosen the mode now"));
        }
        if self.protocol != newer.protocol {
            let protocol = newer.protocol.as_deref().unwrap_or("none");
            changes.push(format!("the protocol is now {protocol}"));
        } else if self.protocol_steps != newer.protocol_steps && self.protocol_steps.is_some() {
            changes.push("the steps of the protocol were changed".to_owned());
        }
        if self.rewrite != newer.rewrite {
            let now = if newer.rewrite { "may be run" } else { "are no longer run" };
            changes.push(format!("gates' own commands {now} in the place of others"));
        }
        if self.sessions_dir != newer.sessions_dir {
            changes.push(format!("sessions_dir is now {}", newer.sessions_dir));
        }
        if self.runners != newer.runners {
            changes.push("the project's own runners were changed".to_owned());
        }
        let find = |gates: &[Gate], id: &str| gates.iter().find(|gate| gate.id == id).cloned();
        for gate in &newer.gates {
            match find(&self.gates, &gate.id) {
                None => changes.push(format!("gate {} was added", gate.id)),
                Some(old) if !same_rule(&old, gate) => {
                    changes.push(format!("gate {} was changed", gate.id));
                }
                Some(_) => {}
            }
        }
        for gate in &self.gates {
            if find(&newer.gates, &gate.id).is_none() {
                changes.push(format!("gate {} was removed", gate.id));
            }
        }
        changes
    }
}

/// Whether two gates rule alike; where they are written down does not matter.
fn same_rule(a: &Gate, b: &Gate) -> bool {
    Gate { source: b.source.clone(), ..a.clone() } == *b
}

fn split<'a>(
    bytes: &'a [u8],
    hash: &str,
) -> Result<(Index, impl Iterator<Item = &'a [u8]>), PolicyError> {
    if sha256_hex(&[bytes]) != hash {
        return Err(PolicyError::Hash);
    }
    let mut lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let index = serde_json::from_slice(lines.next().unwrap_or_default())?;
    Ok((index, lines))
}

#[cfg(test)]
mod tests;
