//! Looking at the gates of a protocol: which steps are done, which are open, which do not apply.

use waypost_core::gate::Proof;
use waypost_core::standing::{GateStatus, Looked};
use waypost_core::track::{PhaseEntry, StepSubject};

use super::Protocol;
use super::subject::{Changes, why_absent};
use crate::error::AppError;
use crate::rulings::judge::Rules;
use crate::view::View;

/// Tools of Serena, and the one by which it comes to know the project: the gate that asks for it is the one about Serena.
const SERENA: &str = "serena__";
const KNOWS: &str = "serena__activate_project";

/// What comes of it that Serena does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// Its gate does not hold.
    Holds,
    /// Nothing: it was there when the work began.
    IsNothing,
}

impl Protocol {
    /// Whether a gate is about Serena being there.
    pub fn is_about_serena(entry: &PhaseEntry) -> bool {
        let knows =
            |proof: &Proof| matches!(proof, Proof::Called(called) if called.tool.ends_with(KNOWS));
        entry.steps.iter().any(|step| knows(&step.gate.proof))
    }

    /// Asks Serena whether it answers, where a gate that was looked at is about that and somebody here can ask. Hooks never
    /// ask: what they see of its calls is all that they go by.
    pub fn ask(&self, view: &View<'_>, looked: &mut [Looked], silence: Silence) {
        let Some(asked) = &view.host.asked else { return };
        for (_, entry) in
            self.definition.entries().filter(|(_, entry)| Self::is_about_serena(entry))
        {
            let found = looked.iter_mut().find(|found| found.gate == entry.gate);
            let Some(found) = found.filter(|found| found.status != GateStatus::Skipped) else {
                continue;
            };
            match asked.serena(view.host, &view.project, view.log.ring()) {
                Some(true) => found.answered(entry, SERENA, Ok(())),
                Some(false) if silence == Silence::Holds => {
                    found.answered(entry, SERENA, Err("Serena does not answer"));
                }
                Some(false) | None => {}
            }
        }
    }

    /// Looks at those of its gates that `wanted` names.
    pub fn look(
        &self,
        view: &View<'_>,
        wanted: impl Fn(&PhaseEntry) -> bool,
    ) -> Result<Vec<Looked>, AppError> {
        let tree = self.track().and_then(|track| track.tree.as_ref());
        let changes = Changes::since(view, tree);
        let entries: Vec<_> =
            self.definition.entries().filter(|(_, entry)| wanted(entry)).collect();
        let mut absent = Vec::new();
        let mut asked = Vec::new();
        for step in entries.iter().flat_map(|(_, entry)| &entry.steps) {
            let why = why_absent(&changes, &step.subject);
            // Of what nobody can see, somebody may have said that it was done.
            if why.is_none() || matches!(step.subject, StepSubject::Unseen(_)) {
                asked.push(step.gate.clone());
            }
            absent.extend(why.map(|why| (step.gate.id.as_str(), why)));
        }
        let rules = Rules::of_gates(asked, &self.session.id);
        let findings = rules.examine(view, &self.session.state, &self.conversation)?;
        let looked =
            entries.iter().map(|(phase, entry)| Looked::of(&phase.name, entry, &absent, &findings));
        Ok(looked.collect())
    }
}
