//! The proof `report`: a report says so in its front matter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::gate::facts::Needs;
use crate::gate::input::GateInput;
use crate::glob;
use crate::next_step::NextStep;

/// A report says so in its front matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportProof {
    /// Which files, relative to the project, with `*`, `?` and `**`.
    pub pattern: String,
    /// What has to stand in its front matter.
    pub with: BTreeMap<String, String>,
}

impl ReportProof {
    pub(super) fn needs(&self, needs: &mut Needs) {
        needs.reports.insert(self.pattern.clone());
    }

    pub(super) fn next(&self) -> NextStep {
        let with = self.with.iter().map(|(key, value)| format!("{key}: {value}"));
        let with = with.collect::<Vec<_>>().join(", ");
        NextStep::Write { file: self.pattern.clone(), with: Some(with) }
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let unmet = |status, why: String| Finding::new(status, why, self.next());
        let Some(reports) = input.facts.reports.get(&self.pattern) else {
            return unmet(FindingStatus::Unknown, "the work tree was not looked at".to_owned());
        };
        let says = |value: &str, wanted: &str| {
            value.eq_ignore_ascii_case(wanted) || glob::matches(wanted, value)
        };
        let fits = |fields: &BTreeMap<String, String>| {
            self.with
                .iter()
                .all(|(key, wanted)| fields.get(key).is_some_and(|value| says(value, wanted)))
        };
        match reports.iter().find(|report| fits(&report.fields)) {
            Some(report) => Finding::met(format!("{} says so", report.path)),
            None if reports.is_empty() => {
                unmet(FindingStatus::Missing, format!("no file fits `{}`", self.pattern))
            }
            None => {
                let names: Vec<&str> =
                    reports.iter().take(3).map(|report| report.path.as_str()).collect();
                unmet(FindingStatus::Failed, format!("{} says something else", names.join(", ")))
            }
        }
    }
}
