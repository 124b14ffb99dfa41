//! A session on its way out to another program's format: what every writer of such a format is given, and what it gives.

use serde_json::Value;
use waypost_core::agents::Agents;
use waypost_core::chronicle::Note;
use waypost_core::course::Course;
use waypost_core::event::{Past, SessionImported};
use waypost_core::id::SessionId;
use waypost_core::session::SessionState;
use waypost_core::time::Timestamp;

/// A session on its way out.
#[derive(Debug)]
pub struct Leaving<'a> {
    /// The session.
    pub id: &'a SessionId,
    /// Its state.
    pub state: &'a SessionState,
    /// How its workflow went.
    pub course: &'a Course,
    /// What its agents did for each other.
    pub agents: &'a Agents,
    /// Its manifest as `state.json` has it, without a signature.
    pub manifest: &'a Value,
    /// What was written down, in order, what was imported first.
    pub notes: &'a [Note],
    /// What was missed, in order.
    pub violations: &'a [LeftViolation],
    /// What came of it.
    pub summary: Option<&'a str>,
    /// What whoever comes next should know.
    pub next_notes: Option<&'a str>,
    /// How it came here, if another program kept it before.
    pub imported: Option<&'a SessionImported>,
}

/// Something that was missed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftViolation {
    /// What was required.
    pub requirement: String,
    /// How bad that is.
    pub severity: String,
    /// The phase.
    pub phase: Option<String>,
    /// When.
    pub time: Option<Timestamp>,
    /// How it was put right.
    pub recovery: Option<String>,
}

/// A session in another program's format.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Written {
    /// What a file of it is called there.
    pub name: String,
    /// What is in it.
    pub text: String,
    /// What the format has no place for: a sentence each.
    pub lost: Vec<String>,
}

impl Leaving<'_> {
    /// What it was when it came here in this format.
    pub fn came_as(&self, format: &str) -> Option<&SessionImported> {
        self.imported.filter(|imported| imported.format == format)
    }

    /// The same, if nothing has happened since: then it goes out as it came.
    pub fn came_just_so(&self, format: &str) -> Option<&SessionImported> {
        self.came_as(format).filter(|_| self.state.is_as_imported())
    }

    /// What was known of it beyond the manifest when it came here.
    pub fn past(&self) -> Option<&Past> {
        self.imported.map(|imported| &*imported.past)
    }
}
