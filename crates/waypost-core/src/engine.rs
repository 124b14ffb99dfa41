//! The one engine that rules over actions.
//!
//! A ruling depends on nothing but policy, state, facts and action, so that it can be replayed.

use crate::evidence::Tree;
use crate::gate::action::Action;
use crate::gate::facts::{Facts, Needs};
use crate::gate::gates::Gates;
use crate::gate::input::GateInput;
use crate::gate::message;
use crate::gate::policy::Enforcement;
use crate::gate::ruling::{GateFinding, Outcome};
use crate::gate::{Before, Finding, FindingStatus, Gate, Level, OnError, Scope, fits, modes};
use crate::id::ConversationId;
use crate::ledger::Ledger;
use crate::next_step::NextStep;
use crate::project::ProjectState;
use crate::session::{Conversation, SessionState};
use crate::time::Timestamp;

/// How often a stop is held in a row while nothing moves.
pub const MAX_STOP_BLOCKS: u32 = 3;

/// What the gates say about an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Allow, warn or deny.
    pub outcome: Outcome,
    /// Whether gates that are not met gave way, because nothing moved any more.
    pub gave_way: bool,
    /// If this is a stop that is held or gave way: the how-manieth in a row while nothing moved.
    pub stop_block: Option<u32>,
    /// Every gate that had a say.
    pub findings: Vec<GateFinding>,
}

impl Judgement {
    /// No gate has a say.
    fn nothing() -> Self {
        Self { outcome: Outcome::Allow, gave_way: false, stop_block: None, findings: Vec::new() }
    }

