//! What counts as proof, as far as gates still ask for it: of everything that a gate can ask for, the
//! latest of each conversation that is known, and the latest of all.
//!
//! Nothing here is a common queue: new evidence never displaces other evidence that still counts.
//! Texts stay in the records; what is needed to decide is small.

mod handoffs;
mod spent;
mod verdicts;

use serde::{Deserialize, Serialize};

use crate::actor::Actor;
use crate::evidence::baseline::Failing;
use crate::evidence::{
    CarriedEvidence, CarriedOver, Evidence, Mark, Provenance, RecordedEvidence, RecordedMark,
    RecordedRun, Run, TestCount,
};
use crate::id::ConversationId;
use crate::text::shortened;
use crate::time::Timestamp;

pub use handoffs::{PendingHandoff, handoff_id};
pub use spent::Spent;
pub use verdicts::RecordedVerdict;

/// How much of what was said about a gate is kept here, in characters; the record has all of it.
const MAX_NOTE: usize = 200;

/// What counts as proof.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ledger {
    /// The latest runs of every pattern.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RecordedRun>,
    /// The latest of everything else that was seen or said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<RecordedEvidence>,
    /// What people and agents said of gates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<RecordedMark>,
    /// The latest verdicts of every agent on every content, as far as gates ask for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<RecordedVerdict>,
    /// Up to which record nothing counts any more, for a gate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spent: Vec<Spent>,
    /// How many tests were executed when something was last proven.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proven: Vec<RecordedCount>,
    /// Which tests failed, on the content that they failed on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<RecordedFailing>,
    /// The contents that something passed on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<ProvenContent>,
}

/// How many contents are remembered of each thing that passed: a commit that comes later than that is held until
/// it is proven again, itself or the tip of its branch.
const MAX_CONTENTS: usize = 32;
/// In how many work trees runs of the same are remembered, the latest.
const MAX_WORKTREES: usize = 8;

/// A content that something passed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvenContent {
    /// What passed, as gates name it.
    pub what: String,
    /// The content.
    pub tree: String,
    /// The record that tells of it.
    pub seq: u64,
    /// Whether fewer tests were executed than before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fewer: bool,
}

/// How many things are remembered that tests were counted of: those that were proven last.
const MAX_PROVEN: usize = 100;

/// How many sets of failing tests are remembered, and on how many contents each: those of the last runs. Whoever
/// begins a conversation begins with one of them.
const MAX_FAILING: usize = 16;
const MAX_TREES: usize = 256;

/// Tests that fail, and every content on which just these do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFailing {
    /// The last record that tells of it.
    pub seq: u64,
    /// Which tests, on the latest content.
    pub failing: Failing,
    /// The contents before that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trees: Vec<String>,
}

/// How many tests something was proven by, and the record that tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedCount {
    /// The record's sequence number.
    pub seq: u64,
    /// What ran, and how many tests.
    pub count: TestCount,
}

/// Where something comes from that is added: the record that tells of it.
#[derive(Debug, Clone, Copy)]
pub struct EvidenceOrigin<'a> {
    /// The record's sequence number.
    pub seq: u64,
    /// The record's time.
    pub time: Timestamp,
    /// Who caused it.
    pub actor: &'a Actor,
}

/// For whom what is added is remembered apart from what others did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apart {
    /// For each conversation.
    Each,
    /// For nobody: it counts for all alike.
    None,
}

impl Ledger {
    /// Adds a run.
    pub fn add_run(&mut self, from: EvidenceOrigin<'_>, run: &Run, apart: Apart) {
        let EvidenceOrigin { seq, time, actor } = from;
        let conversation = actor.conversation().cloned();
        let added = RecordedRun { seq, time, conversation, run: run.clone() };
        self.runs.retain(|known| !is_same(known, &added, apart));
        self.bound_worktrees(&added, apart);
        self.runs.push(added);
        self.add_content(seq, run);
    }

    /// Of the same in other work trees, only the latest stay: work trees come and go.
    fn bound_worktrees(&mut self, added: &RecordedRun, apart: Apart) {
        let is_twin = |known: &&RecordedRun| {
            known.run.is_of_same(&added.run)
                && (apart == Apart::None || known.is_of_same_agent(added))
        };
        let twins = self.runs.iter().filter(is_twin).map(|known| known.seq);
        let (oldest, count) = (twins.clone().min(), twins.count());
        if count >= MAX_WORKTREES {
            self.runs.retain(|known| Some(known.seq) != oldest);
        }
    }

