//! `[[gate]]` tables.

use toml::de::DeTable;
use waypost_core::gate::ran::{Fresh, Ran};
use waypost_core::gate::{Before, Gate, Level, Proof, Source};

use super::Reader;

const GATE: &[&str] = &[
    "id",
    "level",
    "before",
    "scope",
    "proof",
    "message",
    "when",
    "accept",
    "on_error",
    "carry_over",
];
const PROOF: &[&str] = &["ran", "fresh"];

pub(super) fn read_all(reader: &mut Reader<'_>, top: &DeTable<'_>) -> Vec<Gate> {
    let Some(value) = top.get("gate") else {
        return Vec::new();
    };
    let Some(array) = value.get_ref().as_array() else {
        reader.wrong_type("gate", "an array of tables ([[gate]])", value);
        return Vec::new();
    };
    let mut gates: Vec<Gate> = Vec::new();
    for item in array {
        let start = item.span().start;
        let Some(table) = item.get_ref().as_table() else {
            reader.wrong_type("gate", "an array of tables ([[gate]])", item);
            continue;
        };
        let Some(gate) = read(reader, table, start) else {
            continue;
        };
        if gates.iter().any(|known| known.id == gate.id) {
            reader.problem(start, format!("a second gate `{}`; ids must differ", gate.id));
        } else {
            gates.push(gate);
        }
    }
    gates
}

fn read(reader: &mut Reader<'_>, table: &DeTable<'_>, start: usize) -> Option<Gate> {
    reader.unknown_keys(table, GATE, "[[gate]]");
    let Some(id) = reader.string(table, "id").map(str::to_owned).filter(|id| is_name(id)) else {
        reader.problem(start, "a gate needs an `id` of letters, digits, `-` and `_`");
        return None;
    };
    let level = match reader.string(table, "level") {
        None | Some("must") => Level::Must,
        Some("should") => Level::Should,
        Some("may") => Level::May,
        Some(_) => {
            reader.problem_at(table, "level", "it is `must`, `should` or `may`");
            Level::Must
        }
    };
    not_yet(reader, table);
    let before = before(reader, table, start, &id);
    let proof = proof(reader, table, start, &id)?;
    if before.is_empty() {
        return None;
    }
    let message = reader.string(table, "message").map(str::to_owned);
    let line = super::line_of(reader.text, start);
    Some(Gate {
        message: message.unwrap_or_else(|| default_message(&proof)),
        id,
        level,
        before,
        proof,
        source: Source { file: "waypost.toml".to_owned(), line },
    })
}

/// Keys that later versions understand: the gate holds without them, which is never looser.
fn not_yet(reader: &mut Reader<'_>, table: &DeTable<'_>) {
    match reader.string(table, "scope") {
        None | Some("session") => {}
        Some(_) => reader.problem_at(
            table,
            "scope",
            "this version knows the scope `session` only; the gate holds for the session",
        ),
    }
    for key in ["when", "accept", "on_error", "carry_over"] {
        if table.get(key).is_some() {
            reader.problem_at(
                table,
                key,
                "this version does not know it yet; the gate holds without it",
            );
        }
    }
}

fn before(reader: &mut Reader<'_>, table: &DeTable<'_>, start: usize, id: &str) -> Vec<Before> {
    let Some(value) = table.get("before") else {
        reader.problem(start, format!("gate `{id}` needs `before`: what does it stand before?"));
        return Vec::new();
    };
    let Some(array) = value.get_ref().as_array() else {
        reader.wrong_type("before", "an array of actions", value);
        return Vec::new();
    };
    let mut before = Vec::new();
    for item in array {
        match item.get_ref().as_str().map(str::parse::<Before>) {
            Some(Ok(action)) => before.push(action),
            Some(Err(error)) => reader.problem(item.span().start, error.to_string()),
            None => reader.wrong_type("before", "an array of strings", item),
        }
    }
    before
}

fn proof(reader: &mut Reader<'_>, table: &DeTable<'_>, start: usize, id: &str) -> Option<Proof> {
    if table.get("proof").is_none() {
        reader.problem(start, format!("gate `{id}` needs `proof`: what satisfies it?"));
        return None;
    }
    let proof = reader.table(table, "proof")?;
    reader.unknown_keys(proof, PROOF, "a proof of this version");
    let Some(pattern) = reader.string(proof, "ran").map(str::trim).filter(|ran| !ran.is_empty())
    else {
        reader.problem_at(table, "proof", "it needs `ran`: the command that has to succeed");
        return None;
    };
    let fresh = match reader.string(proof, "fresh") {
        None => Fresh::Once,
        Some("tree") => Fresh::Tree,
        Some(text) => duration(text).map_or_else(
            || {
                reader.problem_at(proof, "fresh", "it is `tree` or a time such as `30m` or `90s`");
                Fresh::Tree
            },
            Fresh::Within,
        ),
    };
    Some(Proof::Ran(Ran { pattern: pattern.to_owned(), fresh }))
}

fn duration(text: &str) -> Option<i64> {
    let units = [('s', 1_000), ('m', 60_000), ('h', 3_600_000), ('d', 86_400_000)];
    let (unit, factor) = units.into_iter().find(|(unit, _)| text.ends_with(*unit))?;
    let number = text.strip_suffix(unit)?;
    number.parse::<i64>().ok().filter(|number| *number > 0)?.checked_mul(factor)
}

fn is_name(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 64
        && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

fn default_message(proof: &Proof) -> String {
    let Proof::Ran(ran) = proof;
    format!("`{}` has to run and succeed first.", ran.pattern)
}
