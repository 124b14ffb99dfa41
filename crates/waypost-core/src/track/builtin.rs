//! The definitions that come with Waypost: four workflows and the session protocol.

use std::sync::OnceLock;

use super::known::KnownStep;
use super::{ChecklistStep, Definition, Part, Phase, PhaseEntry, SkipRule, StepSubject};
use crate::gate::facts::work::Work;
use crate::gate::policy::Policy;
use crate::gate::proof::git::GitProof;
use crate::gate::{Before, Gate, Level, OnError, Proof, Source};

use super::sessions::{ANY_SESSION, ANY_SKILLS};

pub use super::sessions::Watching;

/// The name of the protocol that comes with Waypost.
pub const PROTOCOL: &str = crate::gate::policy::BUILTIN_PROTOCOL;
/// Where its gates say that they are written down.
pub const SOURCE: &str = "the built-in protocol";
/// Where the gates of the workflows say that they are written down.
pub const WORKFLOW_SOURCE: &str = "the built-in workflows";
/// The phase of the protocol in which the work is done.
pub const WORKING: &str = "WORKING";
/// The workflows that come with Waypost.
pub const WORKFLOWS: [&str; 4] = ["full", "quick", "research", "none"];

/// The phase of the protocol in which everything is done.
pub const COMPLETE: &str = "COMPLETE";

const HANDOFF: &str = ".agents/HANDOFF.md";
const CONSTRAINTS: &str = ".agents/governance/PROJECT-CONSTRAINTS.md";
const PLAN: &str = ".agents/planning/*PROJECT-PLAN.md";
const MANDATORY: &str = ".serena/memories/skill-usage-mandatory.md";
const AGENTS: &str = ".agents/**";

/// A workflow that comes with Waypost. `none` has no phases, so it is none.
pub fn workflow(name: &str) -> Option<Definition> {
    static MADE: [OnceLock<Option<Definition>>; WORKFLOWS.len()] =
        [const { OnceLock::new() }; WORKFLOWS.len()];
    let place = WORKFLOWS.iter().position(|known| *known == name)?;
    MADE[place].get_or_init(|| made(name)).clone()
}

fn made(name: &str) -> Option<Definition> {
    let (description, parts) = parts_of(name)?;
    let phases = parts.iter().map(|part| phase_of(*part)).collect();
    let description = description.to_owned();
    Some(Definition { description, first: 1, ..Definition::new(name, phases) })
}

/// Whether a workflow that comes with Waypost has a phase.
pub fn has_phase(workflow: &str, phase: &str) -> bool {
    parts_of(workflow).is_some_and(|(_, parts)| parts.iter().any(|part| name_of(*part) == phase))
}

/// What a workflow that comes with Waypost is for, and the parts of the work that are its phases.
fn parts_of(workflow: &str) -> Option<(&'static str, &'static [Work])> {
    Some(match workflow {
        "full" => {
            ("from an idea to documented work", &[Work::Spec, Work::Plan, Work::Build, Work::Docs])
        }
        "quick" => ("work that needs no specification", &[Work::Plan, Work::Build]),
        "research" => ("finding out, without building", &[Work::Spec]),
        _ => return None,
    })
}

/// The name of the phase in which a part of the work is done.
fn name_of(part: Work) -> &'static str {
    match part {
        Work::Spec => "spec",
        Work::Plan => "plan",
        Work::Build => "build",
        Work::Docs => "docs",
    }
}

/// The phase in which a part of the work is done. It is complete when that part is.
fn phase_of(part: Work) -> Phase {
    let (purpose, gate, message) = match part {
        Work::Spec => (
            "find out what is wanted, and write it down in spec.md",
            "spec/written",
            "Write down what is to be built, and answer what blocks it.",
        ),
        Work::Plan => (
            "divide the work into checkpoints, in plan.json",
            "plan/checkpoints",
            "Divide the work into checkpoints.",
        ),
        Work::Build => (
            "do the work, checkpoint by checkpoint",
            "build/checkpoints",
            "Complete every checkpoint of the build.",
        ),
        Work::Docs => (
            "write down what users and the next developer need",
            "docs/changed",
            "Document what was built.",
        ),
    };
    // What was built holds what the project asks of every commit and of every turn.
    let project_gates = match part {
        Work::Build => vec![Before::Commit, Before::Stop],
        Work::Spec | Work::Plan | Work::Docs => Vec::new(),
    };
    // Where nobody can tell whether documentation changed, nobody is held for it.
    let on_error = if part == Work::Docs { OnError::Warn } else { OnError::Deny };
    let source = Source::new(WORKFLOW_SOURCE, 1);
    let gate = Gate {
        message: message.to_owned(),
        on_error,
        source,
        ..Gate::new(gate, Vec::new(), Proof::Work(part))
    };
    Phase {
        name: name_of(part).to_owned(),
        purpose: purpose.to_owned(),
        gates: vec![gate],
        project_gates,
        skip: (part == Work::Docs).then_some(SkipRule::OnRequest),
        ..Phase::default()
    }
}

