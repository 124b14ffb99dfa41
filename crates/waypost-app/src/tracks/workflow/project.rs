//! The project's own gates that have to hold before a phase is complete, whatever action they stand before.

use waypost_core::gate::action::Action;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::ruling::{GateFinding, Outcome};
use waypost_core::gate::{Before, Gate, Scope};
use waypost_core::track::Phase;

use super::Workflow;
use crate::error::AppError;
use crate::rulings::judge::Rules;
use crate::view::View;

/// What the project's own gates find.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// What each finds.
    pub(super) findings: Vec<GateFinding>,
    /// The gates.
    pub(super) gates: Vec<Gate>,
    /// Whether they hold the phase, and do not only warn.
    pub(super) holds: bool,
}

impl Workflow {
    /// Asks the gates that a phase wants to hold. What counts for one action only was used for that; what an agent
    /// has to do itself is not asked of a person; what stands before `to` is asked there.
    pub(super) fn ask_project(
        &self,
        view: &View<'_>,
        phase: &Phase,
        to: &Before,
    ) -> Result<Found, AppError> {
        let kinds = &phase.project_gates;
        let is_agent = view.calling_agent().is_some();
        let wanted = |gate: &Gate| {
            let concerned = match gate.scope {
                Scope::SingleUse => false,
                Scope::Conversation => is_agent,
                Scope::Session | Scope::Branch | Scope::Permanent => true,
            };
            concerned
                && gate.before.iter().any(|before| kinds.contains(before))
                && !gate.before.contains(to)
        };
        let mut policy = Policy::clone(&view.policy_for_caller()?.policy);
        policy.gates.retain(wanted);
        if policy.gates.is_empty() {
            return Ok(Found::default());
        }
        let gates = policy.gates.clone();
        let state = view.load(&self.session.id)?;
        let rules = Rules::of(policy, &self.session.id, &state);
        let action = Action::new(kinds.clone(), view.asker());
        let judged = rules.judge_content(view, &state, &action)?;
        let is_own = |found: &GateFinding| gates.iter().any(|gate| gate.id == found.gate);
        let findings = judged.findings.into_iter().filter(is_own).collect();
        Ok(Found { findings, gates, holds: judged.outcome == Outcome::Deny })
    }
}
