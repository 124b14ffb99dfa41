//! Spans and log records.

use serde::{Deserialize, Serialize};

use crate::key::sha256_hex;
use crate::time::Timestamp;

/// The name of a trace: 32 digits in lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceId(String);

/// The name of a span: 16 digits in lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanId(String);

impl TraceId {
    pub(super) fn new(hex: &str) -> Self {
        Self(hex.to_owned())
    }

    /// The trace of the session whose first record has this hash.
    pub(super) fn of(root: &str) -> Self {
        Self(sha256_hex(&[b"waypost-trace\0", root.as_bytes()])[..32].to_owned())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SpanId {
    pub(super) fn new(hex: &str) -> Self {
        Self(hex.to_owned())
    }

    /// The span of this sort that began with a record of the session whose first record has this hash.
    pub(super) fn of(root: &str, sort: &str, seq: u64) -> Self {
        let seq = seq.to_be_bytes();
        let hash = sha256_hex(&[b"waypost-span\0", root.as_bytes(), b"\0", sort.as_bytes(), &seq]);
        Self(hash[..16].to_owned())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A span of a trace, where something else belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The trace.
    pub trace: TraceId,
    /// The span.
    pub span: SpanId,
}

/// What an attribute says.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Number(u64),
    /// A number with a sign.
    Signed(i64),
    /// A fraction.
    Fraction(f64),
    /// Yes or no.
    Flag(bool),
    /// Several texts.
    List(Vec<String>),
}

/// Something to be told.
#[derive(Debug, Clone, PartialEq)]
pub enum Signal {
    /// Something that took from one time to another.
    Span(Box<Span>),
    /// Something that happened.
    Log(Box<Log>),
}

/// What came of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Nothing is said of it.
    Unset,
    /// It went well.
    Good,
    /// It failed.
    Failed,
}

/// Something that took from one time to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Where it stands: its trace, and its own id.
    pub place: Place,
    /// The span that it is a part of.
    pub parent: Option<SpanId>,
    /// A span elsewhere that it has to do with.
    pub link: Option<Place>,
    /// What it is called.
    pub name: String,
    /// When it began.
    pub start: Timestamp,
    /// When it ended, never before that.
    pub end: Timestamp,
    /// What is known of it.
    pub attributes: Vec<(&'static str, Value)>,
    /// What came of it.
    pub status: Status,
}

/// How much somebody should mind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Not at all.
    Info,
    /// Something was held, missed or lost.
    Warning,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    /// What sort of thing.
    pub event: &'static str,
    /// Where it belongs.
    pub place: Place,
    /// When.
    pub time: Timestamp,
    /// How much somebody should mind.
    pub severity: Severity,
    /// It in a few words.
    pub body: String,
    /// What is known of it.
    pub attributes: Vec<(&'static str, Value)>,
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<Vec<String>> for Value {
    fn from(list: Vec<String>) -> Self {
        Self::List(list)
    }
}
