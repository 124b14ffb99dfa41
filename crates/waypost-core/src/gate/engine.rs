//! The one engine that rules over actions.
//!
//! A ruling depends on nothing but policy, state, facts and action, so that it can be replayed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::gates::Gates;
use super::input::GateInput;
use super::policy::Enforcement;
use super::ruling::{GateFinding, Outcome};
use super::{Before, Finding, Gate, Level, OnError, Status, modes};
use crate::evidence::Tree;
use crate::glob;
use crate::id::ConversationId;
use crate::next_step::NextStep;
use crate::project::ProjectState;
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
    /// The subagent that does it, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// The files that it changes, relative to the project, as far as they can be told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

impl Action {
    /// An action that concerns no file.
    pub fn new(kinds: Vec<Before>, conversation: ConversationId) -> Self {
        Self { kinds, conversation, subagent: None, paths: Vec::new() }
    }

    /// The end of a turn.
    pub fn stop(conversation: ConversationId) -> Self {
        Self::new(vec![Before::Stop], conversation)
    }

    fn is_stop(&self) -> bool {
        self.kinds.contains(&Before::Stop)
    }
}

/// A file that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundFile {
    /// Its path, relative to the project.
    pub path: String,
    /// SHA-256 of its content, where it could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// A report that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundReport {
    /// Its path, relative to the project.
    pub path: String,
    /// Its front matter.
    pub fields: BTreeMap<String, String>,
}

/// What was found out about the world for a ruling.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The time of the ruling.
    pub now: Timestamp,
    /// The branch that is checked out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The commit that is checked out, where a gate asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The work tree's content, where a gate asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Tree>,
    /// Which files differ from an older work tree.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub changed: BTreeMap<String, Vec<String>>,
    /// The files that are uncommitted, or why that cannot be told, where a gate asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean: Option<Result<Vec<String>, String>>,
    /// The files that fit each pattern that a gate asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Vec<FoundFile>>,
    /// The reports that fit each pattern that a gate asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reports: BTreeMap<String, Vec<FoundReport>>,
    /// The musts that each log that fits a pattern leaves open, by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ticked: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// What expressions refer to.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub dynamic: Map<String, Value>,
    /// The signatures of approvals that were checked and hold, where a gate asked for one.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub signed: BTreeSet<String>,
}

impl Facts {
    /// What is known without looking.
    pub fn at(now: Timestamp, branch: Option<String>) -> Self {
        Self {
            now,
            branch,
            head: None,
            tree: None,
            changed: BTreeMap::new(),
            clean: None,
            files: BTreeMap::new(),
            reports: BTreeMap::new(),
            ticked: BTreeMap::new(),
            dynamic: Map::new(),
            signed: BTreeSet::new(),
        }
    }
}

/// What has to be found out before an action can be ruled on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent questions, each asked or not")]
pub struct Needs {
    /// The work tree's content.
    pub tree: bool,
    /// The older work trees that it is compared with.
    pub compare: Vec<String>,
    /// What is uncommitted.
    pub clean: bool,
    /// The commit that is checked out.
    pub head: bool,
    /// Files that fit these patterns.
    pub files: BTreeSet<String>,
    /// Those of the patterns whose files' content matters too.
    pub hashed: BTreeSet<String>,
    /// Reports that fit these patterns.
    pub reports: BTreeSet<String>,
    /// Logs that fit these patterns.
    pub ticked: BTreeSet<String>,
    /// What expressions refer to.
    pub dynamic: BTreeSet<String>,
    /// Which signatures of approvals hold.
    pub signed: bool,
    /// The time: something that is asked for goes out of date by itself.
    pub clock: bool,
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

impl Verdict {
    /// Whether `is` what would satisfy a gate that is not met.
    pub fn any_way_out(&self, is: impl Fn(&NextStep) -> bool) -> bool {
        let mut found = false;
        let unmet = self.findings.iter().filter(|finding| finding.status != Status::Met);
        for finding in unmet {
            finding.next.each(&mut |step| found |= is(step));
        }
        found
    }
}

/// Everything that a ruling depends on.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// Whether gates block or only report.
    pub enforcement: Enforcement,
    /// The mode that holds unless the session is in another one.
    pub mode: &'a str,
    /// The gates.
    pub gates: &'a Gates,
    /// The session.
    pub state: &'a SessionState,
    /// The project.
    pub project: &'a ProjectState,
    /// What was found out about the world.
    pub facts: &'a Facts,
    /// What is about to happen.
    pub action: &'a Action,
}

