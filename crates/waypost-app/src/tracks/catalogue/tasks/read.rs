//! Reading a tasks file: its phases, their tasks, and what has to be true at their end.

use waypost_core::redact::redact;
use waypost_core::track::{Phase, PhaseTask};

use super::found::{self, FoundPhase, NamedPhase, OfNumber};
use super::words;
use crate::documents::markdown::{Block, Kind, blocks};

/// More tasks than this are not read of one phase, nor more criteria of a task.
const MAX_TASKS: usize = 200;
/// More criteria than this are not read of one phase.
const MAX_CRITERIA: usize = 50;
/// The longest name, purpose or criterion that is kept, in characters.
const MAX_WORDS: usize = 400;
/// The longest name of a phase, in characters: the state holds it.
const MAX_NAME: usize = 80;
/// The longest text of a task that is kept, in bytes.
const MAX_TEXT: usize = 4096;

/// The phases that a text names, in its order.
pub(super) fn phases(text: &str) -> Vec<FoundPhase> {
    let found = phases_in(text);
    // A fence within a fence ends the outer one, and what follows is swallowed by the next: a reader sees what
    // was meant.
    let Some(unfenced) = words::without_nested_fences(text) else { return found };
    let meant = phases_in(&unfenced);
    let count = |found: &[FoundPhase]| -> usize {
        found.iter().map(|found| 1 + found.phase.tasks.len()).sum()
    };
    if count(&meant) > count(&found) { meant } else { found }
}

fn phases_in(text: &str) -> Vec<FoundPhase> {
    let mut found = TaskReader::default();
    for block in blocks(text) {
        match block.kind {
            Kind::Heading(level) => found.heading(level, &block.text),
            Kind::Paragraph => found.paragraph(&block),
            Kind::Item { ticked, .. } => found.item(&block, ticked.is_some()),
            Kind::Row(_) => {}
        }
    }
    found::phases(found.named, found.of_numbers)
}

/// What the lines under a label are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    /// What shows that a task is done.
    Accept,
    /// Anything else.
    Other,
}

/// A list of what has to be true at the end of a phase, while it is read.
#[derive(Debug, Default)]
struct GateReading {
    /// The number of the phase that it names; none is the one that is being read.
    number: Option<String>,
    /// The level of its heading, if it has one.
    level: Option<u8>,
    /// How many labels were met in it.
    labels: usize,
    /// The label and the depth of its first criterion.
    first: Option<(usize, usize)>,
}

/// What was found so far.
#[derive(Default)]
struct TaskReader {
    named: Vec<NamedPhase>,
    of_numbers: Vec<OfNumber>,
    /// The headings above, with a number for each; those of phases are not among them.
    above: Vec<(u8, usize, String)>,
    headings: usize,
    /// The level of the heading of the phase that is being read.
    level: Option<u8>,
    /// Where the task began that is being read: in how many lists, and at which heading.
    task: Option<(usize, u8)>,
    /// What the last label announced, and in how many lists it stood.
    label: Option<(Label, usize)>,
    gate: Option<GateReading>,
}

impl TaskReader {
    fn heading(&mut self, level: u8, text: &str) {
        self.headings += 1;
        self.above.retain(|(above, ..)| *above < level);
        let in_gates = self.above.last().is_some_and(|(_, _, above)| words::are_gates(above));
        let named = words::numbered("phase", text);
        let of_number = if in_gates { words::phase_in(text) } else { None };
        if of_number.is_some() {
            return self.begin_gate(of_number, Some(level));
        }
        if let Some(named) = named {
            return self.begin_phase(level, named);
        }
        if self.gate.as_ref().and_then(|gate| gate.level).is_some_and(|of_gate| level > of_gate) {
            return self.label_in_gate(text);
        }
        self.gate = None;
        if words::is_gate(text) && !(words::are_gates(text) && words::phase_in(text).is_none()) {
            let inside = self.level.is_some_and(|of_phase| level > of_phase);
            let number = words::phase_in(text).filter(|_| !inside);
            (self.task, self.label) = (None, None);
            self.level = self.level.filter(|_| inside);
            return self.begin_gate(number, Some(level));
        }
        self.plain_heading(level, text);
    }

