//! `[project] mirrors`, `[mirror.serena]` and `[mirror.notes]`: where sessions are mirrored, and how that is reached.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::reader::Reader;

const KEYS: &[&str] = &["command", "url", "project"];

/// The mirrors that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MirrorKind {
    /// Memories that Serena keeps.
    Serena,
    /// Notes that a tool for notes keeps.
    Notes,
}

impl MirrorKind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Serena, Self::Notes];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Serena => "serena",
            Self::Notes => "notes",
        }
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// How an MCP server is reached.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reached {
    /// It is started, and spoken to over its standard input and output.
    Command(Vec<String>),
    /// It runs, at that address.
    Url(String),
}

/// What the project's file says of a mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorConfig {
    /// Which one.
    pub kind: MirrorKind,
    /// How it is reached, where that is not the usual way.
    pub reached: Option<Reached>,
    /// Whose notes they are there, where they are not those that the tool takes by itself.
    pub project: Option<String>,
    /// Whether `mirrors` names it.
    pub on: bool,
}

impl MirrorConfig {
    /// A mirror of which the project's file says nothing.
    pub fn unnamed(kind: MirrorKind) -> Self {
        Self { kind, reached: None, project: None, on: false }
    }
}

/// Reads all that is said of mirrors. One that cannot be understood is none: nothing is sent to it.
pub(super) fn read(reader: &mut Reader<'_>, top: &DeTable<'_>) -> Vec<MirrorConfig> {
    let on = names(reader, top);
    let tables = reader.table(top, "mirror");
    if let Some(tables) = tables {
        let known = MirrorKind::ALL.map(MirrorKind::name);
        reader.unknown_keys(tables, &known, "[mirror]");
    }
    let mut found = Vec::new();
    for kind in MirrorKind::ALL {
        let mut mirror = MirrorConfig { on: on.contains(&kind), ..MirrorConfig::unnamed(kind) };
        if let Some(table) = tables.and_then(|tables| reader.table(tables, kind.name())) {
            reader.unknown_keys(table, KEYS, &format!("[mirror.{}]", kind.name()));
            match reached(reader, table) {
                Ok(way) => mirror.reached = way,
                Err(()) => continue,
            }
            mirror.project = reader.string(table, "project").map(str::to_owned);
        } else if !mirror.on {
            continue;
        }
        found.push(mirror);
    }
    found
}

fn names(reader: &mut Reader<'_>, top: &DeTable<'_>) -> Vec<MirrorKind> {
    let project = top.get("project").and_then(|value| value.get_ref().as_table());
    let Some(value) = project.and_then(|project| project.get("mirrors")) else { return Vec::new() };
    let Some(list) = value.get_ref().as_array() else {
        reader.wrong_type("mirrors", "a list of names", value);
        return Vec::new();
    };
    let mut names = Vec::new();
    for one in list {
        match one.get_ref().as_str().and_then(MirrorKind::named) {
            Some(kind) => names.push(kind),
            None => reader.problem(one.span().start, "mirrors are `serena` and `notes`"),
        }
    }
    names
}

fn reached(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Result<Option<Reached>, ()> {
    match (table.get("command"), table.get("url")) {
        (None, None) => Ok(None),
        (Some(command), None) => command_of(command).map(Some).ok_or_else(|| {
            let told = "it is a list of words, such as [\"serena\", \"start-mcp-server\"]";
            reader.problem_at(table, "command", told);
        }),
        (None, Some(_)) => {
            let url = reader.string(table, "url").ok_or(())?.trim();
            let host = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
            let is_plain = url.bytes().all(|byte| byte.is_ascii_graphic());
            if host.is_some_and(|host| !host.is_empty() && !host.contains('@') && is_plain) {
                return Ok(Some(Reached::Url(url.to_owned())));
            }
            let told = "it is an address such as \"http://127.0.0.1:9121/mcp\"";
            reader.problem_at(table, "url", told);
            Err(())
        }
        (Some(_), Some(_)) => {
            reader.problem_at(table, "url", "say `command` or `url`, not both");
            Err(())
        }
    }
}

fn command_of(value: &Spanned<DeValue<'_>>) -> Option<Reached> {
    let words = value.get_ref().as_array()?.iter();
    let words: Option<Vec<String>> =
        words.map(|word| word.get_ref().as_str().map(str::to_owned)).collect();
    let words = words?;
    let is_named = words.first().is_some_and(|program| !program.trim().is_empty());
    is_named.then_some(Reached::Command(words))
}
