//! The proof `read`: the agent itself read a file.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::evidence::Sort;
use crate::gate::facts::Needs;
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// A file was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadProof {
    /// The file, relative to the project.
    pub file: String,
    /// Whether it has to be what it was when it was read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
}

impl ReadProof {
    pub(super) fn needs(&self, needs: &mut Needs) {
        if self.unchanged {
            needs.files.insert(self.file.clone());
            needs.hashed.insert(self.file.clone());
        }
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let found =
            |status, why: String| Finding::new(status, why, NextStep::Read(self.file.clone()));
        let all = input.evidence(Sort::Read, |subject| subject == self.file);
        let Some(read) = all.iter().find(|read| input.gate.accepts(read.evidence.provenance))
        else {
            let why = format!("{} has not been read by this agent", self.file);
            return found(FindingStatus::Missing, why);
        };
        if self.unchanged {
            match input.facts.files.get(&self.file).map(Vec::as_slice) {
                Some([file]) if file.sha256 == read.evidence.sha256 => {}
                Some([_]) => {
                    return found(
                        FindingStatus::Stale,
                        format!("{} changed since it was read", self.file),
                    );
                }
                Some(_) => {
                    return found(FindingStatus::Missing, format!("{} is not there", self.file));
                }
                None => {
                    return found(
                        FindingStatus::Unknown,
                        format!("{} was not looked at", self.file),
                    );
                }
            }
        }
        Finding::met(format!("it was read ({})", read.evidence.provenance))
    }
}
