//! The proof `ticked`: a log is there, and every must in its checklists is done. It reads no log: what
//! a format's marks mean is found out elsewhere.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::gate::facts::{FoundLog, Needs};
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// A log whose checklists have no must left open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickedProof {
    /// Which, relative to the project, with `*`, `?` and `**`.
    pub pattern: String,
}

impl TickedProof {
    pub(super) fn needs(&self, needs: &mut Needs) {
        needs.ticked.insert(self.pattern.clone());
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let unmet =
            |status, why: String| Finding::new(status, why, NextStep::Tick(self.pattern.clone()));
        match input.facts.ticked.get(&self.pattern) {
            None => unmet(FindingStatus::Unknown, "the work tree was not looked at".to_owned()),
            Some(found) if found.is_empty() => {
                unmet(FindingStatus::Missing, format!("no file fits `{}`", self.pattern))
            }
            Some(found) => match FoundLog::lacking(found) {
                Some(why) => unmet(FindingStatus::Failed, why),
                None => Finding::met("no MUST is left open"),
            },
        }
    }
}