    fn plain_heading(&mut self, level: u8, text: &str) {
        let inside = self.level.is_some_and(|of_phase| level > of_phase);
        let task = || {
            let alone = || words::numbered_alone(text);
            words::numbered("task", text).or_else(alone)
        };
        if !inside {
            self.level = None;
            self.above.push((level, self.headings, text.to_owned()));
        } else if let Some(task) = task() {
            self.begin_task(task, (0, level));
        } else if self.task.is_some_and(|(_, of_task)| level > of_task) {
            self.label = Some((label_of(text), 0));
        } else if words::are_tasks(text) {
            (self.task, self.label) = (None, None);
        } else if words::are_criteria(text) {
            (self.task, self.label) = (None, None);
            self.begin_gate(None, Some(level));
        } else {
            (self.task, self.label) = (None, Some((Label::Other, 0)));
        }
    }

    fn begin_phase(&mut self, level: u8, (number, name): (String, String)) {
        let name = if name.is_empty() { number.clone() } else { words::clean(&name, MAX_NAME) };
        let above = self.above.last();
        let phase = Phase { name, ..Phase::default() };
        self.named.push(NamedPhase {
            number,
            series: (level, above.map(|(_, place, _)| *place)),
            in_summary: self.above.iter().any(|(_, _, above)| words::is_summary(above)),
            task_numbers: Vec::new(),
            found: FoundPhase { phase, criteria: Vec::new() },
        });
        (self.level, self.task, self.label, self.gate) = (Some(level), None, None, None);
    }

    fn begin_task(&mut self, (number, name): (String, String), began: (usize, u8)) {
        let Some(named) = self.named.last_mut() else { return };
        let tasks = &mut named.found.phase.tasks;
        if tasks.len() < MAX_TASKS {
            let name = if name.is_empty() { format!("Task {number}") } else { name };
            let name = words::clean(&name, MAX_WORDS);
            tasks.push(PhaseTask { name, ..PhaseTask::default() });
        }
        named.task_numbers.extend(Some(number).filter(|number| !number.is_empty()));
        (self.task, self.label, self.gate) = (Some(began), None, None);
    }

    fn begin_gate(&mut self, number: Option<String>, level: Option<u8>) {
        self.gate = Some(GateReading { number, level, ..GateReading::default() });
    }

    /// A label or a heading in a gate. Once there are criteria, most of them speak of something else.
    fn label_in_gate(&mut self, label: &str) {
        let Some(gate) = &mut self.gate else { return };
        gate.labels += 1;
        if gate.first.is_some() && !words::goes_on(label) {
            self.gate = None;
            self.label = Some((Label::Other, 0));
        }
        if words::are_tasks(label) {
            (self.gate, self.label) = (None, None);
        }
    }

    fn paragraph(&mut self, block: &Block) {
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
        if self.task.is_none() && words::are_of_task(label) && self.goes_on_with_task() {
            self.label = Some((Label::Accept, 0));
            return;
        }
        let is_criteria = self.task.is_none() && self.level.is_some() && words::are_criteria(label);
        if !label.is_empty() && label.len() < 80 && (words::is_gate(label) || is_criteria) {
            return self.gate_line(label, value);
        }
        if self.gate.is_some() {
            if line.ends_with(':') {
                self.label_in_gate(line);
            }
            return;
        }
        if self.level.is_some() {
            self.line_of_phase(line, label, value, depth);
        }
    }

    /// Takes the last task up again: what shows that it is done may stand outside of its list.
    fn goes_on_with_task(&mut self) -> bool {
        let goes_on = self.level.is_some()
            && self.gate.is_none()
            && self.last_task().is_some_and(|task| task.accept.is_empty());
        if goes_on {
            self.task = Some((0, u8::MAX));
        }
        goes_on
    }

    /// A line that announces what has to be true at the end of a phase, or says it.
    fn gate_line(&mut self, label: &str, value: &str) {
        let inside = self.level.is_some();
        let number = words::phase_in(label).filter(|_| !inside);
        if !inside && number.is_none() {
            return;
        }
        let in_heading = self.gate.as_ref().is_some_and(|gate| gate.first.is_none());
        if !in_heading {
            (self.task, self.label) = (None, None);
            self.begin_gate(number, None);
        }
        if !value.is_empty() {
            self.add_gate_criterion(value);
        }
    }

