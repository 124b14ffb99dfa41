//! The proof `file`: a file is there.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::gate::facts::Needs;
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// A file is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileProof {
    /// Which, relative to the project, with `*`, `?` and `**`.
    pub pattern: String,
}

impl FileProof {
    pub(super) fn needs(&self, needs: &mut Needs) {
        needs.files.insert(self.pattern.clone());
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let unmet = |status, why| {
            let next = NextStep::Write { file: self.pattern.clone(), with: None };
            Finding::new(status, why, next)
        };
        match input.facts.files.get(&self.pattern).map(Vec::as_slice) {
            Some([first, ..]) => Finding::met(format!("{} is there", first.path)),
            Some([]) => unmet(FindingStatus::Missing, format!("no file fits `{}`", self.pattern)),
            None => unmet(FindingStatus::Unknown, "the work tree was not looked at".to_owned()),
        }
    }
}
