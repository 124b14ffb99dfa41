//! A session's `plan.json`: what is to be built, in checkpoints, groups of tasks and tasks.
//!
//! People and agents write it, so it is read with tolerance: what is wrong with it is told, and what
//! can be understood is used. Only the statuses in it are ever written, and nothing is written here.

mod circles;
mod keep;
mod markdown;
mod problems;
mod read;
mod status;
mod statuses;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use waypost_core::event::{Event, Known};
use waypost_core::id::SessionId;
use waypost_core::next_step::{Mend, does};
use waypost_core::record::Record;

pub(crate) use self::keep::{keep, named};
pub use self::markdown::markdown;
pub(crate) use self::problems::has_placeholder;
pub use self::status::PlanStatus;

use crate::documents::document::Document;
use crate::error::AppError;
use crate::machine::plain_files;
use crate::view::copy;
use crate::view::{Session, View};

/// The plan.
pub const FILE: &str = "plan.json";
/// The plan for people to read, made from [`FILE`].
pub const READABLE: &str = "plan.md";

/// A larger plan is not read.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// No more problems than this are told.
const MAX_PROBLEMS: usize = 1000;

/// A plan, as far as it can be understood.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Plan {
    /// The session that it says it belongs to.
    pub session_id: Option<String>,
    /// How far planning has come, as it is written.
    pub status: Option<String>,
    /// Its checkpoints, in its own order.
    pub checkpoints: Vec<Checkpoint>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// Something that is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Where, such as `checkpoints[1].task_groups[0].tasks[2]`; empty for the whole plan.
    pub path: String,
    /// What.
    pub message: String,
}

/// A part of the plan that is done and looked at as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Checkpoint {
    /// Its id as it is written.
    pub id: String,
    /// Its number in the build: its id if that is a number, else its place.
    pub number: u64,
    /// What it is called.
    pub title: String,
    /// What it is for.
    pub goal: Option<String>,
    /// The checkpoints that come before it.
    pub prerequisites: Vec<String>,
    /// How far it has come.
    pub status: PlanStatus,
    /// The files that it begins with.
    pub files_before: Vec<PlannedFile>,
    /// The files that it ends with.
    pub files_after: Vec<PlannedFile>,
    /// How it is seen to be right.
    pub testing: Testing,
    /// Its tasks, in groups.
    pub task_groups: Vec<Group>,
    /// Where it stands in the file.
    #[serde(skip)]
    pub path: String,
}

/// A file that a checkpoint begins or ends with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PlannedFile {
    /// The file.
    pub path: String,
    /// Whether it is new, modified and so on, as it is written.
    pub status: Option<String>,
    /// What there is to say about it.
    pub description: Option<String>,
}

/// How a checkpoint is seen to be right.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Testing {
    /// In general.
    pub approach: Option<String>,
    /// Step by step.
    pub verification_steps: Vec<String>,
}

/// Tasks that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Group {
    /// Its id; empty where a checkpoint has tasks without groups.
    pub id: String,
    /// What it is called.
    pub title: Option<String>,
    /// What it is for.
    pub objective: Option<String>,
    /// How far it has come.
    pub status: PlanStatus,
    /// Its tasks.
    pub tasks: Vec<Task>,
    /// Where it stands in the file.
    #[serde(skip)]
    pub path: String,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// The file that it is about.
    pub file_path: Option<String>,
    /// What is to be done.
    pub description: Option<String>,
    /// How far it has come.
    pub status: PlanStatus,
    /// What to read first.
    pub read_before: Vec<Reading>,
    /// Files that have to do with it.
    pub related_files: Vec<String>,
    /// The tasks that come before it.
    pub depends_on: Vec<String>,
    /// Its steps.
    pub actions: Vec<Action>,
    /// Where it stands in the file.
    #[serde(skip)]
    pub path: String,
}

/// Something to read before a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Reading {
    /// The file.
    pub file: String,
    /// Which lines.
    pub lines: Option<String>,
    /// What for.
    pub purpose: Option<String>,
}

/// A step of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Action {
    /// Its id, if it has one.
    pub id: String,
    /// What is to be done.
    pub command: String,
    /// The file that it is done to.
    pub file: Option<String>,
    /// How far it has come.
    pub status: PlanStatus,
}

/// The plan of a session in this work tree; none if there is no `plan.json`. Fails if it cannot be
/// read at all: it is a link, too large, or no JSON object.
pub fn of(view: &View<'_>, id: &SessionId) -> Result<Option<Plan>, AppError> {
    match look(view, id)? {
        Some((path, bytes)) => {
            let mut plan = parse(&path, &bytes, id)?;
            let state = view.load(id).ok();
            let known = state.as_ref().and_then(|state| state.imported.as_ref()?.name.as_deref());
            plan.accept_name(known);
            Ok(Some(plan))
        }
        None => Ok(None),
    }
}

/// The same with the statuses that the session knows, also where `plan.json` does not say so yet.
pub fn now(view: &View<'_>, session: &Session) -> Result<Option<Plan>, AppError> {
    known(view, session, || Ok(view.story(&session.id)?.began_elsewhere))
}

