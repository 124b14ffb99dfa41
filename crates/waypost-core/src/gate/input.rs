//! What one gate gets to see: the evidence within its scope, that has not been used up.

use super::action::Action;
use super::facts::Facts;
use super::{Gate, Scope};
use crate::evidence::{Mark, Provenance, RecordedEvidence, RecordedMark, RecordedRun, Sort, Tree};
use crate::id::ConversationId;
use crate::ledger::{Ledger, PendingHandoff, ProvenContent, RecordedVerdict};

/// What one gate gets to see.
#[derive(Debug, Clone)]
pub struct GateInput<'a> {
    /// The gate.
    pub gate: &'a Gate,
    /// What is about to happen.
    pub action: &'a Action,
    /// What was found out about the world.
    pub facts: &'a Facts,
    /// What counts as proof in the gate's scope, if anything was ever recorded there.
    pub ledger: Option<&'a Ledger>,
    /// The conversations whose evidence carries over to the one that acts.
    pub inherited_from: Vec<&'a ConversationId>,
    /// The commit that the session began at.
    pub began_at: Option<&'a str>,
    /// The work tree when the conversation began to follow its protocol.
    pub began_with: Option<&'a Tree>,
    /// The work tree when the conversation began, where a gate asked for it.
    pub began_on: Option<&'a str>,
    /// The handoffs that nobody accepted yet.
    pub handoffs: &'a [PendingHandoff],
}

