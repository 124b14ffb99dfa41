//! The statuses in a plan's text, put right after what the session knows. Everything else keeps its
//! bytes.
//!
//! The session is right about checkpoints and tasks, which have events. What has none (whether a task
//! is under way, how far its steps are) stays as whoever works on it wrote it.

use std::collections::BTreeSet;

use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp};
use waypost_core::session::Build;
use waypost_core::text::one_line;

use super::read::{ACTIONS, GROUPS};
use super::{Checkpoint, Group, Plan, PlanStatus, Task};
use crate::documents::document::{Document, last, objects};

/// What the plan said and the session does not know of.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Contradicted {
    /// Checkpoints that were called completed.
    pub(super) checkpoints: Vec<String>,
    /// Tasks that were called completed.
    pub(super) tasks: Vec<String>,
}

/// What a session knows about the work on its plan.
#[derive(Debug)]
pub(super) struct Knowledge<'a> {
    build: &'a Build,
    tasks: BTreeSet<&'a str>,
    /// Whether a task that is not known may have been completed all the same.
    forgets: bool,
}

impl<'a> Knowledge<'a> {
    /// What a build knows. `began_elsewhere`: another program kept the session first, so that tasks
    /// may be completed that have no event.
    pub(super) fn of(build: &'a Build, began_elsewhere: bool) -> Self {
        let tasks: BTreeSet<&str> = build.tasks.iter().map(String::as_str).collect();
        let all = u64::try_from(build.tasks.len()).unwrap_or(u64::MAX);
        let forgets = began_elsewhere || build.tasks_completed > all;
        Self { build, tasks, forgets }
    }

    fn of_checkpoint(&self, number: u64) -> PlanStatus {
        if self.build.completed.contains(&number) {
            PlanStatus::Completed
        } else if self.build.under_way.contains(&number) {
            PlanStatus::InProgress
        } else {
            PlanStatus::Pending
        }
    }

    fn has_task(&self, id: &str) -> bool {
        self.tasks.contains(one_line(id).as_str())
    }
}

/// Puts the statuses in `document`, which `plan` was read from, right. Nothing is touched before a
/// build began.
pub(super) fn put_right(
    document: &Document,
    plan: &Plan,
    knowledge: &Knowledge<'_>,
) -> Contradicted {
    let mut contradicted = Contradicted::default();
    if knowledge.build.total == 0 && knowledge.tasks.is_empty() {
        return contradicted;
    }
    let listed = document.top().and_then(|top| list(&top, "checkpoints"));
    for (object, checkpoint) in listed.unwrap_or_default().iter().zip(&plan.checkpoints) {
        put_checkpoint(object, checkpoint, knowledge, &mut contradicted);
    }
    contradicted
}

fn put_checkpoint(
    object: &CstObject,
    checkpoint: &Checkpoint,
    knowledge: &Knowledge<'_>,
    contradicted: &mut Contradicted,
) {
    let status = knowledge.of_checkpoint(checkpoint.number);
    if checkpoint.status.is_completed() && !status.is_completed() {
        contradicted.checkpoints.push(checkpoint.id.clone());
    }
    write(object, &status, true);
    match GROUPS.into_iter().find(|name| has(object, name)) {
        Some(name) => {
            let groups = list(object, name).unwrap_or_default();
            for (object, group) in groups.iter().zip(&checkpoint.task_groups) {
                put_group(object, group, status.is_completed(), knowledge, contradicted);
            }
        }
        None => {
            for group in &checkpoint.task_groups {
                put_tasks(object, group, knowledge, contradicted);
            }
        }
    }
}

