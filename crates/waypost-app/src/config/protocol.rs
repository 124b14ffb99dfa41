//! `[protocol]`: what a project changes in the protocol that it follows. Whether there are such steps, only the
//! protocol tells.

use toml::de::DeTable;
use waypost_core::gate::{Level, Proof};

use super::{Problem, Reader};

const PROTOCOL: &[&str] = &["drop", "step"];
const STEP: &[&str] = &["id", "proof", "level"];
/// More changes than this are not read.
const MAX_CHANGES: usize = 500;

/// What a project changes in its protocol.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProtocolChanges {
    /// The steps, or whole phases, that it does not ask for, each with its line.
    pub drop: Vec<(String, usize)>,
    /// The steps that it asks for in another way.
    pub steps: Vec<StepChange>,
    /// What could not be understood of it.
    pub problems: Vec<Problem>,
}

/// A step that a project asks for in another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepChange {
    /// The step.
    pub id: String,
    /// What shows it, if something else does.
    pub proof: Option<Proof>,
    /// How much it insists, if that is changed.
    pub level: Option<Level>,
    /// The line that says so.
    pub line: usize,
}

/// Reads `[protocol]`.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>) -> ProtocolChanges {
    let before = reader.problems().len();
    reader.unknown_keys(table, PROTOCOL, "[protocol]");
    let (drop, steps) = (dropped(reader, table), steps(reader, table));
    let problems = reader.problems().get(before..).unwrap_or_default().to_vec();
    ProtocolChanges { drop, steps, problems }
}

fn dropped(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Vec<(String, usize)> {
    let Some(value) = table.get("drop") else { return Vec::new() };
    let Some(array) = value.get_ref().as_array() else {
        reader.wrong_type("drop", "an array of step ids", value);
        return Vec::new();
    };
    let mut dropped = Vec::new();
    for item in array.iter().take(MAX_CHANGES) {
        match item.get_ref().as_str() {
            Some(id) => dropped.push((id.trim().to_owned(), reader.line_at(item.span().start))),
            None => reader.wrong_type("drop", "an array of strings", item),
        }
    }
    dropped
}

fn steps(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Vec<StepChange> {
    let Some(value) = table.get("step") else { return Vec::new() };
    let wanted = "an array of tables ([[protocol.step]])";
    let Some(array) = value.get_ref().as_array() else {
        reader.wrong_type("step", wanted, value);
        return Vec::new();
    };
    let mut steps = Vec::new();
    for item in array.iter().take(MAX_CHANGES) {
        let start = item.span().start;
        match item.get_ref().as_table() {
            Some(table) => {
                let Some(change) = step(reader, table, start) else { continue };
                if let Some(first) = steps.iter().find(|known: &&StepChange| known.id == change.id)
                {
                    let (id, line) = (&change.id, first.line);
                    let message =
                        format!("step `{id}` is changed in line {line} already; keep one");
                    reader.problem(start, message);
                    continue;
                }
                steps.push(change);
            }
            None => reader.wrong_type("step", wanted, item),
        }
    }
    steps
}

fn step(reader: &mut Reader<'_>, table: &DeTable<'_>, start: usize) -> Option<StepChange> {
    reader.unknown_keys(table, STEP, "[[protocol.step]]");
    let Some(id) = reader.string(table, "id").map(|id| id.trim().to_owned()) else {
        reader.problem(start, "a [[protocol.step]] needs the `id` of a step");
        return None;
    };
    reader.gate.clone_from(&id);
    let level = match reader.string(table, "level") {
        None => None,
        Some("must") => Some(Level::Must),
        Some("should") => Some(Level::Should),
        Some("may") => Some(Level::May),
        Some(_) => {
            reader.problem_at(table, "level", "it is `must`, `should` or `may`");
            None
        }
    };
    let at = table.get("proof").map_or(start, |value| value.span().start);
    let proof =
        reader.table(table, "proof").and_then(|proof| super::proof::read(reader, proof, at, 0));
    if proof.is_none() && level.is_none() {
        if table.get("proof").is_none() && table.get("level").is_none() {
            reader.problem(start, format!("step `{id}`: it needs `proof` or `level`"));
        }
        return None;
    }
    Some(StepChange { id, proof, level, line: reader.line_at(start) })
}
