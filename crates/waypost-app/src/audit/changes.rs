//! What a command line changes, as far as the line tells. What it may change and nobody saw is told apart.

use std::path::{Path, PathBuf};

use waypost_core::glob;
use waypost_core::shell::{Analysis, Simple, Write};

use crate::machine::place;

/// What may change files without naming them.
const REWRITERS: &str = include_str!("rewriters.txt");
/// Programs that run what stands in a file or in a word, which may do anything.
const INTERPRETERS: [&str; 12] = [
    "bash",
    "bun",
    "deno",
    "node",
    "osascript",
    "perl",
    "php",
    "python",
    "python3",
    "ruby",
    "sh",
    "zsh",
];
/// Those of them whose language is read.
const SHELLS: [&str; 3] = ["bash", "sh", "zsh"];
/// Programs that run the command behind them with words of their own.
const CARRIERS: [&str; 5] = ["fd", "fdfind", "find", "parallel", "xargs"];
/// Folders in which nothing is that anybody wrote.
const MADE: [&str; 16] = [
    ".cache",
    ".git",
    ".mypy_cache",
    ".next",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".venv",
    "__pycache__",
    "build",
    "coverage",
    "dist",
    "node_modules",
    "out",
    "target",
    "venv",
];
/// How files end into which a run's output is written.
const OUTPUTS: [&str; 4] = [".log", ".out", ".txt", ".xml"];

/// What a line changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// A file.
    Sure(String),
    /// It may change something, and by what.
    May(String),
}

/// What a line changes before one of its commands and from there on.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) before: Option<Change>,
    pub(super) after: Option<Change>,
}

/// What a line changes in the project, around the command `run` where there is one.
pub(super) fn of_line(root: &Path, cwd: &Path, line: &Analysis, run: Option<usize>) -> Changes {
    let mut changes = Changes::default();
    let acted_before = run.is_some_and(|at| line.commands[at].acted_before);
    let written = written(root, cwd, line, run.is_some());
    *(if acted_before { &mut changes.before } else { &mut changes.after }) = written;
    for (at, command) in line.commands.iter().enumerate() {
        if run == Some(at) {
            continue;
        }
        let Some(may) = may_change(command) else { continue };
        let place =
            if run.is_some_and(|run| at < run) { &mut changes.before } else { &mut changes.after };
        place.get_or_insert(Change::May(may));
    }
    changes
}

/// The name of a file of the project, if it is one that somebody wrote.
pub(super) fn name_in(root: &Path, cwd: &Path, path: &Path) -> Option<String> {
    let whole = place::without_dots(&cwd.join(path));
    let inside = whole.strip_prefix(root).ok()?;
    let is_made = inside.iter().any(|part| part.to_str().is_some_and(|part| MADE.contains(&part)));
    (!is_made).then(|| inside.display().to_string())
}

fn written(root: &Path, cwd: &Path, line: &Analysis, has_run: bool) -> Option<Change> {
    let mut may = None;
    for write in line.writes() {
        match of_write(root, cwd, write) {
            // A run's own output is nothing that it tests.
            Some(Change::Sure(name))
                if has_run && OUTPUTS.iter().any(|end| name.ends_with(end)) => {}
            Some(sure @ Change::Sure(_)) => return Some(sure),
            found => may = may.or(found),
        }
    }
    let unknown = || Change::May("a command that writes files nobody can tell".to_owned());
    may.or_else(|| line.writes_unknown().then(unknown))
}

fn of_write(root: &Path, cwd: &Path, write: &Write) -> Option<Change> {
    if write.literal {
        let name = name_in(root, cwd, Path::new(&write.path))?;
        let is_folder = write.unnamed || name.is_empty();
        let shown = if name.is_empty() { ".".to_owned() } else { name };
        let somewhere = || format!("something in `{shown}`");
        return Some(Change::Sure(if is_folder { somewhere() } else { shown }));
    }
    let plain: PathBuf = write.path.split(['$', '*', '?', '[', '{', '`']).next()?.into();
    let is_elsewhere = plain.has_root() && !plain.starts_with(root) && !root.starts_with(&plain);
    let is_at_home = write.path.starts_with("~/");
    (!is_elsewhere && !is_at_home).then(|| Change::May(format!("writing `{}`", write.path)))
}

/// What a command is called that may change files of the project without naming them.
fn may_change(command: &Simple) -> Option<String> {
    let words: Vec<&str> = command.carried().iter().map(|word| word.text.as_str()).collect();
    let (first, rest) = words.split_first()?;
    let name = first.rsplit('/').next().unwrap_or(first);
    if rest.iter().any(|word| matches!(*word, "--help" | "--version" | "--check" | "--dry-run")) {
        return None;
    }
    if is_line_of_shell(name, command) {
        return None;
    }
    let is_script = first.contains('/')
        && !waypost_core::shell::is_installed(&command.carried()[0])
        && !first.contains("/bin/");
    let is_carried = || (1..words.len()).any(|at| is_rewriting(&words[at..], true));
    let may =
        is_script || is_rewriting(&words, false) || (CARRIERS.contains(&name) && is_carried());
    may.then(|| format!("`{}`", shown(&words)))
}

/// Whether a command runs what stands in a file or a word, or is known to rewrite files. `has_more` if it is given words
/// that do not stand in the line.
fn is_rewriting(words: &[&str], has_more: bool) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let name = first.rsplit('/').next().unwrap_or(first);
    let is_given = has_more
        || rest.iter().any(|word| !word.starts_with('-') || matches!(*word, "-" | "-c" | "-e"));
    let runs_module = rest.first() == Some(&"-m");
    let runs_other = INTERPRETERS.contains(&name) && is_given && !runs_module;
    let mut lines = REWRITERS.lines().filter(|line| !line.starts_with("# "));
    runs_other || lines.any(|line| is_rewriter(line, name, rest))
}

/// Whether it is a shell that is given a line: what that does stands among the commands itself.
fn is_line_of_shell(name: &str, command: &Simple) -> bool {
    let mut rest = command.carried()[1..].iter();
    let is_flag = |text: &str| text.starts_with('-') && !text.starts_with("--");
    SHELLS.contains(&name)
        && rest
            .find(|word| !is_flag(&word.text) || word.text.ends_with('c'))
            .is_some_and(|flag| is_flag(&flag.text) && rest.next().is_some_and(|line| line.literal))
}

fn is_rewriter(line: &str, name: &str, rest: &[&str]) -> bool {
    let mut parts = line.split_whitespace();
    if parts.next() != Some(name) {
        return false;
    }
    let (mut rest_of_name, mut only, mut unless) = (Vec::new(), Vec::new(), Vec::new());
    let mut into = &mut rest_of_name;
    for part in parts {
        match part {
            "+" => into = &mut only,
            "!" => into = &mut unless,
            word => into.push(word),
        }
    }
    let is_named = rest_of_name.len() <= rest.len()
        && rest_of_name.iter().zip(rest).all(|(pattern, word)| glob::matches(pattern, word));
    is_named
        && (only.is_empty() || rest.iter().any(|word| only.contains(word)))
        && !rest.iter().any(|word| unless.contains(word))
}

fn shown(words: &[&str]) -> String {
    waypost_core::text::shortened(&words.join(" "), 60)
}
