//! The project's state: the fold of its events.

use serde::{Deserialize, Serialize};

use crate::event::{Event, Known};
use crate::record::Record;

/// The fold of a project's events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProjectState {
    /// The last record's sequence number.
    pub version: u64,
    /// The hash of the policy that was compiled last.
    pub policy: Option<String>,
}

impl ProjectState {
    /// Takes one more record into account.
    pub fn apply(&mut self, record: &Record) {
        self.version = record.seq;
        if let Event::Known(Known::PolicyCompiled(compiled)) = &record.event {
            self.policy = Some(compiled.policy.clone());
        }
    }
}
