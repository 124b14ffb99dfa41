//! `metadata.json`: the workflow itself, its phases and tasks, with the texts and gates of its folder.

mod dynamic;
mod phase;

use serde_json::{Map, Value};
use waypost_core::redact::redact;
use waypost_core::text::{one_line, shortened};
use waypost_core::track::{Definition, MAX_PHASES, Phase, SkipRule};

use super::gate;
use crate::config::Problem;
use crate::config::workflow::Parsed;
use crate::foreign::json;
use crate::foreign::yaml::{Node, Value as Said};

/// The file that makes a folder a workflow.
const FILE: &str = "metadata.json";
/// What is read of it into the definition; anything else is kept as it is.
const READ: &[&str] = &["version", "description", "phases"];
/// The longest text of one file that is kept, in bytes.
const MAX_TEXT: usize = 64 * 1024;
/// The texts of a workflow are kept up to here, in bytes: the record that begins it holds them.
const MAX_TEXTS: usize = 1024 * 1024;
/// A definition of more bytes is refused.
const MAX_DEFINITION: usize = 2 * 1024 * 1024;
/// No more problems than this are told.
const MAX_PROBLEMS: usize = 50;

/// The files of one workflow's folder.
pub trait Files {
    /// The text of a file below the folder; `None` if there is none.
    fn text(&self, path: &str) -> Result<Option<String>, String>;
    /// The names in a folder below the folder, sorted; none if there is no such folder.
    fn names(&self, path: &str) -> Vec<String>;
}

/// Reads the workflow `name`, whose folder the project calls `shown`.
pub(crate) fn read(files: &dyn Files, name: &str, shown: &str) -> Parsed {
    let mut reader = WorkflowReader { files, shown, sound: true, texts: 0, problems: Vec::new() };
    let definition = reader.workflow(name).filter(|_| reader.sound);
    Parsed { definition, problems: reader.problems }
}

struct WorkflowReader<'a> {
    files: &'a dyn Files,
    shown: &'a str,
    /// Whether it is the workflow that its author meant.
    sound: bool,
    /// How many bytes of texts are kept so far.
    texts: usize,
    problems: Vec<Problem>,
}

