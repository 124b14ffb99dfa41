//! What a rollout says that was used, so that what is repeated in the rollouts of forks and subagents counts once and what
//! subagents used themselves counts too. Reads no conversation.

use serde_json::Value;
use waypost_app::transcripts::Usage;
use waypost_core::time::Timestamp;

use super::super::tools::{text, tokens};

/// What a thread repeats of the one that it goes on from is written within so many milliseconds of its first line.
const REPEATING: i64 = 1000;

/// A state says what cannot be.
#[derive(Debug)]
pub(super) struct Unreadable;

/// What tells the messages of a rollout from those of others.
#[derive(Debug, Default)]
pub(super) struct Counting {
    /// The thread of the first line, and when that was written.
    thread: Option<(String, Option<Timestamp>)>,
    /// The thread that it all began with: what is repeated of it are the same messages.
    root: String,
    /// Whether the thread was started by another one and may repeat nothing of that.
    may_be_fresh: bool,
    /// Whether each answer has a line with its own name, beside the states that have none.
    has_records: bool,
}

impl Counting {
    /// Takes what a thread says of itself. The first is the rollout's own, others are repeated.
    pub(super) fn meta(&mut self, meta: &Value, time: Option<Timestamp>) {
        let id = text(meta, "id").unwrap_or_default();
        let forked = text(meta, "forked_from_id");
        let is_first = self.thread.is_none();
        let parent = spawned_by(meta).filter(|_| is_first);
        forked.or(parent).unwrap_or(id).clone_into(&mut self.root);
        self.may_be_fresh = is_first && forked.is_none() && parent.is_some();
        self.thread.get_or_insert_with(|| (id.to_owned(), time));
    }

    /// What one answer used, as newer versions write it down.
    pub(super) fn record(&mut self, record: &Value) -> Option<Usage> {
        self.has_records = true;
        let message = text(record, "response_id").map(str::to_owned);
        Some(Usage { message, ..usage(record.get("usage")?)? })
    }

    /// What the last answer used, by a state of all that was used by then. Nothing where it says nothing new.
    pub(super) fn state(
        &mut self,
        info: &Value,
        time: Option<Timestamp>,
    ) -> Result<Option<Usage>, Unreadable> {
        let Some(used) = info.get("last_token_usage").filter(|_| !self.has_records) else {
            return Ok(None);
        };
        let usage = usage(used).ok_or(Unreadable)?;
        if std::mem::take(&mut self.may_be_fresh) && self.is_behind_the_beginning(time) {
            self.root = self.thread.as_ref().map(|(id, _)| id.clone()).unwrap_or_default();
        }
        // The same state is told again and again, also in the files of those that go on from here.
        let total = info.get("total_token_usage").filter(|_| !self.root.is_empty());
        let message = total.map(|total| format!("{} {total} {used}", self.root));
        Ok(Some(Usage { message, ..usage }))
    }

    fn is_behind_the_beginning(&self, time: Option<Timestamp>) -> bool {
        let began = self.thread.as_ref().and_then(|(_, began)| *began);
        began
            .zip(time)
            .is_some_and(|(began, time)| time.as_millis() - began.as_millis() > REPEATING)
    }
}

/// The thread that started a thread for a subagent.
pub(super) fn spawned_by(meta: &Value) -> Option<&str> {
    let spawned = meta.get("source")?.get("subagent")?.get("thread_spawn")?;
    text(spawned, "parent_thread_id")
}

fn usage(used: &Value) -> Option<Usage> {
    let cached = tokens(used, "cached_input_tokens")?;
    let written = tokens(used, "cache_write_input_tokens")?;
    let in_cache = cached.saturating_add(written);
    Some(Usage {
        input: tokens(used, "input_tokens")?.saturating_sub(in_cache),
        output: tokens(used, "output_tokens")?,
        cache_read: cached,
        cache_write_5m: written,
        ..Usage::default()
    })
}