/// The protocol that comes with Waypost, for a session. `skills` is the pattern of the project's
/// skills, where the agent knows any.
pub fn protocol(session: &str, watched: Watching, skills: Option<&str>) -> Definition {
    any_protocol().of_session(session, watched, skills)
}

/// The same for any session, whoever follows it.
pub fn any_protocol() -> Definition {
    let phases = vec![
        phase("INIT", "the session has begun", None),
        phase("SERENA_READY", "Serena knows the project", Some(serena())),
        phase("SKILLS_VALIDATED", "the project's skills are known", Some(skills())),
        phase("CONTEXT_LOADED", "what came before is known", Some(context())),
        phase("READY", "there is a log to write to", Some(log())),
        phase(WORKING, "the work is done", Some(git_state())),
        phase("DOCUMENTING", "what was done is written down", Some(docs())),
        phase("QUALITY_CHECKED", "what was written holds to the rules", Some(quality())),
        phase("QA_COMPLETE", "somebody else looked at it", Some(qa())),
        phase(COMPLETE, "everything is committed", Some(commit())),
    ];
    Definition::new(PROTOCOL, phases)
}

/// Whether a gate is one of the protocol that a policy is about, which tells of it itself.
pub fn is_of_protocol(policy: &Policy, source: &Source) -> bool {
    source.file == SOURCE || policy.protocol.as_ref() == Some(&source.file)
}

/// The policy with the gates of a protocol that was known before and cannot be read now.
#[must_use]
pub fn keeping_protocol_of(policy: &Policy, last: &Policy) -> Policy {
    let mut kept = policy.clone();
    if policy.protocol.is_some() && policy.protocol == last.protocol {
        kept.protocol_steps.clone_from(&last.protocol_steps);
        let own = |gate: &&Gate| is_of_protocol(policy, &gate.source);
        kept.gates.extend(last.gates.iter().filter(own).cloned());
    }
    kept
}

/// Whether hooks know at every call whether it holds.
pub fn is_seen_at_once(proof: &Proof) -> bool {
    match proof {
        Proof::Called(_) | Proof::Read(_) | Proof::Git(GitProof::Off(_) | GitProof::On(_)) => true,
        Proof::All(proofs) => !proofs.is_empty() && proofs.iter().all(is_seen_at_once),
        _ => false,
    }
}

/// The gates of a protocol that hold whatever session it is: hooks enforce those before the work
/// on every edit. The others stand before nothing; hooks only look out for what they ask for.
pub fn standing(definition: &Definition) -> Vec<(&StepSubject, Gate)> {
    let steps = definition
        .entries()
        .flat_map(|(_, entry)| entry.steps.iter().map(move |step| (entry, step)));
    steps
        .map(|(entry, step)| {
            let observed = is_seen_at_once(&step.gate.proof);
            let first = entry.blocking && entry.part == Part::Start;
            let holds = first && observed && step.gate.level == Level::Must;
            let before = if holds { vec![Before::Edit] } else { Vec::new() };
            (&step.subject, Gate { before, ..step.gate.clone() })
        })
        .collect()
}

fn phase(
    name: &str,
    purpose: &str,
    entry: Option<(&str, bool, Part, Vec<ChecklistStep>)>,
) -> Phase {
    let entry = entry.map(|(gate, blocking, part, mut steps)| {
        for step in &mut steps {
            step.gate.id = format!("{gate}/{}", step.name);
            step.gate.before = vec![Before::Phase(name.to_owned())];
        }
        PhaseEntry { gate: gate.to_owned(), also: Vec::new(), blocking, part, steps }
    });
    Phase { name: name.to_owned(), purpose: purpose.to_owned(), entry, ..Phase::default() }
}

