//! The definitions that come with Waypost: four workflows and the session protocol.

use std::collections::BTreeMap;

use super::{ChecklistStep, Definition, Part, Phase, PhaseEntry, SkipRule, StepSubject};
use crate::gate::facts::AskedReport;
use crate::gate::facts::work::Work;
use crate::gate::proof::called::CalledProof;
use crate::gate::proof::changed::ChangedProof;
use crate::gate::proof::file::FileProof;
use crate::gate::proof::git::GitProof;
use crate::gate::proof::ran::{Fresh, RanProof};
use crate::gate::proof::read::ReadProof;
use crate::gate::proof::report::ReportProof;
use crate::gate::proof::ticked::TickedProof;
use crate::gate::{Before, Gate, Level, OnError, Proof, Scope, Source};

/// The name of the protocol that comes with Waypost.
pub const PROTOCOL: &str = "builtin";
/// Where its gates say that they are written down.
pub const SOURCE: &str = "the built-in protocol";
/// Where the gates of the workflows say that they are written down.
pub const WORKFLOW_SOURCE: &str = "the built-in workflows";
/// The phase of the protocol in which the work is done.
pub const WORKING: &str = "WORKING";
/// The workflows that come with Waypost.
pub const WORKFLOWS: [&str; 4] = ["full", "quick", "research", "none"];

const HANDOFF: &str = ".agents/HANDOFF.md";
const CONSTRAINTS: &str = ".agents/governance/PROJECT-CONSTRAINTS.md";
const PLAN: &str = ".agents/planning/*PROJECT-PLAN.md";
const MANDATORY: &str = ".serena/memories/skill-usage-mandatory.md";
const AGENTS: &str = ".agents/**";
const LINT_RULES: &str = ".markdownlint*";

/// A workflow that comes with Waypost. `none` has no phases, so it is none.
pub fn workflow(name: &str) -> Option<Definition> {
    let (description, parts): (&str, &[Work]) = match name {
        "full" => {
            ("from an idea to documented work", &[Work::Spec, Work::Plan, Work::Build, Work::Docs])
        }
        "quick" => ("work that needs no specification", &[Work::Plan, Work::Build]),
        "research" => ("finding out, without building", &[Work::Spec]),
        _ => return None,
    };
    let phases = parts.iter().map(|part| phase_of(*part)).collect();
    let description = description.to_owned();
    Some(Definition { description, first: 1, ..Definition::new(name, phases) })
}

/// The phase in which a part of the work is done. It is complete when that part is.
fn phase_of(part: Work) -> Phase {
    let (name, purpose, gate, message) = match part {
        Work::Spec => (
            "spec",
            "find out what is wanted, and write it down in spec.md",
            "spec/written",
            "Write down what is to be built, and answer what blocks it.",
        ),
        Work::Plan => (
            "plan",
            "divide the work into checkpoints, in plan.json",
            "plan/checkpoints",
            "Divide the work into checkpoints.",
        ),
        Work::Build => (
            "build",
            "do the work, checkpoint by checkpoint",
            "build/checkpoints",
            "Complete every checkpoint of the build.",
        ),
        Work::Docs => (
            "docs",
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
        name: name.to_owned(),
        purpose: purpose.to_owned(),
        gates: vec![gate],
        project_gates,
        skip: (part == Work::Docs).then_some(SkipRule::OnRequest),
        ..Phase::default()
    }
}

/// Whether hooks see what a conversation does. What nobody could see may be said instead, and is
/// shown as said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watching {
    /// They do.
    ByHooks,
    /// Nobody sees it.
    ByNobody,
}

