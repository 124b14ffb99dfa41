//! A protocol's file as a definition that conversations follow: one phase after the other, the work, and the end.

use std::collections::BTreeSet;

use waypost_core::gate::{Before, Gate, Level, Proof, Source};
use waypost_core::track::builtin::{COMPLETE, WORKING};
use waypost_core::track::{
    BLOCKED, ChecklistStep, Definition, Part, Phase, PhaseEntry, StepSubject, VIOLATION,
};

use super::{FilePhase, ProtocolFile, Step};

/// What a phase is also called, where it plainly is that one: the part that it is in, words of its name, and, where
/// no phase has such a name, the step that it is about.
const PLAIN: &[(&str, Part, &[&str], &str)] = &[
    ("SERENA_INIT", Part::Start, &["serena"], "activate_project"),
    ("SKILL_VALIDATION", Part::Start, &["skill"], "list_skills"),
    ("CONTEXT_RETRIEVAL", Part::Start, &["context retrieval", "context"], "read_handoff"),
    ("SESSION_LOG", Part::Start, &["session log"], "create_log"),
    ("GIT_STATE", Part::Start, &["git state", "branch verification"], "git_status"),
    ("DOCS_UPDATE", Part::End, &["documentation"], "complete_log"),
    ("QUALITY_CHECKS", Part::End, &["quality"], "markdown_lint"),
    ("QA_VALIDATION", Part::End, &["qa validation", "qa"], "qa_report"),
    ("GIT_COMMIT", Part::End, &["git operations", "commit"], "commit"),
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
        let labelled = (!phase.label.is_empty()).then_some(labelled);
        let own = [plain.clone()].into_iter().chain(labelled).chain([in_section]);
        let mut names = own.chain(numbered);
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
            let also = also(&self.phases, phase);
            entry = Some(self.entry(phase, also));
        }
        add(&mut phases, WORKING, "the work is done", entry.take());
        for phase in of_part(Part::End) {
            add(&mut phases, &phase.name, &phase.purpose, entry.take());
            let also = also(&self.phases, phase);
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
    (step.level == Level::May).then(|| "it is left to the agent".to_owned())
}

/// What else a phase is called.
fn also(phases: &[FilePhase], phase: &FilePhase) -> Vec<String> {
    let mut also = Vec::new();
    if !phase.label.is_empty() {
        also.push(phase.label.clone());
        if !phase.name.starts_with(&phase.label) {
            also.push(format!("{}: {}", phase.label, phase.name));
        }
    }
    for (alias, part, names, step) in PLAIN {
        let in_part = || phases.iter().filter(|phase| phase.part == *part);
        let by_name = in_part().find(|phase| is_named(phase, names));
        let by_step = || in_part().find(|phase| phase.steps.iter().any(|one| one.name == *step));
        // Only the first such phase is called that.
        if by_name.or_else(by_step).is_some_and(|plain| std::ptr::eq(plain, phase)) {
            also.push((*alias).to_owned());
        }
    }
    also
}

fn is_named(phase: &FilePhase, names: &[&str]) -> bool {
    let lower = phase.name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    names.iter().any(|wanted| {
        let parts: Vec<&str> = wanted.split(' ').collect();
        words.windows(parts.len()).any(|some| some == parts)
    })
}