/// What stands before a phase: its name, whether it blocks, where it belongs, its steps.
type Between = (&'static str, bool, Part, Vec<ChecklistStep>);

fn serena() -> Between {
    let call = |name: &str| {
        let message = format!("Initialize Serena: mcp__serena__{name}");
        let call = KnownStep::Call { server: "serena".to_owned(), tool: name.to_owned() };
        start(name, &message, Level::Must, &call)
    };
    let steps = vec![call("activate_project"), call("initial_instructions")];
    ("SERENA_INIT", true, Part::Start, steps)
}

fn skills() -> Between {
    let list = KnownStep::ListFiles(ANY_SKILLS.to_owned());
    let read = KnownStep::Read(MANDATORY.to_owned());
    let steps = vec![
        start("list_skills", "List skill scripts", Level::Must, &list),
        start("read_skill_usage", "Read skill-usage-mandatory", Level::Must, &read),
    ];
    ("SKILL_VALIDATION", true, Part::Start, steps)
}

fn context() -> Between {
    let document = |name: &str, message: &str, path: &str| {
        start(name, message, Level::Must, &KnownStep::Read(path.to_owned()))
    };
    let memories = KnownStep::SearchMemories;
    let steps = vec![
        document("read_handoff", "Read .agents/HANDOFF.md", HANDOFF),
        document("read_constraints", "Read PROJECT-CONSTRAINTS.md", CONSTRAINTS),
        start("search_memories", "Search relevant memories", Level::Should, &memories),
    ];
    ("CONTEXT_RETRIEVAL", true, Part::Start, steps)
}

fn log() -> Between {
    let create = KnownStep::CreateLog(log_file());
    let create = start("create_log", "Create session log", Level::Must, &create);
    ("SESSION_LOG", true, Part::Start, vec![create.about(StepSubject::File(AGENTS.to_owned()))])
}

fn git_state() -> Between {
    let clean = start("git_status", "Verify git status", Level::Should, &KnownStep::Clean);
    ("GIT_STATE", false, Part::Start, vec![clean.about(StepSubject::Git)])
}

fn docs() -> Between {
    let updated = |name: &str, message: &str, level, path: &str| {
        end(name, message, level, &KnownStep::Change(path.to_owned()))
    };
    let log = KnownStep::CompleteLog(log_file());
    let log = end("complete_log", "Complete session log", Level::Must, &log);
    let steps = vec![
        updated("update_handoff", "Update .agents/HANDOFF.md", Level::Must, HANDOFF),
        log.about(StepSubject::File(AGENTS.to_owned())),
        updated("update_plan", "Update PROJECT-PLAN.md", Level::Should, PLAN),
    ];
    ("DOCS_UPDATE", false, Part::End, steps)
}

fn quality() -> Between {
    let lint = KnownStep::LintMarkdown(Vec::new());
    let steps = vec![end("markdown_lint", "Run markdown lint", Level::Must, &lint)];
    ("QUALITY_CHECKS", true, Part::End, steps)
}

fn qa() -> Between {
    let steps = vec![end("qa_report", "Route to qa agent", Level::Must, &KnownStep::Report)];
    ("QA_VALIDATION", true, Part::End, steps)
}

fn commit() -> Between {
    let retrospective = KnownStep::Retrospective;
    let steps = vec![
        end("commit", "Commit all changes", Level::Must, &KnownStep::Commit),
        end("retrospective", "Invoke retrospective", Level::Should, &retrospective),
        end("clean", "Verify clean git status", Level::Should, &KnownStep::Clean),
    ];
    ("GIT_COMMIT", true, Part::End, steps)
}

fn log_file() -> String {
    format!(".agents/sessions/{ANY_SESSION}*")
}

impl ChecklistStep {
    fn about(self, subject: StepSubject) -> Self {
        Self { subject, ..self }
    }
}

fn start(name: &str, message: &str, level: Level, known: &KnownStep) -> ChecklistStep {
    step(name, message, level, known, Part::Start)
}

fn end(name: &str, message: &str, level: Level, known: &KnownStep) -> ChecklistStep {
    step(name, message, level, known, Part::End)
}

fn step(name: &str, message: &str, level: Level, known: &KnownStep, part: Part) -> ChecklistStep {
    let source = Source::new(SOURCE, 1);
    let message = format!("{message}.");
    let none = Proof::Never(String::new());
    let gate = Gate { level, message, source, ..Gate::new(name, Vec::new(), none) };
    known.step(name, part, gate)
}

#[cfg(test)]
mod tests;
