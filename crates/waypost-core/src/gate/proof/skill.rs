//! The proof `skill`: the agent itself used a skill.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::evidence::Sort;
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// A skill was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillProof {
    /// Its name; without a plugin's name in front it is that skill of any plugin.
    pub name: String,
}

impl SkillProof {
    /// Whether `used` is this skill.
    pub fn is(&self, used: &str) -> bool {
        let used = used.trim_start_matches('/');
        used == self.name || used.rsplit(':').next() == Some(&self.name)
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let all = input.evidence(Sort::Skill, |subject| self.is(subject));
        match all.iter().find(|used| input.gate.accepts(used.evidence.provenance)) {
            Some(used) => Finding::met(format!("it was used ({})", used.evidence.provenance)),
            None => Finding::new(
                FindingStatus::Missing,
                format!("the skill {} has not been used by this agent", self.name),
                NextStep::UseSkill(self.name.clone()),
            ),
        }
    }
}