impl<'a> GateInput<'a> {
    /// The run that fits `pattern`, whose provenance the gate accepts: the latest in this work tree, or one in
    /// another that has just the content of this one.
    pub fn run(&self, pattern: &str) -> Option<&'a RecordedRun> {
        let now = self.facts.tree.as_ref().and_then(Tree::id);
        let is_now = |run: &RecordedRun| now.is_some() && run.run.tree_after.id() == now;
        let here = self.accepted(pattern).filter(|run| self.is_here(run)).max_by_key(|run| run.seq);
        if here.is_some_and(is_now) {
            return here;
        }
        let same = self.accepted(pattern).filter(|run| is_now(run)).max_by_key(|run| run.seq);
        same.or(here)
    }

    /// Whether what gates call `what` is known to have passed on just this content, whichever run came since
    /// on another.
    pub fn has_passed_here(&self, what: &str, not_fewer: bool) -> bool {
        let now = self.facts.tree.as_ref().and_then(Tree::id);
        now.is_some_and(|now| self.passed(what, not_fewer).any(|known| known.tree == now))
    }

    fn passed(&self, what: &str, not_fewer: bool) -> impl Iterator<Item = &'a ProvenContent> {
        let known = self.ledger.into_iter().flat_map(|ledger| &ledger.contents);
        let known = known.filter(move |known| known.what == what && !(not_fewer && known.fewer));
        // What an action used up was there all the same when it happened.
        known.filter(|known| self.gate.scope == Scope::SingleUse || self.is_within(known.seq, None))
    }

    /// The latest such run in another work tree.
    pub fn run_elsewhere(&self, pattern: &str) -> Option<&'a RecordedRun> {
        let elsewhere = self.accepted(pattern).filter(|run| !self.is_here(run));
        elsewhere.max_by_key(|run| run.seq)
    }

    /// The contents that what gates call `what` passed on; where they ask for no fewer tests, with no fewer.
    pub fn contents(&self, what: &str, not_fewer: bool) -> Vec<String> {
        let passed = self.passed(what, not_fewer);
        let counts = |seq| self.gate.scope == Scope::SingleUse || self.is_within(seq, None);
        let accepts = |known: &&RecordedMark| self.gate.accepts(known.mark.provenance);
        let approved = self.marks().filter(accepts).filter(|known| counts(known.seq));
        let approved = approved.filter_map(|known| known.mark.tree.clone());
        passed.map(|known| known.tree.clone()).chain(approved).collect()
    }

    /// The verdicts of an agent, accepted or not.
    pub fn verdicts(&self, agent: &str) -> impl Iterator<Item = &'a RecordedVerdict> {
        let verdicts = self.ledger.into_iter().flat_map(|ledger| &ledger.verdicts);
        let within =
            |known: &&RecordedVerdict| self.is_within(known.seq, known.conversation.as_ref());
        verdicts.filter(move |known| known.agent.eq_ignore_ascii_case(agent)).filter(within)
    }

    fn accepted(&self, pattern: &str) -> impl Iterator<Item = &'a RecordedRun> {
        self.runs(pattern).filter(|run| self.gate.accepts(run.run.provenance))
    }

    fn is_here(&self, run: &RecordedRun) -> bool {
        run.run.worktree == self.facts.worktree
    }

    /// Whether there is a run that fits, but that the gate does not accept.
    pub fn has_unaccepted_run(&self, pattern: &str) -> bool {
        self.runs(pattern).next().is_some()
    }

    fn runs(&self, pattern: &str) -> impl Iterator<Item = &'a RecordedRun> {
        self.ledger
            .into_iter()
            .flat_map(|ledger| &ledger.runs)
            .filter(|run| self.is_within(run.seq, run.conversation.as_ref()))
            .filter(move |run| run.run.patterns.iter().any(|known| known == pattern))
    }

    /// The evidence of a sort whose subject `fits`, the latest first, accepted or not. What was
    /// read and which skills were used belongs to the agent that did it.
    pub fn evidence(&self, sort: Sort, fits: impl Fn(&str) -> bool) -> Vec<&'a RecordedEvidence> {
        self.evidence_of(sort, false, fits)
    }

    /// The same, where it may be enough that anybody in the conversation did it.
    pub fn evidence_of(
        &self,
        sort: Sort,
        anybody: bool,
        fits: impl Fn(&str) -> bool,
    ) -> Vec<&'a RecordedEvidence> {
        let is_personal = matches!(sort, Sort::Read | Sort::Skill) && !anybody;
        let own = is_personal && !self.gate.scope.is_shared();
        let mut found: Vec<&RecordedEvidence> = self
            .ledger
            .into_iter()
            .flat_map(|ledger| &ledger.evidence)
            .filter(|known| known.evidence.sort == sort && fits(&known.evidence.subject))
            .filter(|known| self.is_within(known.seq, known.conversation.as_ref()))
            .filter(|known| !own || self.is_own(known))
            .collect();
        found.reverse();
        found
    }

    /// Whether something was said of the gate itself that holds for some time only.
    pub fn has_limited_mark(&self) -> bool {
        self.marks().any(|known| known.mark.until.is_some())
    }

    /// What was said of the gate itself and still holds, the best known first.
    pub fn mark(&self) -> Option<&'a RecordedMark> {
        // Of commits, it is asked whether their own content is the one that was meant.
        let asks_for_commits = self.action.is_about_commits();
        let holds = |known: &&RecordedMark| {
            let Mark { conversation, until, tree, .. } = &known.mark;
            let whose = match self.gate.scope {
                Scope::Conversation | Scope::SingleUse => conversation.as_ref(),
                Scope::Session | Scope::Branch | Scope::Permanent => None,
            };
            until.is_none_or(|until| self.facts.now < until)
                && tree.as_ref().is_none_or(|tree| !asks_for_commits && self.is_now(tree))
                && self.is_within(known.seq, whose)
        };
        self.marks()
            .filter(holds)
            .max_by_key(|known| (known.mark.provenance == Provenance::Approved, known.seq))
    }

    /// The contents that something said of the gate holds for.
    pub fn marked_trees(&self) -> impl Iterator<Item = &'a String> {
        self.marks().filter_map(|known| known.mark.tree.as_ref())
    }

    /// What was said of the gate itself.
    fn marks(&self) -> impl Iterator<Item = &'a RecordedMark> {
        let (gate, marks) = (self.gate, self.ledger.into_iter().flat_map(|ledger| &ledger.marks));
        marks.filter(move |known| known.mark.gate == gate.id)
    }

    /// Whether the work tree is still that, but for what others changed.
    fn is_now(&self, tree: &str) -> bool {
        let now = self.facts.tree.as_ref().and_then(Tree::id);
        now == Some(tree) || (now.is_some() && self.facts.is_others(tree))
    }

    fn is_within(&self, seq: u64, conversation: Option<&ConversationId>) -> bool {
        let own = &self.action.conversation;
        let spent = self.ledger.map_or(0, |ledger| ledger.spent_until(&self.gate.id, own));
        if seq <= spent {
            return false;
        }
        match self.gate.scope {
            Scope::Session | Scope::Branch | Scope::Permanent => true,
            // What nobody's conversation did, a human did, for whoever works there.
            Scope::Conversation | Scope::SingleUse => conversation
                .is_none_or(|whose| whose == own || self.inherited_from.contains(&whose)),
        }
    }

    fn is_own(&self, known: &RecordedEvidence) -> bool {
        let Some(whose) = &known.conversation else { return true };
        let same_agent = known.subagent == self.action.subagent;
        (*whose == self.action.conversation && same_agent) || self.inherited_from.contains(&whose)
    }
}