/// The same, where it is known otherwise whether another program kept the session first.
pub fn known(
    view: &View<'_>,
    session: &Session,
    began_elsewhere: impl FnOnce() -> Result<bool, AppError>,
) -> Result<Option<Plan>, AppError> {
    let Some((path, bytes)) = look(view, &session.id)? else {
        return Ok(None);
    };
    let document = Document::parse(&path, &bytes)?;
    let value = document.value().ok_or_else(|| document.wrong_type("it", "an object"))?;
    let plan = read::plan(&value);
    // Most sessions have a first draft and no more: their records need not be read for it.
    if !plan.checkpoints.is_empty() {
        let knowledge = statuses::Knowledge::of(&session.state.build, began_elsewhere()?);
        statuses::put_right(&document, &plan, &knowledge);
    }
    let mut plan = parse(&path, &document.to_bytes(), &session.id)?;
    let known = session.state.imported.as_ref().and_then(|imported| imported.name.as_deref());
    plan.accept_name(known);
    Ok(Some(plan))
}

/// What is wrong with the plan of a session; refused if there is none.
pub fn check(view: &View<'_>, id: &SessionId) -> Result<(Plan, Vec<Problem>), AppError> {
    match of(view, id) {
        Ok(Some(plan)) => {
            let problems = plan.problems.clone();
            Ok((plan, problems))
        }
        Ok(None) => Err(none(view, id)),
        Err(error) => {
            let problem = Problem { path: String::new(), message: error.message };
            Ok((Plan::default(), vec![problem]))
        }
    }
}

/// Says that a session has no plan here.
pub fn none(view: &View<'_>, id: &SessionId) -> AppError {
    let path = copy::folder_of(view, id).join(FILE);
    AppError::refused(format!("session {id} has no plan here"))
        .hint(format!("write it: {}", path.display()))
        .hint(does(Mend::Publish(None), "makes a first draft for a session that has a name"))
}

/// Whether a record tells that another program kept the session before Waypost did.
pub(crate) fn began_elsewhere(record: &Record) -> bool {
    record.seq == 1 && matches!(record.event, Event::Known(Known::SessionImported(_)))
}

/// The file and where it is below the project.
fn look(view: &View<'_>, id: &SessionId) -> Result<Option<(PathBuf, Vec<u8>)>, AppError> {
    let below = copy::folder_of(view, id);
    if !plain_files::is_folder(&view.project.root, &below) {
        return Ok(None);
    }
    let path = below.join(FILE);
    let file = plain_files::look_at(&view.project.root.join(&path), MAX_BYTES)?;
    Ok(file.map(|file| (path, file.bytes)))
}

/// Reads a plan's text.
fn parse(path: &Path, bytes: &[u8], id: &SessionId) -> Result<Plan, AppError> {
    let document = Document::parse(path, bytes)?;
    let value = document.value().ok_or_else(|| document.wrong_type("it", "an object"))?;
    let mut plan = read::plan(&value);
    let found = problems::of(&plan, &value, id);
    plan.problems.extend(found);
    plan.problems.truncate(MAX_PROBLEMS);
    Ok(plan)
}

impl Plan {
    /// It is the session's plan too where it has the name that the session had before it was imported.
    fn accept_name(&mut self, known: Option<&str>) {
        if known.is_some() && self.session_id.as_deref() == known {
            self.problems.retain(|problem| problem.path != "session_id");
        }
    }

    /// All tasks, in order.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.checkpoints.iter().flat_map(Checkpoint::tasks)
    }

    /// The task with this id.
    pub fn task(&self, id: &str) -> Option<&Task> {
        self.tasks().find(|task| task.id == id)
    }

    /// The checkpoint with this number.
    pub fn checkpoint(&self, number: u64) -> Option<&Checkpoint> {
        self.checkpoints.iter().find(|checkpoint| checkpoint.number == number)
    }

    /// How many checkpoints there are.
    pub fn total(&self) -> u64 {
        u64::try_from(self.checkpoints.len()).unwrap_or(u64::MAX)
    }

    /// Whether its checkpoints are numbered from one without a gap, in whatever order.
    pub fn is_numbered(&self) -> bool {
        let numbers: BTreeSet<u64> = self.checkpoints.iter().map(|one| one.number).collect();
        numbers.into_iter().eq(1..=self.total())
    }

    /// How far it has come, in words: `2 of 5 checkpoints, 7 of 23 tasks`.
    pub fn progress(&self) -> String {
        let checkpoints = self.checkpoints.iter().filter(|one| one.status.is_completed()).count();
        let tasks = self.tasks().filter(|task| task.status.is_completed()).count();
        format!(
            "{checkpoints} of {} checkpoints, {tasks} of {} tasks",
            self.checkpoints.len(),
            self.tasks().count()
        )
    }
}

impl Checkpoint {
    /// Its tasks, in order.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.task_groups.iter().flat_map(|group| &group.tasks)
    }
}
#[cfg(test)]
mod tests;
