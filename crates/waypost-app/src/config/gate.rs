//! `[[gate]]` tables.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use waypost_core::gate::before::expression_problem;
use waypost_core::gate::{Before, Gate, Level, OnError, Proof, Scope, Source, When};
use waypost_core::text::one_line;

use super::{Reader, duration};

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
    "folder",
];
/// More gates than this are not read.
const MAX_GATES: usize = 500;
const WHEN: &[&str] = &["branch", "mode", "phase", "paths", "triggered"];

/// Where gates stand in a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    /// The key of the table that holds them.
    pub(super) key: &'a str,
    /// How people write that table.
    pub(super) table: &'a str,
    /// The phase that they belong to, before whose entry or completion they stand.
    pub(super) phase: Option<&'a str>,
}

/// The gates of a project.
pub(super) const OF_PROJECT: Place<'_> = Place { key: "gate", table: "[[gate]]", phase: None };

/// Reads the gates at a place. What cannot be one is told and left out.
pub(super) fn read_all(reader: &mut Reader<'_>, top: &DeTable<'_>, place: Place<'_>) -> Vec<Gate> {
    let Some(value) = top.get(place.key) else {
        return Vec::new();
    };
    let wanted = format!("an array of tables ({})", place.table);
    let Some(array) = value.get_ref().as_array() else {
        reader.wrong_type(place.key, &wanted, value);
        return Vec::new();
    };
    let mut gates: Vec<Gate> = Vec::new();
    if array.len() > MAX_GATES {
        let message = format!("{} gates; at most {MAX_GATES} are read", array.len());
        reader.problem(value.span().start, message);
    }
    for item in array.iter().take(MAX_GATES) {
        let start = item.span().start;
        let Some(table) = item.get_ref().as_table() else {
            reader.wrong_type(place.key, &wanted, item);
            continue;
        };
        let Some(gate) = read(reader, table, start, place) else {
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

fn read(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    start: usize,
    place: Place<'_>,
) -> Option<Gate> {
    let of_phase: Vec<&str> = GATE.iter().copied().filter(|key| *key != "before").collect();
    let keys = if place.phase.is_some() { &of_phase } else { GATE };
    reader.unknown_keys(table, keys, place.table);
    let Some(id) = reader.string(table, "id").map(str::to_owned).filter(|id| is_name(id)) else {
        reader.problem(start, "a gate needs an `id` of letters, digits, `-` and `_`");
        return None;
    };
    reader.gate.clone_from(&id);
    let level = match reader.string(table, "level") {
        None | Some("must") => Level::Must,
        Some("should") => Level::Should,
        Some("may") => Level::May,
        Some(_) => {
            reader.problem_at(table, "level", "it is `must`, `should` or `may`");
            Level::Must
        }
    };
    let before = match place.phase {
        Some(phase) => vec![Before::Phase(phase.to_owned())],
        None => before(reader, table, start, &id),
    };
    let mut proof = proof(reader, table, start, &id)?;
    super::proof::run_in(reader, table, &mut proof);
    if before.is_empty() {
        return None;
    }
    let id = place.phase.map_or(id.clone(), |phase| format!("{phase}/{id}"));
    let message = reader.string(table, "message").map(str::to_owned);
    let mut gate = Gate {
        message: String::new(),
        level,
        before,
        scope: scope(reader, table),
        when: when(reader, table),
        accept_claimed: accept(reader, table),
        on_error: on_error(reader, table),
        carry_over: carry_over(reader, table),
        until_end: false,
        imported: false,
        proof,
        id,
        source: Source::new(reader.file, reader.line_at(start)),
    };
    gate.message = message.unwrap_or_else(|| default_message(&gate));
    Some(gate)
}

fn scope(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Scope {
    match reader.string(table, "scope") {
        None | Some("session") => Scope::Session,
        Some("conversation") => Scope::Conversation,
        Some("branch") => Scope::Branch,
        Some("single-use") => Scope::SingleUse,
        Some("permanent") => Scope::Permanent,
        Some(_) => {
            let scopes = "it is `conversation`, `session`, `branch`, `single-use` or `permanent`; \
                          until then it is a conversation";
            reader.problem_at(table, "scope", scopes);
            // The narrowest that holds longer than one action: never looser than what was meant.
            Scope::Conversation
        }
    }
}

fn when(reader: &mut Reader<'_>, table: &DeTable<'_>) -> When {
    let Some(given) = reader.table(table, "when") else { return When::default() };
    reader.unknown_keys(given, WHEN, "`when`");
    let mut text = |key: &str| reader.string(given, key).map(str::to_owned);
    let (branch, mode, phase, paths) = (text("branch"), text("mode"), text("phase"), text("paths"));
    let triggered = given.get("triggered").map(Spanned::get_ref);
    let triggered = matches!(triggered, Some(DeValue::Boolean(true)));
    When { branch, mode, phase, paths, triggered, ..When::default() }
}

fn accept(reader: &mut Reader<'_>, table: &DeTable<'_>) -> bool {
    match reader.string(table, "accept") {
        None | Some("observed") => false,
        Some("claimed") => true,
        Some(_) => {
            reader.problem_at(table, "accept", "it is `observed` or `claimed`");
            false
        }
    }
}

fn on_error(reader: &mut Reader<'_>, table: &DeTable<'_>) -> OnError {
    match reader.string(table, "on_error") {
        None | Some("deny") => OnError::Deny,
        Some("warn") => OnError::Warn,
        Some("allow") => OnError::Allow,
        Some(_) => {
            reader.problem_at(table, "on_error", "it is `deny`, `warn` or `allow`");
            OnError::Deny
        }
    }
}

fn carry_over(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<i64> {
    let text = reader.string(table, "carry_over")?;
    let found = duration(text);
    if found.is_none() {
        reader.problem_at(table, "carry_over", "it is a time such as `300s` or `5m`");
    }
    found
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
            Some(Ok(Before::Line(expression))) => match expression_problem(&expression) {
                None => before.push(Before::Line(expression)),
                Some(why) => {
                    let why = one_line(&why);
                    reader.problem(item.span().start, format!("`line:{expression}`: {why}"));
                }
            },
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
    let start = table.get("proof").map_or(start, |value| value.span().start);
    let proof = reader.table(table, "proof")?;
    super::proof::read(reader, proof, start, 0)
}

/// Whether it can be the name of a gate or a workflow.
pub(crate) fn is_name(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 64
        && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

fn default_message(gate: &Gate) -> String {
    match &gate.proof {
        Proof::Ran(ran) => format!("`{}` has to run and succeed first.", ran.pattern),
        _ => format!("First: {}.", gate.how()),
    }
}
