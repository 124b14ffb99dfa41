//! Phases that become known only on the way: those that a file below the workflow's target names.

use std::path::{Component, Path, PathBuf};

use waypost_core::redact::redact;
use waypost_core::text::{one_line, shortened};
use waypost_core::track::{Definition, MAX_PHASES, Phase, PhaseTask};
use waypost_store::look;

use crate::config::workflow::COMPLETE;
use crate::config::{MAX_BYTES, text_inside};
use crate::documents::markdown::{Block, Kind, blocks};
use crate::error::AppError;
use crate::view::View;

/// More tasks than this are not read of one phase.
const MAX_TASKS: usize = 200;
/// The longest name, purpose or criterion that is kept, in characters.
const MAX_WORDS: usize = 400;
/// The longest name of a phase, in characters: the state holds it.
const MAX_NAME: usize = 80;
/// The longest text of a task that is kept, in bytes.
const MAX_TEXT: usize = 4096;

/// The definition with the phases that a file below the target names.
pub fn unfold(
    view: &View<'_>,
    definition: &Definition,
    file: &str,
    target: Option<&str>,
) -> Result<Definition, AppError> {
    let root = &view.project.root;
    let path = place(root, file, target)?;
    let shown = view.project.relative(&path);
    let text = text_inside(root, &path, MAX_BYTES).map_err(|problem| {
        AppError::refused(format!("the phases that follow should be in {shown}: {problem}"))
            .hint(format!("write them there: {SHAPE}"))
    })?;
    let found = phases(&text);
    if found.is_empty() {
        return Err(AppError::refused(format!("{shown} names no phases"))
            .hint(format!("write them there: {SHAPE}")));
    }
    let total = definition.phases.len() + found.len();
    if total > MAX_PHASES {
        let told = format!("{shown} makes it {total} phases; a workflow has 1 to {MAX_PHASES}");
        return Err(AppError::refused(told).hint("join some of them"));
    }
    let mut unfolded = Definition { phases_from: None, ..definition.clone() };
    for phase in found {
        let name = unique(&unfolded, &phase.name);
        unfolded.phases.push(Phase { name, ..phase });
    }
    Ok(unfolded)
}

const SHAPE: &str = "a heading `## Phase 1: NAME` each, and below it tasks, `- [ ] **Task 1.1**: \
                     NAME` or `### PhaseTask 1.1: NAME`";

/// The file below the target, or the target if it is a file itself.
fn place(root: &Path, file: &str, target: Option<&str>) -> Result<PathBuf, AppError> {
    let target = target.unwrap_or_default();
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let given = Path::new(target);
    let below = given.strip_prefix(root).unwrap_or(given);
    if !below.components().all(plain) {
        let shown = shortened(&one_line(target), 200);
        return Err(AppError::refused(format!("the target {shown} lies outside the project"))
            .hint("begin the workflow on a file or folder of the project"));
    }
    let path = root.join(below);
    Ok(if look::is_file(&path) { path } else { path.join(file) })
}

fn unique(definition: &Definition, name: &str) -> String {
    let mut name = name.to_owned();
    if name == COMPLETE || name.parse::<f64>().is_ok() {
        name = format!("Phase {name}");
    }
    if definition.phase(&name).is_none() {
        return name;
    }
    let numbers = definition.first + definition.phases.len() as u64..;
    let names = numbers.map(|number| format!("{name} ({number})"));
    names.into_iter().find(|name| definition.phase(name).is_none()).unwrap_or_default()
}

/// The phases that a text names, in its order.
fn phases(text: &str) -> Vec<Phase> {
    let mut found = TaskReader::default();
    for block in blocks(text) {
        match block.kind {
            Kind::Heading(level) => found.heading(level, &block.text),
            Kind::Paragraph => found.paragraph(&block),
            Kind::Item { ticked, .. } => found.item(&block, ticked.is_some()),
            Kind::Row(_) => {}
        }
    }
    found.phases
}

/// What the lines under a label are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    /// What shows that a task is done.
    Accept,
    /// Anything else.
    Other,
}

/// What was found so far.
#[derive(Default)]
struct TaskReader {
    phases: Vec<Phase>,
    /// The level of the heading of the phase that is being read.
    level: Option<u8>,
    /// Where the task began that is being read: in how many lists, and at which heading.
    task: Option<(usize, u8)>,
    /// What the last label announced, and in how many lists it stood.
    label: Option<(Label, usize)>,
}

impl TaskReader {
    fn heading(&mut self, level: u8, text: &str) {
        if let Some((number, name)) = numbered("phase", text) {
            let name = if name.is_empty() { number } else { clean(&name, MAX_NAME) };
            self.phases.push(Phase { name, ..Phase::default() });
            (self.level, self.task, self.label) = (Some(level), None, None);
            return;
        }
        let Some(of_phase) = self.level else { return };
        if let Some(task) = numbered("task", text) {
            self.begin_task(task, (0, level));
        } else if level <= of_phase {
            self.level = None;
        } else if self.task.is_some_and(|(_, of_task)| level > of_task) {
            self.label = Some((label_of(text), 0));
        } else {
            (self.task, self.label) = (None, Some((Label::Other, 0)));
        }
    }