/// The protocol that comes with Waypost, for a session. `skills` is the pattern of the project's
/// skills, where the agent knows any.
pub fn protocol(session: &str, watched: Watching, skills: Option<&str>) -> Definition {
    let build = Builder { session, watched, skills };
    let phases = vec![
        phase("INIT", "the session has begun", None),
        phase("SERENA_READY", "Serena knows the project", Some(build.serena())),
        phase("SKILLS_VALIDATED", "the project's skills are known", Some(build.skills())),
        phase("CONTEXT_LOADED", "what came before is known", Some(build.context())),
        phase("READY", "there is a log to write to", Some(build.log())),
        phase(WORKING, "the work is done", Some(git_state())),
        phase("DOCUMENTING", "what was done is written down", Some(build.docs())),
        phase("QUALITY_CHECKED", "what was written holds to the rules", Some(quality())),
        phase("QA_COMPLETE", "somebody else looked at it", Some(build.qa())),
        phase("COMPLETE", "everything is committed", Some(commit())),
    ];
    Definition::new(PROTOCOL, phases)
}

/// The gates of the protocol that hold whatever session it is: hooks enforce those before the work
/// on every edit. The others stand before nothing; hooks only look out for what they ask for.
pub fn standing(definition: &Definition) -> Vec<(&StepSubject, Gate)> {
    let steps = definition
        .entries()
        .flat_map(|(_, entry)| entry.steps.iter().map(move |step| (entry, step)));
    steps
        .map(|(entry, step)| {
            let observed = matches!(step.gate.proof, Proof::Called(_) | Proof::Read(_));
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
        PhaseEntry { gate: gate.to_owned(), blocking, part, steps }
    });
    Phase { name: name.to_owned(), purpose: purpose.to_owned(), entry, ..Phase::default() }
}

/// What stands before a phase: its name, whether it blocks, where it belongs, its steps.
type Between = (&'static str, bool, Part, Vec<ChecklistStep>);

struct Builder<'a> {
    session: &'a str,
    watched: Watching,
    skills: Option<&'a str>,
}

impl Builder<'_> {
    fn serena(&self) -> Between {
        let call = |name: &str| {
            let message = format!("Initialize Serena: mcp__serena__{name}");
            let step = must(name, &message, called(&format!("mcp__*serena__{name}")));
            self.seen(step).about(serena_is_there())
        };
        let steps = vec![call("activate_project"), call("initial_instructions")];
        ("SERENA_INIT", true, Part::Start, steps)
    }

    fn skills(&self) -> Between {
        let skills = self.skills.unwrap_or_default();
        let list = must("list_skills", "List skill scripts", file(skills));
        let subject = match self.skills {
            Some(pattern) => StepSubject::File(pattern.to_owned()),
            None => StepSubject::Absent("the agent knows no skills".to_owned()),
        };
        let read = must("read_skill_usage", "Read skill-usage-mandatory", read(MANDATORY));
        let steps = vec![
            list.about(subject),
            self.seen(read).about(StepSubject::File(MANDATORY.to_owned())),
        ];
        ("SKILL_VALIDATION", true, Part::Start, steps)
    }

    fn context(&self) -> Between {
        let document = |name: &str, message: &str, path: &str| {
            self.seen(must(name, message, read(path))).about(StepSubject::File(path.to_owned()))
        };
        let memories =
            should("search_memories", "Search relevant memories", called("mcp__*serena__*memor*"));
        let steps = vec![
            document("read_handoff", "Read .agents/HANDOFF.md", HANDOFF),
            document("read_constraints", "Read PROJECT-CONSTRAINTS.md", CONSTRAINTS),
            self.seen(memories).about(serena_is_there()),
        ];
        ("CONTEXT_RETRIEVAL", true, Part::Start, steps)
    }

    fn log(&self) -> Between {
        let create = must("create_log", "Create session log", file(&self.log_file()));
        let steps = vec![create.about(StepSubject::File(AGENTS.to_owned()))];
        ("SESSION_LOG", true, Part::Start, steps)
    }

    fn docs(&self) -> Between {
        let updated = |name: &str, message: &str, level, path: &str| {
            let there = StepSubject::All(vec![StepSubject::File(path.to_owned()), changed("**")]);
            let proof = Proof::Changed(ChangedProof { pattern: path.to_owned() });
            step(name, message, level, proof).about(there)
        };
        let log = Proof::Ticked(TickedProof { pattern: self.log_file() });
        let log = must("complete_log", "Complete session log", log);
        let steps = vec![
            updated("update_handoff", "Update .agents/HANDOFF.md", Level::Must, HANDOFF),
            log.about(StepSubject::File(AGENTS.to_owned())),
            updated("update_plan", "Update PROJECT-PLAN.md", Level::Should, PLAN),
        ];
        ("DOCS_UPDATE", false, Part::End, steps)
    }

    fn qa(&self) -> Between {
        let proof = Proof::Report(ReportProof {
            pattern: ".agents/qa/*.md".to_owned(),
            asked: AskedReport { with: BTreeMap::new(), passes: Some(self.session.to_owned()) },
        });
        let route = must("qa_report", "Route to qa agent", proof);
        ("QA_VALIDATION", true, Part::End, vec![route.about(StepSubject::Code)])
    }

    fn log_file(&self) -> String {
        format!(".agents/sessions/{}*", self.session)
    }

    /// A step that hooks see the agent do, and nobody else could.
    fn seen(&self, mut step: ChecklistStep) -> ChecklistStep {
        step.gate.scope = Scope::Conversation;
        step.gate.accept_claimed = self.watched == Watching::ByNobody;
        step
    }
}

