//! The tools of harnesses that call theirs otherwise than the gates do: a row says what one is called everywhere, and in
//! which of its fields what counts stands.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use waypost_app::error::AppError;
use waypost_app::harness::{Does, Input, Tool, asks_who_calls, digest_of};
use waypost_core::key::sha256_hex;
use waypost_core::patch;
use waypost_core::text::shell_word;

use super::mcp;

/// How tools of MCP servers are called everywhere.
pub(in crate::harnesses) const SERVED: &str = "mcp__";
/// Those of Waypost's own.
const OWN: &str = "mcp__waypost__";

/// A tool of a harness.
#[derive(Debug)]
pub(in crate::harnesses) struct Row {
    /// What the harness calls it.
    name: &'static str,
    /// What gates and records call it.
    known_as: &'static str,
    deed: Deed,
}

/// What a tool does, with the fields that say to what.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Read(&'static str),
    Look(&'static str),
    Edit(&'static str),
    Patch(&'static str),
    Shell(Line),
    Skill(&'static str),
    Ask,
    /// It changes nothing.
    Harmless,
    /// Neither a file nor a command line, whatever it is given; what it starts is seen when it acts.
    Other,
}

/// Where a command line stands, the folder that it runs in, and whether it goes on in the background.
#[derive(Debug, Clone, Copy)]
pub(in crate::harnesses) struct Line {
    pub(in crate::harnesses) command: &'static str,
    pub(in crate::harnesses) folder: &'static str,
    pub(in crate::harnesses) background: &'static str,
}

/// It reads the file in a field.
pub(in crate::harnesses) const fn reads(name: &'static str, field: &'static str) -> Row {
    Row { name, known_as: "Read", deed: Deed::Read(field) }
}

/// It looks into what a field names, under a name that is known everywhere.
pub(in crate::harnesses) const fn looks(
    name: &'static str,
    known_as: &'static str,
    field: &'static str,
) -> Row {
    Row { name, known_as, deed: Deed::Look(field) }
}

/// It changes the file in a field.
pub(in crate::harnesses) const fn edits(
    name: &'static str,
    known_as: &'static str,
    field: &'static str,
) -> Row {
    Row { name, known_as, deed: Deed::Edit(field) }
}

/// It changes the files that the patch in a field names.
pub(in crate::harnesses) const fn patches(name: &'static str, field: &'static str) -> Row {
    Row { name, known_as: "Edit", deed: Deed::Patch(field) }
}

/// It runs a command line.
pub(in crate::harnesses) const fn runs(name: &'static str, line: Line) -> Row {
    Row { name, known_as: "Bash", deed: Deed::Shell(line) }
}

/// It uses the skill in a field.
pub(in crate::harnesses) const fn skill(name: &'static str, field: &'static str) -> Row {
    Row { name, known_as: "Skill", deed: Deed::Skill(field) }
}

/// It puts something to the user, and waits.
pub(in crate::harnesses) const fn asks(name: &'static str, known_as: &'static str) -> Row {
    Row { name, known_as, deed: Deed::Ask }
}

/// It changes nothing.
pub(in crate::harnesses) const fn harmless(name: &'static str, known_as: &'static str) -> Row {
    Row { name, known_as, deed: Deed::Harmless }
}

/// It changes no file and runs no line by itself.
pub(in crate::harnesses) const fn other(name: &'static str, known_as: &'static str) -> Row {
    Row { name, known_as, deed: Deed::Other }
}

/// Whether a tool can do no harm.
pub(in crate::harnesses) fn is_harmless(rows: &[Row], name: &str) -> bool {
    let harmless =
        |row: &Row| matches!(row.deed, Deed::Read(_) | Deed::Look(_) | Deed::Ask | Deed::Harmless);
    rows.iter().find(|row| row.name == name).map_or(name.starts_with(OWN), harmless)
}

/// The tool that an event is about.
pub(in crate::harnesses) fn tool(rows: &[Row], input: &Input<'_>) -> Result<Tool, AppError> {
    let missing = || AppError::refused("the hook's input has no name of a tool");
    let name = input.tool.as_deref().ok_or_else(missing)?;
    let row = rows.iter().find(|row| row.name == name);
    let (does, others) = match row {
        Some(row) => row.does(input)?,
        None => mcp::does(name, input),
    };
    let asks = name.rsplit("__").next().is_some_and(asks_who_calls);
    let given = input.arguments.filter(|_| asks).and_then(|raw| digest_of(raw.get()));
    Ok(Tool {
        name: row.map_or(name, |row| row.known_as).to_owned(),
        call: Some(call(name, input)),
        does,
        others,
        starts: None,
        subagent: None,
        given,
    })
}

/// The harness' name for a call. Where it has none, what is called and with what tells calls apart: two that are the
/// same in that and run at the same time are told apart by nothing.
fn call(name: &str, input: &Input<'_>) -> String {
    let known = input.call.as_deref().filter(|call| !call.is_empty());
    known.map_or_else(
        || {
            let given = input.arguments.map(serde_json::value::RawValue::get).unwrap_or_default();
            let subagent = input.subagent.as_deref().unwrap_or_default();
            sha256_hex(&[name.as_bytes(), b"\0", subagent.as_bytes(), b"\0", given.as_bytes()])
        },
        str::to_owned,
    )
}

impl Row {
    fn does(&self, input: &Input<'_>) -> Result<(Does, Vec<PathBuf>), AppError> {
        let fields: Map<String, Value> = input
            .arguments
            .and_then(|raw| serde_json::from_str(raw.get()).ok())
            .unwrap_or_default();
        let text = |field: &str| fields.get(field).and_then(Value::as_str);
        let needed = |field: &str| {
            let missing = || format!("the input of {} has no {field}", self.name);
            text(field).ok_or_else(|| AppError::refused(missing()))
        };
        let does = match self.deed {
            Deed::Read(field) => Does::Read(PathBuf::from(needed(field)?)),
            Deed::Look(field) => {
                text(field).map_or(Does::Other, |path| Does::Look(PathBuf::from(path)))
            }
            Deed::Edit(field) => Does::Edit(PathBuf::from(needed(field)?)),
            Deed::Patch(field) => {
                let mut files = patch::files(needed(field)?).into_iter().map(PathBuf::from);
                let first = files.next().map_or(Does::EditUnnamed, Does::Edit);
                return Ok((first, files.collect()));
            }
            Deed::Shell(line) => Does::Shell {
                command: placed(needed(line.command)?, text(line.folder), input),
                background: fields.get(line.background).is_some_and(is_set),
            },
            Deed::Skill(field) => {
                text(field).map_or(Does::Other, |name| Does::Skill(name.to_owned()))
            }
            Deed::Ask => Does::Ask,
            Deed::Harmless | Deed::Other => Does::Other,
        };
        Ok((does, Vec::new()))
    }
}

fn is_set(value: &Value) -> bool {
    match value {
        Value::Bool(set) => *set,
        Value::String(text) => !matches!(text.as_str(), "" | "false" | "sync"),
        _ => false,
    }
}

/// A line as it would be written from the folder that the agent is in.
fn placed(command: &str, folder: Option<&str>, input: &Input<'_>) -> String {
    let here = input.cwd.as_deref().map(Path::new);
    match folder {
        Some(folder) if !matches!(folder, "" | "." | "./") && Some(Path::new(folder)) != here => {
            format!("cd {} && {command}", shell_word(folder))
        }
        _ => command.to_owned(),
    }
}
