//! The protocol as the project's files describe it now: its phases, what each asks for, what shows that, and what is
//! wrong with it. Nothing is looked at but the files.

use std::path::Path;

use serde::Serialize;
use waypost_core::gate::proof::git::GitProof;
use waypost_core::gate::{Gate, Level, Proof};
use waypost_core::next_step::Voice;
use waypost_core::track::{ChecklistStep, Part, PhaseEntry, StepSubject, builtin};

use crate::config::Problem;
use crate::error::AppError;
use crate::foreign::protocol::ProtocolFile;
use crate::view::View;
use crate::view::protocol::{self, CompiledProtocol};

/// A protocol.
#[derive(Debug, Default, Serialize)]
pub struct ShownProtocol {
    /// What it calls itself.
    pub title: String,
    /// Which version it says that it is.
    pub version: Option<String>,
    /// Where it is written down.
    pub source: String,
    /// Its phases, in order.
    pub phases: Vec<ShownPhase>,
    /// What it asks for outside of phases: agents are not followed there.
    pub outside: Vec<ShownOutside>,
    /// What could not be understood.
    pub problems: Vec<String>,
}

/// A phase of a protocol.
#[derive(Debug, Serialize)]
pub struct ShownPhase {
    /// Its name, by which its gate is called too.
    pub name: String,
    /// What its heading calls it.
    pub label: String,
    /// The section that it stands in.
    pub section: String,
    /// BLOCKING, REQUIRED, RECOMMENDED or OPTIONAL.
    pub level: String,
    /// When it is that, if not always.
    pub condition: Option<String>,
    /// Whether nothing goes on without it.
    pub blocking: bool,
    /// What else it is called.
    pub also: Vec<String>,
    /// What it asks for.
    pub steps: Vec<ShownStep>,
}

/// A step of a phase.
#[derive(Debug, Serialize)]
pub struct ShownStep {
    /// Its name.
    pub id: String,
    /// must, should or may.
    pub level: Level,
    /// What it asks for.
    pub requirement: String,
    /// What shows that it is done.
    pub proof: String,
    /// Whether it holds anybody while it is not done, and applies.
    pub holds: bool,
    /// What has to be there for it to apply, or why nobody can tell.
    pub applies: Option<String>,
    /// Where it is written down.
    pub source: String,
}

/// Something that is asked for outside of phases.
#[derive(Debug, Serialize)]
pub struct ShownOutside {
    /// The heading that it stands below.
    pub section: String,
    /// must, should or may.
    pub level: Level,
    /// What it says.
    pub requirement: String,
    /// Where it is written down.
    pub source: String,
}

/// The protocol that the project follows.
pub fn of_project(view: &View<'_>) -> Result<ShownProtocol, AppError> {
    let config = view.configuration();
    if let Some(error) = &view.sources().error {
        return Err(error.clone());
    }
    let compiled = protocol::compile(&view.project.root, config)?.ok_or_else(|| {
        AppError::refused("this project follows no protocol").hint(
            "`protocol = \"builtin\"`, or a file, below [project] in waypost.toml turns it on",
        )
    })?;
    let mut shown = shown(&compiled);
    shown.problems.extend(config.protocol.problems.iter().map(Problem::to_string));
    Ok(shown)
}

/// A protocol's file, whether the project follows it or not.
pub fn of_file(path: &Path) -> Result<ShownProtocol, AppError> {
    let name = path.display().to_string();
    Ok(shown(&protocol::of_file(&name, path)?))
}

fn shown(compiled: &CompiledProtocol) -> ShownProtocol {
    let CompiledProtocol { definition, file, problems } = compiled;
    let phases = definition.entries().map(|(_, entry)| phase(entry, file.as_ref())).collect();
    let told = file.iter().flat_map(|file| &file.problems).chain(problems);
    let problems = told.map(Problem::to_string).collect();
    let Some(file) = file else {
        let (title, source) = ("Session Protocol".to_owned(), builtin::SOURCE.to_owned());
        return ShownProtocol { title, source, phases, problems, ..ShownProtocol::default() };
    };
    let outside = file.outside.iter().map(|outside| ShownOutside {
        section: outside.section.clone(),
        level: outside.level,
        requirement: outside.text.clone(),
        source: format!("{}:{}", file.file, outside.line),
    });
    ShownProtocol {
        title: file.title.clone(),
        version: file.version.clone(),
        source: file.file.clone(),
        outside: outside.collect(),
        phases,
        problems,
    }
}

