//! The proof `work`: a part of the work that a session's workflow is about is done.
//!
//! What it finds is told in a person's words: what was seen, what is missing, and the one step that mends it.

use super::{Finding, FindingStatus};
use crate::gate::facts::Needs;
use crate::gate::facts::work::{
    BuildFact, OpenCheckpoint, PlanFact, SpecFact, Work, WorkFacts, Written,
};
use crate::gate::input::GateInput;
use crate::glob;
use crate::next_step::{Look, NextStep, amid, does, to};
use crate::text::spoken;
use crate::text::spoken::count;

/// How many questions, problems, checkpoints or tasks are named one by one.
const NAMED: usize = 5;
/// The longest text of somebody else's that is repeated, in characters.
const QUOTED: usize = 160;

/// What is documentation, in lower case.
const DOCS: &[&str] = &[
    "**/*.md",
    "**/*.mdx",
    "**/*.markdown",
    "**/*.rst",
    "**/*.adoc",
    "**/*.asciidoc",
    "docs/**",
    "doc/**",
    "**/docs/**",
    "**/readme*",
    "**/changelog*",
];

/// Whether a file of the project is documentation: nothing that tools and agents keep for themselves.
pub fn is_documentation(file: &str) -> bool {
    let file = file.to_lowercase();
    let hidden = file.split('/').any(|part| part.starts_with('.') && part != ".github");
    !hidden && DOCS.iter().any(|pattern| glob::matches_path(pattern, &file))
}

pub(super) fn needs(work: Work, needs: &mut Needs) {
    needs.work.insert(work);
}

pub(super) fn find(work: Work, input: &GateInput<'_>) -> Finding {
    let WorkFacts { spec, plan, build, docs } = &input.facts.work;
    let found = match work {
        Work::Spec => spec.as_ref().map(of_spec),
        Work::Plan => plan.as_ref().map(of_plan),
        Work::Build => build.as_ref().map(of_build),
        Work::Docs => docs.as_ref().map(of_docs),
    };
    found.unwrap_or_else(|| Finding::new(FindingStatus::Unknown, "nobody looked at it", next(work)))
}

/// The step that it takes where nothing of it was done.
pub(super) fn next(work: Work) -> NextStep {
    match work {
        Work::Spec => "write what is to be built into spec.md".into(),
        Work::Plan => "divide the work into checkpoints in plan.json".into(),
        Work::Build => to("begin the build", NextStep::BeginBuild(None)),
        Work::Docs => document(),
    }
}

fn of_spec(spec: &SpecFact) -> Finding {
    let SpecFact { file, written, blocking } = spec;
    let name = name_of(file);
    let write = || NextStep::Said(format!("write what is to be built into {file}"));
    match written {
        Written::Absent => missing(format!("there is no {name}"), write()),
        Written::Unreadable(why) => unreadable(file, why),
        Written::Template => missing(format!("{name} is still its template"), write()),
        Written::Content if blocking.is_empty() => Finding::met(format!("{name} is written")),
        Written::Content => {
            let (what, it) = match blocking.len() {
                1 => ("a question", "it"),
                _ => ("questions", "them"),
            };
            let asked: Vec<String> =
                blocking.iter().take(NAMED).map(|asked| spoken::quoted(asked, QUOTED)).collect();
            let more = more(blocking.len());
            let why = format!("{name} has {what} marked as blocking: {}{more}", asked.join(", "));
            let step = format!("answer {it} in {file} and tick {it} off, or take the mark away");
            missing(why, step.into())
        }
    }
}

fn of_plan(plan: &PlanFact) -> Finding {
    let PlanFact { file, written, checkpoints, problems } = plan;
    let name = name_of(file);
    let divide = || NextStep::Said(format!("divide the work into checkpoints in {file}"));
    match written {
        Written::Absent => missing(format!("there is no {name}"), divide()),
        Written::Unreadable(why) => unreadable(file, why),
        Written::Template | Written::Content if *checkpoints == 0 => {
            missing(format!("{name} has no checkpoints"), divide())
        }
        Written::Template | Written::Content if problems.is_empty() => {
            Finding::met(format!("{name} has {}", count(*checkpoints, "checkpoint")))
        }
        Written::Template | Written::Content => {
            let shown: Vec<String> = problems.iter().take(NAMED).cloned().collect();
            let why = format!("{name} is not valid: {}{}", shown.join("; "), more(problems.len()));
            let mend = NextStep::Said(format!("put that right in {file} ("));
            let step = mend.and(does(Look::PlanProblems, "tells when it is)"));
            Finding::new(FindingStatus::Failed, why, step)
        }
    }
}

fn of_build(build: &BuildFact) -> Finding {
    let BuildFact { total, planned, open } = build;
    if *total == 0 {
        let step = NextStep::BeginBuild(Some(*planned).filter(|planned| *planned > 0));
        return missing("no build was begun", to("begin the build", step));
    }
    let Some(first) = open.first() else {
        return Finding::met(format!("{} completed", count(*total, "checkpoint")));
    };
    let why = match open.as_slice() {
        [only] => format!("{} is open", named(only)),
        several => {
            let shown: Vec<String> = several.iter().take(NAMED).map(named).collect();
            format!("{}{} are open", shown.join(", "), more(several.len()))
        }
    };
    missing(why, finish(first))
}

/// How a checkpoint is finished, and the rest of them after it.
fn finish(checkpoint: &OpenCheckpoint) -> NextStep {
    let OpenCheckpoint { number, tasks, .. } = checkpoint;
    let complete = NextStep::CompleteCheckpoint(*number);
    if tasks.is_empty() {
        return to(format!("finish checkpoint {number}, then complete it"), complete);
    }
    let shown: Vec<String> = tasks.iter().take(NAMED).map(|task| spoken::name(task)).collect();
    let tasks = match (shown.as_slice(), tasks.len().saturating_sub(NAMED)) {
        ([rest @ .., last], 0) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        (_, _) => format!("{}{}", shown.join(", "), more(tasks.len())),
    };
    to(format!("finish {tasks}, then complete checkpoint {number}"), complete)
}

fn named(checkpoint: &OpenCheckpoint) -> String {
    let title = checkpoint.title.as_deref().filter(|title| !title.trim().is_empty());
    let title = title.map(|title| format!(" {}", spoken::quoted(title, QUOTED)));
    format!("checkpoint {}{}", checkpoint.number, title.unwrap_or_default())
}

fn of_docs(docs: &Result<Vec<String>, String>) -> Finding {
    match docs {
        Ok(files) => match files.first() {
            Some(file) => Finding::met(format!("{file} was changed")),
            None => missing("no documentation was changed since the workflow began", document()),
        },
        Err(why) => Finding::new(FindingStatus::Unknown, why.clone(), document()),
    }
}

fn document() -> NextStep {
    let write = "write down what users and the next developer need, in README, docs/ or another .md \
                 file (or say why there is nothing to write: ";
    amid(write, NextStep::FinishWithout, ")")
}

fn missing(why: impl Into<String>, next: NextStep) -> Finding {
    Finding::new(FindingStatus::Missing, why, next)
}

fn unreadable(file: &str, why: &str) -> Finding {
    let next = NextStep::Said(format!("make {file} a file that can be read"));
    Finding::new(FindingStatus::Failed, format!("{} cannot be read: {why}", name_of(file)), next)
}

/// A file without its folders: the step says where it is.
fn name_of(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

fn more(all: usize) -> String {
    match all.saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    }
}

#[cfg(test)]
mod tests;