    /// Whether `is` what would satisfy a gate that is not met.
    pub fn any_way_out(&self, is: impl Fn(&NextStep) -> bool) -> bool {
        let mut found = false;
        let unmet = self.findings.iter().filter(|finding| finding.status != FindingStatus::Met);
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
            needs.compare.extend(self.turn_tree().map(str::to_owned));
        }
        needs.compare.sort();
        needs.compare.dedup();
        needs
    }

    /// Rules on it.
    pub fn rule(&self) -> Judgement {
        if self.action.is_stop() && !is_armed(self.state, self.facts, self.action) {
            return Judgement::nothing();
        }
        let mut verdict = self.rule_on_content();
        if self.action.is_stop() && verdict.outcome == Outcome::Deny {
            self.bound_stop(&mut verdict);
        }
        verdict
    }

    /// What the gates say of the work as it stands, where no turn ends: whatever a gate before a stop asks
    /// for is asked for, and nothing gives way.
    pub fn rule_on_content(&self) -> Judgement {
        let mut verdict = Judgement::nothing();
        let asks_for_commits = self.action.is_stop() && !self.action.commits.is_empty();
        for gate in self.standing().filter(|gate| asks_for_commits || self.concerns(gate)) {
            let finding = self.finding(gate);
            verdict.outcome = verdict.outcome.max(self.outcome(gate, &finding));
            verdict.findings.push(self.told(gate, finding));
        }
        verdict
    }

    /// What every gate finds now, whatever it stands before. One that stands before nothing is only
    /// there to be looked out for.
    pub fn examine(&self) -> Vec<GateFinding> {
        let standing = self.gates.iter().filter(|gate| !gate.before.is_empty());
        let here = standing.filter(|gate| self.is_time_for(gate));
        here.map(|gate| self.told(gate, gate.proof.find(&self.input(gate)))).collect()
    }

    fn told(&self, gate: &Gate, finding: Finding) -> GateFinding {
        let message = message::filled(&gate.message, self.facts, self.action);
        GateFinding { message, ..GateFinding::new(gate, finding) }
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

    /// What a gate finds. Where a turn ends, commits that came to be in it are asked about too, also by a gate that
    /// stands before commits alone.
    fn finding(&self, gate: &'a Gate) -> Finding {
        let input = self.input(gate);
        if !self.action.is_stop() || self.action.commits.is_empty() {
            return gate.proof.find(&input);
        }
        // Of commits, each is asked what it changed.
        let is_asked = self.is_armed() && self.is_time_for(gate) && self.concerns(gate);
        if gate.before.contains(&Before::Stop) && is_asked {
            let found = gate.proof.find(&input);
            if found.status != FindingStatus::Met {
                return found;
            }
        }
        let of_commits = gate.proof.find_of_commits(&input);
        of_commits.unwrap_or_else(|| Finding::met("it passed on what is committed"))
    }

    /// Whether content that is there now is what the stop is asked about, and not commits alone.
    fn is_armed(&self) -> bool {
        let known = self.state.conversations.get(&self.action.conversation);
        known.is_some_and(|known| has_changed(known, self.facts, self.action))
    }

    /// The work tree when the turn began.
    fn turn_tree(&self) -> Option<&'a str> {
        let known = self.state.conversations.get(&self.action.conversation)?;
        known.turn_tree(self.action.elsewhere.as_deref()).and_then(Tree::id)
    }

    fn input(&self, gate: &'a Gate) -> GateInput<'a> {
        let Self { state, action, facts, .. } = *self;
        let track = state.track(Some(&action.conversation));
        GateInput {
            gate,
            action,
            facts,
            ledger: self.ledger(gate.scope),
            inherited_from: self.inherited_from(gate),
            began_at: state.commit.as_deref(),
            began_with: track.and_then(|track| track.tree.as_ref()),
            began_on: state.began_on(&action.conversation),
            handoffs: &state.orchestration.handoffs,
        }
    }

    /// What counts as proof in a scope.
    fn ledger(&self, scope: Scope) -> Option<&'a Ledger> {
        match scope {
            Scope::Conversation | Scope::Session | Scope::SingleUse => Some(&self.state.ledger),
            Scope::Branch => self.project.shared(self.facts.branch.as_deref()?),
            Scope::Permanent => self.project.shared(""),
        }
    }

    /// The conversations whose evidence carries over to the one that acts: they ended shortly before
    /// it began.
    fn inherited_from(&self, gate: &Gate) -> Vec<&'a ConversationId> {
        let (Some(limit), Scope::Conversation) = (gate.carry_over, gate.scope) else {
            return Vec::new();
        };
        let known = &self.state.conversations;
        let acting = known.get(&self.action.conversation);
        let Some(began) = acting.and_then(|acting| acting.attached_at) else { return Vec::new() };
        let gap = |ended: Timestamp| began.as_millis() - ended.as_millis();
        let carries = |ended: Timestamp| (0..=limit).contains(&gap(ended));
        let earlier = known.iter().filter(|(_, earlier)| earlier.detached_at.is_some_and(carries));
        earlier.map(|(id, _)| id).collect()
    }

    fn outcome(&self, gate: &Gate, finding: &Finding) -> Outcome {
        let blocks = self.enforcement == Enforcement::Block && self.mode_now() != modes::DISABLED;
        let unmet = match gate.level {
            Level::Must if blocks => Outcome::Deny,
            Level::Must | Level::Should => Outcome::Warn,
            Level::May => Outcome::Allow,
        };
        if self.gives_way(gate) {
            return Outcome::Allow;
        }
        match (finding.status, gate.on_error) {
            (FindingStatus::Met, _) | (FindingStatus::Unknown, OnError::Allow) => Outcome::Allow,
            (FindingStatus::Unknown, OnError::Warn) => unmet.min(Outcome::Warn),
            _ => unmet,
        }
    }

    /// Whether a gate has nothing against it, although it is not met: it only takes notice of what is no stop, or it is
    /// another tool's rule, that holds the stops of a turn once.
    fn gives_way(&self, gate: &Gate) -> bool {
        if !self.action.is_stop() {
            return gate.when.stop_only;
        }
        let known = self.state.conversations.get(&self.action.conversation);
        let Action { subagent, elsewhere, .. } = self.action;
        let held = |known: &Conversation| {
            known.stops_held(subagent.as_deref(), elsewhere.as_deref()).last.is_some()
        };
        gate.imported && known.is_some_and(held)
    }

    /// The gates that stand before the action, as far as that can be told without looking.
    fn standing(&self) -> impl Iterator<Item = &'a Gate> {
        let case = *self;
        let kinds: &[Before] = if self.action.is_stop() && !self.action.commits.is_empty() {
            &[Before::Stop, Before::Commit]
        } else {
            &self.action.kinds
        };
        self.gates
            .before(kinds)
            .filter(move |gate| case.may_be_time_for(gate) && case.was_triggered(gate))
            .filter(move |gate| !case.was_forced(gate))
            .filter(move |gate| !gate.when.exempts(&case.action.paths))
    }

    /// Whether the conversation passed the gate by force: the protocol counts how often, and tells.
    fn was_forced(&self, gate: &Gate) -> bool {
        let track = self.state.track(Some(&self.action.conversation));
        track.is_some_and(|track| track.was_forced(&gate.id))
    }

    /// Whether the gate stands there at all now. Commits are on branches of their own, and are asked which.
    fn may_be_time_for(&self, gate: &Gate) -> bool {
        let asks_for_commits = self.action.is_stop() && !self.action.commits.is_empty();
        if asks_for_commits { self.is_time_beside_branch(gate) } else { self.is_time_for(gate) }
    }

    fn is_time_for(&self, gate: &Gate) -> bool {
        gate.when.is_on(self.facts.branch.as_deref()) && self.is_time_beside_branch(gate)
    }

    fn is_time_beside_branch(&self, gate: &Gate) -> bool {
        let when = &gate.when;
        if gate.imported && self.facts.imported_off || self.is_paused(gate) {
            return false;
        }
        when.mode.as_ref().is_none_or(|wanted| fits(wanted, self.mode_now()))
            && when.phase.as_ref().is_none_or(|wanted| fits(wanted, self.state.phase()))
    }

    /// Whether a human paused it.
    fn is_paused(&self, gate: &Gate) -> bool {
        let rests = |name: &str| {
            let until = self.state.paused_gates.get(name);
            until.is_some_and(|until| until.is_none_or(|until| self.facts.now < until))
        };
        rests("") || rests(&gate.id)
    }

    /// Whether a gate before a stop that waits for another of its actions has seen one.
    fn was_triggered(&self, gate: &Gate) -> bool {
        let known = self.state.conversations.get(&self.action.conversation);
        !(gate.when.triggered && self.action.is_stop())
            || known.is_some_and(|known| known.triggered.contains(&gate.id))
    }

    /// Whether files that the gate cares for are concerned. Where that cannot be told, they are.
    fn concerns(&self, gate: &Gate) -> bool {
        if gate.when.paths.is_none() {
            return true;
        }
        let touched: &[String] = if self.action.paths.is_empty() {
            match (&self.facts.clean, self.turn_files()) {
                (Some(Ok(uncommitted)), None) => uncommitted,
                (_, Some(files)) => files,
                _ => return true,
            }
        } else {
            &self.action.paths
        };
        gate.when.concerns(touched)
    }

    /// The files that changed in the turn that is about to end, where they are known.
    fn turn_files(&self) -> Option<&'a [String]> {
        if !self.action.is_stop() {
            return None;
        }
        self.facts.concerning(self.turn_tree()?)
    }

    fn mode_now(&self) -> &'a str {
        self.state.mode.as_deref().unwrap_or(self.mode)
    }

    /// A stop is held only so often while nothing moves: no evidence, no change of the work tree.
    fn bound_stop(&self, verdict: &mut Judgement) {
        let Some(known) = self.state.conversations.get(&self.action.conversation) else {
            return;
        };
        let Action { subagent, elsewhere, .. } = self.action;
        let held = known.stops_held(subagent.as_deref(), elsewhere.as_deref());
        let moved = held.last.is_none_or(|block| {
            block.tree != self.facts.tree || self.state.ledger.moved_after(block.seq)
        });
        let block = if moved { 1 } else { held.times + 1 };
        verdict.stop_block = Some(block);
        if block > MAX_STOP_BLOCKS {
            verdict.outcome = Outcome::Allow;
            verdict.gave_way = true;
        }
    }
}

