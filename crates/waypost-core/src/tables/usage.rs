//! The rows that are made of clients' transcripts: what messages say, and what they took; and what records say of that,
//! which stays when a client deletes its transcripts.

use super::cell::{AsCell, Cell, Column, Row, Table, row};
use crate::cost::Tokens;
use crate::event::{UsageCounted, UsedModel};
use crate::key::sha256_hex;
use crate::record::Record;
use crate::time::Timestamp;

/// How long a [`UsageQuarterRow`] is, in milliseconds. Clocks everywhere differ by whole quarters of an hour, so that every
/// day, and every block of hours, is made of them.
pub const QUARTER: i64 = 15 * 60 * 1000;
/// The quarter of messages that tell no time.
const NO_TIME: i64 = -1;

/// The number of a transcript's file, which is the same in every index.
pub fn file_key(path: &str) -> i64 {
    i64::from_str_radix(&sha256_hex(&[path.as_bytes()])[..15], 16).unwrap_or_default()
}

/// The number of what is said at a place in a file, which is the same in every index.
pub fn message_key(file: i64, offset: u64, place: u64) -> i64 {
    let parts = [file.to_be_bytes(), offset.to_be_bytes(), place.to_be_bytes()];
    i64::from_str_radix(&sha256_hex(&parts.each_ref().map(<[u8; 8]>::as_slice))[..15], 16)
        .unwrap_or_default()
}

row! {
    /// A transcript's file.
    TranscriptRow in "transcripts", key 1, indexes [["conversation"]] {
        /// Its number.
        file: i64,
        /// Where it is.
        path: String,
        /// The client that writes it.
        client: String,
        /// The conversation.
        conversation: String,
        /// Whether it is a part of the conversation that is not its own words.
        part: bool,
        /// The folder that it begins in.
        folder: Option<String>,
        /// How long it was.
        bytes: u64,
        /// When it was last changed then.
        modified: u64,
        /// The file that it was.
        inode: u64,
        /// Up to which byte it was read.
        offset: u64,
        /// The hash of what stands right before that: what was added is read by itself only while that is the same.
        before: String,
        /// How many lines could not be read.
        unreadable: u64,
    }
}

row! {
    /// Tokens that one message of a model took, by one file. The same message may stand in several.
    UsageRow in "usage", key 2, indexes [["message"]] {
        /// The file.
        file: i64,
        /// The message, as the model's provider names it; `#` and its place where it has no name.
        message: String,
        /// When.
        time: Option<Timestamp>,
        /// The subagent, where it was one.
        agent: Option<String>,
        /// The model.
        model: Option<String>,
        /// Tokens that went in.
        input: u64,
        /// Tokens that came out.
        output: u64,
        /// Tokens that were read from a cache.
        cache_read: u64,
        /// Tokens that were written to a cache for five minutes.
        cache_write_5m: u64,
        /// Tokens that were written to a cache for an hour.
        cache_write_1h: u64,
    }
}

row! {
    /// The tokens of a quarter of an hour, so that nobody adds them up anew: of the messages that count for a file, each
    /// of which counts for one alone.
    UsageQuarterRow in "usage_quarters", key 4, indexes [] {
        /// The file.
        file: i64,
        /// Which quarter, since 1970; -1 where no time is told.
        quarter: i64,
        /// The subagent; empty where it was none.
        agent: String,
        /// The model; empty where it is not told.
        model: String,
        /// When the first of the messages was.
        first: Option<Timestamp>,
        /// How many messages.
        messages: u64,
        /// Tokens that went in.
        input: u64,
        /// Tokens that came out.
        output: u64,
        /// Tokens that were read from a cache.
        cache_read: u64,
        /// Tokens that were written to a cache for five minutes.
        cache_write_5m: u64,
        /// Tokens that were written to a cache for an hour.
        cache_write_1h: u64,
    }
}

row! {
    /// What the records of a session say that a conversation used of a model.
    UsageCountedRow in "usage_counted", key 3, indexes [["conversation"]] {
        /// The session.
        session: i64,
        /// The record.
        seq: u64,
        /// Its place in that.
        place: u64,
        /// The conversation.
        conversation: String,
        /// When it was counted.
        time: Timestamp,
        /// The model.
        model: String,
        /// The phase that the session was in.
        phase: String,
        /// The checkpoint that was worked on.
        checkpoint: Option<u64>,
        /// Tokens that went in.
        input: u64,
        /// Tokens that came out.
        output: u64,
        /// Tokens that were read from a cache.
        cache_read: u64,
        /// Tokens that were written to a cache for five minutes.
        cache_write_5m: u64,
        /// Tokens that were written to a cache for an hour.
        cache_write_1h: u64,
        /// What they cost then, in thousand-millionths of a US dollar, where a price was known.
        nano_usd: Option<u64>,
    }
}

