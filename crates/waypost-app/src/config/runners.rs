//! A project's own test runners: `.waypost/runners/*.toml`, read as `waypost.toml` is. Never reads what a
//! link brings in from outside the project.

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use waypost_core::runner::own::{OwnFormat, OwnReading, OwnRunner, OwnWrapper};
use waypost_core::runner::tally::template_problem;
use waypost_core::runner::{Operands, Profile, clash};
use waypost_core::text::did_you_mean;
use waypost_store::look;

use super::{Problem, Reader, text_inside};

/// The folder, below the project's.
pub(crate) const FOLDER: &str = ".waypost/runners";
/// More files than this are not read, and none larger. What they say is part of the policy, which every
/// call of a hook reads.
const MAX_FILES: usize = 20;
const MAX_FILE: u64 = 64 * 1024;
/// No more tables of a sort in a file, no more texts in a list, no longer ones.
const MAX_TABLES: usize = 100;
const MAX_TEXTS: usize = 300;
const MAX_TEXT: usize = 200;

const TOP: &[&str] = &["runner", "wrapper", "format"];
const RUNNER: &[&str] = &[
    "name",
    "spellings",
    "own",
    "own_valued",
    "variables",
    "formats",
    "folder",
    "file",
    "everywhere",
    "tops",
    "in_full",
    "hands_on",
    "switches",
    "abbreviates",
    "idle",
    "narrow",
    "valued",
    "whole",
    "operands",
    "bare",
    "after",
];
const AFTER: &[&str] = &["idle", "narrow", "valued", "whole", "operands", "bare"];
const WRAPPER: &[&str] = &["words", "valued", "folder", "idle", "skipped", "operands", "assigns"];
const FORMAT: &[&str] = &[
    "name",
    "summary",
    "passed",
    "failed",
    "skipped",
    "total",
    "ran",
    "other",
    "each_passed",
    "each_failed",
    "each_skipped",
    "nothing",
    "uncounted",
    "names",
    "ignored",
    "after",
    "stopped",
    "went_on",
    "last",
];

/// What the files say, and what of them could not be understood.
pub(super) fn read(root: &Path) -> (Vec<Profile>, Vec<Problem>) {
    let told = |message: String| Problem { file: FOLDER.to_owned(), line: 1, message };
    let files = match files(root) {
        Ok(files) => files,
        Err(message) => return (Vec::new(), vec![told(message)]),
    };
    let mut known = Known::default();
    let (mut profiles, mut problems) = (Vec::new(), Vec::new());
    if files.len() > MAX_FILES {
        problems.push(told(format!("{} files; at most {MAX_FILES} are read", files.len())));
    }
    for file in files.into_iter().take(MAX_FILES) {
        let name = format!("{FOLDER}/{file}");
        match text_inside(root, &root.join(&name), MAX_FILE) {
            Ok(text) => {
                let (profile, told) = parse(&name, &text, &mut known);
                profiles.extend(profile.filter(|profile| *profile != Profile::default()));
                problems.extend(told);
            }
            Err(message) => problems.push(Problem { file: name, line: 1, message }),
        }
    }
    (profiles, problems)
}

/// The files that may say something, for those who only look whether they changed.
pub(crate) fn paths(root: &Path) -> Vec<PathBuf> {
    let files = files(root).unwrap_or_default().into_iter().take(MAX_FILES);
    files.map(|file| root.join(FOLDER).join(file)).collect()
}

/// The names of the files, in order.
fn files(root: &Path) -> Result<Vec<String>, String> {
    let entries = match look::folder(root.join(FOLDER)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.to_string()),
    };
    let is_toml = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml");
    let files = entries.flatten().map(|entry| entry.path()).filter(is_toml);
    let name = |path: PathBuf| Some(path.file_name()?.to_string_lossy().into_owned());
    let mut names: Vec<String> = files.filter_map(name).collect();
    names.sort();
    Ok(names)
}

/// What the files before have named.
#[derive(Debug, Default)]
struct Known {
    spellings: Vec<String>,
    wrappers: Vec<String>,
    formats: Vec<String>,
}

fn parse(file: &str, text: &str, known: &mut Known) -> (Option<Profile>, Vec<Problem>) {
    let mut reader = Reader::new(file, text);
    let table = match reader.parse() {
        Ok(table) => table,
        Err(problem) => return (None, vec![problem]),
    };
    let top = table.get_ref();
    reader.unknown_keys(top, TOP, "a file of runners");
    let formats = each(&mut reader, top, "format", |reader, table, start| {
        format(reader, table, start, known)
    });
    let wrappers = each(&mut reader, top, "wrapper", |reader, table, start| {
        wrapper(reader, table, start, known)
    });
    let runners = each(&mut reader, top, "runner", |reader, table, start| {
        runner(reader, table, start, known)
    });
    (Some(Profile { runners, wrappers, formats }), reader.into_problems())
}

