//! The protocol that the project's files describe: the built-in one or a file, and what `waypost.toml` changes in it.

use std::path::Path;

use waypost_core::gate::proof::read::ReadProof;
use waypost_core::gate::{Before, Proof, Scope};
use waypost_core::next_step::{Look, amid};
use waypost_core::text::{did_you_mean, one_line, shortened};
use waypost_core::track::{ChecklistStep, Definition, PhaseEntry, StepSubject, builtin};

use crate::config::protocol::{ProtocolChanges, StepChange};
use crate::config::{self, Config, MAX_BYTES, Problem};
use crate::error::AppError;
use crate::foreign::protocol::{self, ProtocolFile};

/// A protocol, for any session.
#[derive(Debug)]
pub(crate) struct CompiledProtocol {
    /// What conversations follow.
    pub(crate) definition: Definition,
    /// The file that it is from; none is the built-in one.
    pub(crate) file: Option<ProtocolFile>,
    /// What is wrong with the changes that `waypost.toml` makes.
    pub(crate) problems: Vec<Problem>,
}

/// Reads the protocol that the configuration names; `None` if it names none.
pub(crate) fn compile(root: &Path, config: &Config) -> Result<Option<CompiledProtocol>, AppError> {
    let Some(name) = &config.policy.protocol else {
        return Ok(None);
    };
    let (mut definition, file) = if name == builtin::PROTOCOL {
        (builtin::any_protocol(), None)
    } else {
        let line = config.protocol_line.unwrap_or(1);
        let read = read_file(root, name, &root.join(name)).map_err(|error| {
            let meant = did_you_mean(name, &[builtin::PROTOCOL, "none"]);
            let error = error.hint(format!("{}:{line} names the file", config::FILE));
            match meant {
                Some(meant) => error.hint(format!("did you mean `{meant}`?")),
                None => error,
            }
        })?;
        let definition = read.definition().ok_or_else(|| no_phase(&read))?;
        (definition, Some(read))
    };
    let problems = change(&mut definition, &config.protocol);
    Ok(Some(CompiledProtocol { definition, file, problems }))
}

/// The protocol of a file that the project may not follow yet.
pub(crate) fn of_file(shown: &str, path: &Path) -> Result<CompiledProtocol, AppError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let file = read_file(folder.unwrap_or(Path::new(".")), shown, path)?;
    let definition = file.definition().ok_or_else(|| no_phase(&file))?;
    Ok(CompiledProtocol { definition, file: Some(file), problems: Vec::new() })
}

/// Reads a protocol's file.
fn read_file(root: &Path, shown: &str, path: &Path) -> Result<ProtocolFile, AppError> {
    let text = config::text_inside(root, path, MAX_BYTES).map_err(|problem| {
        AppError::configuration(format!("{shown}:1: the protocol cannot be read: {problem}")).hint(
            amid("ask the user to mend it; ", Look::ProtocolProblems, " tells when it is right"),
        )
    })?;
    Ok(protocol::read(shown, &text))
}

fn no_phase(file: &ProtocolFile) -> AppError {
    let shown = &file.file;
    let line = file.problems.first().map_or(1, |problem| problem.line);
    let why =
        file.problems.first().map_or_else(String::new, |problem| format!(": {}", problem.message));
    AppError::configuration(format!("{shown}:{line}: it holds no phase{why}")).hint(amid(
        "ask the user to write its phases as headings, `### Phase 1: NAME (BLOCKING)`; ",
        Look::ProtocolProblems,
        " tells when it is right",
    ))
}

/// Makes the changes of `waypost.toml`, and tells which of them are about nothing.
fn change(definition: &mut Definition, changes: &ProtocolChanges) -> Vec<Problem> {
    let (mut problems, mut told) = (Vec::new(), Vec::new());
    let names = names(definition);
    let mut unknown = |id: &str, line: usize| {
        let shown = shortened(&one_line(id), 60);
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut message = format!("the protocol has no step `{shown}`");
        if let Some(meant) = did_you_mean(id, &known) {
            message.push_str(&format!("; did you mean `{meant}`?"));
        }
        problems.push(Problem { file: config::FILE.to_owned(), line, message });
    };
    for step in &changes.steps {
        let mut meant = false;
        for phase in &mut definition.phases {
            let Some(entry) = &mut phase.entry else { continue };
            for known in &mut entry.steps {
                if is_step(&entry.gate, &known.name, &step.id) {
                    apply(known, step, &phase.name);
                    meant = true;
                }
            }
        }
        if !meant {
            unknown(&step.id, step.line);
        }
    }
    for (id, line) in &changes.drop {
        let mut meant = false;
        let called: Vec<String> =
            definition.entries_called(id).iter().map(|(_, entry)| entry.gate.clone()).collect();
        if called.len() > 1 {
            let message = format!("several phases are called `{id}`: {}", called.join(", "));
            told.push(Problem { file: config::FILE.to_owned(), line: *line, message });
            continue;
        }
        for entry in definition.phases.iter_mut().filter_map(|phase| phase.entry.as_mut()) {
            let whole = called.contains(&entry.gate);
            let gate = entry.gate.clone();
            let before = entry.steps.len();
            entry.steps.retain(|step| !whole && !is_step(&gate, &step.name, id));
            meant |= whole || entry.steps.len() < before;
        }
        if !meant {
            unknown(id, *line);
        }
    }
    problems.append(&mut told);
    problems
}

fn names(definition: &Definition) -> Vec<String> {
    let entry = |entry: &PhaseEntry| {
        let steps = entry.steps.iter().map(|step| step.name.clone());
        let whole = entry.steps.iter().map(|step| format!("{}/{}", entry.gate, step.name));
        steps.chain(whole).chain([entry.gate.clone()]).collect::<Vec<_>>()
    };
    definition.entries().flat_map(|(_, one)| entry(one)).collect()
}

fn is_step(gate: &str, step: &str, id: &str) -> bool {
    id == step || id.strip_prefix(gate).and_then(|rest| rest.strip_prefix('/')) == Some(step)
}

fn apply(step: &mut ChecklistStep, change: &StepChange, before: &str) {
    if let Some(level) = change.level {
        step.gate.level = level;
        // Whoever says how much it insists says that it applies.
        if matches!(step.subject, StepSubject::Unseen(_)) {
            step.subject = StepSubject::Always;
        }
    }
    let Some(proof) = &change.proof else { return };
    let seen = matches!(proof, Proof::Called(_) | Proof::Read(_) | Proof::Skill(_));
    step.gate.scope = if seen { Scope::Conversation } else { Scope::Session };
    step.gate.accept_claimed = false;
    if step.gate.before == [Before::End] {
        step.gate.before = vec![Before::Phase(before.to_owned())];
    }
    step.subject = subject_of(proof, &step.subject);
    step.gate.proof = proof.clone();
}

/// What has to be there for a step that is shown by something else now: whether anything changed still counts.
fn subject_of(proof: &Proof, old: &StepSubject) -> StepSubject {
    if let Proof::Read(ReadProof { file, .. }) = proof {
        return StepSubject::File(file.clone());
    }
    let changed = |subject: &StepSubject| {
        matches!(subject, StepSubject::Changed(_) | StepSubject::Code | StepSubject::Git)
    };
    match old {
        StepSubject::All(subjects) => {
            let kept: Vec<StepSubject> =
                subjects.iter().filter(|one| changed(one)).cloned().collect();
            if kept.is_empty() { StepSubject::Always } else { StepSubject::All(kept) }
        }
        one if changed(one) => one.clone(),
        _ => StepSubject::Always,
    }
}
