//! The rows that are made of clients' transcripts: what messages say, and what they took.

use super::cell::{AsCell, Cell, Column, Row, Table, row};
use crate::time::Timestamp;

row! {
    /// Tokens that one message of a model took.
    UsageRow in "usage", key 2, indexes [["session"], ["day"]] {
        /// The conversation.
        conversation: String,
        /// The message, as the model's provider names it.
        message: String,
        /// The project, where it is known.
        project: Option<String>,
        /// The session, where it is known.
        session: Option<i64>,
        /// The subagent, where it was one.
        agent: Option<String>,
        /// When.
        time: Timestamp,
        /// The day, as `2026-11-15`.
        day: String,
        /// The model.
        model: String,
        /// The phase that the session was in.
        phase: Option<String>,
        /// The checkpoint that was worked on.
        checkpoint: Option<u64>,
        /// Tokens that went in.
        input: u64,
        /// Tokens that came out.
        output: u64,
        /// Tokens that were read from a cache.
        cache_read: u64,
        /// Tokens that were written to a cache.
        cache_write: u64,
    }
}

row! {
    /// The tokens of a day, so that nobody adds them up anew.
    UsageDayRow in "usage_days", key 4, indexes [] {
        /// The day, as `2026-11-15`.
        day: String,
        /// The model.
        model: String,
        /// The project; empty where it is not known.
        project: String,
        /// The session; 0 where it is not known.
        session: i64,
        /// How many messages.
        messages: u64,
        /// Tokens that went in.
        input: u64,
        /// Tokens that came out.
        output: u64,
        /// Tokens that were read from a cache.
        cache_read: u64,
        /// Tokens that were written to a cache.
        cache_write: u64,
    }
}

row! {
    /// Where a message of a conversation stands. Its text is searched by its number, and not kept.
    MessageRow in "messages", key 1, indexes [["conversation", "time"], ["file"]] {
        /// Its number.
        id: i64,
        /// The conversation.
        conversation: String,
        /// The project, where it is known.
        project: Option<String>,
        /// The session, where it is known.
        session: Option<i64>,
        /// The transcript's file.
        file: String,
        /// Where in it the message begins.
        offset: u64,
        /// How long it is there.
        length: u64,
        /// When.
        time: Option<Timestamp>,
        /// Who speaks.
        role: String,
        /// The model, where one speaks.
        model: Option<String>,
    }
}
