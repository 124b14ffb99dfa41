//! What was used up, or cleared: it never counts again.

use serde::{Deserialize, Serialize};

use super::Ledger;
use crate::id::ConversationId;

/// How many are told apart by conversation. Beyond that the oldest count for everybody: evidence that
/// is older than they are proves nothing to anybody any more.
const MAX_APART: usize = 1000;

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
    /// From `seq` on, what was there before counts for the gate no more.
    pub fn spend(&mut self, gate: &str, conversation: Option<&ConversationId>, seq: u64) {
        let conversation = conversation.cloned();
        self.spent.retain(|known| known.gate != gate || known.conversation != conversation);
        self.spent.push(Spent { gate: gate.to_owned(), conversation, seq });
        let apart = self.spent.iter().filter(|spent| spent.conversation.is_some());
        if apart.count() > MAX_APART
            && let Some(oldest) = self.spent.iter().position(|spent| spent.conversation.is_some())
        {
            let Spent { gate, seq, .. } = self.spent.remove(oldest);
            let seq = seq.max(self.spent_by_all(&gate));
            self.spent.retain(|known| known.gate != gate || known.conversation.is_some());
            self.spent.insert(0, Spent { gate, conversation: None, seq });
        }
    }

    /// The last record that counts no more for a gate and a conversation.
    pub fn spent_until(&self, gate: &str, conversation: &ConversationId) -> u64 {
        let concerns = |spent: &&Spent| {
            spent.gate == gate
                && spent.conversation.as_ref().is_none_or(|known| known == conversation)
        };
        self.spent.iter().filter(concerns).map(|spent| spent.seq).max().unwrap_or(0)
    }

    fn spent_by_all(&self, gate: &str) -> u64 {
        let all = self.spent.iter().filter(|spent| spent.conversation.is_none());
        all.filter(|spent| spent.gate == gate).map(|spent| spent.seq).max().unwrap_or(0)
    }

    /// What a conversation that is forgotten used up is forgotten too, unless something is left that
    /// it could use again if it came back.
    pub(super) fn forget_spent(&mut self, conversation: &ConversationId) {
        let usable =
            |whose: Option<&ConversationId>| whose.is_none_or(|whose| whose == conversation);
        let runs = self.runs.iter().filter(|run| usable(run.conversation.as_ref()));
        let evidence = self.evidence.iter().filter(|known| usable(known.conversation.as_ref()));
        let marks = self.marks.iter().filter(|known| usable(known.mark.conversation.as_ref()));
        let left = runs.map(|run| run.seq).chain(evidence.map(|known| known.seq));
        let first = left.chain(marks.map(|known| known.seq)).min();
        self.spent.retain(|spent| {
            spent.conversation.as_ref() != Some(conversation)
                || first.is_some_and(|first| first <= spent.seq)
        });
    }
}