/// Whether there is something to ask about when a turn ends: whoever wants to stop changed something since its stops
/// were last settled, seen by a hook or found by comparing the work tree with that of the turn's beginning, or
/// commits came to be.
pub fn is_armed(state: &SessionState, facts: &Facts, action: &Action) -> bool {
    let known = state.conversations.get(&action.conversation);
    known.is_some_and(|known| has_changed(known, facts, action) || !action.commits.is_empty())
}

fn has_changed(known: &Conversation, facts: &Facts, action: &Action) -> bool {
    let elsewhere = action.elsewhere.as_deref();
    let is_found = || is_changed(known.turn_tree(elsewhere), facts);
    match action.subagent.as_deref() {
        // In a work tree that it shares with others, what changed may be anybody's.
        Some(subagent) => {
            let is_alone = elsewhere.is_some_and(|name| known.came_first(subagent, name));
            known.has_edited_as(subagent, elsewhere) || (is_alone && is_found())
        }
        None => known.has_edited(elsewhere) || is_found(),
    }
}

/// Whether the work tree is known to differ from what it was, by more than what others changed.
pub fn is_changed(then: Option<&Tree>, facts: &Facts) -> bool {
    match (then.and_then(Tree::id), facts.tree.as_ref().and_then(Tree::id)) {
        (Some(then), Some(now)) => then != now && !facts.is_others(then),
        _ => false,
    }
}

#[cfg(test)]
mod commits;
#[cfg(test)]
mod imported;
#[cfg(test)]
mod scopes;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod ways_out;