    fn begin_task(&mut self, (number, name): (String, String), began: (usize, u8)) {
        let Some(phase) = self.phases.last_mut() else { return };
        if phase.tasks.len() < MAX_TASKS {
            let name = if name.is_empty() { format!("Task {number}") } else { name };
            phase.tasks.push(PhaseTask { name: clean(&name, MAX_WORDS), ..PhaseTask::default() });
        }
        (self.task, self.label) = (Some(began), None);
    }

    fn paragraph(&mut self, block: &Block) {
        if self.level.is_none() {
            return;
        }
        // What stands outside the list of a task is no part of it.
        if self.task.is_some_and(|(depth, _)| block.depth < depth) {
            (self.task, self.label) = (None, None);
        }
        for line in block.text.lines().map(str::trim) {
            self.line(line, block.depth);
        }
    }

    fn line(&mut self, line: &str, depth: usize) {
        let (label, value) = match line.split_once(':') {
            Some((label, value)) => (label.trim(), value.trim()),
            None => ("", line),
        };
        let in_task = self.task.is_some();
        let Some(phase) = self.phases.last_mut() else { return };
        if !in_task && is_one_of(label, &["objective", "purpose", "goal"]) && !value.is_empty() {
            phase.purpose = clean(value, MAX_WORDS);
        } else if line.ends_with(':') {
            let label = label_of(label);
            // The gate of a phase closes its tasks.
            if is_gate(line) {
                self.task = None;
            }
            self.label = Some((label, depth));
        } else if in_task {
            self.add_text(line);
        } else if phase.purpose.is_empty() && label.is_empty() && self.label.is_none() {
            phase.purpose = clean(line, MAX_WORDS);
        }
    }

    fn item(&mut self, block: &Block, boxed: bool) {
        if self.level.is_none() {
            return;
        }
        let (depth, text) = (block.depth, block.text.as_str());
        if let Some(task) = numbered("task", text) {
            return self.begin_task(task, (depth, u8::MAX));
        }
        if self.task.is_some_and(|(of_task, _)| depth <= of_task) {
            (self.task, self.label) = (None, None);
        }
        if self.label.is_some_and(|(_, of_label)| depth <= of_label) {
            self.label = None;
        }
        let announces = text.ends_with(':');
        let said = text.split_once(':').filter(|(label, _)| label_of(label) == Label::Accept);
        match (self.task, self.label) {
            (Some(_), Some((Label::Accept, _))) => self.add_criterion(text),
            (Some(_), _) if announces => self.label = Some((label_of(text), depth)),
            (Some(_), _) if said.is_some() => self.add_criterion(said.map_or("", |(_, it)| it)),
            (Some(_), None) if boxed => self.add_criterion(text),
            (Some(_), _) => self.add_text(&format!("- {text}")),
            (None, None) if boxed => {
                self.begin_task((String::new(), text.to_owned()), (depth, u8::MAX));
            }
            (None, _) => {}
        }
    }

    fn last_task(&mut self) -> Option<&mut PhaseTask> {
        self.phases.last_mut()?.tasks.last_mut()
    }

    fn add_criterion(&mut self, text: &str) {
        if let Some(task) = self.last_task()
            && task.accept.len() < MAX_TASKS
        {
            task.accept.push(clean(text, MAX_WORDS));
        }
    }

    fn add_text(&mut self, line: &str) {
        if let Some(task) = self.last_task()
            && task.text.len() + line.len() < MAX_TEXT
        {
            if !task.text.is_empty() {
                task.text.push('\n');
            }
            task.text.push_str(&redact(line));
        }
    }
}

fn clean(text: &str, max: usize) -> String {
    shortened(&one_line(&redact(text)), max)
}

fn is_one_of(label: &str, words: &[&str]) -> bool {
    words.iter().any(|word| label.eq_ignore_ascii_case(word))
}

fn is_gate(line: &str) -> bool {
    line.to_lowercase().contains("validation gate")
}

fn label_of(text: &str) -> Label {
    let text = text.to_lowercase();
    let accepts = ["acceptance", "accept", "done when", "criteria"];
    if accepts.iter().any(|word| text.starts_with(word)) { Label::Accept } else { Label::Other }
}

/// The number and the name in `Phase 1: Name`, `Task 1.2 - Name`, `Task 3`.
fn numbered(word: &str, text: &str) -> Option<(String, String)> {
    let start = text.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word))?;
    let rest = text[start.len()..].strip_prefix(char::is_whitespace)?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let number = rest[..end].trim_end_matches('.');
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let rest = rest[end..].trim_start();
    let name = match rest.strip_prefix([':', '-', '–', '—', '.', ')']) {
        Some(name) => name.trim(),
        None if rest.is_empty() => "",
        None => return None,
    };
    let first = name.lines().next().unwrap_or_default();
    Some((number.to_owned(), first.trim().to_owned()))
}

#[cfg(test)]
mod tests;
