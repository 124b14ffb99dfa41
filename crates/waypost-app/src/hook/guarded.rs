//! Command lines that would change, or could, what agents may not touch.
//!
//! What a line is known to write is looked at as any edit is. Beyond that, a program that may write
//! anything is not given the name of one of Waypost's files; a program that only reads may have it,
//! save for the key. Whoever writes a script first and runs it then gets past this; what it changes
//! is found by its signature, or changes nothing, because the policy is pinned.

use std::path::Path;

use waypost_core::shell::{Analysis, Simple};

use super::protect;
use super::target::Target;
use crate::workspace::Workspace;

/// Programs that only read, with whatever arguments; what they are redirected to is looked at apart.
const READERS: &[&str] = &[
    ":",
    "[",
    "ag",
    "b2sum",
    "basename",
    "bat",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "date",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "eza",
    "false",
    "fd",
    "fgrep",
    "file",
    "fmt",
    "fold",
    "git",
    "grep",
    "head",
    "hexdump",
    "jq",
    "less",
    "ls",
    "md5sum",
    "more",
    "nl",
    "od",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "sed",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "sleep",
    "sort",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "tr",
    "tree",
    "true",
    "type",
    "uniq",
    "waypost",
    "wc",
    "which",
    "xxd",
];
/// Programs that run what they are given as text, or read.
const INTERPRETERS: &[&str] = &[
    "Rscript",
    "awk",
    "bun",
    "deno",
    "gawk",
    "lua",
    "node",
    "nodejs",
    "osascript",
    "perl",
    "php",
    "python",
    "ruby",
    "tclsh",
];
/// Programs that take a whole folder with everything in it.
const SWEEPING: &[&str] = &["chgrp", "chmod", "chown", "find", "mv", "rm", "rmdir", "shred"];
/// How the files that agents may not touch are spelt, wherever they lie.
const NAMES: &[&str] = &[
    ".claude/settings",
    ".config/waypost",
    ".git/waypost",
    ".local/state/waypost",
    "waypost.toml",
    "waypost/key",
];
const KEY: &str = "waypost/key";

/// Why an agent may not run the line; `None` if it may.
pub(super) fn from_running(
    workspace: &Workspace<'_>,
    cwd: &Path,
    (line, analysis): (&str, &Analysis),
) -> Option<String> {
    let swept = analysis.commands.iter().find_map(|simple| sweeps(workspace, cwd, simple));
    if swept.is_some() {
        return swept;
    }
    // Nearly every line ends here.
    if !line.contains("waypost") && !line.contains(".claude") {
        return None;
    }
    if let Some(reason) = analysis.commands.iter().find_map(|one| key_in(workspace, cwd, one)) {
        return Some(reason);
    }
    let touched = analysis.commands.iter().find_map(|one| touches(workspace, cwd, one));
    if let Some(name) = touched {
        return Some(denied(&name));
    }
    // What no word holds is read by a program: a here-document.
    let in_words = |name: &str| {
        analysis.commands.iter().any(|one| one.words.iter().any(|word| word.text.contains(name)))
    };
    let read = NAMES.iter().find(|name| line.contains(**name) && !in_words(name))?;
    analysis.commands.iter().any(is_interpreter).then(|| denied(read))
}

fn denied(name: &str) -> String {
    format!(
        "Waypost: this command could change {name}, which is Waypost's and which agents do not \
         change.\nNext: ask the user to change it; to look at it, use Read, or cat and nothing else."
    )
}

/// Why a command may not have a folder that holds Waypost's files.
fn sweeps(workspace: &Workspace<'_>, cwd: &Path, simple: &Simple) -> Option<String> {
    let name = simple.name().filter(|name| SWEEPING.contains(name))?;
    let only_looks = |word: &str| word != "-delete" && !word.starts_with("-exec");
    if name == "find" && simple.words.iter().all(|word| only_looks(&word.text)) {
        return None;
    }
    let operands = simple.words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
    let targets = operands.map(|word| Target::of(cwd, Path::new(&word.text)));
    let (store, host) = (&workspace.project.store, workspace.host);
    let holds = |path: &Path| {
        [store, &host.config_dir, &host.state_dir].iter().any(|own| own.starts_with(path))
    };
    for target in targets {
        if let Some(path) = target.spellings().into_iter().find(|path| holds(path)) {
            return Some(denied(&path.display().to_string()));
        }
    }
    None
}

/// Why a command may not be given the key: not even to read it.
fn key_in(workspace: &Workspace<'_>, cwd: &Path, simple: &Simple) -> Option<String> {
    simple.words.iter().skip(1).find_map(|word| {
        if word.text.contains(KEY) && simple.name() != Some("git") {
            return Some(protect::key_is_private(workspace));
        }
        protect::from_reading(workspace, &Target::of(cwd, Path::new(&word.text)))
    })
}

/// The file of Waypost's that a command is given although it may write anything.
fn touches(workspace: &Workspace<'_>, cwd: &Path, simple: &Simple) -> Option<String> {
    let name = simple.name().unwrap_or_default();
    if READERS.contains(&name) {
        return None;
    }
    let text_counts = is_interpreter(simple);
    for word in simple.words.iter().skip(1) {
        // A text that only speaks of it is no name.
        let is_name = !word.text.contains(char::is_whitespace);
        let spelt = NAMES.iter().find(|name| word.text.contains(**name));
        if let Some(spelt) = spelt.filter(|_| is_name || text_counts) {
            return Some((*spelt).to_owned());
        }
        let path = word.text.rsplit('=').next().unwrap_or_default();
        if is_name
            && !path.is_empty()
            && protect::from_writing(workspace, &Target::of(cwd, Path::new(path))).is_some()
        {
            return Some(path.to_owned());
        }
    }
    None
}

fn is_interpreter(simple: &Simple) -> bool {
    let Some(name) = simple.name() else { return true };
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name)
}