/// Reads the tables of a sort. What cannot be one is told and left out.
fn each<T>(
    reader: &mut Reader<'_>,
    top: &DeTable<'_>,
    key: &str,
    mut read: impl FnMut(&mut Reader<'_>, &DeTable<'_>, usize) -> Option<T>,
) -> Vec<T> {
    let Some(value) = top.get(key) else { return Vec::new() };
    let wanted = format!("an array of tables ([[{key}]])");
    let Some(array) = value.get_ref().as_array() else {
        reader.wrong_type(key, &wanted, value);
        return Vec::new();
    };
    if array.len() > MAX_TABLES {
        let message = format!("{} of [[{key}]]; at most {MAX_TABLES} are read", array.len());
        reader.problem(value.span().start, message);
    }
    let mut found = Vec::new();
    for item in array.iter().take(MAX_TABLES) {
        match item.get_ref().as_table() {
            Some(table) => found.extend(read(reader, table, item.span().start)),
            None => reader.wrong_type(key, &wanted, item),
        }
    }
    found
}

fn runner(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    start: usize,
    known: &mut Known,
) -> Option<OwnRunner> {
    reader.unknown_keys(table, RUNNER, "[[runner]]");
    let name = text(reader, table, "name", start, "a runner")?;
    let spellings = spellings(reader, table, known);
    if spellings.is_empty() {
        reader.problem(start, format!("the runner `{name}` has no spelling of its own"));
        return None;
    }
    let after = reader.table(table, "after").map(|after| {
        reader.unknown_keys(after, AFTER, "[runner.after]");
        reading(reader, after)
    });
    let own_operands = reading(reader, table);
    if own_operands.operands == Operands::Targets && spellings.iter().any(|one| !one.contains(' '))
    {
        let why = "with `targets` the last word of each spelling is one of them; `spellings` has one \
                   of a single word";
        reader.problem_at(table, "operands", why);
        return None;
    }
    Some(OwnRunner {
        name,
        spellings,
        own: list(reader, table, "own"),
        own_valued: list(reader, table, "own_valued"),
        variables: list(reader, table, "variables"),
        formats: named_formats(reader, table, known),
        folder: list(reader, table, "folder"),
        file: list(reader, table, "file"),
        everywhere: list(reader, table, "everywhere"),
        tops: list(reader, table, "tops"),
        in_full: list(reader, table, "in_full"),
        hands_on: reader.flag(table, "hands_on").unwrap_or(false),
        switches: list(reader, table, "switches"),
        abbreviates: reader.flag(table, "abbreviates").unwrap_or(false),
        reading: own_operands,
        after,
    })
}

/// The spellings that nobody else has.
fn spellings(reader: &mut Reader<'_>, table: &DeTable<'_>, known: &mut Known) -> Vec<String> {
    let given = list(reader, table, "spellings");
    let mut spellings = Vec::new();
    for spelling in given {
        let words: Vec<&str> = spelling.split_whitespace().collect();
        let spelling = words.join(" ");
        let taken = clash::of_spelling(&spelling).or_else(|| {
            let is_known = known.spellings.contains(&spelling);
            is_known.then(|| format!("a second `{spelling}`; spellings must differ"))
        });
        if let Some(why) = taken {
            reader.problem_at(table, "spellings", &why);
            continue;
        }
        known.spellings.push(spelling.clone());
        spellings.push(spelling);
    }
    spellings
}

fn reading(reader: &mut Reader<'_>, table: &DeTable<'_>) -> OwnReading {
    let operands = match reader.string(table, "operands") {
        None | Some("narrow") => Operands::Narrow,
        Some("free") => Operands::Free,
        Some("targets") => Operands::Targets,
        Some(_) => {
            reader.problem_at(table, "operands", "it is `narrow`, `free` or `targets`");
            Operands::Narrow
        }
    };
    OwnReading {
        idle: list(reader, table, "idle"),
        narrow: list(reader, table, "narrow"),
        valued: list(reader, table, "valued"),
        whole: list(reader, table, "whole"),
        operands,
        bare: reader.flag(table, "bare").unwrap_or(true),
    }
}

/// The formats that a runner names, as far as there are such.
fn named_formats(reader: &mut Reader<'_>, table: &DeTable<'_>, known: &Known) -> Vec<String> {
    let mut all: Vec<&str> = clash::formats().collect();
    all.extend(known.formats.iter().map(String::as_str));
    let mut named = list(reader, table, "formats");
    named.retain(|name| {
        let is_known = all.contains(&name.as_str());
        if !is_known {
            let meant = did_you_mean(name, &all).map(|meant| format!("; did you mean `{meant}`?"));
            let meant = meant.unwrap_or_default();
            reader.problem_at(table, "formats", &format!("there is no format `{name}`{meant}"));
        }
        is_known
    });
    named
}

