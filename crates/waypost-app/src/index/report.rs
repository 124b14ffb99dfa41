//! What came of reading what is there into an index.

use serde::Serialize;

/// Called with how many sessions were looked at, how many there are as far as that is known, and what is read now.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64, &str);

/// What came of reading what is there into an index.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// Whether it was made anew.
    pub rebuilt: bool,
    /// The projects that were looked at.
    pub projects: Vec<ScannedProject>,
    /// How many sessions there are.
    pub sessions: u64,
    /// How many of them were read, because they were new or had changed.
    pub synced: u64,
    /// How many were as they had been.
    pub unchanged: u64,
    /// How many are gone.
    pub removed: u64,
    /// What could not be read.
    pub failed: Vec<Failed>,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// A project that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct ScannedProject {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Its folder.
    pub working_dir: String,
    /// Whether it is there.
    pub present: bool,
    /// Whether people have put it away.
    pub archived: bool,
    /// Where it was before, if it was found in another place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// Whether it is new in the index.
    pub new: bool,
    /// How many sessions it has.
    pub sessions: u64,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failed {
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
}