row! {
    /// Where something is said in a transcript. Its text is searched by its number, and not kept.
    MessageRow in "messages", key 1, indexes [["file"]] {
        /// Its number.
        id: i64,
        /// The file.
        file: i64,
        /// Where in it the line begins.
        offset: u64,
        /// When.
        time: Option<Timestamp>,
        /// Who speaks.
        role: String,
    }
}

impl UsageRow {
    /// The tokens.
    pub fn tokens(&self) -> Tokens {
        let Self { input, output, cache_read, cache_write_5m, cache_write_1h, .. } = *self;
        Tokens { input, output, cache_read, cache_write_5m, cache_write_1h }
    }

    /// Which quarter of an hour it counts in.
    pub fn quarter(&self) -> i64 {
        self.time.map_or(NO_TIME, |time| time.as_millis().div_euclid(QUARTER))
    }

    /// Of the rows of one message in several files the one that counts: it belongs to where it was first, and a copy may
    /// know less of what it used.
    pub fn that_counts<'a>(rows: impl IntoIterator<Item = &'a Self> + Clone) -> Option<Self> {
        let whose = |row: &&Self| (row.time.is_none(), row.time, row.file);
        let first = rows.clone().into_iter().min_by_key(whose)?;
        let how_much = |row: &&Self| (row.tokens().all(), std::cmp::Reverse(row.file));
        let most = rows.into_iter().max_by_key(how_much)?;
        Some(Self {
            file: first.file,
            time: first.time,
            agent: first.agent.clone(),
            model: most.model.clone().or_else(|| first.model.clone()),
            ..most.clone()
        })
    }

    /// Whether the message has a name, by which it is known again in other files.
    pub fn is_named(&self) -> bool {
        !self.message.starts_with('#')
    }
}

impl UsageQuarterRow {
    /// The tokens.
    pub fn tokens(&self) -> Tokens {
        let Self { input, output, cache_read, cache_write_5m, cache_write_1h, .. } = *self;
        Tokens { input, output, cache_read, cache_write_5m, cache_write_1h }
    }

    /// One for messages like this one, without any yet.
    pub fn like(row: &UsageRow) -> Self {
        Self {
            file: row.file,
            quarter: row.quarter(),
            agent: row.agent.clone().unwrap_or_default(),
            model: row.model.clone().unwrap_or_default(),
            first: None,
            messages: 0,
            input: 0,
            output: 0,
            cache_read: 0,
            cache_write_5m: 0,
            cache_write_1h: 0,
        }
    }

    /// One more message.
    pub fn add(&mut self, row: &UsageRow) {
        self.first = [self.first, row.time].into_iter().flatten().min();
        self.messages += 1;
        let mut sum = self.tokens();
        sum.add(row.tokens());
        let Tokens { input, output, cache_read, cache_write_5m, cache_write_1h } = sum;
        (self.input, self.output, self.cache_read) = (input, output, cache_read);
        (self.cache_write_5m, self.cache_write_1h) = (cache_write_5m, cache_write_1h);
    }
}

impl UsageCountedRow {
    /// The rows of a record.
    pub fn of<'a>(
        session: i64,
        record: &'a Record,
        counted: &'a UsageCounted,
    ) -> impl Iterator<Item = Self> + 'a {
        counted.used.iter().zip(0..).map(move |(used, place)| {
            let UsedModel { model, phase, checkpoint, tokens, nano_usd } = used;
            Self {
                session,
                seq: record.seq,
                place,
                conversation: counted.conversation.to_string(),
                time: record.time,
                model: model.clone(),
                phase: phase.clone(),
                checkpoint: *checkpoint,
                input: tokens.input,
                output: tokens.output,
                cache_read: tokens.cache_read,
                cache_write_5m: tokens.cache_write_5m,
                cache_write_1h: tokens.cache_write_1h,
                nano_usd: *nano_usd,
            }
        })
    }
}
