//! The proof `skill`: the agent itself used a skill, or anybody in its conversation where that is enough.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::evidence::Sort;
use crate::gate::facts::Needs;
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// A skill was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillProof {
    /// Its name; without a plugin's name in front it is that skill of any plugin.
    pub name: String,
    /// Whether it counts for the whole conversation, whoever in it used it, and also where it was named without its plugin.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anybody: bool,
    /// For how many milliseconds it counts; none: for as long as the gate's scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasts: Option<i64>,
}

/// A skill's own name, without the plugin that it is from.
fn own_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

impl SkillProof {
    /// A skill that the agent itself used, at any time.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), anybody: false, lasts: None }
    }

    /// The name under which its use is looked out for.
    pub fn watched(&self) -> &str {
        if self.anybody { own_name(&self.name) } else { &self.name }
    }

    pub(super) fn needs(&self, needs: &mut Needs) {
        needs.clock |= self.lasts.is_some();
    }

    /// Whether `used` is this skill: one of another plugin that is called alike is not.
    pub fn is(&self, used: &str) -> bool {
        let used = used.trim_start_matches('/');
        let is_bare = !self.name.contains(':');
        used == self.name
            || (is_bare && own_name(used) == self.name)
            || (self.anybody && used == own_name(&self.name))
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let all = input.evidence_of(Sort::Skill, self.anybody, |subject| self.is(subject));
        let unmet = |status, why| Finding::new(status, why, NextStep::UseSkill(self.name.clone()));
        let Some(used) = all.iter().find(|used| input.gate.accepts(used.evidence.provenance))
        else {
            let whose = if self.anybody { "in this conversation" } else { "by this agent" };
            let why = format!("the skill {} has not been used {whose}", self.name);
            return unmet(FindingStatus::Missing, why);
        };
        let age = input.facts.now.as_millis() - used.time.as_millis();
        match self.lasts {
            Some(lasts) if !(0..=lasts).contains(&age) => unmet(
                FindingStatus::Stale,
                format!("the skill {} was used too long ago", self.name),
            ),
            _ => Finding::met(format!("it was used ({})", used.evidence.provenance)),
        }
    }
}
