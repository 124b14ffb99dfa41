//! What is found wrong with a phase that is to be completed, and how it is mended.

use waypost_core::gate::proof::fields::{Field, Type};
use waypost_core::gate::ruling::GateFinding;
use waypost_core::gate::{Before, FindingStatus, Gate, Level, OnError, Proof};
use waypost_core::next_step::Voice;

use super::{Workflow, project};
use crate::error::{AppError, Kind};
use crate::rulings::ask;
use crate::rulings::judge::Rules;
use crate::view::View;

/// What was found wrong.
#[derive(Debug, Default)]
pub(super) struct Validation {
    /// What must hold and does not.
    pub(super) errors: Vec<String>,
    /// What should hold and does not.
    pub(super) warnings: Vec<String>,
    /// What would put it right.
    pub(super) next_steps: Vec<String>,
}

/// Whether what a gate finds says already what its message does.
fn is_told_whole(gate: Option<&Gate>) -> bool {
    gate.is_some_and(|gate| matches!(gate.proof, Proof::Work(_) | Proof::Check(_)))
}

/// A field as it is given.
fn given_so(field: &Field) -> String {
    match field.of {
        Type::Boolean if field.any_value => format!("{}=true or false", field.name),
        Type::Boolean if field.check.is_none() => format!("{}=true", field.name),
        _ => field.name.clone(),
    }
}

impl Validation {
    /// Looks at the gates of the workflow itself.
    pub(super) fn look(
        &mut self,
        view: &View<'_>,
        workflow: &Workflow,
        phase: &str,
        gates: &[Gate],
    ) -> Result<(), AppError> {
        let id = &workflow.session.id;
        let state = view.load(id)?;
        let rules = Rules::of_gates(gates.to_vec(), id);
        let findings = rules.examine(view, &state, &view.asker())?;
        let voice = view.voice();
        for finding in findings.iter().filter(|finding| finding.status != FindingStatus::Met) {
            let gate = gates.iter().find(|gate| gate.id == finding.gate);
            self.add(phase, finding, gate, voice);
        }
        Ok(())
    }

    /// Takes over what the project's own gates found.
    pub(super) fn take(&mut self, project: &project::Found, phase: &str, voice: Voice) {
        let unmet = project.findings.iter().filter(|found| found.status != FindingStatus::Met);
        for finding in unmet {
            let gate = project.gates.iter().find(|gate| gate.id == finding.gate);
            if project.holds {
                self.add(phase, finding, gate, voice);
            } else {
                self.warnings.push(format!("{}: {}", finding.gate, finding.why));
            }
        }
    }

    fn add(&mut self, phase: &str, finding: &GateFinding, gate: Option<&Gate>, voice: Voice) {
        let unknown = finding.status == FindingStatus::Unknown;
        let on_error = gate.map(|gate| gate.on_error).filter(|_| unknown);
        let strict = finding.level == Level::Must && on_error != Some(OnError::Warn);
        let GateFinding { message, why, .. } = finding;
        let told = format!("{}: {why}", finding.gate);
        match on_error {
            Some(OnError::Allow) => return,
            _ if strict => self.errors.push(told),
            _ => self.warnings.push(told),
        }
        let fields = gate.and_then(|gate| match &gate.proof {
            Proof::Fields(wanted) => Some(wanted),
            _ => None,
        });
        // What only warns lets the phase pass, and nobody gives evidence of a phase that is over.
        if fields.is_some() && !strict {
            return;
        }
        self.next_steps.push(match fields {
            Some(wanted) => {
                let names: Vec<String> = wanted.fields.iter().map(given_so).collect();
                format!("{message} Give {} as evidence of phase {phase}", names.join(", "))
            }
            // These say all that there is to say themselves.
            None if is_told_whole(gate) => finding.words(voice),
            None => format!("{}: {}", message.trim_end_matches('.'), finding.words(voice)),
        });
    }

    /// Asks the project's own gates before the phase that follows.
    pub(super) fn ask(
        &mut self,
        view: &View<'_>,
        workflow: &Workflow,
        before: Before,
    ) -> Result<(), AppError> {
        let session = view.session(Some(workflow.session.id.as_str()))?;
        match ask::the_gates(view, &session, view.asker(), before) {
            Ok(warning) => self.warnings.extend(warning),
            Err(refused) if refused.kind == Kind::Refused => {
                self.next_steps.extend(refused.next(view.voice()));
                self.errors.push(refused.message);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
