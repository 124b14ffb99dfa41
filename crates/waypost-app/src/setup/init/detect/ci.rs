//! The test steps of a pipeline, for projects whose files tell nothing else.
//!
//! Files of pipelines are read line by line, so that none of them can be wrong: whatever a line says is a command if a
//! test runner is called by it, and nothing otherwise.

use std::path::Path;

use waypost_core::runner::{Argument, Awaited};
use waypost_core::shell::{self, Simple};
use waypost_store::look;

use super::Proposal;
use super::folder::Folder;
use crate::machine::place;

const FILES: &[&str] = &[
    ".github/workflows/*.yml",
    ".github/workflows/*.yaml",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    ".forgejo/workflows/*.yml",
    ".forgejo/workflows/*.yaml",
    ".gitea/workflows/*.yml",
    ".gitea/workflows/*.yaml",
    ".woodpecker.yml",
    ".woodpecker/*.yml",
    ".drone.yml",
    ".travis.yml",
    ".buildkite/pipeline.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "appveyor.yml",
    ".appveyor.yml",
    ".cirrus.yml",
    ".builds/*.yml",
    "Jenkinsfile",
];
/// Keys whose value is a command.
const KEYS: &[&str] = &[
    "run",
    "script",
    "command",
    "cmd",
    "bash",
    "sh",
    "test_script",
    "before_script",
    "- sh",
    "- run",
    "- script",
];
/// Flags that a run may need, with their values.
const NEEDED: &[&str] = &[
    "--test-dir",
    "-C",
    "--preset",
    "-scheme",
    "-project",
    "-workspace",
    "-destination",
    "-m",
    "-c",
    "--config",
    "--project",
];
/// Keys whose value is the folder that a step runs in.
const FOLDERS: &[&str] = &["working-directory", "working_directory", "workingDirectory"];
/// Keys whose value is what a step is called.
const NAMES: &[&str] = &["name", "displayName", "label"];
/// Programs that a script may be called by.
const INTERPRETERS: &[&str] = &["bash", "sh", "python", "python3", "node", "ruby", "perl"];
/// How many commands are proposed.
const MAX_STEPS: usize = 10;

/// The commands of a project's pipelines that run its tests, in order.
pub(super) fn test_steps(root: &Path) -> Vec<Proposal> {
    let folder = Folder { root, path: root };
    let mut found: Vec<Proposal> = Vec::new();
    for file in FILES.iter().flat_map(|name| folder.fitting(name)) {
        let Some(text) = folder.text(&file) else { continue };
        for step in commands(&text) {
            for (command, inside) in runs(root, &step) {
                let because = format!("{file} runs it");
                let is_known =
                    |known: &Proposal| known.command == command && known.folder == inside;
                if found.len() < MAX_STEPS && !found.iter().any(is_known) {
                    found.push(Proposal { command, folder: inside, because });
                }
            }
        }
    }
    found
}

/// A line of a file that may be a command.
struct StepLine {
    line: String,
    /// The folder that its step names.
    folder: Option<String>,
    /// Whether its step is named after tests.
    is_for_tests: bool,
}

/// The lines of a file that may be commands.
fn commands(text: &str) -> Vec<StepLine> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let plain = line.trim().trim_start_matches("- ").trim();
        let valued = plain.split_once(':').filter(|(key, _)| KEYS.contains(&key.trim()));
        let value = valued.map_or(plain, |(_, value)| value.trim());
        let value =
            value.strip_prefix("sh ").filter(|rest| rest.starts_with(['\'', '"'])).unwrap_or(value);
        let value = unquoted(value);
        if value.is_empty() || value.starts_with('#') {
            continue;
        }
        let said = |keys: &[&str]| value_in(step_of(&lines, at), keys);
        let folder = said(FOLDERS);
        let folder =
            folder.map(|name| name.trim_start_matches("./").trim_end_matches('/').to_owned());
        let is_for_tests = said(NAMES).is_some_and(|name| name.to_lowercase().contains("test"));
        found.push(StepLine { line: without_expressions(value), folder, is_for_tests });
    }
    found
}

fn unquoted(value: &str) -> &str {
    let quoted = |quote: char| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    quoted('"').or_else(|| quoted('\'')).unwrap_or(value)
}

