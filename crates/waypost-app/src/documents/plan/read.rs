//! Reading a plan with tolerance: both formats that there are, ids as numbers or text, and anything
//! missing. What has the wrong type is passed over and told.

use serde_json::{Map, Value};

use super::{
    Action, Checkpoint, Group, Plan, PlanStatus, PlannedFile, Problem, Reading, Task, Testing,
};

/// The keys that groups of tasks stand under, newest first.
pub(super) const GROUPS: [&str; 2] = ["task_groups", "tranches"];
/// The keys that steps of a task stand under.
pub(super) const ACTIONS: [&str; 2] = ["actions", "subtasks"];

/// No more checkpoints are read: one more than any build has, so that too many are noticed.
const MAX_READ: usize = 1001;

/// Reads a plan. Whatever is not there is empty.
pub(super) fn plan(value: &Value) -> Plan {
    let mut problems = Vec::new();
    let mut top = Fields::new(value, String::new(), &mut problems);
    let session_id = top.text(&["session_id"]);
    let status = top.text(&["status"]);
    let listed = top.objects("checkpoints");
    let checkpoints = listed
        .into_iter()
        .take(MAX_READ)
        .enumerate()
        .map(|(place, (path, value))| checkpoint(value, path, place, &mut problems))
        .collect();
    Plan { session_id, status, checkpoints, problems }
}

fn checkpoint(
    value: &Value,
    path: String,
    place: usize,
    problems: &mut Vec<Problem>,
) -> Checkpoint {
    let place = u64::try_from(place + 1).unwrap_or(u64::MAX);
    let mut fields = Fields::new(value, path.clone(), problems);
    let id = fields.id().unwrap_or_else(|| place.to_string());
    let number = id.trim().parse().unwrap_or(place);
    let mut read = Checkpoint {
        number,
        title: fields.text(&["title", "name"]).unwrap_or_default(),
        goal: fields.text(&["goal", "objective"]),
        prerequisites: fields.ids(&["prerequisites", "depends_on"]),
        status: fields.status(),
        files_before: files(&mut fields, "beginning"),
        files_after: files(&mut fields, "ending"),
        testing: testing(&mut fields),
        ..Checkpoint::default()
    };
    let groups = GROUPS.into_iter().find(|name| fields.has(name));
    let listed = groups.map(|name| fields.objects(name));
    read.task_groups = match listed {
        Some(listed) => listed
            .into_iter()
            .enumerate()
            .map(|(place, (path, value))| group(value, path, &id, place, problems))
            .collect(),
        None => without_groups(value, &path, &id, problems),
    };
    Checkpoint { id, path, ..read }
}

/// The tasks of a checkpoint that has no groups, as one without a name.
fn without_groups(
    value: &Value,
    path: &str,
    checkpoint: &str,
    problems: &mut Vec<Problem>,
) -> Vec<Group> {
    let mut fields = Fields::new(value, path.to_owned(), problems);
    if !fields.has("tasks") {
        return Vec::new();
    }
    let listed = fields.objects("tasks");
    let tasks = tasks(listed, checkpoint, problems);
    vec![Group { tasks, path: path.to_owned(), ..Group::default() }]
}

fn files(fields: &mut Fields<'_, '_>, when: &str) -> Vec<PlannedFile> {
    let Some(mut context) = fields.below("file_context") else { return Vec::new() };
    let Some(mut part) = context.below(when) else { return Vec::new() };
    let listed = part.listed("files");
    listed
        .into_iter()
        .filter_map(|(path, value)| {
            if let Value::String(path) = value {
                return Some(PlannedFile { path: path.clone(), ..PlannedFile::default() });
            }
            let mut file = Fields::new(value, path, part.problems);
            Some(PlannedFile {
                path: file.text(&["path", "file"])?,
                status: file.text(&["status"]),
                description: file.text(&["description", "purpose"]),
            })
        })
        .collect()
}

fn testing(fields: &mut Fields<'_, '_>) -> Testing {
    let Some(mut testing) = fields.below("testing_strategy") else { return Testing::default() };
    Testing {
        approach: testing.text(&["approach", "strategy"]),
        verification_steps: testing.texts("verification_steps", &["command", "step", "title"]),
    }
}

fn group(
    value: &Value,
    path: String,
    checkpoint: &str,
    place: usize,
    problems: &mut Vec<Problem>,
) -> Group {
    let mut fields = Fields::new(value, path.clone(), problems);
    let id = fields.id().unwrap_or_else(|| format!("{checkpoint}.{}", place + 1));
    let title = fields.text(&["title", "name"]);
    let objective = fields.text(&["objective", "goal"]);
    let status = fields.status();
    let listed = fields.objects("tasks");
    let tasks = tasks(listed, &id, problems);
    Group { id, title, objective, status, tasks, path }
}

fn tasks(listed: Vec<(String, &Value)>, group: &str, problems: &mut Vec<Problem>) -> Vec<Task> {
    let place = listed.into_iter().enumerate();
    place
        .map(|(place, (path, value))| {
            let mut fields = Fields::new(value, path, problems);
            let id = fields.id().unwrap_or_else(|| format!("{group}.{}", place + 1));
            task(&mut fields, id)
        })
        .collect()
}

