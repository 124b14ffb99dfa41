//! Verdicts as evidence: who judged which content, and how.

use serde::{Deserialize, Serialize};

use super::{Apart, EvidenceOrigin, Ledger, Proven, class, is_same};
use crate::evidence::{Confidence, Provenance, Tree, VerdictGiven, VerdictWord};
use crate::id::ConversationId;
use crate::time::Timestamp;

/// How many contents are remembered of each agent that a gate asks for, the latest. Whoever comes back to an older one
/// has it judged again: what is forgotten never lets anything through.
const MAX_CONTENTS: usize = 32;
/// How many verdicts are remembered that no gate asked for when they were given, the latest.
const MAX_UNASKED: usize = 16;

/// A verdict, as far as a gate needs it; the record has its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each true or not")]
pub struct RecordedVerdict {
    /// The record's sequence number.
    pub seq: u64,
    /// The record's time.
    pub time: Timestamp,
    /// The conversation in which it was given, if it was in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// The agent.
    pub agent: String,
    /// What it said.
    pub verdict: VerdictWord,
    /// How sure it is.
    pub confidence: Confidence,
    /// How well it is known that this agent said so.
    pub provenance: Provenance,
    /// The content that it is about, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whether the content changed while it looked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moved: bool,
    /// A file that it changed itself, of what it judges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_work: Option<String>,
    /// Whether nothing of what it changed is left in the content that it judges.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub undone: bool,
    /// Whether it is not known what it changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unwatched: bool,
    /// How many of its conditions and blockers are open.
    #[serde(default)]
    pub open: u64,
    /// Whether a gate asked for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked: bool,
}

impl RecordedVerdict {
    fn of(from: EvidenceOrigin<'_>, given: &VerdictGiven) -> Self {
        let content = given.content().map(str::to_owned);
        let is_known = given.tree_after.as_ref().and_then(Tree::id).is_some();
        let open = given.conditions.len() + given.blockers.len();
        Self {
            seq: from.seq,
            time: from.time,
            conversation: from.actor.conversation().cloned(),
            agent: given.agent.clone(),
            verdict: given.verdict,
            confidence: given.confidence,
            provenance: given.provenance,
            moved: is_known && content.is_none(),
            content,
            own_work: given.own_work.first().cloned(),
            undone: given.undone,
            unwatched: given.unwatched,
            open: u64::try_from(open).unwrap_or(u64::MAX),
            asked: given.asked,
        }
    }

    /// Whether it is of somebody who neither did the work nor could have done it unseen. `of_content`: of the work there
    /// is in just the content that was judged. What was put back is in no content; put aside, it would come again.
    pub fn is_impartial(&self, of_content: bool) -> bool {
        let is_others = self.own_work.is_none() || (of_content && self.undone);
        is_others && !self.unwatched
    }

    /// Whether it is somebody's to give, as [`VerdictGiven::stands`] says.
    fn stands(&self) -> bool {
        self.is_impartial(true) || self.verdict != VerdictWord::Approve
    }

    /// Whether it is of the same agent, and as well known. Gates do not tell capitals from small letters either: one
    /// agent under two spellings would be remembered twice. What does not stand takes nothing away from what does.
    fn is_by_same(&self, other: &Self) -> bool {
        self.agent.eq_ignore_ascii_case(&other.agent)
            && class(self.provenance) == class(other.provenance)
            && self.stands() == other.stands()
    }
}

impl Proven for RecordedVerdict {
    fn seq(&self) -> u64 {
        self.seq
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.is_by_same(other) && self.content == other.content
    }

    fn is_of_same_agent(&self, other: &Self) -> bool {
        self.conversation == other.conversation
    }
}

impl Ledger {
    /// Adds a verdict.
    pub(crate) fn add_verdict(&mut self, from: EvidenceOrigin<'_>, given: &VerdictGiven) {
        let added = RecordedVerdict::of(from, given);
        self.verdicts.retain(|known| !is_same(known, &added, Apart::Each));
        // What an agent wants done is settled by what it says next, whatever content that is about.
        for known in &mut self.verdicts {
            if known.is_by_same(&added) {
                known.open = 0;
            }
        }
        let is_asked_alike = |known: &&RecordedVerdict| known.asked && known.is_by_same(&added);
        let (limit, seqs): (usize, Vec<u64>) = if added.asked {
            let alike = self.verdicts.iter().filter(is_asked_alike);
            (MAX_CONTENTS, alike.map(|known| known.seq).collect())
        } else {
            let unasked = self.verdicts.iter().filter(|known| !known.asked);
            (MAX_UNASKED, unasked.map(|known| known.seq).collect())
        };
        if seqs.len() >= limit {
            self.verdicts.retain(|known| Some(&known.seq) != seqs.first());
        }
        self.verdicts.push(added);
    }

    /// What a verdict wants done is done.
    pub(crate) fn resolve_verdict(&mut self, seq: u64) {
        for known in self.verdicts.iter_mut().filter(|known| known.seq == seq) {
            known.open = 0;
        }
    }
}

#[cfg(test)]
mod tests;
