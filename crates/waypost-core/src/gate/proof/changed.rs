//! The proof `changed`: a file was changed since the work began.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::evidence::Tree;
use crate::gate::facts::Needs;
use crate::gate::input::GateInput;
use crate::glob;
use crate::next_step::NextStep;

/// A file was changed since the conversation's protocol began, or was not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedProof {
    /// Which, relative to the project, with `*`, `?` and `**`.
    pub pattern: String,
    /// Whether none may have changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

impl ChangedProof {
    pub(super) fn needs(&self, input: &GateInput<'_>, needs: &mut Needs) {
        needs.tree = true;
        needs.looked_for.insert(self.pattern.clone());
        needs.compare.extend(begun(input).map(str::to_owned));
    }

    pub(super) fn next(&self) -> NextStep {
        if self.kept {
            return NextStep::Said(format!("put {} back as it was", self.pattern));
        }
        NextStep::Change(self.pattern.clone())
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let unmet = |status, why: String| Finding::new(status, why, self.next());
        let now = input.facts.tree.as_ref().and_then(Tree::id);
        let (Some(then), Some(now)) = (begun(input), now) else {
            return unmet(
                FindingStatus::Unknown,
                "what the work began with is not known".to_owned(),
            );
        };
        let files = input.facts.changed.get(then).map(Vec::as_slice).unwrap_or_default();
        let changed = files.iter().find(|file| glob::matches_path(&self.pattern, file));
        if self.kept {
            return match changed {
                Some(file) if then != now => {
                    unmet(FindingStatus::Failed, format!("{file} was changed"))
                }
                _ => Finding::met(format!("{} is as it was", self.pattern)),
            };
        }
        match changed {
            Some(file) if then != now => Finding::met(format!("{file} was changed")),
            _ => unmet(FindingStatus::Missing, format!("{} was not changed", self.pattern)),
        }
    }
}

/// The work tree that the conversation's protocol began with.
fn begun<'a>(input: &GateInput<'a>) -> Option<&'a str> {
    input.began_with.and_then(Tree::id)
}
