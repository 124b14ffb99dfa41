//! The phases that the file lists, or else those that have a folder, with their tasks.

use waypost_core::redact::redact;
use waypost_core::text::{one_line, shortened};
use waypost_core::track::{MAX_PHASES, Phase, PhaseTask, SkipRule};

use super::{WorkflowReader, also};
use crate::foreign::yaml::Node;

/// What is read of a phase; anything else is kept as it is.
const READ: &[&str] = &["tasks", "phase_name", "purpose", "skippable"];
/// What is read of a task.
const OF_TASK: &[&str] = &["task_number", "name", "file", "purpose"];
/// The longest name of a phase, in characters: the state holds it.
const MAX_NAME: usize = 80;
/// The longest purpose, name of a task or criterion, in characters.
const MAX_WORDS: usize = 1000;
/// More tasks than this are not read of one phase.
const MAX_TASKS: usize = 200;

/// A phase, with what its file counts it as.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) number: u64,
    pub(super) line: usize,
    /// Its folder below that of the workflow.
    pub(super) folder: String,
    pub(super) phase: Phase,
}

impl WorkflowReader<'_> {
    /// The phases that are known from the beginning.
    pub(super) fn phases(&mut self, root: &Node, is_dynamic: bool) -> Vec<Listed> {
        let Some(given) = root.get("phases").filter(|given| !given.is_null()) else {
            return self.all_in_folders();
        };
        let Some(items) = given.as_list() else {
            self.refuse(given.line, format!("`phases` is a list, not {}", given.type_name()));
            return Vec::new();
        };
        if items.len() > MAX_PHASES {
            let message = format!("{} phases; a workflow has 1 to {MAX_PHASES}", items.len());
            self.refuse(given.line, message);
            return Vec::new();
        }
        let mut listed = Vec::new();
        for item in items {
            if item.as_map().is_none() {
                let found = item.type_name();
                self.refuse(item.line, format!("a phase is an object, not {found}"));
                continue;
            }
            listed.extend(self.listed(item, &listed, is_dynamic));
        }
        if items.is_empty() { self.all_in_folders() } else { listed }
    }

    fn listed(&mut self, item: &Node, before: &[Listed], is_dynamic: bool) -> Option<Listed> {
        let due = before.last().map_or(0, |last: &Listed| last.number + 1);
        let number = match item.get("phase_number").or(item.get("number")) {
            None => due,
            Some(given) => match given.as_int().and_then(|number| u64::try_from(number).ok()) {
                Some(number) => number,
                // `1-N` stands for those that a tasks file will name.
                None if is_dynamic => return None,
                None => {
                    let message =
                        "`phase_number` is a whole number where the phases are not dynamic";
                    self.refuse(given.line, message);
                    return None;
                }
            },
        };
        let folder = format!("phases/{number}");
        let name = name_of(item, &["phase_name", "name"]);
        let name = name.unwrap_or_else(|| format!("Phase {number}"));
        let purpose = name_of(item, &["purpose", "description"]).unwrap_or_default();
        let text = self.phase_text(item, &folder);
        let tasks = self.tasks(item, &folder);
        let skip = match item.get("skippable") {
            Some(given) if given.as_bool() == Some(true) => Some(SkipRule::OnRequest),
            Some(given) if given.as_bool().is_none() && !given.is_null() => {
                self.tell(given.line, "`skippable` is true or false");
                None
            }
            _ => None,
        };
        let name = shortened(&name, MAX_NAME);
        let also = also(item, if has_more(item) { &READ[1..] } else { READ });
        let phase = Phase { name, purpose, text, tasks, skip, also, ..Phase::default() };
        Some(Listed { number, line: item.line, folder, phase })
    }

    fn phase_text(&mut self, item: &Node, folder: &str) -> String {
        let named = item.get("phase_file").or(item.get("file")).filter(|it| it.as_str().is_some());
        let usual = format!("{folder}/phase.md");
        let (path, line) = match named.and_then(|node| Some((node.as_str()?, node.line))) {
            Some((path, line)) if path.contains('/') => (path.to_owned(), Some(line)),
            Some((path, line)) => (format!("{folder}/{path}"), Some(line)),
            None => (usual.clone(), None),
        };
        let found = if path == usual { None } else { self.text(&path, None) };
        found.or_else(|| self.text(&usual, line)).unwrap_or_default()
    }

    /// Those that have a folder, from 0 or 1 on.
    fn all_in_folders(&mut self) -> Vec<Listed> {
        let names = self.files.names("phases");
        let first = u64::from(!names.iter().any(|name| name == "0"));
        let there = |number: &u64| names.iter().any(|name| *name == number.to_string());
        let numbers = (first..).take_while(there).take(MAX_PHASES);
        numbers.collect::<Vec<_>>().into_iter().map(|number| self.one_in_folder(number)).collect()
    }

    fn one_in_folder(&mut self, number: u64) -> Listed {
        let folder = format!("phases/{number}");
        let text = self.text(&format!("{folder}/phase.md"), None).unwrap_or_default();
        let heading = text.lines().find_map(|line| line.trim().strip_prefix("# "));
        let after =
            heading.map(|heading| heading.split_once(':').map_or(heading, |(_, name)| name));
        let name = after.map(|name| shortened(&one_line(name), MAX_NAME));
        let name = name.filter(|name| !name.trim().is_empty());
        let name = name.map_or_else(|| format!("Phase {number}"), |name| name.trim().to_owned());
        let tasks = self.tasks_of_folder(&folder);
        let phase = Phase { name, text, tasks, ..Phase::default() };
        Listed { number, line: 1, folder, phase }
    }

    fn tasks(&mut self, item: &Node, folder: &str) -> Vec<PhaseTask> {
        let Some(given) = item.get("tasks").filter(|given| !given.is_null()) else {
            return self.tasks_of_folder(folder);
        };
        let Some(items) = given.as_list() else {
            self.tell(given.line, format!("`tasks` is a list, not {}", given.type_name()));
            return self.tasks_of_folder(folder);
        };
        if items.is_empty() {
            return self.tasks_of_folder(folder);
        }
        if items.len() > MAX_TASKS {
            let message = format!("{} tasks; at most {MAX_TASKS} are read", items.len());
            self.tell(given.line, message);
        }
        let tasks = items.iter().take(MAX_TASKS).filter_map(|item| self.task(item, folder));
        numbered(tasks.collect())
    }

    fn task(&mut self, item: &Node, folder: &str) -> Option<PhaseTask> {
        if let Some(name) = item.as_str().filter(|name| !name.trim().is_empty()) {
            let name = shortened(&one_line(name.trim()), MAX_WORDS);
            return Some(PhaseTask { name, ..PhaseTask::default() });
        }
        let file = item.get("file").and_then(|file| Some((file.as_str()?, file.line)));
        let stem = file.map(|(file, _)| file.trim_end_matches(".md").to_owned());
        let Some(name) = name_of(item, &["name", "task_name", "title"]).or(stem) else {
            self.tell(item.line, "a task needs a `name`");
            return None;
        };
        let number = item.get("task_number").or(item.get("number")).and_then(Node::as_int);
        let purpose = name_of(item, &["purpose", "description"]).unwrap_or_default();
        let path = file.map(|(file, line)| {
            let below =
                if file.contains('/') { file.to_owned() } else { format!("{folder}/{file}") };
            (below, line)
        });
        let text = path.and_then(|(path, line)| self.text(&path, Some(line))).unwrap_or_default();
        let text = [purpose, text].into_iter().filter(|part| !part.is_empty());
        let text = text.collect::<Vec<_>>().join("\n\n");
        let accept = item.get("acceptance_criteria").or(item.get("validation_criteria"));
        let accept = accept.and_then(Node::as_list).unwrap_or_default().iter();
        let accept = accept.filter_map(|one| Some(words(one.as_str()?))).collect();
        let number = number.and_then(|number| usize::try_from(number).ok());
        Some(PhaseTask { name, text, accept, number })
    }

    /// The tasks of a folder's files `task-N-NAME.md`, by their numbers.
    fn tasks_of_folder(&mut self, folder: &str) -> Vec<PhaseTask> {
        let names = self.files.names(folder);
        let task = |file: &String| {
            let (number, name) =
                file.strip_prefix("task-")?.strip_suffix(".md")?.split_once('-')?;
            Some((number.parse::<usize>().ok()?, name.to_owned(), file.clone()))
        };
        let mut found: Vec<_> = names.iter().filter_map(task).take(MAX_TASKS).collect();
        found.sort();
        let read = |(number, name, file): (usize, String, String)| {
            let text = self.text(&format!("{folder}/{file}"), None).unwrap_or_default();
            PhaseTask { name, text, accept: Vec::new(), number: Some(number) }
        };
        numbered(found.into_iter().map(read).collect())
    }
}

