//! A protocol's file as a definition that conversations follow: one phase after the other, the work, and the end.

use std::collections::BTreeSet;

use waypost_core::gate::{Before, Gate, Level, Proof, Source};
use waypost_core::track::builtin::{COMPLETE, WORKING};
use waypost_core::track::{
    BLOCKED, ChecklistStep, Definition, Part, Phase, PhaseEntry, StepSubject, VIOLATION,
};

use super::{FilePhase, ProtocolFile, Step};

/// What a phase is also called, where it plainly is that one: a word of its name, and the part that it is in.
const PLAIN: &[(&str, Part, &[&str])] = &[
    ("SERENA_INIT", Part::Start, &["serena"]),
    ("SKILL_VALIDATION", Part::Start, &["skill"]),
    ("CONTEXT_RETRIEVAL", Part::Start, &["context retrieval", "context"]),
    ("SESSION_LOG", Part::Start, &["session log"]),
    ("GIT_STATE", Part::Start, &["git state", "branch verification"]),
    ("DOCS_UPDATE", Part::End, &["documentation"]),
    ("QUALITY_CHECKS", Part::End, &["quality"]),
    ("QA_VALIDATION", Part::End, &["qa validation", "qa"]),
    ("GIT_COMMIT", Part::End, &["git operations", "commit"]),
];

/// Gives every phase a name of its own, by which people and agents speak of it.
pub(super) fn name_phases(phases: &mut [FilePhase]) {
    let mut taken: BTreeSet<String> = ["ALL", WORKING, COMPLETE, BLOCKED, VIOLATION, "INIT"]
        .iter()
        .map(|name| name.to_lowercase())
        .collect();
    for phase in phases {
        // A step's id is the phase's name, a slash, and its own.
        let plain = phase.name.replace('/', "-");
        let labelled = format!("{}: {plain}", phase.label);
        let in_section = format!("{plain} ({})", phase.section.replace('/', "-"));
        let numbered = (2..).map(|number| format!("{plain} ({number})"));
        let mut names = [plain.clone(), in_section, labelled].into_iter().chain(numbered);
        if let Some(name) = names.find(|name| taken.insert(name.to_lowercase())) {
            phase.name = name;
        }
    }
}

impl ProtocolFile {
    /// What conversations follow, in any session; `None` if there is no phase.
    pub(crate) fn definition(&self) -> Option<Definition> {
        if !self.phases.iter().any(|phase| !phase.label.is_empty()) {
            return None;
        }
        let of_part = |part| self.phases.iter().filter(move |phase| phase.part == part);
        let mut phases: Vec<Phase> = Vec::new();
        let mut entry = None;
        let mut aliases = BTreeSet::new();
        let add =
            |phases: &mut Vec<Phase>, name: &str, purpose: &str, before: Option<PhaseEntry>| {
                phases.push(Phase {
                    name: name.to_owned(),
                    purpose: purpose.to_owned(),
                    entry: before,
                    ..Phase::default()
                });
            };
        for phase in of_part(Part::Start) {
            add(&mut phases, &phase.name, &phase.purpose, entry.take());
            let also = also(phase, &mut aliases);
            entry = Some(self.entry(phase, also));
        }
        add(&mut phases, WORKING, "the work is done", entry.take());
        for phase in of_part(Part::End) {
            add(&mut phases, &phase.name, &phase.purpose, entry.take());
            let also = also(phase, &mut aliases);
            entry = Some(self.entry(phase, also));
        }
        add(&mut phases, COMPLETE, "everything is done", entry.take());
        for phase in &mut phases {
            let name = phase.name.clone();
            for step in phase.entry.iter_mut().flat_map(|entry| &mut entry.steps) {
                if step.gate.before.is_empty() {
                    step.gate.before = vec![Before::Phase(name.clone())];
                }
            }
        }
        let mut definition = Definition::new(self.file.as_str(), phases);
        definition.description.clone_from(&self.title);
        definition.version.clone_from(&self.version);
        Some(definition)
    }

    fn entry(&self, phase: &FilePhase, also: Vec<String>) -> PhaseEntry {
        let steps = phase.steps.iter().map(|step| self.step(phase, step)).collect();
        let (gate, blocking, part) = (phase.name.clone(), phase.blocking, phase.part);
        PhaseEntry { gate, also, blocking, part, steps }
    }

    fn step(&self, phase: &FilePhase, step: &Step) -> ChecklistStep {
        let id = format!("{}/{}", phase.name, step.name);
        let message =
            if step.text.ends_with('.') { step.text.clone() } else { format!("{}.", step.text) };
        let none = Proof::Never(String::new());
        let gate = Gate {
            level: step.level,
            message,
            source: Source::new(self.file.as_str(), step.line),
            ..Gate::new(id, Vec::new(), none)
        };
        let mut made = match &step.known {
            Some(known) => known.step(&step.name, phase.part, gate),
            None => {
                ChecklistStep::only_said(&step.name, Gate { before: vec![Before::End], ..gate })
            }
        };
        if let Some(why) = unseen(step) {
            made.subject = StepSubject::Unseen(why);
            made.gate.accept_claimed = true;
            made.gate.before = vec![Before::End];
        }
        made
    }
}

/// Why nobody can see whether a step applies.
fn unseen(step: &Step) -> Option<String> {
    if let Some(condition) = &step.condition {
        return Some(format!("it applies only under a condition: {condition}"));
    }
    if step.forbids && step.known.is_none() {
        return Some("it forbids something, so nothing is to be done for it".to_owned());
    }
    (step.level == Level::May && step.known.is_none()).then(|| "it is left to the agent".to_owned())
}

/// What else a phase is called. What it plainly is, only the first such phase is called.
fn also(phase: &FilePhase, taken: &mut BTreeSet<&'static str>) -> Vec<String> {
    let mut also = Vec::new();
    if !phase.label.is_empty() {
        also.push(phase.label.clone());
        also.push(format!("{}: {}", phase.label, phase.name));
    }
    let lower = phase.name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let says = |wanted: &&str| {
        let parts: Vec<&str> = wanted.split(' ').collect();
        words.windows(parts.len()).any(|some| some == parts)
    };
    for (alias, part, names) in PLAIN {
        if *part == phase.part && names.iter().any(says) && taken.insert(alias) {
            also.push((*alias).to_owned());
        }
    }
    also
}