fn phase(entry: &PhaseEntry, file: Option<&ProtocolFile>) -> ShownPhase {
    let written = file.and_then(|file| file.phases.iter().find(|phase| phase.name == entry.gate));
    let section = match (written, entry.part) {
        (Some(written), _) => written.section.as_str(),
        (None, Part::Start) => "Session Start",
        (None, Part::End) => "Session End",
    };
    let strictest = match (entry.blocking, entry.level()) {
        (true, _) => "BLOCKING",
        (false, Level::Must) => "REQUIRED",
        (false, Level::Should) => "RECOMMENDED",
        (false, Level::May) => "OPTIONAL",
    };
    let kind = written.and_then(|written| written.kind);
    ShownPhase {
        name: entry.gate.clone(),
        label: written.map(|written| written.label.clone()).unwrap_or_default(),
        section: section.to_owned(),
        level: kind.map_or(strictest, |kind| kind.word()).to_owned(),
        condition: written.and_then(|written| written.condition.clone()),
        blocking: entry.blocking,
        also: entry.also.clone(),
        steps: entry.steps.iter().map(step).collect(),
    }
}

fn step(step: &ChecklistStep) -> ShownStep {
    let Gate { level, message, source, .. } = &step.gate;
    let unseen = matches!(step.subject, StepSubject::Unseen(_));
    let proof = if step.is_only_said() {
        "recorded before the end; what is said counts, and is shown as said".to_owned()
    } else {
        words(&step.gate.proof)
    };
    ShownStep {
        id: step.name.clone(),
        level: *level,
        requirement: message.clone(),
        proof: of_any_session(&proof),
        holds: *level == Level::Must && !unseen,
        applies: applies(&step.subject).map(|text| of_any_session(&text)),
        source: source.to_string(),
    }
}

/// What shows something, as a statement.
fn words(proof: &Proof) -> String {
    let several = |proofs: &[Proof], between: &str| {
        proofs.iter().map(words).collect::<Vec<_>>().join(between)
    };
    match proof {
        Proof::Read(read) => format!("the agent reads {}", read.file),
        Proof::Called(called) => format!("the agent calls {}", called.tool.replacen('*', "", 1)),
        Proof::Skill(skill) => format!("the agent uses the skill {}", skill.name),
        Proof::File(file) => format!("{} is there", file.pattern),
        Proof::Changed(changed) if changed.kept => format!("{} is as it was", changed.pattern),
        Proof::Changed(changed) => format!("{} is changed", changed.pattern),
        Proof::Ticked(ticked) => format!("no MUST is left open in {}", ticked.pattern),
        Proof::Git(git) => match git {
            GitProof::Clean => "nothing is uncommitted".to_owned(),
            GitProof::Commit => "there is a commit since the session began".to_owned(),
            GitProof::On(branch) => format!("{branch} is checked out"),
            GitProof::Off(branch) => format!("{branch} is not checked out"),
        },
        Proof::Ran(ran) => format!("`{}` runs and succeeds", ran.pattern),
        Proof::Report(report) => {
            let with = report.asked.with.iter().map(|(key, value)| format!("{key}: {value}"));
            let passes = report.asked.passes.iter().map(|session| format!("that {session} passed"));
            let says: Vec<String> = with.chain(passes).collect();
            format!("{} says {}", report.pattern, says.join(", "))
        }
        Proof::All(proofs) => several(proofs, ", and "),
        Proof::Any(proofs) => several(proofs, ", or "),
        other => other.next(&Gate::new("", Vec::new(), other.clone())).words(Voice::HOOKED),
    }
}

/// In words that do not name one session.
fn of_any_session(text: &str) -> String {
    text.replace(waypost_core::track::ANY_SESSION, "SESSION")
        .replace(waypost_core::track::ANY_SKILLS, "the agent's skills")
        .replace(waypost_core::track::ANY_SKILL_FOLDER, "the agent's skills")
}

fn applies(subject: &StepSubject) -> Option<String> {
    match subject {
        StepSubject::Always => None,
        StepSubject::Absent(why) | StepSubject::Unseen(why) => Some(why.clone()),
        StepSubject::Server(name) => Some(format!("where an MCP server {name} is configured")),
        StepSubject::File(pattern) => Some(format!("where there is {pattern}")),
        StepSubject::Git => Some("in a git repository".to_owned()),
        StepSubject::Changed(pattern) if pattern == "**" => {
            Some("where something changed".to_owned())
        }
        StepSubject::Changed(pattern) => Some(format!("where {pattern} changed")),
        StepSubject::Code => Some("where more than documentation changed".to_owned()),
        StepSubject::All(subjects) => {
            let all: Vec<String> = subjects.iter().filter_map(applies).collect();
            (!all.is_empty()).then(|| all.join(", "))
        }
    }
}
