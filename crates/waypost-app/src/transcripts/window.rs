//! A part of a transcript, for whoever turns its pages: what stands around a place, read by itself however long the
//! transcript is. Redacted.
//!
//! Parts begin at fixed places, so that an address stays good while a transcript grows.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use waypost_core::redact::redact;
use waypost_core::text::{printable, shortened};
use waypost_core::time::Timestamp;
use waypost_store::look;

use super::show::{about, ended, said_by};
use super::stream::{OnDisk, read_between};
use super::{CallEnd, Entry, Form, Found, Kept, Returned, What};
use crate::harness::ToolEnd;

/// How many bytes of lines are half of a part.
const BYTES: u64 = 64 * 1024;
/// How many entries are half of a part, where a transcript is read as a whole.
const ENTRIES: u64 = 200;
/// So much of what was said or printed at once is shown, in characters.
const MAX_TEXT: usize = 20_000;
/// So much of what was printed.
const MAX_PRINTED: usize = 6_000;

/// A part of a transcript.
#[derive(Debug, Serialize)]
pub struct Window {
    /// What was said and done.
    pub entries: Vec<Part>,
    /// Where it begins.
    pub from: u64,
    /// Where the part before it begins, if there is one.
    pub earlier: Option<u64>,
    /// Where the part behind it begins, if there is one.
    pub later: Option<u64>,
    /// How long all of it is: in bytes, or in entries where a transcript is read as a whole.
    pub length: u64,
    /// How many lines could not be read.
    pub unreadable: u64,
}

/// Something that was said or done.
#[derive(Debug, Clone, Serialize)]
pub struct Part {
    /// Where it stands. Of several in one place the first one has it.
    pub at: u64,
    /// Which one of that place, from 0.
    pub nth: u64,
    /// When it was.
    pub time: Option<Timestamp>,
    /// The subagent that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// What.
    #[serde(flatten)]
    pub told: Said,
}

/// What was said or done.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Said {
    /// Words.
    Words {
        /// Who: `human`, `client`, `agent`, `subagent`.
        by: &'static str,
        /// What.
        text: String,
    },
    /// A tool is called.
    Call {
        /// The client's name for the call.
        call: String,
        /// The tool.
        tool: String,
        /// With what.
        about: String,
    },
    /// The call of a tool is over.
    Result {
        /// The client's name for the call.
        call: String,
        /// The tool, where that is known.
        tool: Option<String>,
        /// How it ended: `ran`, `failed`, `unclear`, `prevented`.
        end: &'static str,
        /// The same in words, where it is worth any.
        remark: String,
        /// What it printed.
        printed: Option<String>,
    },
    /// Something happened to the conversation: it was shortened, interrupted, is not whole.
    Event {
        /// What.
        text: String,
    },
}

impl Found {
    /// The transcript of a client at a place that an index tells.
    pub fn known(kept: &[Kept], client: &str, path: &str) -> Option<Self> {
        let kept = kept.iter().find(|kept| kept.reader.client() == client)?;
        Some(Self::at(kept.reader, PathBuf::from(path)))
    }

    /// The part that a place is in; without one, the last.
    pub fn window(&self, at: Option<u64>) -> io::Result<Window> {
        match self.belongs.form {
            Form::Lines => self.lines(at),
            Form::Whole | Form::Rows => self.whole(at),
        }
    }

    /// What was said at one place.
    pub fn said_at(&self, at: u64) -> io::Result<Vec<Part>> {
        match self.belongs.form {
            Form::Lines => self.between(at, at + 1).map(|(parts, _)| parts),
            // What a whole transcript tells has no places of its own.
            Form::Whole | Form::Rows => Ok(Vec::new()),
        }
    }

    /// What fits, where all of a transcript is read anyway; none where it is read line by line.
    pub fn matching(&self, fits: &dyn Fn(&Part) -> bool) -> Option<io::Result<Vec<Part>>> {
        match self.belongs.form {
            Form::Lines => None,
            Form::Whole | Form::Rows => Some(self.all().map(|(mut parts, _)| {
                parts.retain(fits);
                parts
            })),
        }
    }

    /// When the first thing was said, as far as that is near the beginning.
    pub fn began(&self) -> Option<Timestamp> {
        let (parts, _) = match self.belongs.form {
            Form::Lines => self.between(0, BYTES / 8).ok()?,
            Form::Whole | Form::Rows => return None,
        };
        parts.into_iter().find_map(|part| part.time)
    }

