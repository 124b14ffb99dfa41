//! Looking at the gates of a protocol: which steps are done, which are open, which do not apply.

use serde::Serialize;
use waypost_core::gate::ruling::GateFinding;
use waypost_core::gate::{Level, Status};
use waypost_core::track::{Entry, Part};

use super::Protocol;
use super::subject::{Changes, why_absent};
use crate::error::AppError;
use crate::judge::Rules;
use crate::view::View;

/// Whether a gate of the protocol holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum GateStatus {
    /// Every must that applies is done.
    Pass,
    /// A must is open, or a should where there is no must.
    Fail,
    /// None of its steps applies.
    Skipped,
}

/// Whether a step is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// It is.
    Done,
    /// It is not.
    Open,
    /// It does not apply.
    Skipped,
}

/// A gate of the protocol, looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Looked {
    /// Its name.
    pub gate: String,
    /// The phase that it stands before.
    pub before: String,
    /// How much it insists.
    pub level: Level,
    /// Whether the phase cannot be entered while it does not hold.
    pub blocking: bool,
    /// Whether it belongs to the beginning or the end of the work.
    pub part: Part,
    /// Whether it holds.
    pub status: GateStatus,
    /// Its steps.
    pub steps: Vec<LookedStep>,
}

/// A step, looked at.
#[derive(Debug, Clone, Serialize)]
pub struct LookedStep {
    /// Its name among the steps of its gate.
    pub step: String,
    /// How much it insists.
    pub level: Level,
    /// What it asks for.
    pub requirement: String,
    /// Whether it is done.
    pub status: StepStatus,
    /// What shows it, or why it is open or does not apply.
    pub evidence: String,
    /// What would do it.
    pub next: String,
}

impl Looked {
    /// What is open and must not be.
    pub fn open_musts(&self) -> impl Iterator<Item = &LookedStep> {
        self.open().filter(|step| step.level == Level::Must)
    }

    /// What is open.
    pub fn open(&self) -> impl Iterator<Item = &LookedStep> {
        self.steps.iter().filter(|step| step.status == StepStatus::Open)
    }

    /// Whether it keeps its phase from being entered.
    pub fn holds_back(&self) -> bool {
        self.blocking && self.open_musts().next().is_some()
    }

    /// What shows that it holds, or what is missing, in one line.
    pub fn evidence(&self) -> String {
        let told: Vec<String> = match self.status {
            GateStatus::Fail => {
                self.open().map(|step| format!("{} {}", step.requirement, step.evidence)).collect()
            }
            GateStatus::Pass | GateStatus::Skipped => {
                let steps = self.steps.iter().filter(|step| step.status != StepStatus::Open);
                steps.map(|step| format!("{} {}", step.requirement, step.evidence)).collect()
            }
        };
        told.join("; ")
    }
}

impl Protocol {
    /// Looks at those of its gates that `wanted` names.
    pub fn look(
        &self,
        view: &View<'_>,
        wanted: impl Fn(&Entry) -> bool,
    ) -> Result<Vec<Looked>, AppError> {
        let tree = self.track().and_then(|track| track.tree.as_ref());
        let changes = Changes::since(view, tree);
        let entries: Vec<_> =
            self.definition.entries().filter(|(_, entry)| wanted(entry)).collect();
        let mut absent = Vec::new();
        let mut asked = Vec::new();
        for step in entries.iter().flat_map(|(_, entry)| &entry.steps) {
            match why_absent(&changes, &step.subject) {
                Some(why) => absent.push((step.gate.id.as_str(), why)),
                None => asked.push(step.gate.clone()),
            }
        }
        let rules = Rules::of_gates(asked, &self.session.id);
        let findings = rules.examine(view, &self.session.state, &self.conversation)?;
        let looked =
            entries.iter().map(|(phase, entry)| looked(&phase.name, entry, (&absent, &findings)));
        Ok(looked.collect())
    }
}

fn looked(
    before: &str,
    entry: &Entry,
    (absent, findings): (&[(&str, String)], &[GateFinding]),
) -> Looked {
    let steps: Vec<LookedStep> = entry
        .steps
        .iter()
        .map(|step| {
            let gate = &step.gate;
            let found = findings.iter().find(|found| found.gate == gate.id);
            let skipped = absent.iter().find(|(id, _)| *id == gate.id).map(|(_, why)| why);
            let (status, evidence, next) = match (found, skipped) {
                (Some(found), _) if found.status == Status::Met => {
                    (StepStatus::Done, found.why.clone(), String::new())
                }
                (Some(found), _) => (StepStatus::Open, found.why.clone(), found.next.clone()),
                (None, Some(why)) => {
                    (StepStatus::Skipped, format!("SKIPPED: {why}"), String::new())
                }
                (None, None) => {
                    (StepStatus::Open, "it was not looked at".to_owned(), gate.proof.how())
                }
            };
            LookedStep {
                step: step.name.clone(),
                level: gate.level,
                requirement: gate.message.clone(),
                status,
                evidence,
                next,
            }
        })
        .collect();
    let status = status_of(entry.level(), &steps);
    Looked {
        gate: entry.gate.clone(),
        before: before.to_owned(),
        level: entry.level(),
        blocking: entry.blocking,
        part: entry.part,
        status,
        steps,
    }
}

fn status_of(level: Level, steps: &[LookedStep]) -> GateStatus {
    let open = |step: &LookedStep| step.status == StepStatus::Open && step.level == level;
    if steps.iter().any(open) {
        GateStatus::Fail
    } else if steps.iter().all(|step| step.status == StepStatus::Skipped) {
        GateStatus::Skipped
    } else {
        GateStatus::Pass
    }
}
