//! Looking at the gates of a protocol: which steps are done, which are open, which do not apply.

use waypost_core::standing::Looked;
use waypost_core::track::{PhaseEntry, StepSubject};

use super::Protocol;
use super::subject::{Changes, why_absent};
use crate::error::AppError;
use crate::rulings::judge::Rules;
use crate::view::View;

impl Protocol {
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
