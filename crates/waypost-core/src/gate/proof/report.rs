//! The proof `report`: a report says so. What its front matter says is compared word for word; whether
//! it says that all is well, and of which session, is found out elsewhere, in whatever spelling.

use serde::{Deserialize, Serialize};

use super::{Finding, FindingStatus};
use crate::gate::facts::{AskedReport, FoundReport, Needs};
use crate::gate::input::GateInput;
use crate::next_step::NextStep;

/// So many reports that do not fit are told of.
const TOLD: usize = 3;

/// A report says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportProof {
    /// Which files, relative to the project, with `*`, `?` and `**`.
    pub pattern: String,
    /// What it has to say.
    #[serde(flatten)]
    pub asked: AskedReport,
}

impl ReportProof {
    pub(super) fn needs(&self, needs: &mut Needs) {
        needs.reports.entry(self.pattern.clone()).or_default().push(self.asked.clone());
    }

    pub(super) fn next(&self) -> NextStep {
        let with = self.asked.with.iter().map(|(key, value)| format!("{key}: {value}"));
        let passes = self.asked.passes.iter();
        let passes = passes
            .flat_map(|session| ["qaVerdict: PASS".to_owned(), format!("qaSessionLog: {session}")]);
        let with = with.chain(passes).collect::<Vec<_>>().join(", ");
        NextStep::Write { file: self.pattern.clone(), with: Some(with) }
    }

    pub(super) fn find(&self, input: &GateInput<'_>) -> Finding {
        let unmet = |status, why: String| Finding::new(status, why, self.next());
        let Some(reports) = input.facts.reports.get(&self.pattern) else {
            return unmet(FindingStatus::Unknown, "the work tree was not looked at".to_owned());
        };
        match reports.iter().find(|report| self.asked.fits(report)) {
            Some(report) => Finding::met(format!("{} says so", report.path)),
            None if reports.is_empty() => {
                unmet(FindingStatus::Missing, format!("no file fits `{}`", self.pattern))
            }
            None => unmet(FindingStatus::Failed, self.told(reports)),
        }
    }

    /// Why none of them fits. Of many, those of other sessions are nobody's business.
    fn told(&self, reports: &[FoundReport]) -> String {
        let Some(session) = &self.asked.passes else {
            let names: Vec<&str> =
                reports.iter().take(TOLD).map(|report| report.path.as_str()).collect();
            return format!("{} says something else", names.join(", "));
        };
        let own = |report: &&FoundReport| self.asked.concerns(report) || reports.len() <= TOLD;
        if !reports.iter().any(|report| own(&report)) {
            return format!("no report that fits `{}` is about {session}", self.pattern);
        }
        let told = reports.iter().filter(own).take(TOLD).filter_map(|report| {
            self.asked.misses(report).map(|why| format!("{} {why}", report.path))
        });
        told.collect::<Vec<_>>().join("; ")
    }
}
