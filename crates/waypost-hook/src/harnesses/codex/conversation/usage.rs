//! What a rollout says that was used, so that what is repeated in the rollouts of forks and subagents counts once and what
//! subagents used themselves counts too. Reads no conversation.

use serde_json::Value;
use waypost_app::transcripts::Usage;
use waypost_core::time::Timestamp;

use crate::calls::{text, tokens};

/// What a thread repeats of the one that it goes on from is written within so many milliseconds of its first line.
const REPEATING: i64 = 1000;

/// Where a state stands in a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before what the thread did itself.
    Before,
    /// At its beginning, where other threads may be repeated.
    Beginning,
    /// Behind that.
    Behind,
}

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
    /// Whether the thread was started by another one, so that only what stands at its beginning can be repeated.
    is_spawned: bool,
    /// Whether what another thread says of itself is repeated.
    is_copied: bool,
    /// All that was used before, by the last state.
    before: Usage,
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
        self.is_spawned |= parent.is_some();
        self.is_copied |= !is_first;
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
        let told = |name: &str| info.get(name).filter(|told| told.is_object());
        let (total, last) = (told("total_token_usage"), told("last_token_usage"));
        let all = total.map(|total| usage(total).ok_or(Unreadable)).transpose()?;
        let before = std::mem::replace(&mut self.before, all.clone().unwrap_or_default());
        let at = self.at(time);
        let used = match (last, all) {
            _ if self.has_records || at == At::Before => return Ok(None),
            (Some(last), _) => usage(last).ok_or(Unreadable)?,
            (None, Some(all)) if all != before => since(&all, &before),
            (None, _) => return Ok(None),
        };
        // The same state is told again and again, also in the files of those that go on from here.
        let own = self.thread.as_ref().filter(|_| self.is_spawned);
        let own = own.filter(|_| at == At::Behind);
        let whose = own.map_or(&self.root, |(id, _)| id);
        let message = total.filter(|_| !whose.is_empty()).map(|total| {
            format!("{whose} {total} {}", last.map(Value::to_string).unwrap_or_default())
        });
        Ok(Some(Usage { message, ..used }))
    }

    /// Where a state of a thread that was started by another one stands. What is surely the other one's counts there,
    /// by the names of its answers if it has any, which are not repeated.
    fn at(&self, time: Option<Timestamp>) -> At {
        let began = self.thread.as_ref().and_then(|(_, began)| *began);
        let since = began.zip(time).map(|(began, time)| time.as_millis() - began.as_millis());
        match since {
            Some(since) if since > REPEATING => At::Behind,
            Some(since) if self.is_spawned && (since < 0 || self.is_copied) => At::Before,
            _ => At::Beginning,
        }
    }
}

/// Whether a thread is a subagent's.
pub(super) fn is_of_a_subagent(meta: &Value) -> bool {
    let told = meta.get("source").and_then(|source| source.get("subagent"));
    told.is_some_and(|told| !told.is_null()) || text(meta, "thread_source") == Some("subagent")
}

/// The thread that started a thread for a subagent.
fn spawned_by(meta: &Value) -> Option<&str> {
    let told = meta.get("source").and_then(|source| source.get("subagent")?.get("thread_spawn"));
    let parent = told.and_then(|spawned| text(spawned, "parent_thread_id"));
    parent.or_else(|| text(meta, "parent_thread_id").filter(|_| is_of_a_subagent(meta)))
}

/// What was used since a state, by a later one; all of it where the count began anew.
fn since(all: &Usage, before: &Usage) -> Usage {
    let has_begun_anew = all.output < before.output;
    let less =
        |all: u64, before: u64| if has_begun_anew { all } else { all.saturating_sub(before) };
    Usage {
        input: less(all.input, before.input),
        output: less(all.output, before.output),
        cache_read: less(all.cache_read, before.cache_read),
        cache_write_5m: less(all.cache_write_5m, before.cache_write_5m),
        ..Usage::default()
    }
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