    fn line_of_phase(&mut self, line: &str, label: &str, value: &str, depth: usize) {
        let in_task = self.task.is_some();
        let Some(phase) = self.named.last_mut().map(|named| &mut named.found.phase) else { return };
        let is_purpose = ["objective", "purpose", "goal"]
            .iter()
            .any(|word| words::bare(label).eq_ignore_ascii_case(word));
        if !in_task && is_purpose && !value.is_empty() {
            phase.purpose = words::clean(value, MAX_WORDS);
        } else if line.ends_with(':') && !in_task && words::are_tasks(line) {
            self.label = None;
        } else if line.ends_with(':') {
            self.label = Some((label_of(label), depth));
        } else if in_task {
            self.add_text(line);
        } else if phase.purpose.is_empty() && label.is_empty() && self.label.is_none() {
            phase.purpose = words::clean(line, MAX_WORDS);
        }
    }

    fn item(&mut self, block: &Block, boxed: bool) {
        if self.gate.is_some() {
            return self.item_of_gate(block, boxed);
        }
        if self.level.is_none() {
            return;
        }
        let (depth, text) = (block.depth, block.text.as_str());
        if let Some(task) = words::numbered("task", text) {
            return self.begin_task(task, (depth, u8::MAX));
        }
        if self.task.is_some_and(|(of_task, _)| depth <= of_task) {
            (self.task, self.label) = (None, None);
        }
        if self.label.is_some_and(|(_, of_label)| depth <= of_label) {
            self.label = None;
        }
        self.item_of_phase(depth, text, boxed);
    }

    fn item_of_phase(&mut self, depth: usize, text: &str, boxed: bool) {
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

    /// An item below a gate: a criterion where it has a box, or stands in the gate's first list.
    fn item_of_gate(&mut self, block: &Block, boxed: bool) {
        let depth = block.depth;
        if let Some(task) = self.new_task(block) {
            return self.begin_task(task, (depth, u8::MAX));
        }
        let Some(gate) = &mut self.gate else { return };
        let labels = gate.labels;
        let (first_label, first_depth) = *gate.first.get_or_insert((labels, depth));
        // What is listed below a criterion says more of it.
        if depth <= first_depth && (boxed || labels == first_label) {
            self.add_gate_criterion(&block.text);
        }
    }

    /// A task that nobody has named yet, in the phase that is being read: no gate asks for it.
    fn new_task(&self, block: &Block) -> Option<(String, String)> {
        let gate = self.gate.as_ref().filter(|gate| gate.number.is_none())?;
        let below = gate.first.is_some_and(|(_, first)| block.depth > first);
        let named = self.named.last().filter(|_| self.level.is_some() && !below)?;
        let task = words::numbered("task", &block.text)?;
        (!named.task_numbers.contains(&task.0)).then_some(task)
    }

    fn add_gate_criterion(&mut self, text: &str) {
        let Some(gate) = &mut self.gate else { return };
        let labels = gate.labels;
        gate.first.get_or_insert((labels, usize::MAX));
        let text = words::criterion(text, MAX_WORDS);
        let is_empty = !text.chars().any(char::is_alphanumeric);
        match (&gate.number, self.named.last_mut()) {
            _ if is_empty => {}
            (Some(number), _) => {
                let same = self.of_numbers.iter().filter(|(known, _)| known == number).count();
                if same < MAX_CRITERIA {
                    self.of_numbers.push((number.clone(), text));
                }
            }
            (None, Some(named)) if named.found.criteria.len() < MAX_CRITERIA => {
                named.found.criteria.push(text);
            }
            (None, _) => {}
        }
    }

    fn last_task(&mut self) -> Option<&mut PhaseTask> {
        self.named.last_mut()?.found.phase.tasks.last_mut()
    }

    fn add_criterion(&mut self, text: &str) {
        if let Some(task) = self.last_task()
            && task.accept.len() < MAX_TASKS
        {
            task.accept.push(words::clean(text, MAX_WORDS));
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

fn label_of(text: &str) -> Label {
    if words::are_criteria(text) { Label::Accept } else { Label::Other }
}