/// Whether a task says more than what is read of it: then all of them are kept as they are, too.
fn has_more(item: &Node) -> bool {
    let tasks = item.get("tasks").and_then(Node::as_list).unwrap_or_default();
    let more = |task: &Node| match task.as_map() {
        Some(entries) => entries.iter().any(|entry| !OF_TASK.contains(&entry.key.as_str())),
        None => task.as_str().is_none(),
    };
    tasks.iter().any(more)
}

/// Numbers are kept only where they tell the tasks apart and are not the usual ones.
fn numbered(mut tasks: Vec<PhaseTask>) -> Vec<PhaseTask> {
    let numbers: Option<Vec<usize>> = tasks.iter().map(|task| task.number).collect();
    let apart = |numbers: &Vec<usize>| numbers.is_sorted_by(|one, other| one < other);
    let usual = |numbers: &Vec<usize>| numbers.iter().copied().eq(1..=numbers.len());
    if !numbers.is_some_and(|numbers| apart(&numbers) && !usual(&numbers)) {
        for task in &mut tasks {
            task.number = None;
        }
    }
    tasks
}

/// The first of these keys that says something, on one line.
fn name_of(item: &Node, keys: &[&str]) -> Option<String> {
    let said = keys.iter().find_map(|key| item.get(key).and_then(Node::as_str));
    said.map(words).filter(|name| !name.is_empty())
}

fn words(text: &str) -> String {
    shortened(&one_line(&redact(text.trim())), MAX_WORDS)
}
