//! A workflow of one's own: a TOML file with phases, tasks and gates.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use waypost_core::cel::Expression;
use waypost_core::gate::{Gate, Level, Proof};
use waypost_core::text::{one_line, shortened};
use waypost_core::track::{
    ChecklistStep, Definition, MAX_PHASES, Part, Phase, PhaseEntry, PhaseTask, SkipRule,
    StepSubject,
};

use super::gate::{self, Place};
use super::{Problem, Reader, is_inside};

const TOP: &[&str] = &["name", "version", "description", "first_phase", "phases_from", "phase"];
const PHASE: &[&str] = &["name", "purpose", "tasks", "skip", "skip_when", "entry", "gate"];
const TASK: &[&str] = &["name", "text", "accept"];
/// More tasks than this are not read of one phase.
const MAX_TASKS: usize = 200;
/// The longest name of a phase, in bytes: the state holds it.
const MAX_NAME: usize = 100;
/// What a workflow that is done is said to be in. No phase can have this name.
pub const COMPLETE: &str = "complete";

/// What a workflow's file says.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// The workflow; `None` if it would be another one than its author meant.
    pub(crate) definition: Option<Definition>,
    /// What could not be understood.
    pub(crate) problems: Vec<Problem>,
}

/// Reads the workflow `name` from the text of `file`.
pub(crate) fn parse(file: &str, name: &str, text: &str) -> Parsed {
    let mut reader = Reader::new(file, text);
    let table = match reader.parse() {
        Ok(table) => table,
        Err(problem) => return Parsed { definition: None, problems: vec![problem] },
    };
    let definition = read(&mut reader, table.get_ref(), name);
    Parsed { definition, problems: reader.into_problems() }
}

fn read(reader: &mut Reader<'_>, top: &DeTable<'_>, name: &str) -> Option<Definition> {
    reader.unknown_keys(top, TOP, "a workflow");
    let mut sound = true;
    if let Some(given) = reader.string(top, "name")
        && given != name
    {
        reader.problem_at(top, "name", &format!("the file's name says `{name}`; they must agree"));
        sound = false;
    }
    let mut definition = Definition::new(name, Vec::new());
    definition.version = reader.string(top, "version").map(str::to_owned);
    definition.description = text_of(reader, top, "description");
    definition.first = first(reader, top).unwrap_or_else(|| {
        sound = false;
        1
    });
    if let Some(file) = reader.string(top, "phases_from") {
        if is_inside(file) {
            definition.phases_from = Some(file.to_owned());
        } else {
            reader.problem_at(top, "phases_from", "it is a file below the target");
            sound = false;
        }
    }
    let is_open = definition.phases_from.is_some();
    definition.phases = phases(reader, top, is_open)?;
    sound.then_some(definition)
}

fn text_of(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str) -> String {
    reader.string(table, key).unwrap_or_default().trim().to_owned()
}

/// How its author counts: from 0 or from 1.
fn first(reader: &mut Reader<'_>, top: &DeTable<'_>) -> Option<u64> {
    let Some(given) = top.get("first_phase") else { return Some(1) };
    match given.get_ref() {
        DeValue::Integer(number) if number.to_string() == "0" => Some(0),
        DeValue::Integer(number) if number.to_string() == "1" => Some(1),
        _ => {
            reader.problem_at(top, "first_phase", "it is 0 or 1");
            None
        }
    }
}

