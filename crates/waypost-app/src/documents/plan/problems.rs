//! What is wrong with a plan that could be read: each with where it stands and what to do about it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use waypost_core::command::MAX_TASK;
use waypost_core::id::SessionId;
use waypost_core::session::MAX_CHECKPOINTS;
use waypost_core::text::{one_line, shortened};

use super::circles::circles;
use super::{Checkpoint, Group, Plan, PlanStatus, Problem, Task};

/// What is wrong with `plan`, which was read from `value`, as the plan of session `id`.
pub(super) fn of(plan: &Plan, value: &Value, id: &SessionId) -> Vec<Problem> {
    let mut found = Problems(Vec::new());
    found.session(plan, id);
    found.numbers(plan);
    found.prerequisites(plan);
    found.names(plan);
    for checkpoint in &plan.checkpoints {
        found.checkpoint(checkpoint);
    }
    found.dependencies(plan);
    found.placeholders(value, &mut String::new());
    found.0
}

struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, path: &str, message: impl Into<String>) {
        self.0.push(Problem { path: one_line(path), message: message.into() });
    }

    fn session(&mut self, plan: &Plan, id: &SessionId) {
        let said = plan.session_id.as_deref();
        if let Some(said) = said.filter(|said| *said != id.as_str() && !has_placeholder(said)) {
            let message = format!("it is the plan of session {}, not of {id}", quoted(said));
            self.add("session_id", message);
        }
    }

    fn numbers(&mut self, plan: &Plan) {
        let total = plan.total();
        if total > MAX_CHECKPOINTS {
            let message = format!(
                "there are more than {MAX_CHECKPOINTS} checkpoints, and no build has so many"
            );
            self.add("checkpoints", message);
        }
        for checkpoint in &plan.checkpoints {
            let fits = checkpoint.id.parse().is_ok_and(|id: u64| (1..=total).contains(&id));
            if !fits {
                let id = quoted(&checkpoint.id);
                let message = format!("its id is {id}, and checkpoints are numbered 1 to {total}");
                self.add(&checkpoint.path, message);
            }
        }
    }

    fn prerequisites(&mut self, plan: &Plan) {
        let known: BTreeSet<&str> = plan.checkpoints.iter().map(|one| one.id.as_str()).collect();
        for checkpoint in &plan.checkpoints {
            for id in checkpoint.prerequisites.iter().filter(|id| !known.contains(id.as_str())) {
                let message =
                    format!("its prerequisite {} is no checkpoint of the plan", quoted(id));
                self.add(&checkpoint.path, message);
            }
        }
        let graph: Vec<(&str, &[String])> = plan
            .checkpoints
            .iter()
            .map(|one| (one.id.as_str(), one.prerequisites.as_slice()))
            .collect();
        for circle in circles(&graph) {
            let path = &plan.checkpoints[circle[0]].path;
            self.circle(path, "checkpoints", circle.iter().map(|place| graph[*place].0));
        }
    }

    fn dependencies(&mut self, plan: &Plan) {
        let tasks: Vec<&Task> = plan.tasks().collect();
        let groups = plan.checkpoints.iter().flat_map(|one| &one.task_groups);
        let known: BTreeSet<&str> = tasks
            .iter()
            .map(|task| task.id.as_str())
            .chain(groups.map(|group| group.id.as_str()))
            .collect();
        for task in &tasks {
            for id in task.depends_on.iter().filter(|id| !known.contains(id.as_str())) {
                let message = format!("it depends on {}, which is no task of the plan", quoted(id));
                self.add(&task.path, message);
            }
        }
        let graph: Vec<(&str, &[String])> =
            tasks.iter().map(|task| (task.id.as_str(), task.depends_on.as_slice())).collect();
        for circle in circles(&graph) {
            let path = &tasks[circle[0]].path;
            self.circle(path, "tasks", circle.iter().map(|place| graph[*place].0));
        }
    }

    fn circle<'a>(&mut self, path: &str, what: &str, ids: impl Iterator<Item = &'a str>) {
        let mut ids: Vec<String> = ids.map(quoted).collect();
        if let [only] = ids.as_slice() {
            let message = format!("{only} waits for itself");
            return self.add(path, message);
        }
        ids.extend(ids.first().cloned());
        self.add(path, format!("{what} wait for each other: {}", ids.join(" after ")));
    }

    /// Ids that two have, in the whole plan.
    fn names(&mut self, plan: &Plan) {
        let checkpoints = plan.checkpoints.iter().map(|one| (&one.id, &one.path));
        self.twice("checkpoint", checkpoints);
        let groups = || plan.checkpoints.iter().flat_map(|one| &one.task_groups);
        let named = groups().filter(|group| !group.id.is_empty());
        self.twice("group", named.map(|group| (&group.id, &group.path)));
        self.twice("task", plan.tasks().map(|task| (&task.id, &task.path)));
    }

    fn twice<'a>(&mut self, what: &str, named: impl Iterator<Item = (&'a String, &'a String)>) {
        let mut seen = BTreeMap::new();
        for (id, path) in named {
            if let Some(first) = seen.get(id) {
                self.add(path, format!("{what} {} is there already, at {first}", quoted(id)));
            } else {
                seen.insert(id, path);
            }
        }
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        if checkpoint.title.trim().is_empty() {
            self.add(&checkpoint.path, "it has no title");
        }
        self.status(&checkpoint.path, &checkpoint.status);
        for group in &checkpoint.task_groups {
            self.group(checkpoint, group);
        }
    }

    fn group(&mut self, checkpoint: &Checkpoint, group: &Group) {
        if !is_below(&group.id, &checkpoint.id) {
            let message = format!(
                "group {} stands in checkpoint {}",
                quoted(&group.id),
                quoted(&checkpoint.id)
            );
            self.add(&group.path, message);
        }
        self.status(&group.path, &group.status);
        for task in &group.tasks {
            let (what, above) = if group.id.is_empty() {
                ("checkpoint", &checkpoint.id)
            } else {
                ("group", &group.id)
            };
            // The group is told already where it is the one that stands in the wrong place.
            if !is_below(&task.id, above) {
                let message =
                    format!("task {} stands in {what} {}", quoted(&task.id), quoted(above));
                self.add(&task.path, message);
            }
            if task.id.len() > MAX_TASK {
                self.add(&task.path, format!("its id is longer than {MAX_TASK} bytes"));
            }
            if task.title.trim().is_empty() {
                self.add(&task.path, "it has no title");
            }
            self.status(&task.path, &task.status);
            for action in &task.actions {
                self.status(&task.path, &action.status);
            }
        }
    }

    fn status(&mut self, path: &str, status: &PlanStatus) {
        if let PlanStatus::Other(word) = status {
            let message = format!(
                "its status {} is not known; say pending, in_progress, completed, blocked or skipped",
                quoted(word)
            );
            self.add(path, message);
        }
    }

    /// What nobody filled in of a template.
    fn placeholders(&mut self, value: &Value, path: &mut String) {
        let length = path.len();
        match value {
            Value::String(text) if has_placeholder(text) => {
                let message = format!("{} was never filled in", quoted(text));
                self.add(path, message);
            }
            Value::Array(values) => {
                for (place, value) in values.iter().enumerate() {
                    path.push_str(&format!("[{place}]"));
                    self.placeholders(value, path);
                    path.truncate(length);
                }
            }
            Value::Object(values) => {
                for (name, value) in values {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                    self.placeholders(value, path);
                    path.truncate(length);
                }
            }
            _ => {}
        }
    }
}

/// Whether a numbered id is one below another. Ids that are words may stand anywhere.
fn is_below(id: &str, above: &str) -> bool {
    let numbered =
        |id: &str| !id.is_empty() && id.split('.').all(|part| part.parse::<u64>().is_ok());
    if !numbered(id) || !numbered(above) {
        return true;
    }
    id.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether a text holds a template's `{{NAME}}`. Other braces are somebody's own.
pub(crate) fn has_placeholder(text: &str) -> bool {
    text.split("{{").skip(1).any(|rest| {
        rest.split_once("}}").is_some_and(|(name, _)| {
            let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            !name.is_empty() && name.chars().all(fits)
        })
    })
}

fn quoted(text: &str) -> String {
    format!("`{}`", shortened(&one_line(text), 60))
}
