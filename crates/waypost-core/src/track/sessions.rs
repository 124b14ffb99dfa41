//! A protocol for any session, and what it comes to in one: whose log it asks for, where the skills lie, and
//! whether anybody sees what the agent does.

use super::{ChecklistStep, Definition, StepSubject};
use crate::gate::{Proof, Scope};

/// Stands for the id of the session.
pub const ANY_SESSION: &str = "\u{2039}session\u{203a}";
/// Stands for the pattern of the project's skills.
pub const ANY_SKILLS: &str = "\u{2039}skills\u{203a}";
/// Stands for the folder that they lie in.
pub const ANY_SKILL_FOLDER: &str = "\u{2039}skill folder\u{203a}";

/// Whether hooks see what a conversation does. What nobody could see may be said instead, and is
/// shown as said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watching {
    /// They do.
    ByHooks,
    /// Nobody sees it.
    ByNobody,
}

impl Definition {
    /// What it comes to in a session. `skills` is the pattern of the project's skills, where the agent
    /// knows any.
    #[must_use]
    pub fn of_session(&self, session: &str, watched: Watching, skills: Option<&str>) -> Self {
        let mut definition = self.clone();
        for step in definition.steps_mut() {
            if watched == Watching::ByNobody && step.gate.scope == Scope::Conversation {
                step.gate.accept_claimed = true;
            }
            fill(step, session, skills);
        }
        definition
    }

    /// All steps before its phases.
    pub fn steps_mut(&mut self) -> impl Iterator<Item = &mut ChecklistStep> {
        let entries = self.phases.iter_mut().filter_map(|phase| phase.entry.as_mut());
        entries.flat_map(|entry| entry.steps.iter_mut())
    }
}

fn fill(step: &mut ChecklistStep, session: &str, skills: Option<&str>) {
    let asks_for_skills =
        matches!(&step.subject, StepSubject::File(file) if file.starts_with("\u{2039}skill"));
    let put = |text: &mut String| {
        if text.contains('\u{2039}') {
            let skills = skills.unwrap_or_default();
            let folder = skills.trim_end_matches(['*', '/']);
            let filled = text.replace(ANY_SESSION, session).replace(ANY_SKILLS, skills);
            *text = filled.replace(ANY_SKILL_FOLDER, folder);
        }
    };
    fill_proof(&mut step.gate.proof, &put);
    fill_subject(&mut step.subject, &put);
    if asks_for_skills && skills.is_none() {
        step.subject = StepSubject::Absent("the agent knows no skills".to_owned());
    }
}

fn fill_proof(proof: &mut Proof, put: &dyn Fn(&mut String)) {
    match proof {
        Proof::Read(read) => put(&mut read.file),
        Proof::File(file) => put(&mut file.pattern),
        Proof::Changed(changed) => put(&mut changed.pattern),
        Proof::Ticked(ticked) => put(&mut ticked.pattern),
        Proof::Report(report) => {
            put(&mut report.pattern);
            report.asked.with.values_mut().chain(&mut report.asked.passes).for_each(put);
        }
        Proof::All(proofs) | Proof::Any(proofs) => {
            for proof in proofs {
                fill_proof(proof, put);
            }
        }
        _ => {}
    }
}

fn fill_subject(subject: &mut StepSubject, put: &dyn Fn(&mut String)) {
    match subject {
        StepSubject::File(pattern) | StepSubject::Changed(pattern) => put(pattern),
        StepSubject::All(subjects) => {
            for subject in subjects {
                fill_subject(subject, put);
            }
        }
        _ => {}
    }
}