/// Puts a group right. `over`: its checkpoint is completed.
fn put_group(
    object: &CstObject,
    group: &Group,
    over: bool,
    knowledge: &Knowledge<'_>,
    contradicted: &mut Contradicted,
) {
    let done = put_tasks(object, group, knowledge, contradicted);
    let is_left =
        |task: &&Task| task.status == PlanStatus::Skipped && !knowledge.has_task(&task.id);
    let open = group.tasks.len() - done - group.tasks.iter().filter(is_left).count();
    let status = if open == 0 && (done > 0 || over) {
        PlanStatus::Completed
    } else if done > 0 {
        PlanStatus::InProgress
    } else if open == 0 {
        // Nothing tells of it.
        return;
    } else {
        PlanStatus::Pending
    };
    write(object, &status, false);
}

/// Puts the tasks right. Returns how many are completed.
fn put_tasks(
    object: &CstObject,
    group: &Group,
    knowledge: &Knowledge<'_>,
    contradicted: &mut Contradicted,
) -> usize {
    let tasks = list(object, "tasks").unwrap_or_default();
    let each = tasks.iter().zip(&group.tasks);
    each.filter(|(object, task)| put_task(object, task, knowledge, contradicted)).count()
}

/// Puts a task right. Returns whether it is completed.
fn put_task(
    object: &CstObject,
    task: &Task,
    knowledge: &Knowledge<'_>,
    contradicted: &mut Contradicted,
) -> bool {
    // A checkpoint takes no task along: what nobody reported stays open.
    if knowledge.has_task(&task.id) {
        write(object, &PlanStatus::Completed, true);
        for name in ACTIONS {
            for action in list(object, name).unwrap_or_default() {
                let skipped = word(&action)
                    .is_some_and(|word| PlanStatus::named(&word) == PlanStatus::Skipped);
                if !skipped {
                    write(&action, &PlanStatus::Completed, false);
                }
            }
        }
        return true;
    }
    if !task.status.is_completed() {
        return false;
    }
    if knowledge.forgets {
        return true;
    }
    contradicted.tasks.push(task.id.clone());
    write(object, &PlanStatus::Pending, true);
    false
}

/// Writes a status, unless what is there says the same, or something that the session knows nothing
/// of. One that is missing is added only where `add` asks for it and there is something to say.
fn write(object: &CstObject, status: &PlanStatus, add: bool) {
    let Some(property) = last(object, "status") else {
        if add && *status != PlanStatus::Pending {
            append(object, status);
        }
        return;
    };
    let value = property.value();
    if value.as_ref().is_some_and(|value| value.as_null_keyword().is_some()) {
        if add && *status != PlanStatus::Pending {
            property.set_value(CstInputValue::from(status.name()));
        }
        return;
    }
    let Some(literal) = value.as_ref().and_then(CstNode::as_string_lit) else { return };
    let Ok(word) = literal.decoded_value() else { return };
    let written = PlanStatus::named(&word);
    let is_own =
        matches!(written, PlanStatus::Blocked | PlanStatus::Skipped | PlanStatus::Other(_));
    if written != *status && (status.is_completed() || !is_own) {
        literal.set_raw_value(format!("\"{}\"", status.name()));
    }
}

/// Adds a status, on a line of its own only where the others have one.
fn append(object: &CstObject, status: &PlanStatus) {
    if object.to_string().contains('\n') {
        object.append("status", CstInputValue::from(status.name()));
        return;
    }
    // The tree would spread the object over lines: so it goes before the first name, as text.
    let first = object.properties().first().and_then(CstObjectProp::name);
    if let Some(name) = first.and_then(|name| name.as_string_lit()) {
        name.set_raw_value(format!("\"status\": \"{}\", {}", status.name(), name.raw_value()));
    }
}

fn word(object: &CstObject) -> Option<String> {
    last(object, "status")?.value()?.as_string_lit()?.decoded_value().ok()
}

fn has(object: &CstObject, name: &str) -> bool {
    let value = last(object, name).and_then(|property| property.value());
    value.is_some_and(|value| value.as_null_keyword().is_none())
}

fn list(object: &CstObject, name: &str) -> Option<Vec<CstObject>> {
    Some(objects(last(object, name)?.array_value()))
}
