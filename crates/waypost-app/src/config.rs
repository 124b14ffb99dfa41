//! `waypost.toml`: read with tolerance, told with file, line and a "did you mean".

mod gate;
pub(crate) mod proof;

use std::fs;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use waypost_core::gate::modes;
use waypost_core::gate::policy::{Enforcement, Policy};
use waypost_core::text::{did_you_mean, one_line, shortened};
use waypost_core::track::builtin;

use crate::error::AppError;

pub use gate::duration;

/// A larger file is refused unread.
const MAX_BYTES: u64 = 1024 * 1024;

/// No more problems than this are told.
const MAX_PROBLEMS: usize = 200;

const TOP: &[&str] = &["project", "gate", "team", "prices"];
const PROJECT: &[&str] =
    &["sessions_dir", "workflow", "protocol", "mode", "enforcement", "publish", "mirrors"];

/// What a `waypost.toml` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The workflow of new sessions.
    pub workflow: String,
    /// How much of a session is published.
    pub publish: Publish,
    /// The gates and what they depend on.
    pub policy: Policy,
    /// What could not be understood; everything else holds all the same.
    pub problems: Vec<Problem>,
}

/// How much of a session is published in the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Publish {
    /// Nothing, except where somebody runs `waypost publish`.
    None,
    /// Records and manifest.
    #[default]
    Records,
    /// The same, and the last command lines beside them.
    Full,
}

/// Something in a configuration file that could not be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what was probably meant.
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "waypost.toml:{}: {}", self.line, self.message)
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            workflow: "none".to_owned(),
            publish: Publish::default(),
            policy: Policy::default(),
            problems: Vec::new(),
        }
    }
}

/// Reads the file; `None` if it is not there.
pub fn read(path: &Path) -> Result<Option<Config>, AppError> {
    let fail = |what: String| {
        Err(AppError::configuration(format!("{}: {what}", path.display()))
            .hint("mend the file; `waypost gate list` tells when it is right"))
    };
    match fs::metadata(path) {
        Ok(found) if found.len() > MAX_BYTES => {
            return fail(format!("it has {} bytes; at most {MAX_BYTES} are read", found.len()));
        }
        Ok(found) if found.is_file() => {}
        // Reading a pipe would wait for whoever writes to it.
        Ok(_) => return fail("it is no file".to_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return fail(error.to_string()),
    }
    match fs::read_to_string(path) {
        Ok(text) => match parse(&text) {
            Ok(config) => Ok(Some(config)),
            Err(problem) => fail(format!("line {}: {}", problem.line, problem.message)),
        },
        Err(error) => fail(error.to_string()),
    }
}

/// Reads a configuration. Only a file that is no TOML at all is refused.
pub fn parse(text: &str) -> Result<Config, Problem> {
    let table = DeTable::parse(text).map_err(|error| Problem {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        message: one_line(error.message()),
    })?;
    let mut reader = Reader { text, problems: Vec::new(), gate: String::new() };
    let mut config = Config::default();
    let top = table.get_ref();
    reader.unknown_keys(top, TOP, "the file");
    if let Some(project) = reader.table(top, "project") {
        read_project(&mut reader, project, &mut config);
    }
    config.policy.gates = gate::read_all(&mut reader, top);
    config.problems = reader.problems;
    config.problems.sort_by_key(|problem| problem.line);
    Ok(config)
}

fn read_project(reader: &mut Reader<'_>, project: &DeTable<'_>, config: &mut Config) {
    reader.unknown_keys(project, PROJECT, "[project]");
    if let Some(folder) = reader.string(project, "sessions_dir") {
        if is_inside(folder) {
            folder.clone_into(&mut config.policy.sessions_dir);
        } else {
            reader.problem_at(project, "sessions_dir", "it must stay inside the project");
        }
    }
    if let Some(workflow) = reader.string(project, "workflow") {
        if !builtin::WORKFLOWS.contains(&workflow) {
            let known = format!("it is one of {}", builtin::WORKFLOWS.join(", "));
            reader.problem_at(project, "workflow", &known);
        }
        workflow.clone_into(&mut config.workflow);
    }
    if let Some(mode) = reader.string(project, "mode") {
        if !modes::ALL.contains(&mode) || mode == modes::DISABLED {
            let modes = "it is `analysis`, `planning` or `coding`; until then everything is held";
            reader.problem_at(project, "mode", modes);
        }
        // Kept as it is: a mode that nobody knows denies like a state that cannot be read.
        let mode = if mode == modes::DISABLED { "" } else { mode };
        mode.clone_into(&mut config.policy.mode);
    }
    match reader.string(project, "protocol") {
        None | Some("none") => {}
        Some(builtin::PROTOCOL) => {
            config.policy.protocol = Some(builtin::PROTOCOL.to_owned());
        }
        Some(_) => {
            let known = "it is `none` or `builtin`; protocol files are not read yet";
            reader.problem_at(project, "protocol", known);
        }
    }
    match reader.string(project, "publish") {
        None | Some("records") => {}
        Some("none") => config.publish = Publish::None,
        Some("full") => config.publish = Publish::Full,
        Some(_) => {
            reader.problem_at(project, "publish", "it is `none`, `records` or `full`");
        }
    }
    match reader.string(project, "enforcement") {
        None | Some("block") => {}
        Some("report") => config.policy.enforcement = Enforcement::Report,
        Some(_) => reader.problem_at(project, "enforcement", "it is `block` or `report`"),
    }
}

/// Walks a parsed file and collects what it does not understand.
struct Reader<'a> {
    text: &'a str,
    problems: Vec<Problem>,
    /// The gate that is being read.
    gate: String,
}

impl Reader<'_> {
    fn problem(&mut self, offset: usize, message: impl Into<String>) {
        // Nobody reads more, and finding the line of each costs.
        if self.problems.len() >= MAX_PROBLEMS {
            return;
        }
        let line = line_of(self.text, offset);
        self.problems.push(Problem { line, message: message.into() });
    }

    fn problem_at(&mut self, table: &DeTable<'_>, key: &str, message: &str) {
        let offset = table.get(key).map_or(0, |value| value.span().start);
        self.problem(offset, format!("`{key}`: {message}"));
    }

    fn unknown_keys(&mut self, table: &DeTable<'_>, known: &[&str], place: &str) {
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let shown = shortened(&one_line(name), 40);
            let mut message = format!("`{shown}` is not a key of {place}");
            if let Some(meant) = did_you_mean(name, known) {
                message.push_str(&format!("; did you mean `{meant}`?"));
            }
            self.problem(key.span().start, message);
        }
    }

    fn table<'t, 'i>(&mut self, table: &'t DeTable<'i>, key: &str) -> Option<&'t DeTable<'i>> {
        let value = table.get(key)?;
        let found = value.get_ref().as_table();
        if found.is_none() {
            self.wrong_type(key, "a table", value);
        }
        found
    }

    fn string<'t>(&mut self, table: &'t DeTable<'_>, key: &str) -> Option<&'t str> {
        let value = table.get(key)?;
        let found = value.get_ref().as_str();
        if found.is_none() {
            self.wrong_type(key, "a string", value);
        }
        found
    }

    fn wrong_type(&mut self, key: &str, wanted: &str, value: &Spanned<DeValue<'_>>) {
        let found = value.get_ref().type_str();
        self.problem(value.span().start, format!("`{key}` must be {wanted}, not {found}"));
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

fn is_inside(folder: &str) -> bool {
    let path = Path::new(folder);
    let plain = |part| matches!(part, std::path::Component::Normal(_));
    !folder.is_empty() && path.components().all(plain)
}

#[cfg(test)]
mod tests;