/// The phases; `None` if one of them cannot be what its author meant.
fn phases(reader: &mut Reader<'_>, top: &DeTable<'_>, is_open: bool) -> Option<Vec<Phase>> {
    let Some(value) = top.get("phase") else {
        reader.problem(0, "a workflow needs at least one [[phase]]");
        return None;
    };
    let wanted = "an array of tables ([[phase]])";
    let Some(array) = value.get_ref().as_array() else {
        reader.wrong_type("phase", wanted, value);
        return None;
    };
    if array.is_empty() || array.len() > MAX_PHASES {
        let message = format!("{} phases; a workflow has 1 to {MAX_PHASES}", array.len());
        reader.problem(value.span().start, message);
        return None;
    }
    let mut phases: Vec<Phase> = Vec::new();
    let mut sound = true;
    for (place, item) in array.iter().enumerate() {
        let Some(table) = item.get_ref().as_table() else {
            reader.wrong_type("phase", wanted, item);
            return None;
        };
        let is_last = !is_open && place + 1 == array.len();
        match phase(reader, table, item.span().start, is_last) {
            Some(phase) if phases.iter().any(|known| known.name == phase.name) => {
                let message = format!("a second phase `{}`; names must differ", phase.name);
                reader.problem(item.span().start, message);
                sound = false;
            }
            Some(phase) => phases.push(phase),
            None => sound = false,
        }
    }
    sound.then_some(phases)
}

fn phase(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    start: usize,
    is_last: bool,
) -> Option<Phase> {
    reader.unknown_keys(table, PHASE, "[[phase]]");
    let name = name(reader, table, start)?;
    let skip = skip(reader, table).ok()?;
    if is_last && skip.is_some() {
        let message = format!("the last phase `{name}` cannot be skipped: nothing follows it");
        reader.problem(start, message);
        return None;
    }
    let gates = gates(reader, table, "gate", &name)?;
    let entering = gates_of_entry(reader, table, &name, &gates)?;
    for gate in gates.iter().chain(&entering) {
        warn_of_fields(reader, start, gate);
        warn_of_expression(reader, start, gate);
    }
    let steps = entering.into_iter().map(|gate| step(&name, gate)).collect::<Vec<_>>();
    let entry = (!steps.is_empty()).then(|| PhaseEntry {
        gate: format!("{name}/entry"),
        also: Vec::new(),
        blocking: true,
        part: Part::Start,
        steps,
    });
    let purpose = text_of(reader, table, "purpose");
    let tasks = tasks(reader, table);
    Some(Phase { name, purpose, entry, tasks, gates, skip, ..Phase::default() })
}

fn step(phase: &str, gate: Gate) -> ChecklistStep {
    let name = gate.id.strip_prefix(&format!("{phase}/")).unwrap_or(&gate.id).to_owned();
    ChecklistStep { name, subject: StepSubject::Always, gate }
}

/// A name by which people and agents can speak of the phase.
fn name(reader: &mut Reader<'_>, table: &DeTable<'_>, start: usize) -> Option<String> {
    let name = text_of(reader, table, "name");
    let shown = shortened(&one_line(&name), 40);
    let wrong = if name.is_empty() {
        "a phase needs a `name`".to_owned()
    } else if name.parse::<u64>().is_ok() {
        format!("`{shown}` looks like a number, by which phases are spoken of too")
    } else if name == COMPLETE {
        format!("`{COMPLETE}` stands for the end, not for a phase")
    } else if name.len() > MAX_NAME || name.contains(char::is_control) {
        format!("the name `{shown}` has more than {MAX_NAME} bytes, or several lines")
    } else {
        return Some(name);
    };
    let at = table.get("name").map_or(start, |value| value.span().start);
    reader.problem(at, wrong);
    None
}

/// That something was told which makes the workflow unusable.
struct Told;