fn git_state() -> Between {
    let clean = should("git_status", "Verify git status", Proof::Git(GitProof::Clean));
    let steps = vec![clean.about(StepSubject::Git)];
    ("GIT_STATE", false, Part::Start, steps)
}

fn quality() -> Between {
    let ran = |pattern: &str| Proof::Ran(RanProof::new(pattern, Fresh::Tree));
    let lint = Proof::Any(vec![ran("npx markdownlint*"), ran("markdownlint*")]);
    let lint = must("markdown_lint", "Run markdown lint", lint);
    let there =
        StepSubject::All(vec![StepSubject::File(LINT_RULES.to_owned()), changed("**/*.md")]);
    ("QUALITY_CHECKS", true, Part::End, vec![lint.about(there)])
}

fn commit() -> Between {
    let all = Proof::All(vec![Proof::Git(GitProof::Commit), Proof::Git(GitProof::Clean)]);
    let there = || StepSubject::All(vec![StepSubject::Git, changed("**")]);
    let retrospective =
        Proof::Changed(ChangedProof { pattern: ".agents/retrospective/**".to_owned() });
    let mut retrospective = should("retrospective", "Invoke retrospective", retrospective)
        .about(StepSubject::File(".agents/retrospective/**".to_owned()));
    retrospective.gate.accept_claimed = true;
    let steps = vec![
        must("commit", "Commit all changes", all).about(there()),
        retrospective,
        should("clean", "Verify clean git status", Proof::Git(GitProof::Clean)).about(there()),
    ];
    ("GIT_COMMIT", true, Part::End, steps)
}

impl ChecklistStep {
    fn about(self, subject: StepSubject) -> Self {
        Self { subject, ..self }
    }
}

fn must(name: &str, message: &str, proof: Proof) -> ChecklistStep {
    step(name, message, Level::Must, proof)
}

fn should(name: &str, message: &str, proof: Proof) -> ChecklistStep {
    step(name, message, Level::Should, proof)
}

fn step(name: &str, message: &str, level: Level, proof: Proof) -> ChecklistStep {
    let source = Source::new(SOURCE, 1);
    let message = format!("{message}.");
    let gate = Gate { level, message, source, ..Gate::new(name, Vec::new(), proof) };
    ChecklistStep { name: name.to_owned(), subject: StepSubject::Always, gate }
}

fn called(tool: &str) -> Proof {
    Proof::Called(CalledProof { tool: tool.to_owned() })
}

fn read(path: &str) -> Proof {
    Proof::Read(ReadProof { file: path.to_owned(), unchanged: false })
}

fn file(pattern: &str) -> Proof {
    Proof::File(FileProof { pattern: pattern.to_owned() })
}

fn changed(pattern: &str) -> StepSubject {
    StepSubject::Changed(pattern.to_owned())
}

fn serena_is_there() -> StepSubject {
    StepSubject::Server("serena".to_owned())
}

#[cfg(test)]
mod tests;
