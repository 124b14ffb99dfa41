//! A gate of a protocol, looked at: which steps are done, which are open, which do not apply.

use serde::Serialize;

use crate::gate::Proof;
use crate::gate::ruling::GateFinding;
use crate::gate::{Before, FindingStatus, Level, Source};
use crate::next_step::NextStep;
use crate::track::{ChecklistStep, Part, PhaseEntry};

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
    /// Where it is written down.
    pub source: Source,
}

/// A step, looked at.
#[derive(Debug, Clone, Serialize)]
pub struct LookedStep {
    /// Its name among the steps of its gate.
    pub step: String,
    /// How much it insists.
    pub level: Level,
    /// Whether it is asked for before the end only, whatever its phase says.
    #[serde(skip)]
    pub late: bool,
    /// What it asks for.
    pub requirement: String,
    /// Whether it is done.
    pub status: StepStatus,
    /// What shows it, or why it is open or does not apply.
    pub evidence: String,
    /// What would do it.
    pub next: NextStep,
}

impl Looked {
    /// What was found of the gate before the phase `before`. `absent` tells which of its steps do not
    /// apply, and why; `findings` what the gates of the others find.
    pub fn of(
        before: &str,
        entry: &PhaseEntry,
        absent: &[(&str, String)],
        findings: &[GateFinding],
    ) -> Self {
        let steps: Vec<LookedStep> = entry
            .steps
            .iter()
            .map(|step| {
                let found = findings.iter().find(|found| found.gate == step.gate.id);
                let skipped = absent.iter().find(|(id, _)| *id == step.gate.id);
                LookedStep::of(entry, step, found, skipped.map(|(_, why)| why.as_str()))
            })
            .collect();
        let none = || Source::new("", 1);
        Self {
            gate: entry.gate.clone(),
            before: before.to_owned(),
            level: entry.level(),
            blocking: entry.blocking,
            part: entry.part,
            status: status_of(entry.level(), &steps),
            steps,
            source: entry.steps.first().map_or_else(none, |step| step.gate.source.clone()),
        }
    }

    /// Takes in what the server behind calls of its tools said when it was asked: one that does not answer leaves them to
    /// be done, and of one that answers nothing more is asked where nobody sees calls.
    pub fn answered(&mut self, entry: &PhaseEntry, tools: &str, answer: Result<(), &str>) {
        for (step, looked) in entry.steps.iter().zip(&mut self.steps) {
            let is_about =
                matches!(&step.gate.proof, Proof::Called(called) if called.tool.contains(tools));
            if !is_about || looked.status == StepStatus::Skipped {
                continue;
            }
            match answer {
                Ok(()) if looked.status == StepStatus::Open && step.gate.accept_claimed => {
                    looked.status = StepStatus::Done;
                    "it answers (verified)".clone_into(&mut looked.evidence);
                    looked.next = NextStep::Nothing;
                }
                Ok(()) => looked.evidence.push_str("; it answers"),
                Err(why) => {
                    looked.status = StepStatus::Open;
                    why.clone_into(&mut looked.evidence);
                    looked.next = shown(entry, step, step.gate.proof.next(&step.gate));
                }
            }
        }
        self.status = status_of(self.level, &self.steps);
    }

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
        self.blocking && self.early_musts().next().is_some()
    }

    /// What is open and must not be when the next phase is entered.
    pub fn early_musts(&self) -> impl Iterator<Item = &LookedStep> {
        self.open_musts().filter(|step| !step.late)
    }

    /// Whether it has to hold before the end, and no earlier.
    pub fn waits_for_end(&self) -> bool {
        self.early_musts().next().is_none() && self.open_musts().next().is_some()
    }

    /// What shows that it holds, or what is missing, in one line.
    pub fn evidence(&self) -> String {
        if self.steps.is_empty() {
            return "it asks for nothing".to_owned();
        }
        let open = self.status == GateStatus::Fail;
        let told = self.steps.iter().filter(|step| (step.status == StepStatus::Open) == open);
        told.map(|step| format!("{} {}", step.requirement, step.evidence))
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// What would satisfy it: everything that is open and as strict as the gate itself, in order.
    pub fn next(&self) -> NextStep {
        let open = self.open().filter(|step| step.level == self.level);
        match <[NextStep; 1]>::try_from(open.map(|step| step.next.clone()).collect::<Vec<_>>()) {
            Ok([only]) => only,
            Err(several) if several.is_empty() => NextStep::Nothing,
            Err(several) => NextStep::All(several),
        }
    }
}

impl LookedStep {
    fn of(
        entry: &PhaseEntry,
        step: &ChecklistStep,
        found: Option<&GateFinding>,
        skipped: Option<&str>,
    ) -> Self {
        let gate = &step.gate;
        let (status, evidence, next) = match (found, skipped) {
            (Some(found), _) if found.status == FindingStatus::Met => {
                (StepStatus::Done, found.why.clone(), NextStep::Nothing)
            }
            (Some(found), None) => {
                (StepStatus::Open, found.why.clone(), shown(entry, step, found.next.clone()))
            }
            (_, Some(why)) => (StepStatus::Skipped, format!("SKIPPED: {why}"), NextStep::Nothing),
            (None, None) => {
                let next = shown(entry, step, gate.proof.next(gate));
                (StepStatus::Open, "it was not looked at".to_owned(), next)
            }
        };
        Self {
            step: step.name.clone(),
            level: gate.level,
            late: gate.before == [Before::End],
            requirement: gate.message.clone(),
            status,
            evidence,
            next,
        }
    }
}

/// What nobody sees has to be shown after it was done.
fn shown(entry: &PhaseEntry, step: &ChecklistStep, what: NextStep) -> NextStep {
    let unseen = matches!(what, NextStep::Read(_) | NextStep::Call(_) | NextStep::UseSkill(_));
    let only_said = step.is_only_said();
    if step.gate.accept_claimed && (unseen || only_said) {
        let what = if only_said { NextStep::Said(step.gate.message.clone()) } else { what };
        let (gate, step) = (entry.gate.clone(), step.name.clone());
        return NextStep::Show { gate, step, what: Box::new(what) };
    }
    what
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