fn skip(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Result<Option<SkipRule>, Told> {
    let on_request = match table.get("skip").map(Spanned::get_ref) {
        None => false,
        Some(DeValue::Boolean(yes)) => *yes,
        Some(_) => {
            reader.problem_at(table, "skip", "it is true or false");
            return Err(Told);
        }
    };
    if table.get("skip_when").is_none() {
        return Ok(on_request.then_some(SkipRule::OnRequest));
    }
    let expression = reader.string(table, "skip_when").ok_or(Told)?.to_owned();
    if let Err(error) = Expression::compile(&expression) {
        let message = format!("column {}: {}", error.column, error.message);
        reader.problem_at(table, "skip_when", &message);
        return Err(Told);
    }
    let either = if on_request { SkipRule::OnRequestOrWhen } else { SkipRule::When };
    Ok(Some(either(expression)))
}

/// The gates under a key; `None` if one of them is none: without it the phase would be looser.
fn gates(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    key: &str,
    phase: &str,
) -> Option<Vec<Gate>> {
    let table_name = format!("[[phase.{key}]]");
    let place = Place { key, table: &table_name, phase: Some(phase) };
    let given = table.get(key).map(Spanned::get_ref);
    let wanted = given.map_or(0, |value| value.as_array().map_or(1, |array| array.len()));
    let gates = gate::read_all(reader, table, place);
    (gates.len() == wanted).then_some(gates)
}

fn gates_of_entry(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    phase: &str,
    others: &[Gate],
) -> Option<Vec<Gate>> {
    let entering = gates(reader, table, "entry", phase)?;
    let twice = entering.iter().find(|gate| others.iter().any(|other| other.id == gate.id));
    if let Some(gate) = twice {
        let message = format!("a second gate `{}`; ids must differ", gate.id);
        reader.problem_at(table, "entry", &message);
        return None;
    }
    Some(entering)
}

/// Fields are what somebody says: an agent could never satisfy a must that takes no claims.
fn warn_of_fields(reader: &mut Reader<'_>, start: usize, gate: &Gate) {
    let mut asks = false;
    gate.proof.each(&mut |proof| asks |= matches!(proof, Proof::Fields(_)));
    if asks && gate.level == Level::Must && !gate.accept_claimed {
        let message = format!(
            "gate `{}` asks for fields, and only a human's word satisfies it; \
             `accept = \"claimed\"` takes an agent's",
            gate.id
        );
        reader.problem(start, message);
    }
}

/// Whoever is held by an expression has to be told in words what is missing.
fn warn_of_expression(reader: &mut Reader<'_>, start: usize, gate: &Gate) {
    let mut unsaid = false;
    gate.proof.each(&mut |proof| {
        unsaid |= matches!(proof, Proof::Check(check) if gate.message.contains(&check.expression));
    });
    if unsaid {
        let message = format!(
            "gate `{}` checks an expression and needs a `message` that says in words what to do",
            gate.id
        );
        reader.problem(start, message);
    }
}

fn tasks(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Vec<PhaseTask> {
    let Some(value) = table.get("tasks") else { return Vec::new() };
    let Some(array) = value.get_ref().as_array() else {
        reader.wrong_type("tasks", "an array of tasks", value);
        return Vec::new();
    };
    if array.len() > MAX_TASKS {
        let message = format!("{} tasks; at most {MAX_TASKS} are read", array.len());
        reader.problem(value.span().start, message);
    }
    array.iter().take(MAX_TASKS).filter_map(|item| task(reader, item)).collect()
}

fn task(reader: &mut Reader<'_>, item: &Spanned<DeValue<'_>>) -> Option<PhaseTask> {
    let task = match item.get_ref() {
        DeValue::String(name) => PhaseTask { name: name.trim().to_owned(), ..PhaseTask::default() },
        DeValue::Table(table) => {
            reader.unknown_keys(table, TASK, "a task");
            let (name, text) = (text_of(reader, table, "name"), text_of(reader, table, "text"));
            PhaseTask { name, text, accept: accept(reader, table), number: None }
        }
        _ => {
            reader.wrong_type("tasks", "an array of names or tables", item);
            return None;
        }
    };
    if task.name.is_empty() {
        reader.problem(item.span().start, "a task needs a `name`");
        return None;
    }
    Some(task)
}

fn accept(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Vec<String> {
    let Some(value) = table.get("accept") else { return Vec::new() };
    let Some(array) = value.get_ref().as_array() else {
        reader.wrong_type("accept", "an array of strings", value);
        return Vec::new();
    };
    let mut accept = Vec::new();
    for item in array {
        match item.get_ref().as_str() {
            Some(text) => accept.push(text.to_owned()),
            None => reader.wrong_type("accept", "an array of strings", item),
        }
    }
    accept
}

#[cfg(test)]
mod tests;