fn wrapper(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    start: usize,
    known: &mut Known,
) -> Option<OwnWrapper> {
    reader.unknown_keys(table, WRAPPER, "[[wrapper]]");
    let given = text(reader, table, "words", start, "a wrapper")?;
    let words = given.split_whitespace().collect::<Vec<_>>().join(" ");
    let taken = clash::of_wrapper(&words).or_else(|| {
        let is_known = known.wrappers.contains(&words);
        is_known.then(|| format!("a second `{words}`; wrappers must differ"))
    });
    if let Some(why) = taken {
        reader.problem_at(table, "words", &why);
        return None;
    }
    known.wrappers.push(words.clone());
    let operands = table.get("operands").map_or(Some(0), |value| {
        let number = value.get_ref().as_integer().and_then(|number| number.as_str().parse().ok());
        if number.is_none_or(|number: usize| number > 9) {
            reader.problem_at(table, "operands", "it is a number from 0 to 9");
            return None;
        }
        number
    })?;
    Some(OwnWrapper {
        words,
        valued: list(reader, table, "valued"),
        folder: list(reader, table, "folder"),
        idle: list(reader, table, "idle"),
        skipped: list(reader, table, "skipped"),
        operands,
        assigns: reader.flag(table, "assigns").unwrap_or(false),
    })
}

fn format(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    start: usize,
    known: &mut Known,
) -> Option<OwnFormat> {
    reader.unknown_keys(table, FORMAT, "[[format]]");
    let name = text(reader, table, "name", start, "a format")?;
    if clash::formats().any(|built_in| built_in == name) {
        reader.problem_at(table, "name", &format!("`{name}` is built in; give yours another name"));
        return None;
    }
    if known.formats.contains(&name) {
        reader.problem_at(table, "name", &format!("a second format `{name}`; names must differ"));
        return None;
    }
    known.formats.push(name.clone());
    let mut lines = |key| templates(reader, table, key);
    let mut format = OwnFormat {
        summary: lines("summary"),
        each_passed: lines("each_passed"),
        each_failed: lines("each_failed"),
        each_skipped: lines("each_skipped"),
        nothing: lines("nothing"),
        uncounted: lines("uncounted"),
        names: lines("names"),
        ignored: lines("ignored"),
        after: lines("after"),
        stopped: lines("stopped"),
        went_on: lines("went_on"),
        ..OwnFormat { name, ..OwnFormat::default() }
    };
    let mut words = |key| list(reader, table, key);
    format.passed = words("passed");
    format.failed = words("failed");
    format.skipped = words("skipped");
    format.total = words("total");
    format.ran = words("ran");
    format.other = words("other");
    format.last = reader.flag(table, "last").unwrap_or(false);
    Some(format)
}

/// A list of lines, without those that could never be one.
fn templates(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str) -> Vec<String> {
    let mut lines = list(reader, table, key);
    lines.retain(|line| match template_problem(line) {
        Some(why) => {
            reader.problem_at(table, key, &format!("`{line}`: {why}"));
            false
        }
        None => true,
    });
    lines
}

fn text(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    key: &str,
    start: usize,
    what: &str,
) -> Option<String> {
    if table.get(key).is_none() {
        reader.problem(start, format!("{what} needs `{key}`"));
    }
    let found = reader.string(table, key)?.trim();
    if found.is_empty() || found.chars().count() > MAX_TEXT {
        reader.problem_at(table, key, &format!("it has 1 to {MAX_TEXT} characters"));
        return None;
    }
    Some(found.to_owned())
}

/// A list of texts; what is none, or too long, is told and left out.
fn list(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str) -> Vec<String> {
    let Some(value) = table.get(key) else { return Vec::new() };
    let Some(array) = value.get_ref().as_array() else {
        reader.wrong_type(key, "an array of strings", value);
        return Vec::new();
    };
    if array.len() > MAX_TEXTS {
        reader.problem_at(table, key, &format!("at most {MAX_TEXTS} texts are read"));
    }
    array.iter().take(MAX_TEXTS).filter_map(|item| one_of(reader, key, item)).collect()
}

fn one_of(reader: &mut Reader<'_>, key: &str, item: &Spanned<DeValue<'_>>) -> Option<String> {
    let Some(text) = item.get_ref().as_str() else {
        reader.wrong_type(key, "an array of strings", item);
        return None;
    };
    if text.trim().is_empty() || text.chars().count() > MAX_TEXT {
        let message = format!("`{key}`: each text has 1 to {MAX_TEXT} characters");
        reader.problem(item.span().start, message);
        return None;
    }
    Some(text.to_owned())
}

#[cfg(test)]
mod tests;
