//! What counts as proof, as far as gates still ask for it: the latest of every sort, bounded.

use serde::{Deserialize, Serialize};

use crate::evidence::{
    Evidence, Mark, Provenance, RecordedEvidence, RecordedMark, RecordedRun, Run,
};
use crate::id::ConversationId;
use crate::record::Record;

/// How many of each sort are remembered.
const MAX: usize = 40;

/// What counts as proof.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Ledger {
    /// The latest runs of every pattern and conversation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<RecordedRun>,
    /// The latest of everything else that was seen or said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<RecordedEvidence>,
    /// What people and agents said of gates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<RecordedMark>,
    /// Up to which record nothing counts any more, for a gate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spent: Vec<Spent>,
}

/// Up to a record, nothing counts for a gate any more: it was cleared, or used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// The gate.
    pub gate: String,
    /// For this conversation alone, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// The record.
    pub seq: u64,
}

impl Ledger {
    /// Adds a run.
    pub fn add_run(&mut self, record: &Record, run: &Run) {
        let conversation = record.actor.conversation().cloned();
        // Runs that count as proof are remembered apart from those that do not, so that a forged
        // report never displaces one that counts.
        let same = |known: &RecordedRun| {
            known.run.patterns == run.patterns
                && known.conversation == conversation
                && class(known.run.provenance) == class(run.provenance)
        };
        self.runs.retain(|known| !same(known));
        let (seq, time) = (record.seq, record.time);
        push(&mut self.runs, RecordedRun { seq, time, conversation, run: run.clone() });
    }

    /// Adds anything else that was seen or said.
    pub fn add_evidence(&mut self, record: &Record, evidence: &Evidence) {
        let conversation = record.actor.conversation().cloned();
        let subagent = record.actor.subagent().map(str::to_owned);
        let same = |known: &RecordedEvidence| {
            (known.evidence.sort, &known.evidence.subject) == (evidence.sort, &evidence.subject)
                && (&known.conversation, &known.subagent) == (&conversation, &subagent)
                && class(known.evidence.provenance) == class(evidence.provenance)
        };
        self.evidence.retain(|known| !same(known));
        let (seq, time, evidence) = (record.seq, record.time, evidence.clone());
        push(&mut self.evidence, RecordedEvidence { seq, time, conversation, subagent, evidence });
    }

    /// Adds what somebody said of a gate.
    pub fn add_mark(&mut self, record: &Record, mark: &Mark) {
        let same = |known: &RecordedMark| {
            (&known.mark.gate, &known.mark.conversation) == (&mark.gate, &mark.conversation)
                && known.mark.provenance == mark.provenance
        };
        self.marks.retain(|known| !same(known));
        let (seq, time, mark) = (record.seq, record.time, mark.clone());
        push(&mut self.marks, RecordedMark { seq, time, mark });
    }

    /// From `seq` on, what was there before counts for the gate no more.
    pub fn spend(&mut self, gate: &str, conversation: Option<&ConversationId>, seq: u64) {
        let conversation = conversation.cloned();
        self.spent.retain(|known| known.gate != gate || known.conversation != conversation);
        push(&mut self.spent, Spent { gate: gate.to_owned(), conversation, seq });
    }

    /// The last record that counts no more for a gate and a conversation.
    pub fn spent_until(&self, gate: &str, conversation: &ConversationId) -> u64 {
        let concerns = |spent: &&Spent| {
            spent.gate == gate
                && spent.conversation.as_ref().is_none_or(|known| known == conversation)
        };
        self.spent.iter().filter(concerns).map(|spent| spent.seq).max().unwrap_or(0)
    }

    /// Whether a run that counts as proof was recorded after `seq`.
    pub fn ran_after(&self, seq: u64) -> bool {
        self.runs.iter().any(|run| run.run.provenance.counts() && run.seq > seq)
    }

    /// The last record that added anything.
    pub fn last(&self) -> u64 {
        let runs = self.runs.iter().map(|run| run.seq);
        let evidence = self.evidence.iter().map(|evidence| evidence.seq);
        let marks = self.marks.iter().map(|mark| mark.seq);
        let spent = self.spent.iter().map(|spent| spent.seq);
        runs.chain(evidence).chain(marks).chain(spent).max().unwrap_or(0)
    }
}

fn push<T>(list: &mut Vec<T>, item: T) {
    list.push(item);
    if list.len() > MAX {
        list.remove(0);
    }
}

fn class(provenance: Provenance) -> bool {
    provenance.counts()
}