impl WorkflowReader<'_> {
    fn tell_in(&mut self, file: &str, line: usize, message: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            let file = format!("{}/{file}", self.shown);
            self.problems.push(Problem { file, line, message: message.into() });
        }
    }

    fn tell(&mut self, line: usize, message: impl Into<String>) {
        self.tell_in(FILE, line, message);
    }

    /// Tells something that makes it another workflow than its author meant.
    fn refuse(&mut self, line: usize, message: impl Into<String>) {
        self.sound = false;
        self.tell(line, message);
    }

    fn workflow(&mut self, name: &str) -> Option<Definition> {
        let root = self.root()?;
        let mut definition = Definition::new(name, Vec::new());
        definition.description = self.words(&root, "description").unwrap_or_default();
        definition.version = self.words(&root, "version");
        definition.also = also(&root, READ);
        definition.also.extend(following(&root));
        let is_dynamic = dynamic::is_so(&root);
        let listed = self.phases(&root, is_dynamic);
        let Some(first) = listed.first() else {
            if self.sound {
                self.refuse(
                    root.line,
                    "it names no phases, and there is no folder `phases/0` or `phases/1`",
                );
            }
            return None;
        };
        definition.first = first.number;
        let start = self.start(&root, &listed);
        let last = listed.len() - 1;
        let mut phases = Vec::new();
        for (place, mut listed) in listed.into_iter().enumerate() {
            self.count(definition.first, place, &listed);
            if place == last && !is_dynamic && listed.phase.skip.take().is_some() {
                self.tell(listed.line, "the last phase cannot be skipped: nothing follows it");
            }
            if start.is_some_and(|start| listed.number < start) {
                let why = format!("the workflow begins with phase {}", start.unwrap_or_default());
                listed.phase.skip = Some(SkipRule::Always(why));
            }
            let name = unique(&phases, &listed.phase.name, listed.number);
            let gates = self.gate(&listed.folder, &name);
            phases.push(Phase { name, gates, ..listed.phase });
        }
        definition.phases = phases;
        if is_dynamic {
            self.follow(&root, &mut definition);
        }
        self.check_total(&root, &definition);
        self.fits(definition)
    }

    fn root(&mut self) -> Option<Node> {
        let text = match self.files.text(FILE) {
            Ok(Some(text)) => text,
            Ok(None) => {
                self.tell(1, "it is not there: phases and tasks are taken from the folder");
                return Some(Node { line: 1, value: Said::Map(Vec::new()) });
            }
            Err(problem) => {
                self.refuse(1, problem);
                return None;
            }
        };
        match json::parse(&format!("{}/{FILE}", self.shown), &text) {
            Ok(root) if root.as_map().is_some() => Some(root),
            Ok(root) => {
                self.refuse(root.line, format!("it has to be an object, not {}", root.type_name()));
                None
            }
            Err(problem) => {
                self.sound = false;
                self.problems.push(problem);
                None
            }
        }
    }

    /// A text, or a number as one; anything else is told.
    fn words(&mut self, node: &Node, key: &str) -> Option<String> {
        let given = node.get(key).filter(|given| !given.is_null())?;
        match &given.value {
            Said::Text(text) => Some(redact(text.trim()).into()),
            Said::Int(_) | Said::Float(_) => Some(given.to_json().to_string()),
            _ => {
                self.tell(given.line, format!("`{key}` is text, not {}", given.type_name()));
                None
            }
        }
    }

    /// The phase that it begins with, where that is not the first one.
    fn start(&mut self, root: &Node, listed: &[phase::Listed]) -> Option<u64> {
        let given = root.get("start_phase").or(root.get("starting_phase"))?;
        let number = given.as_int().and_then(|number| u64::try_from(number).ok());
        let known = number.filter(|number| listed.iter().any(|phase| phase.number == *number));
        if known.is_none() && !given.is_null() {
            self.refuse(given.line, "`start_phase` is the number of one of its phases");
        }
        known
    }

    /// Tells where a phase is counted otherwise than its author counts it.
    fn count(&mut self, first: u64, place: usize, listed: &phase::Listed) {
        let counted = first + place as u64;
        if listed.number != counted {
            let message = format!(
                "phase_number {} comes where {counted} is due: it is counted as {counted}",
                listed.number
            );
            self.tell(listed.line, message);
        }
    }

    fn check_total(&mut self, root: &Node, definition: &Definition) {
        let Some(given) = root.get("total_phases") else { return };
        let count = definition.phases.len();
        match given.as_int() {
            Some(total)
                if definition.phases_from.is_none() && usize::try_from(total) != Ok(count) =>
            {
                let message =
                    format!("`total_phases` is {total}, and {count} phases are named: those count");
                self.tell(given.line, message);
            }
            None if given.as_str() != Some("dynamic") => {
                self.tell(given.line, "`total_phases` is a number, or \"dynamic\"");
            }
            _ => {}
        }
        if count > MAX_PHASES {
            self.refuse(given.line, format!("{count} phases; a workflow has 1 to {MAX_PHASES}"));
        }
    }

    /// The definition, if it can be kept in a record.
    fn fits(&mut self, definition: Definition) -> Option<Definition> {
        match definition.encode() {
            Ok((text, _)) if text.len() <= MAX_DEFINITION => return Some(definition),
            Ok((text, _)) => {
                let message =
                    format!("it makes {} bytes; at most {MAX_DEFINITION} are kept", text.len());
                self.refuse(1, message);
            }
            Err(error) => self.refuse(1, one_line(&error.to_string())),
        }
        None
    }

    /// The text of a file that a phase or task names; what is too long ends with where the rest is.
    fn text(&mut self, path: &str, named: Option<usize>) -> Option<String> {
        let text = match self.files.text(path) {
            Ok(Some(text)) => text,
            Ok(None) => {
                if let Some(line) = named {
                    let shown = shortened(&one_line(path), 100);
                    self.tell(line, format!("there is no file `{shown}`"));
                }
                return None;
            }
            Err(problem) => {
                self.tell_in(path, 1, problem);
                return None;
            }
        };
        let room = MAX_TEXT.min(MAX_TEXTS.saturating_sub(self.texts));
        let mut text = redact(&text.trim().replace("\r\n", "\n")).into_owned();
        if text.len() > room {
            let end = (0..=room).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
            text.truncate(end);
            text.push_str(&format!("\n\n(more in {}/{path})", self.shown));
        }
        self.texts += text.len();
        Some(text)
    }

    /// What stands before the end of the phase whose folder this is.
    fn gate(&mut self, folder: &str, phase: &str) -> Vec<waypost_core::gate::Gate> {
        let path = format!("{folder}/gate-definition.yaml");
        match self.files.text(&path) {
            Ok(None) => Vec::new(),
            Ok(Some(text)) => {
                let read = gate::read(&format!("{}/{path}", self.shown), &text, phase);
                self.sound &= read.sound;
                let room = MAX_PROBLEMS.saturating_sub(self.problems.len());
                self.problems.extend(read.problems.into_iter().take(room.max(1)));
                read.gate.into_iter().collect()
            }
            Err(problem) => {
                self.sound = false;
                self.tell_in(&path, 1, problem);
                Vec::new()
            }
        }
    }
}

/// What is said of the phases that a tasks file will name, which stand there as one.
fn following(root: &Node) -> Option<(String, Value)> {
    let phases = root.get("phases").and_then(Node::as_list)?;
    let is_one = |phase: &&Node| phase.get("phase_number").is_some_and(|it| it.as_int().is_none());
    let phase = phases.iter().find(is_one)?;
    Some(("phases_that_follow".to_owned(), redacted(phase.to_json())))
}

/// What is said under other keys than these, as it stands there.
fn also(node: &Node, but: &[&str]) -> Map<String, Value> {
    let entries = node.as_map().unwrap_or_default().iter();
    let other = entries.filter(|entry| !but.contains(&entry.key.as_str()));
    other.map(|entry| (entry.key.clone(), redacted(entry.node.to_json()))).collect()
}

/// The same without credentials, and with numbers that records can hold.
fn redacted(value: Value) -> Value {
    /// Whole numbers up to here are the same everywhere.
    const MAX_WHOLE: u64 = 1 << 53;
    match value {
        Value::String(text) => Value::String(redact(&text).into()),
        Value::Array(items) => Value::Array(items.into_iter().map(redacted).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (key, redacted(value))).collect())
        }
        Value::Number(number)
            if number.as_i64().is_some_and(|it| it.unsigned_abs() > MAX_WHOLE) =>
        {
            Value::String(number.to_string())
        }
        other => other,
    }
}

/// A name that no phase before has, and that is no number.
fn unique(phases: &[Phase], name: &str, number: u64) -> String {
    use crate::config::workflow::COMPLETE;
    let mut name = name.to_owned();
    if name == COMPLETE || name.parse::<f64>().is_ok() {
        name = format!("Phase {name}");
    }
    let is_free = |name: &str| phases.iter().all(|phase| phase.name != name);
    if is_free(&name) {
        return name;
    }
    let mut others = (number..).map(|number| format!("{name} ({number})"));
    others.find(|name| is_free(name)).unwrap_or(name)
}