impl<'a> Case<'a> {
    /// What has to be found out about the world to rule on it.
    pub fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        for gate in self.standing() {
            gate.proof.needs(&self.input(gate), &mut needs);
            if gate.when.paths.is_some() && self.action.paths.is_empty() {
                needs.clean = true;
            }
        }
        if self.action.is_stop() && needs.tree {
            let known = self.state.conversations.get(&self.action.conversation);
            let turn = known.and_then(|known| known.turn_tree.as_ref()).and_then(Tree::id);
            needs.compare.extend(turn.map(str::to_owned));
        }
        needs.compare.sort();
        needs.compare.dedup();
        needs
    }

    /// Rules on it.
    pub fn rule(&self) -> Verdict {
        let mut verdict = Verdict {
            outcome: Outcome::Allow,
            gave_way: false,
            stop_block: None,
            findings: Vec::new(),
        };
        if self.action.is_stop() && !is_armed(self.state, self.facts, self.action) {
            return verdict;
        }
        for gate in self.standing().filter(|gate| self.concerns(gate)) {
            let finding = gate.proof.find(&self.input(gate));
            verdict.outcome = verdict.outcome.max(self.outcome(gate, &finding));
            verdict.findings.push(GateFinding::new(gate, finding));
        }
        if self.action.is_stop() && verdict.outcome == Outcome::Deny {
            self.bound_stop(&mut verdict);
        }
        verdict
    }

    /// What every gate finds now, whatever it stands before. One that stands before nothing is only
    /// there to be looked out for.
    pub fn examine(&self) -> Vec<GateFinding> {
        let standing = self.gates.iter().filter(|gate| !gate.before.is_empty());
        let here = standing.filter(|gate| self.is_time_for(gate));
        here.map(|gate| GateFinding::new(gate, gate.proof.find(&self.input(gate)))).collect()
    }

    /// What has to be found out for that.
    pub fn needs_of_all(&self) -> Needs {
        let mut needs = Needs::default();
        let standing = self.gates.iter().filter(|gate| !gate.before.is_empty());
        for gate in standing.filter(|gate| self.is_time_for(gate)) {
            gate.proof.needs(&self.input(gate), &mut needs);
        }
        needs
    }

    fn input(&self, gate: &'a Gate) -> GateInput<'a> {
        let Self { state, project, action, facts, .. } = *self;
        GateInput { gate, state, project, action, facts }
    }

    fn outcome(&self, gate: &Gate, finding: &Finding) -> Outcome {
        let blocks = self.enforcement == Enforcement::Block && self.mode_now() != modes::DISABLED;
        let unmet = match gate.level {
            Level::Must if blocks => Outcome::Deny,
            Level::Must | Level::Should => Outcome::Warn,
            Level::May => Outcome::Allow,
        };
        match (finding.status, gate.on_error) {
            (Status::Met, _) | (Status::Unknown, OnError::Allow) => Outcome::Allow,
            (Status::Unknown, OnError::Warn) => unmet.min(Outcome::Warn),
            _ => unmet,
        }
    }

    /// The gates that stand before the action, as far as that can be told without looking.
    fn standing(&self) -> impl Iterator<Item = &'a Gate> {
        let case = *self;
        self.gates
            .before(&self.action.kinds)
            .filter(move |gate| case.is_time_for(gate) && case.was_triggered(gate))
            .filter(move |gate| !case.was_forced(gate))
    }

    /// Whether the conversation passed the gate by force: the protocol counts how often, and tells.
    fn was_forced(&self, gate: &Gate) -> bool {
        let track = self.state.track(Some(&self.action.conversation));
        track.is_some_and(|track| track.was_forced(&gate.id))
    }

    /// Whether the gate stands there at all now.
    fn is_time_for(&self, gate: &Gate) -> bool {
        let fits = |wanted: &str, now: &str| match wanted.strip_prefix('!') {
            Some(unwanted) => !glob::matches(unwanted, now),
            None => glob::matches(wanted, now),
        };
        let when = &gate.when;
        let branch = self.facts.branch.as_deref().unwrap_or_default();
        when.branch.as_ref().is_none_or(|wanted| fits(wanted, branch))
            && when.mode.as_ref().is_none_or(|wanted| fits(wanted, self.mode_now()))
            && when.phase.as_ref().is_none_or(|wanted| fits(wanted, self.state.phase()))
    }

    /// Whether a gate before a stop that waits for another of its actions has seen one.
    fn was_triggered(&self, gate: &Gate) -> bool {
        let known = self.state.conversations.get(&self.action.conversation);
        !(gate.when.triggered && self.action.is_stop())
            || known.is_some_and(|known| known.triggered.contains(&gate.id))
    }

    /// Whether files that the gate cares for are concerned. Where that cannot be told, they are.
    fn concerns(&self, gate: &Gate) -> bool {
        let Some(wanted) = &gate.when.paths else { return true };
        let touched: &[String] = if self.action.paths.is_empty() {
            match (&self.facts.clean, self.turn_files()) {
                (Some(Ok(uncommitted)), None) => uncommitted,
                (_, Some(files)) => files,
                _ => return true,
            }
        } else {
            &self.action.paths
        };
        match wanted.strip_prefix('!') {
            Some(unwanted) => touched.iter().any(|path| !glob::matches_path(unwanted, path)),
            None => touched.iter().any(|path| glob::matches_path(wanted, path)),
        }
    }

    /// The files that changed in the turn that is about to end, where they are known.
    fn turn_files(&self) -> Option<&'a [String]> {
        if !self.action.is_stop() {
            return None;
        }
        let known = self.state.conversations.get(&self.action.conversation)?;
        let then = known.turn_tree.as_ref().and_then(Tree::id)?;
        self.facts.changed.get(then).map(Vec::as_slice)
    }

    fn mode_now(&self) -> &'a str {
        self.state.mode.as_deref().unwrap_or(self.mode)
    }

    /// A stop is held only so often while nothing moves: no evidence, no change of the work tree.
    fn bound_stop(&self, verdict: &mut Verdict) {
        let Some(known) = self.state.conversations.get(&self.action.conversation) else {
            return;
        };
        let moved = known.last_block.as_ref().is_none_or(|block| {
            block.tree != self.facts.tree || self.state.ledger.last() > block.seq
        });
        let block = if moved { 1 } else { known.stop_blocks + 1 };
        verdict.stop_block = Some(block);
        if block > MAX_STOP_BLOCKS {
            verdict.outcome = Outcome::Allow;
            verdict.gave_way = true;
        }
    }
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

#[cfg(test)]
mod scopes;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod ways_out;