    /// A content that passed is proven, and one that failed is not any more.
    fn add_content(&mut self, seq: u64, run: &Run) {
        let Some(after) = run.tree_after.id().filter(|_| run.provenance.counts()) else { return };
        for what in &run.patterns {
            self.contents.retain(|known| known.what != *what || known.tree != after);
            if run.proven_content().is_none() {
                continue;
            }
            let (what, tree) = (what.clone(), after.to_owned());
            let fewer = run.why_fewer().is_some();
            let same = |known: &&ProvenContent| known.what == what;
            if self.contents.iter().filter(same).count() >= MAX_CONTENTS
                && let Some(oldest) = self.contents.iter().position(|known| known.what == what)
            {
                self.contents.remove(oldest);
            }
            self.contents.push(ProvenContent { what, tree, seq, fewer });
        }
    }

    /// Adds anything else that was seen or said.
    pub fn add_evidence(&mut self, from: EvidenceOrigin<'_>, evidence: &Evidence, apart: Apart) {
        let (EvidenceOrigin { seq, time, actor }, evidence) = (from, evidence.clone());
        let conversation = actor.conversation().cloned();
        let subagent = actor.subagent().map(str::to_owned);
        let added = RecordedEvidence { seq, time, conversation, subagent, evidence };
        self.evidence.retain(|known| !is_same(known, &added, apart));
        self.evidence.push(added);
    }

    /// Adds how many tests something was proven by.
    pub fn add_proven(&mut self, seq: u64, count: &TestCount) {
        self.proven.retain(|known| known.count.what != count.what);
        self.proven.push(RecordedCount { seq, count: count.clone() });
        let more = self.proven.len().saturating_sub(MAX_PROVEN);
        self.proven.drain(..more);
    }

    /// How many tests were executed when it was last proven.
    pub fn proven(&self, what: &str) -> Option<u64> {
        let mut known = self.proven.iter().map(|known| &known.count);
        known.find(|count| count.what == what).map(|count| count.tests)
    }

    /// Adds which tests fail on some content.
    pub fn add_failing(&mut self, seq: u64, failing: &Failing) {
        let mut trees = Vec::new();
        if let Some(at) = self.failing.iter().position(|known| known.is_alike(failing)) {
            let known = self.failing.remove(at);
            trees = known.trees;
            trees.push(known.failing.tree);
            trees.retain(|known| *known != failing.tree);
            let more = trees.len().saturating_sub(MAX_TREES);
            trees.drain(..more);
        }
        self.failing.push(RecordedFailing { seq, failing: failing.clone(), trees });
        let more = self.failing.len().saturating_sub(MAX_FAILING);
        self.failing.drain(..more);
    }

    /// Which tests failed in some run on a content, where one is known.
    pub fn failing(&self, what: &str, tree: &str) -> Option<Failing> {
        let known = self.failing.iter().filter(|known| known.is_of(what, tree));
        let known = known.map(|known| Failing { tree: tree.to_owned(), ..known.failing.clone() });
        known.reduce(Failing::or)
    }

    /// Adds what somebody said of a gate.
    pub fn add_mark(&mut self, from: EvidenceOrigin<'_>, mark: &Mark) {
        let note = mark.note.as_ref().map(|note| shortened(note, MAX_NOTE));
        let (EvidenceOrigin { seq, time, .. }, mark) = (from, Mark { note, ..mark.clone() });
        let added = RecordedMark { seq, time, mark };
        self.marks.retain(|known| !is_same(known, &added, Apart::Each));
        self.marks.push(added);
    }

    /// Adds what satisfied gates for another conversation and counts for this one too, as old as it is.
    pub fn carry_over(&mut self, seq: u64, now: Timestamp, carried: &CarriedOver) {
        let conversation = Some(carried.conversation.clone());
        for CarriedEvidence { time, evidence } in &carried.evidence {
            let (time, evidence, conversation) = (*time, evidence.clone(), conversation.clone());
            let added = RecordedEvidence { seq, time, conversation, subagent: None, evidence };
            self.evidence.retain(|known| !is_same(known, &added, Apart::Each));
            self.evidence.push(added);
        }
        for mark in &carried.marks {
            let mark = Mark { conversation: conversation.clone(), ..mark.clone() };
            let added = RecordedMark { seq, time: now, mark };
            self.marks.retain(|known| !is_same(known, &added, Apart::Each));
            self.marks.push(added);
        }
    }

    /// A conversation that nobody remembers any more: of what it did, only what is the latest of all
    /// can still count for somebody.
    pub fn forget(&mut self, conversation: &ConversationId) {
        forget(&mut self.runs, |run| run.conversation.as_ref() == Some(conversation));
        forget(&mut self.evidence, |known| known.conversation.as_ref() == Some(conversation));
        forget(&mut self.verdicts, |known| known.conversation.as_ref() == Some(conversation));
        self.marks.retain(|known| known.mark.conversation.as_ref() != Some(conversation));
        self.forget_spent(conversation);
    }

