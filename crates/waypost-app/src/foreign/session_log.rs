//! Session logs as other tools keep them in `.agents/sessions`, in Markdown or JSON: which session one
//! is about, and which musts of its checklists are open. Takes bytes, gives items with their lines;
//! it looks at no file and decides nothing.

mod item;
mod json;
mod markdown;

pub use item::{ItemLevel, ItemState, LogItem, is_of_start};

use super::named_session::NamedSession;

/// A larger log is not read, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;
/// No more items than this are looked at.
const MAX_ITEMS: usize = 5_000;

/// A log that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLog {
    /// Its checklists, in the order of the file.
    pub items: Vec<LogItem>,
    /// The number of the session that it says it is about, and where it says so.
    pub number: Option<(u32, u64)>,
    /// The day that it says it is of, as it is written, and where.
    pub day: Option<(String, u64)>,
}

/// Why a file is not taken for the log of a session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogRefusal {
    /// It is too large.
    #[error("it has more than {MAX_BYTES} bytes; leave out what is not about the session")]
    TooLarge,
    /// It is not what its name says.
    #[error("it is not valid JSON: line {line}, column {column}: {why}; correct it there")]
    NotJson {
        /// Where.
        line: usize,
        /// Where in the line.
        column: usize,
        /// Why.
        why: String,
    },
    /// There is nothing that could be ticked off.
    #[error("it has no checklist{}; {wanted}", outside_of(*unclosed))]
    NoChecklist {
        /// Where a code block begins that never ends.
        unclosed: Option<u64>,
        /// What is missing, in the words of the format.
        wanted: &'static str,
    },
    /// It is about another session.
    #[error("line {line} says that it is about {about}, not about {wanted}; put that right")]
    AnotherSession {
        /// Where it says so.
        line: u64,
        /// Which.
        about: String,
        /// The one that was asked for.
        wanted: String,
    },
}

fn outside_of(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| {
        format!(" outside of the code block that begins in line {line} and never ends")
    })
}

/// Whether a file of this name can be a session log.
pub fn is_log_name(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| matches!(ending.as_str(), "md" | "markdown" | "json"))
}

/// Reads a log. Its name tells which format it has.
pub fn read(name: &str, bytes: &[u8]) -> Result<SessionLog, LogRefusal> {
    if bytes.len() > MAX_BYTES {
        return Err(LogRefusal::TooLarge);
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if name.to_ascii_lowercase().ends_with(".json") {
        json::read(text)
    } else {
        markdown::read(text)
    }
}

impl SessionLog {
    /// Refuses a log that says itself that it is about another session than `wanted`.
    pub fn about(self, wanted: &NamedSession) -> Result<Self, LogRefusal> {
        let another = |line, about: String| {
            Err(LogRefusal::AnotherSession { line, about, wanted: wanted.id() })
        };
        match &self {
            Self { number: Some((number, line)), .. } if *number != wanted.number => {
                another(*line, format!("session {number}"))
            }
            Self { day: Some((day, line)), .. } if !near(day, &wanted.day) => {
                another(*line, format!("a session of {day}"))
            }
            _ => Ok(self),
        }
    }

    /// The musts that it leaves open, each with its line and why.
    pub fn open(&self) -> Vec<String> {
        self.items.iter().filter_map(LogItem::told_open).collect()
    }
}

/// Whether two days are the same, or next to each other: whoever writes a log says the day where they
/// are, and sessions are named by that of UTC. What is no day says nothing.
fn near(one: &str, other: &str) -> bool {
    let day = |text: &str| text.parse::<jiff::civil::Date>().ok();
    let (Some(one), Some(other)) = (day(one), day(other)) else { return true };
    one == other || one.tomorrow().ok() == Some(other) || other.tomorrow().ok() == Some(one)
}

#[cfg(test)]
mod tests;