    fn lines(&self, at: Option<u64>) -> io::Result<Window> {
        let length = look::at(&self.file)?.len();
        let cells = length.div_ceil(BYTES);
        let first =
            at.map_or(cells.saturating_sub(2), |at| (at / BYTES).min(cells.saturating_sub(1)));
        let (from, to) = (first * BYTES, (first + 2) * BYTES);
        let (entries, unreadable) = self.between(from, to)?;
        let earlier = (first > 0).then(|| first.saturating_sub(2) * BYTES);
        let later = (to < length).then_some(to);
        Ok(Window { entries, from, earlier, later, length, unreadable })
    }

    fn between(&self, from: u64, to: u64) -> io::Result<(Vec<Part>, u64)> {
        let files = OnDisk;
        let mut reading = self.reader.begin(&self.file, &files);
        let (mut parts, mut nth) = (Parts::default(), 0);
        let mut is_first = true;
        let mut take = |entry: Option<Entry>, at: u64| {
            let Some(entry) = entry else { return };
            nth = if parts.last == Some(at) { nth + 1 } else { 0 };
            // Whoever begins in the middle says so, and this is the middle of something whole.
            let is_odd = from > 0 && is_first && matches!(entry.what, What::Missing(_));
            if parts.last.is_some_and(|last| last != at) {
                is_first = false;
            }
            parts.last = Some(at);
            if !is_odd {
                parts.take(&entry, at, nth);
            }
        };
        let progress = read_between(&self.file, from, to, reading.as_mut(), &mut take)?;
        Ok((parts.all, progress.unreadable))
    }

    fn whole(&self, at: Option<u64>) -> io::Result<Window> {
        let (mut entries, unreadable) = self.all()?;
        let length = entries.len() as u64;
        let cells = length.div_ceil(ENTRIES);
        let first =
            at.map_or(cells.saturating_sub(2), |at| (at / ENTRIES).min(cells.saturating_sub(1)));
        let (from, to) = (first * ENTRIES, (first + 2) * ENTRIES);
        entries.retain(|part| part.at >= from && part.at < to);
        let earlier = (first > 0).then(|| first.saturating_sub(2) * ENTRIES);
        let later = (to < length).then_some(to);
        Ok(Window { entries, from, earlier, later, length, unreadable })
    }

    /// All that there is to show, numbered.
    fn all(&self) -> io::Result<(Vec<Part>, u64)> {
        let (mut parts, mut count, mut unreadable) = (Parts::default(), 0, 0);
        self.read(&mut |entry, _| match entry {
            None => unreadable += 1,
            Some(entry) => count += u64::from(parts.take(&entry, count, 0)),
        })?;
        Ok((parts.all, unreadable))
    }
}

/// What is read, as it comes.
#[derive(Default)]
struct Parts {
    all: Vec<Part>,
    last: Option<u64>,
}

impl Parts {
    /// Takes an entry, if there is anything to show of it.
    fn take(&mut self, entry: &Entry, at: u64, nth: u64) -> bool {
        let Some(told) = told(entry) else { return false };
        let (time, subagent) = (entry.time, entry.subagent.clone());
        self.all.push(Part { at, nth, time, subagent, told });
        true
    }
}

fn told(entry: &Entry) -> Option<Said> {
    Some(match &entry.what {
        What::Called { call, tool } => Said::Call {
            call: call.clone(),
            tool: clean(&tool.name, MAX_PRINTED),
            about: clean(&about(tool), MAX_PRINTED),
        },
        What::Returned(returned) => result(returned),
        What::Compacted | What::Interrupted | What::Missing(_) => {
            Said::Event { text: clean(&said_by(entry)?.1, MAX_TEXT) }
        }
        _ => {
            let (by, text) = said_by(entry)?;
            Said::Words { by, text: clean(&text, MAX_TEXT) }
        }
    })
}

fn result(returned: &Returned) -> Said {
    let end = match returned.end {
        CallEnd::Ran(ToolEnd::Succeeded | ToolEnd::Empty) => "ran",
        CallEnd::Ran(ToolEnd::Failed(_)) => "failed",
        CallEnd::Ran(ToolEnd::Unclear) => "unclear",
        CallEnd::Prevented => "prevented",
    };
    let printed = returned.printed.as_deref().filter(|printed| !printed.trim().is_empty());
    Said::Result {
        call: returned.call.clone(),
        tool: returned.tool.as_ref().map(|tool| clean(&tool.name, MAX_PRINTED)),
        end,
        remark: ended(returned.end).trim().trim_matches(['(', ')']).to_owned(),
        printed: printed.map(|printed| clean(printed, MAX_PRINTED)),
    }
}

/// Nothing secret, nothing that steers, and no more than so much.
fn clean(text: &str, most: usize) -> String {
    printable(&shortened(&redact(text), most))
}

/// What tells two files of a conversation apart for people: the name of a part.
pub fn part_name(path: &str) -> String {
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    stem.strip_prefix("agent-").unwrap_or(&stem).to_owned()
}