    /// A subagent is done: what it read and which skills it used helps nobody else.
    pub fn forget_subagent(&mut self, conversation: &ConversationId, subagent: &str) {
        forget(&mut self.evidence, |known| {
            known.conversation.as_ref() == Some(conversation)
                && known.subagent.as_deref() == Some(subagent)
        });
    }

    /// Whether a run that counts as proof was recorded after `seq`.
    pub fn ran_after(&self, seq: u64) -> bool {
        self.runs.iter().any(|run| run.run.provenance.counts() && run.seq > seq)
    }

    /// Whether something was added after `seq` that may satisfy a gate: a run that failed, or executed no test,
    /// moves nothing.
    pub fn moved_after(&self, seq: u64) -> bool {
        let idle = |run: &&RecordedRun| {
            (run.run.status != 0 && !run.run.fails_as_before()) || run.run.is_empty()
        };
        let runs = self.runs.iter().filter(|run| !idle(run)).map(|run| run.seq);
        let evidence = self.evidence.iter().map(|evidence| evidence.seq);
        let marks = self.marks.iter().map(|mark| mark.seq);
        let verdicts = self.verdicts.iter().map(|verdict| verdict.seq);
        runs.chain(evidence).chain(marks).chain(verdicts).any(|added| added > seq)
    }

    /// The last record that added anything.
    pub fn last(&self) -> u64 {
        let runs = self.runs.iter().map(|run| run.seq);
        let evidence = self.evidence.iter().map(|evidence| evidence.seq);
        let marks = self.marks.iter().map(|mark| mark.seq);
        let spent = self.spent.iter().map(|spent| spent.seq);
        let proven = self.proven.iter().map(|proven| proven.seq);
        let failing = self.failing.iter().map(|failing| failing.seq);
        let verdicts = self.verdicts.iter().map(|verdict| verdict.seq);
        let counts = proven.chain(failing).chain(verdicts);
        runs.chain(evidence).chain(marks).chain(spent).chain(counts).max().unwrap_or(0)
    }
}

impl RecordedFailing {
    fn is_alike(&self, other: &Failing) -> bool {
        Failing { tree: other.tree.clone(), ..self.failing.clone() } == *other
    }

    fn is_of(&self, what: &str, tree: &str) -> bool {
        let is_on = self.failing.tree == tree || self.trees.iter().any(|known| known == tree);
        self.failing.what == what && is_on
    }
}

/// Something of which only the latest counts.
trait Proven {
    /// The record's sequence number.
    fn seq(&self) -> u64;
    /// Whether a gate that asks for one of them would take the other as well. What counts as proof is
    /// told apart from what does not, so that a forged report never displaces what counts.
    fn is_alike(&self, other: &Self) -> bool;
    /// Whether both are of the same agent.
    fn is_of_same_agent(&self, other: &Self) -> bool;
}

impl Proven for RecordedRun {
    fn seq(&self) -> u64 {
        self.seq
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.run.is_of_same(&other.run) && self.run.worktree == other.run.worktree
    }

    fn is_of_same_agent(&self, other: &Self) -> bool {
        self.conversation == other.conversation
    }
}

impl Proven for RecordedEvidence {
    fn seq(&self) -> u64 {
        self.seq
    }

    fn is_alike(&self, other: &Self) -> bool {
        let (one, two) = (&self.evidence, &other.evidence);
        (one.sort, &one.subject) == (two.sort, &two.subject)
            && class(one.provenance) == class(two.provenance)
    }

    fn is_of_same_agent(&self, other: &Self) -> bool {
        (&self.conversation, &self.subagent) == (&other.conversation, &other.subagent)
    }
}

impl Proven for RecordedMark {
    fn seq(&self) -> u64 {
        self.seq
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.mark.gate == other.mark.gate && self.mark.provenance == other.mark.provenance
    }

    fn is_of_same_agent(&self, other: &Self) -> bool {
        self.mark.conversation == other.mark.conversation
    }
}

fn is_same<T: Proven>(known: &T, added: &T, apart: Apart) -> bool {
    known.is_alike(added) && (apart == Apart::None || known.is_of_same_agent(added))
}

/// Forgets what is `gone`, but for the latest of all.
fn forget<T: Proven>(list: &mut Vec<T>, gone: impl Fn(&T) -> bool) {
    let latest = |one: &T| !list.iter().any(|other| other.is_alike(one) && other.seq() > one.seq());
    let kept: Vec<bool> = list.iter().map(|one| !gone(one) || latest(one)).collect();
    let mut kept = kept.into_iter();
    list.retain(|_| kept.next().unwrap_or(true));
}

fn class(provenance: Provenance) -> bool {
    provenance.counts()
}

#[cfg(test)]
mod tests;
