//! The calls, as the text files beside this one have them.
//!
//! A line is a call: `$` a command that changes no file of the project, `~` one that does or may, `!` one
//! that commits, or else a tool and what it is given. `⏎` is the end of a line within a command. `in`
//! is the folder that the agent is in from there on. What is common to several kinds of projects stands
//! in lists of its own, with words such as `«src»` for what each project calls it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ordinary");
/// Lists for every project. What names nothing of the project is called in one of so many projects.
const COMMON: &[(&str, usize)] = &[("everywhere", 3), ("unusual", 7)];

/// What is right about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It changes no file of the project and commits nothing: no gate has a say in it.
    Quiet,
    /// It changes files of the project, or may.
    Edits,
    /// It commits.
    Commits,
}

/// A call of a tool.
#[derive(Debug)]
pub(crate) struct Call {
    /// As it stands in its list, for messages.
    pub(crate) line: String,
    pub(crate) mark: Mark,
    pub(crate) tool: String,
    pub(crate) input: Value,
    /// Where the agent is, from the project's folder.
    pub(crate) cwd: PathBuf,
}

/// A kind of project.
#[derive(Debug, Default)]
pub(crate) struct Project {
    /// The command that its gate waits for.
    pub(crate) ran: String,
    pub(crate) files: Vec<String>,
    /// Files that git does not look at.
    pub(crate) ignored: Vec<String>,
    pub(crate) calls: Vec<Call>,
}

/// The names of all kinds of projects, in order.
pub(crate) fn names() -> Vec<String> {
    let folder = std::fs::read_dir(Path::new(FOLDER).join("projects")).unwrap();
    let files = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        files.filter_map(|file| Some(file.strip_suffix(".txt")?.to_owned())).collect();
    names.sort();
    names
}

/// The project of that name, in which calls are made with `home` as the user's home.
pub(crate) fn project(name: &str, home: &Path) -> Project {
    let text = list(&format!("projects/{name}"));
    let (about, own): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('@'));
    let said = |key: &str| {
        let line = about.iter().find_map(|line| line[1..].strip_prefix(key)?.strip_prefix(' '));
        line.unwrap_or_default()
    };
    let many = |key: &str| said(key).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let words: Vec<(String, String)> = many("words")
        .iter()
        .map(|word| word.split_once('=').unwrap())
        .map(|(name, value)| (format!("«{name}»"), value.to_owned()))
        .collect();
    let at = names().iter().position(|one| one == name).unwrap();
    let mut lines: Vec<String> =
        COMMON.iter().flat_map(|(common, of)| dealt(&list(common), at, *of)).collect();
    for like in many("like") {
        lines.extend(list(&like).lines().map(str::to_owned));
    }
    lines.extend(own.iter().map(|line| (*line).to_owned()));
    Project {
        ran: said("ran").to_owned(),
        files: many("files"),
        ignored: many("ignored"),
        calls: calls(&lines, &words, home),
    }
}

fn list(name: &str) -> String {
    let file = format!("{FOLDER}/{name}.txt");
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The lines of a common list that are for the project at this place among all.
fn dealt(text: &str, at: usize, of: usize) -> Vec<String> {
    let (mut dealt, mut free) = (Vec::new(), 0);
    for line in text.lines() {
        free += usize::from(!line.contains('«'));
        if line.contains('«') || (free + at).is_multiple_of(of) {
            dealt.push(line.to_owned());
        }
    }
    dealt
}

fn calls(lines: &[String], words: &[(String, String)], home: &Path) -> Vec<Call> {
    let (mut calls, mut known, mut cwd) = (Vec::new(), HashSet::new(), PathBuf::new());
    for line in lines.iter().map(|line| line.trim_end()) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = words.iter().fold(line.to_owned(), |line, (name, to)| line.replace(name, to));
        assert!(!line.contains('«'), "nobody says what this means here: {line}");
        let (first, rest) = line.split_once(' ').unwrap_or((&line, ""));
        if first == "in" {
            cwd = PathBuf::from(rest);
        } else if known.insert((cwd.clone(), line.clone())) {
            calls.push(call(&line, first, &rest.replace('⏎', "\n"), &cwd, home));
        }
    }
    calls
}

fn call(line: &str, first: &str, rest: &str, cwd: &Path, home: &Path) -> Call {
    let shell = |mark: Mark| (mark, "Bash", json!({"command": rest, "description": "Go on"}));
    let file = || match rest.strip_prefix("~/") {
        Some(below) => home.join(below),
        None => PathBuf::from(rest),
    };
    let edits = || if file().is_absolute() { Mark::Quiet } else { Mark::Edits };
    let (mark, tool, input) = match first {
        "$" => shell(Mark::Quiet),
        "~" => shell(Mark::Edits),
        "!" => shell(Mark::Commits),
        "Read" => (Mark::Quiet, first, json!({"file_path": file()})),
        "Edit" => {
            (edits(), first, json!({"file_path": file(), "old_string": "a", "new_string": "b"}))
        }
        "MultiEdit" => (edits(), first, json!({"file_path": file(), "edits": []})),
        "Write" => (edits(), first, json!({"file_path": file(), "content": "x\n"})),
        "NotebookEdit" => (edits(), first, json!({"notebook_path": file(), "new_source": "1"})),
        "Grep" => {
            let (pattern, path) = rest.split_once(' ').unwrap_or((rest, "."));
            (Mark::Quiet, first, json!({"pattern": pattern, "path": path}))
        }
        "Glob" => (Mark::Quiet, first, json!({"pattern": rest})),
        _ => (Mark::Quiet, first, json!({"prompt": rest, "name": rest, "url": rest})),
    };
    Call { line: line.to_owned(), mark, tool: tool.to_owned(), input, cwd: cwd.to_owned() }
}
