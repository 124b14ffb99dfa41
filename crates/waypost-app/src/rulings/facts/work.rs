//! The work that a session's workflow is about: what is written of its spec and plan, how far its build is,
//! which documentation changed. Only the parts that were asked for are looked at.

use std::collections::BTreeSet;
use std::path::Path;

use waypost_core::evidence::Tree;
use waypost_core::gate::facts::work::{
    BuildFact, OpenCheckpoint, PlanFact, Work, WorkFacts, Written,
};
use waypost_core::gate::proof::work::is_documentation;
use waypost_core::id::SessionId;
use waypost_core::session::{Build, SessionState};
use waypost_core::text::{one_line, shortened};

use crate::documents::plan::{self, Checkpoint, Plan, PlanStatus};
use crate::documents::spec;
use crate::view::View;
use crate::view::copy;

/// No more problems, checkpoints, tasks and files of each are kept.
const MAX_KEPT: usize = 50;
/// The longest text that is kept, in characters.
const MAX_TEXT: usize = 400;
/// More changed files than this are not looked through for documentation.
const MAX_CHANGED: usize = 100_000;

/// What is found of the parts that are wanted.
pub(super) fn facts(
    view: &View<'_>,
    id: &SessionId,
    state: &SessionState,
    wanted: &BTreeSet<Work>,
) -> WorkFacts {
    let asks = |part: Work| wanted.contains(&part);
    let plan = if asks(Work::Plan) || asks(Work::Build) { Some(plan::of(view, id)) } else { None };
    let readable = || plan.as_ref().and_then(|plan| plan.as_ref().ok()).and_then(Option::as_ref);
    WorkFacts {
        spec: asks(Work::Spec).then(|| {
            let mut found = spec::state(view, id, state);
            found.blocking.truncate(MAX_KEPT);
            found.blocking.iter_mut().for_each(|text| *text = short(text));
            found
        }),
        build: asks(Work::Build).then(|| build(&state.build, readable())),
        docs: asks(Work::Docs).then(|| documentation(view, state)),
        plan: plan.as_ref().filter(|_| asks(Work::Plan)).map(|plan| {
            let file = copy::folder_of(view, id).join(plan::FILE);
            match plan {
                Ok(Some(plan)) => readable_plan(&file, plan),
                Ok(None) => without_content(&file, Written::Absent),
                Err(error) => without_content(&file, Written::Unreadable(short(&error.message))),
            }
        }),
    }
}

fn short(text: &str) -> String {
    shortened(&one_line(text), MAX_TEXT)
}

fn readable_plan(file: &Path, plan: &Plan) -> PlanFact {
    let problems = plan.problems.iter().take(MAX_KEPT).map(|problem| match problem.path.as_str() {
        "" => short(&problem.message),
        path => short(&format!("{path}: {}", problem.message)),
    });
    let problems = problems.collect();
    PlanFact { checkpoints: plan.total(), problems, ..without_content(file, Written::Content) }
}

fn without_content(file: &Path, written: Written) -> PlanFact {
    let file = file.display().to_string();
    PlanFact { file, written, checkpoints: 0, problems: Vec::new() }
}

/// The checkpoints that are open: those that the build began with, and those that its plan has by now.
fn build(build: &Build, plan: Option<&Plan>) -> BuildFact {
    let planned = |number: u64| plan.and_then(|plan| plan.checkpoint(number));
    let grown = plan.filter(|plan| build.total > 0 && plan.is_numbered()).map_or(0, Plan::total);
    let numbers = 1..=build.total.max(grown);
    let open = numbers.filter(|number| !build.completed.contains(number)).map(|number| {
        let checkpoint = planned(number);
        OpenCheckpoint {
            number,
            title: checkpoint.map(|one| short(&one.title)).filter(|title| !title.is_empty()),
            tasks: checkpoint.map(|one| unreported(build, one)).unwrap_or_default(),
        }
    });
    let open = open.take(MAX_KEPT).collect();
    BuildFact { total: build.total, planned: plan.map_or(0, Plan::total), open }
}

fn unreported(build: &Build, checkpoint: &Checkpoint) -> Vec<String> {
    let open = checkpoint.tasks().filter(|task| {
        task.status != PlanStatus::Skipped && !build.tasks.contains(&one_line(&task.id))
    });
    open.map(|task| short(&task.id)).take(MAX_KEPT).collect()
}

/// The documentation that changed since the workflow began.
fn documentation(view: &View<'_>, state: &SessionState) -> Result<Vec<String>, String> {
    let begun = state.track.as_deref().and_then(|track| track.tree.as_ref());
    let compared = match (begun, view.tree()) {
        (Some(Tree::Id(then)), Tree::Id(now)) if *then == now => Some(Vec::new()),
        (Some(Tree::Id(then)), Tree::Id(now)) => {
            // What the work tree held then may be forgotten by now.
            Some(view.differing_up_to(then, &now, MAX_CHANGED)).filter(|files| !files.is_empty())
        }
        _ => None,
    };
    let since_commit = || super::files_since(view, state.commit.as_deref()?);
    let files = compared.or_else(since_commit);
    let files = files.ok_or("what changed since the workflow began cannot be told")?;
    Ok(files.into_iter().filter(|file| is_documentation(file)).take(MAX_KEPT).collect())
}
