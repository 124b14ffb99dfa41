//! What is known of the programs in a command line, as far as guarding Waypost's files takes it.

use std::path::Path;

use waypost_core::shell::{self, Analysis, Simple, Word};

/// Programs that run what they are given as text, or read.
const INTERPRETERS: &str = "Rscript awk bun deno gawk lua node nodejs osascript perl php python ruby tclsh \
    ts-node tsx";
/// Programs that tell of a folder without reading the files in it.
const LISTERS: &str =
    "[ basename cd dirname du echo file find ls printf readlink realpath stat test tree";
/// Programs that take a folder with everything in it somewhere else.
const COPIERS: &str = "7z bsdtar cp gtar rsync scp tar zip";
/// Programs of which it is told apart what they write; all else that they are given they read.
const TOLD_APART: &str = "bsdtar cp dd find git gsed gtar install sed tar";
const SHELLS: &str = "bash dash ksh sh zsh";
/// Programs that do this to what they are given, and nothing to what is in a folder, unless one of these
/// letters is among their options.
const SINGLE: &[(&str, Deed, &str)] = &[
    ("chgrp", Deed::Each, "R"),
    ("chmod", Deed::Each, "R"),
    ("chown", Deed::Each, "R"),
    ("perl", Deed::Files, ""),
    ("rm", Deed::Files, "rR"),
    ("rmdir", Deed::Reads, ""),
    ("sed", Deed::Files, ""),
    ("shred", Deed::Files, ""),
    ("touch", Deed::Each, ""),
    ("truncate", Deed::Files, ""),
    ("unlink", Deed::Files, ""),
];

/// What a program does to files that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// It leaves them as they are, but may remove folders in which nothing is.
    Reads,
    /// It may change each of them that is no folder.
    Files,
    /// It may change each of them.
    Each,
    /// It may change each of them, and everything in it.
    All,
}

fn is_in(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == name)
}

/// The name of the program, or of the one that it is told to run.
pub(super) fn name(simple: &Simple) -> Option<&str> {
    name_of(simple.carried())
}

fn name_of(words: &[Word]) -> Option<&str> {
    words.first().filter(|word| word.literal)?.text.rsplit('/').next()
}

/// Whether the command leaves the files that it names as they are, save those that it is known to write.
pub(super) fn only_reads(simple: &Simple, exe: &Path) -> bool {
    let words = simple.carried();
    match name_of(words) {
        Some("waypost") => {
            let program = words[0].text.as_str();
            program == "waypost" || Path::new(program) == exe
        }
        Some(name) if is_in(TOLD_APART, name) => shell::is_installed(&words[0]),
        _ => simple.only_reads(),
    }
}

fn is_option(word: &Word, letters: &str) -> bool {
    let short = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    short.is_some_and(|rest| rest.contains(|c| letters.contains(c)))
}

fn edits_in_place(words: &[Word]) -> bool {
    words.iter().any(|word| is_option(word, "iI") || word.text.starts_with("--in-place"))
}

/// Whether it runs text. A command whose name is not spelt out may be anything.
pub(super) fn is_interpreter(simple: &Simple) -> bool {
    if simple.words.is_empty() {
        return false;
    }
    name(simple).is_none_or(is_interpreter_named)
}

/// Whether a program of that name runs text.
pub(super) fn is_interpreter_named(name: &str) -> bool {
    is_in(INTERPRETERS, name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Whether it is an interpreter that runs what it reads from its standard input.
pub(super) fn runs_its_input(simple: &Simple) -> bool {
    let words = simple.carried();
    name_of(words).is_some_and(is_interpreter_named)
        && words[1..].iter().all(|word| word.text == "-")
}

/// Whether it is a shell that runs what it reads from its standard input.
pub(super) fn is_shell_that_reads(simple: &Simple) -> bool {
    let words = simple.carried();
    name_of(words).is_some_and(|name| is_in(SHELLS, name))
        && words[1..].iter().all(|word| word.text.starts_with('-') && !is_option(word, "c"))
}

/// Whether it looks at folders only.
pub(super) fn is_lister(simple: &Simple) -> bool {
    name(simple).is_some_and(|name| is_in(LISTERS, name))
}

/// The words for what it takes somewhere else with everything in it.
pub(super) fn copied(simple: &Simple) -> &[Word] {
    let words = simple.carried();
    let into = |word: &Word| is_option(word, "t") || word.text.starts_with("--target");
    match name_of(words) {
        // The last one is where to.
        Some("cp" | "rsync" | "scp") if !words.iter().any(into) => {
            &words[1..words.len().max(2) - 1]
        }
        Some(name) if is_in(COPIERS, name) => &words[1..],
        _ => &[],
    }
}

/// Whether it gives names that it reads to a command that may change what they stand for.
pub(super) fn hands_on(simple: &Simple) -> bool {
    let is_handing = |word: &Word| matches!(word.text.as_str(), "xargs" | "parallel");
    let Some(at) = simple.words.iter().position(is_handing) else { return false };
    deed(behind_options(&simple.words[at + 1..])) != Deed::Reads
}

/// The command that `xargs` is told to run.
pub(super) fn behind_options(words: &[Word]) -> &[Word] {
    let mut at = 0;
    while let Some(option) = words.get(at).filter(|word| word.text.starts_with('-')) {
        let takes_next = option.text.len() == 2 && is_option(option, "adEILnPsj");
        at += 1 + usize::from(takes_next);
    }
    words.get(at..).unwrap_or_default()
}

/// What a command with these words does to files whose names it is given.
pub(super) fn deed(words: &[Word]) -> Deed {
    let Some(name) = name_of(words) else {
        return if words.is_empty() { Deed::Reads } else { Deed::All };
    };
    if shell::only_reads(words) || name == "cp" || (name == "sed" && !edits_in_place(words)) {
        return Deed::Reads;
    }
    if name == "git" {
        let given = words.iter().map(|word| word.text.as_str()).chain(["./given"]);
        let line = shell::analyse(&given.collect::<Vec<_>>().join(" "));
        let is_left = line.opaque.is_none() && line.writes().is_empty() && !line.writes_unknown();
        return if is_left { Deed::Reads } else { Deed::All };
    }
    if is_in(SHELLS, name) {
        let line = words.iter().skip_while(|word| !is_option(word, "c")).nth(1);
        let reads = line.is_some_and(|line| line_only_reads(&shell::analyse(&line.text)));
        return if reads { Deed::Reads } else { Deed::All };
    }
    match SINGLE.iter().find(|(program, ..)| *program == name) {
        Some((_, deed, letters)) => {
            let all = |word: &Word| is_option(word, letters) || word.text == "--recursive";
            if words.iter().any(all) { Deed::All } else { *deed }
        }
        None => Deed::All,
    }
}

fn line_only_reads(line: &Analysis) -> bool {
    line.opaque.is_none()
        && line.writes().is_empty()
        && !line.writes_unknown()
        && line.commands.iter().all(Simple::only_reads)
}