fn task(fields: &mut Fields<'_, '_>, id: String) -> Task {
    let (read_before, related_files) = match fields.below("context") {
        Some(mut context) => {
            (readings(&mut context), context.texts("related_files", &["path", "file"]))
        }
        None => (readings(fields), fields.texts("related_files", &["path", "file"])),
    };
    Task {
        id,
        title: fields.text(&["title", "name"]).unwrap_or_default(),
        file_path: fields.text(&["file_path", "file"]).filter(|path| !path.is_empty()),
        description: fields.text(&["description"]),
        status: fields.status(),
        read_before,
        related_files,
        depends_on: fields.ids(&["depends_on"]),
        actions: actions(fields),
        path: fields.path.clone(),
    }
}

fn readings(fields: &mut Fields<'_, '_>) -> Vec<Reading> {
    let listed = fields.listed("read_before");
    listed
        .into_iter()
        .filter_map(|(path, value)| {
            if let Value::String(file) = value {
                return Some(Reading { file: file.clone(), ..Reading::default() });
            }
            let mut reading = Fields::new(value, path, fields.problems);
            Some(Reading {
                file: reading.text(&["file", "path"])?,
                lines: reading.text(&["lines"]),
                purpose: reading.text(&["purpose", "reason"]),
            })
        })
        .collect()
}

/// The steps, in whichever way they are written: one text, a list, or a list of subtasks.
fn actions(fields: &mut Fields<'_, '_>) -> Vec<Action> {
    let one = fields.text(&["action"]);
    let mut read: Vec<Action> =
        one.into_iter().map(|command| Action { command, ..Action::default() }).collect();
    for name in ACTIONS {
        for (path, value) in fields.listed(name) {
            if let Value::String(command) = value {
                read.push(Action { command: command.clone(), ..Action::default() });
                continue;
            }
            let mut action = Fields::new(value, path, fields.problems);
            read.push(Action {
                id: action.id().unwrap_or_default(),
                command: action
                    .text(&["command", "action", "title", "description"])
                    .unwrap_or_default(),
                file: action.text(&["file", "file_path"]),
                status: action.status(),
            });
        }
    }
    read
}

/// The fields of an object, of which some may have the wrong type.
struct Fields<'v, 'p> {
    map: Option<&'v Map<String, Value>>,
    path: String,
    problems: &'p mut Vec<Problem>,
}

impl<'v, 'p> Fields<'v, 'p> {
    fn new(value: &'v Value, path: String, problems: &'p mut Vec<Problem>) -> Self {
        let mut fields = Self { map: value.as_object(), path, problems };
        if fields.map.is_none() {
            fields.wrong("", value, "an object");
        }
        fields
    }

    /// What is there under a name; null is nothing.
    fn get(&self, name: &str) -> Option<&'v Value> {
        self.map?.get(name).filter(|value| !value.is_null())
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn wrong(&mut self, name: &str, value: &Value, wanted: &str) {
        let what = match value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        let subject = if name.is_empty() { "it" } else { name };
        let message = format!("{subject} is {what}, not {wanted}");
        self.problems.push(Problem { path: self.path.clone(), message });
    }

    fn text(&mut self, names: &[&str]) -> Option<String> {
        let name = names.iter().find(|name| self.has(name))?;
        match self.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            other => {
                self.wrong(name, other, "text");
                None
            }
        }
    }

    fn id(&mut self) -> Option<String> {
        self.text(&["id"]).map(|id| id.trim().to_owned()).filter(|id| !id.is_empty())
    }

    fn status(&mut self) -> PlanStatus {
        self.text(&["status"]).map(|word| PlanStatus::named(&word)).unwrap_or_default()
    }

    fn below<'q>(&'q mut self, name: &str) -> Option<Fields<'v, 'q>> {
        let value = self.get(name)?;
        let path = join(&self.path, name);
        Some(Fields::new(value, path, self.problems))
    }

    /// The elements of a list, with where each stands.
    fn listed(&mut self, name: &str) -> Vec<(String, &'v Value)> {
        match self.get(name) {
            None => Vec::new(),
            Some(Value::Array(values)) => {
                let path = join(&self.path, name);
                let places = values.iter().enumerate();
                places.map(|(place, value)| (format!("{path}[{place}]"), value)).collect()
            }
            Some(other) => {
                self.wrong(name, other, "a list");
                Vec::new()
            }
        }
    }

    /// The objects of a list; what else is in it is told.
    fn objects(&mut self, name: &str) -> Vec<(String, &'v Value)> {
        let (objects, others): (Vec<_>, Vec<_>) =
            self.listed(name).into_iter().partition(|(_, value)| value.is_object());
        for (path, value) in others {
            Fields { map: None, path, problems: self.problems }.wrong("", value, "an object");
        }
        objects
    }

    /// The texts of a list, or of the objects in it under one of these names.
    fn texts(&mut self, name: &str, names: &[&str]) -> Vec<String> {
        if let Some(Value::String(text)) = self.get(name) {
            return vec![text.clone()];
        }
        let listed = self.listed(name);
        listed
            .into_iter()
            .filter_map(|(path, value)| match value {
                Value::String(text) => Some(text.clone()),
                value => Fields::new(value, path, self.problems).text(names),
            })
            .collect()
    }

    /// The ids of a list, as text.
    fn ids(&mut self, names: &[&str]) -> Vec<String> {
        let Some(name) = names.iter().find(|name| self.has(name)) else {
            return Vec::new();
        };
        let listed = self.listed(name);
        listed
            .into_iter()
            .filter_map(|(path, value)| match value {
                Value::String(text) => Some(text.trim().to_owned()),
                Value::Number(number) => Some(number.to_string()),
                other => {
                    Fields { map: None, path, problems: self.problems }.wrong("", other, "an id");
                    None
                }
            })
            .collect()
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
