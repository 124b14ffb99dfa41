//! What a transcript tells, entry by entry.

use std::path::PathBuf;

use waypost_core::time::Timestamp;

use crate::harness::{Tool, ToolEnd};

/// An entry of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Where in the file its line begins, in bytes.
    pub at: u64,
    /// When it was.
    pub time: Option<Timestamp>,
    /// The subagent that it is about.
    pub subagent: Option<String>,
    /// What it tells.
    pub what: What,
}

/// Who wrote a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// A human.
    Human,
    /// The client, such as when a task in the background is over, or another agent.
    Client,
}

/// What an entry tells.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// The folder that the agent is in from now on.
    In(PathBuf),
    /// A prompt.
    Prompt {
        /// What was written.
        text: String,
        /// By whom.
        by: By,
    },
    /// Words of the agent.
    Said(String),
    /// A tool is called.
    Called {
        /// The client's name for the call.
        call: String,
        /// What is called.
        tool: Tool,
    },
    /// The call of a tool is over.
    Returned(Returned),
    /// What a message used. The same message may be told again, with more; the last holds.
    Used(Usage),
    /// What the client says that the conversation cost.
    Total(Total),
    /// The conversation was shortened.
    Compacted,
    /// A human interrupted the agent.
    Interrupted,
    /// Something is not in the transcript, and why.
    Missing(String),
    /// The conversation is over.
    Ended,
}

/// How the call of a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    /// It ran.
    Ran(ToolEnd),
    /// It was kept from running.
    Prevented,
}

/// A call that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Returned {
    /// The client's name for the call.
    pub call: String,
    /// What was called, with what is known now; none if its beginning is not in the transcript.
    pub tool: Option<Tool>,
    /// Whether it is known what the tool does.
    pub understood: bool,
    /// How it ended.
    pub end: CallEnd,
    /// What a command line printed, as far as all of it is there.
    pub printed: Option<String>,
}

/// No message used more tokens of a kind. A line that says so cannot be read.
pub const MAX_TOKENS: u64 = 1_000_000_000_000;

/// What a message used, in tokens.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Usage {
    /// The message.
    pub message: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// What was given to the model and in no cache.
    pub input: u64,
    /// What the model wrote.
    pub output: u64,
    /// What was read from the cache.
    pub cache_read: u64,
    /// What was written to the cache for five minutes, or for a time that is not told.
    pub cache_write_5m: u64,
    /// What was written to the cache for an hour.
    pub cache_write_1h: u64,
}

/// What the client says that the conversation cost by now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Total {
    /// In US dollars.
    pub usd: f64,
    /// Of each model.
    pub models: Vec<(String, f64, Usage)>,
}