/// Without what the pipeline would put in: `cargo test ${{ matrix.flags }}`.
fn without_expressions(value: &str) -> String {
    let mut plain = String::new();
    let mut rest = value;
    while let Some((before, behind)) = rest.split_once("${{") {
        plain.push_str(before);
        rest = behind.split_once("}}").map_or("", |(_, after)| after);
    }
    (plain + rest).trim().to_owned()
}

/// The lines of the step that a line belongs to; of one that belongs to none, nothing.
fn step_of<'l>(lines: &'l [&'l str], at: usize) -> &'l [&'l str] {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_item = |line: &str| line.trim_start().starts_with("- ");
    let own = indent(lines[at]);
    let start =
        (0..=at).rev().find(|n| is_item(lines[*n]) && (*n == at || indent(lines[*n]) < own));
    let Some(start) = start else { return &[] };
    let ends = |line: &&&str| !line.trim().is_empty() && indent(line) <= indent(lines[start]);
    let length =
        lines[start + 1..].iter().position(|line| ends(&line)).unwrap_or(lines.len() - start - 1);
    &lines[start..=start + length]
}

/// The value of the first of some keys that a step has, which may stand before or behind its command.
fn value_in<'l>(step: &[&'l str], keys: &[&str]) -> Option<&'l str> {
    step.iter().find_map(|line| {
        let (key, value) = line.trim().trim_start_matches("- ").split_once(':')?;
        keys.contains(&key.trim()).then(|| unquoted(value.trim()))
    })
}

/// The whole runs of tests in a line, as short as they can be written.
fn runs(root: &Path, step: &StepLine) -> Vec<(String, Option<String>)> {
    let read = shell::analyse(&step.line);
    if read.opaque.is_some() {
        return Vec::new();
    }
    let start = root.join(step.folder.as_deref().unwrap_or_default());
    let mut found = Vec::new();
    for (index, command) in read.commands.iter().enumerate() {
        let Some(short) = known_run(command).or_else(|| own_script(root, command, step)) else {
            continue;
        };
        let folder = place::folder_after(&start, &read.commands[..index]);
        let Some(folder) = folder.filter(|folder| look::is_folder(folder)) else { continue };
        let Ok(inside) = folder.strip_prefix(root) else { continue };
        let inside = inside.to_str().filter(|name| !name.is_empty()).map(str::to_owned);
        found.push((short, inside));
    }
    found
}

/// A whole run of a runner that is known, without the words that it could do without.
fn known_run(command: &Simple) -> Option<String> {
    if command.words.iter().any(|word| !word.literal) {
        return None;
    }
    let mut words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
    let named = |words: &[&str]| Awaited::by(&words.join(" "), &[]).runner().map(str::to_owned);
    // Flags may stand between a program and what it is told to do.
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let name = named(&words).or_else(|| named(&plain))?;
    let reach = |words: &[&str]| {
        let words: Vec<Argument<'_>> = words.iter().map(|word| Argument::plain(word)).collect();
        Awaited::by(&name, &[]).fits(&words, &[])?.ok()
    };
    let wanted = reach(&words)?;
    for at in (1..words.len()).rev() {
        if NEEDED.contains(&words[at]) || NEEDED.contains(&words[at - 1]) {
            continue;
        }
        let mut fewer = words.clone();
        fewer.remove(at);
        if reach(&fewer).as_ref() == Some(&wanted) {
            words = fewer;
        }
    }
    let is_plain =
        |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=+@,".contains(c));
    words.iter().all(is_plain).then(|| words.join(" "))
}

/// A script of the project's own that is called after its tests, or by a step that is.
fn own_script(root: &Path, command: &Simple, step: &StepLine) -> Option<String> {
    let (before, script) = match command.words.as_slice() {
        [only] => ("", only),
        [by, script] if INTERPRETERS.contains(&by.text.as_str()) => (by.text.as_str(), script),
        _ => return None,
    };
    let path = script.text.strip_prefix("./").unwrap_or(&script.text);
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_named = step.is_for_tests || name.contains("test");
    let is_one = script.literal && is_named && (script.text.contains('/') || !before.is_empty());
    let is_inside = !path.starts_with('/') && !path.split('/').any(|part| part == "..");
    let is_there =
        || look::is_file(root.join(step.folder.as_deref().unwrap_or_default()).join(path));
    let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    let called = if before.is_empty() { format!("./{path}") } else { format!("{before} {path}") };
    (is_one && is_inside && plain && is_there()).then_some(called)
}
