//! The proof `plan`: a Markdown file lies in one of some folders that says what it has to, and is not too old.

use super::{Finding, FindingStatus};
use crate::gate::facts::Needs;
use crate::gate::facts::plan::WantedPlan;
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

pub(super) fn needs(plan: &WantedPlan, needs: &mut Needs) {
    needs.plans.insert(plan.clone());
    needs.clock |= plan.within.is_some();
}

pub(super) fn next(plan: &WantedPlan) -> NextStep {
    let verdict = plan.verdict.iter().map(|verdict| format!("## Verdict {verdict}"));
    let with: Vec<String> = plan.texts.iter().cloned().chain(verdict).collect();
    let folder = plan.folders.first().map_or(".", String::as_str);
    let with = (!with.is_empty()).then(|| with.join(", "));
    NextStep::Write { file: format!("{}/*.md", folder.trim_end_matches('/')), with }
}

pub(super) fn find(plan: &WantedPlan, input: &GateInput<'_>) -> Finding {
    let unmet = |status, why: String| Finding::new(status, why, next(plan));
    match input.facts.plans.get(&plan.key()) {
        Some(Some(path)) => Finding::met(format!("{path} is there")),
        Some(None) => {
            let age = if plan.within.is_some() { " and is young enough" } else { "" };
            let folders = plan.folders.join(", ");
            let why = format!("no file in {folders} says what it has to{age}");
            unmet(FindingStatus::Missing, why)
        }
        None => unmet(FindingStatus::Unknown, "the work tree was not looked at".to_owned()),
    }
}
