//! Turns `runners/*.toml` into tables that the program holds, so that nobody reads a file for them.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "it runs while the program is built, and a profile that is wrong ends the build"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use toml::{Table, Value};

/// The keys of a table that are lists of texts, in the order of the generated fields.
const READING: &[&str] = &["idle", "narrow", "valued", "whole"];
/// The same for a runner, for the words of a format, and for its lines.
const RUNNER: &[&str] = &[
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
    "switches",
];
const WORDS: &[&str] = &["passed", "failed", "skipped", "total", "ran", "other"];
const LINES: &[&str] = &[
    "summary",
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
    "over",
];
/// The same for a wrapper.
const WRAPPER: &[&str] = &["valued", "folder", "idle", "skipped"];
/// What may stand in angle brackets in a line of a format.
const HOLES: &[&str] =
    &["number", "time", "counts", "name", "passed", "failed", "skipped", "total", "ran"];

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("runners");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry of the folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a file of the folder");
        let content = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path, content)
    };
    let contents: Vec<(PathBuf, Table)> = files.into_iter().map(read).collect();
    let mut tables = Tables::default();
    for runner in contents.iter().flat_map(|(_, content)| each(content, "runner")) {
        if let Some(name) = runner.1.get("name").and_then(Value::as_str) {
            tables.named.insert(name.to_owned(), runner.1.clone());
        }
    }
    for (path, content) in &contents {
        tables.add(path, content);
    }
    let out = env::var_os("OUT_DIR").expect("cargo names it");
    fs::write(Path::new(&out).join("runners.rs"), tables.source())
        .expect("the folder for it is there");
}

#[derive(Default)]
struct Tables {
    /// All runners, by name.
    named: BTreeMap<String, Table>,
    runners: String,
    /// Which runners a program has, by its name.
    by_program: BTreeMap<String, BTreeSet<usize>>,
    count: usize,
    programs: String,
    wrappers: String,
    formats: String,
    /// The names of formats, and where runners name one.
    known_formats: BTreeSet<String>,
    named_formats: Vec<(String, String)>,
}

impl Tables {
    fn add(&mut self, path: &Path, content: &Table) {
        let place = path.display().to_string();
        known(&place, content, &["runner", "program", "wrapper", "format"]);
        for (index, runner) in each(content, "runner") {
            let place = format!("{place}: runner {}", index + 1);
            let mut runner = self.with_likes(&place, runner);
            if let Some(Value::Table(after)) = runner.get("after") {
                let mut after = self.with_likes(&place, after);
                after
                    .retain(|key, _| ["operands", "bare"].contains(&key) || READING.contains(&key));
                runner.insert("after".to_owned(), Value::Table(after));
            }
            self.add_runner(&place, &runner);
        }
        for (index, program) in each(content, "program") {
            self.add_program(&format!("{place}: program {}", index + 1), program);
        }
        for (index, wrapper) in each(content, "wrapper") {
            self.add_wrapper(&format!("{place}: wrapper {}", index + 1), wrapper);
        }
        for (index, format) in each(content, "format") {
            self.add_format(&format!("{place}: format {}", index + 1), format);
        }
    }

    /// The table with what it does not say itself from the runner that it is like.
    fn with_likes(&self, place: &str, table: &Table) -> Table {
        let mut table = table.clone();
        let Some(like) = table.remove("like") else { return table };
        let base = like.as_str().and_then(|name| self.named.get(name));
        let base = base.unwrap_or_else(|| panic!("{place}: there is no runner {like}"));
        for (key, value) in base {
            if !["name", "spellings", "like"].contains(&key.as_str()) && !table.contains_key(key) {
                table.insert(key.clone(), value.clone());
            }
        }
        table
    }

    fn add_runner(&mut self, place: &str, runner: &Table) {
        let keys = ["name", "operands", "bare", "after", "hands_on", "abbreviates"];
        known(place, runner, &[&keys[..], RUNNER, READING].concat());
        let spellings = strings(place, runner, "spellings");
        assert!(!spellings.is_empty(), "{place}: it has no spelling");
        for words in &spellings {
            let program = words.split_whitespace().next().unwrap_or_default();
            let program = program.rsplit('/').next().unwrap_or(program).to_owned();
            self.by_program.entry(program).or_default().insert(self.count);
        }
        self.count += 1;
        let formats = strings(place, runner, "formats").into_iter();
        self.named_formats.extend(formats.map(|name| (place.to_owned(), name)));
        let after = runner.get("after").map(|after| {
            let after = after.as_table().unwrap_or_else(|| panic!("{place}: `after` is no table"));
            known(place, after, &[&["operands", "bare"], READING].concat());
            reading(place, after)
        });
        let _ = writeln!(
            self.runners,
            "Runner {{ name: {:?}, {}hands_on: {}, abbreviates: {}, reading: {}, after: {} }},",
            text(place, runner, "name"),
            lists(place, runner, RUNNER),
            truth(place, runner, "hands_on", false),
            truth(place, runner, "abbreviates", false),
            reading(place, runner),
            after.map_or("None".to_owned(), |after| format!("Some({after})")),
        );
    }

    fn add_program(&mut self, place: &str, program: &Table) {
        known(place, program, &["name", "also"]);
        let name = text(place, program, "name");
        let also = lists(place, program, &["also"]);
        let _ = writeln!(self.programs, "Program {{ name: {name:?}, {also}}},");
    }

    fn add_wrapper(&mut self, place: &str, wrapper: &Table) {
        let keys = ["words", "objection", "operands", "assigns"];
        known(place, wrapper, &[&keys[..], WRAPPER].concat());
        let operands = wrapper.get("operands").map_or(0, |value| {
            value.as_integer().unwrap_or_else(|| panic!("{place}: `operands` is no number"))
        });
        let objection = wrapper.get("objection").map(|_| text(place, wrapper, "objection"));
        let objection = objection.unwrap_or_default();
        let words = match wrapper.get("words") {
            Some(Value::Array(_)) => strings(place, wrapper, "words"),
            _ => vec![text(place, wrapper, "words")],
        };
        for words in words {
            assert!(!words.trim().is_empty(), "{place}: it has no words");
            let _ = writeln!(
                self.wrappers,
                "Wrapper {{ words: {words:?}, {}objection: {objection:?}, operands: {operands}, \
                 assigns: {} }},",
                lists(place, wrapper, WRAPPER),
                truth(place, wrapper, "assigns", false),
            );
        }
    }

    fn add_format(&mut self, place: &str, format: &Table) {
        known(place, format, &[&["name", "last"], WORDS, LINES].concat());
        let name = text(place, format, "name");
        assert!(self.known_formats.insert(name.clone()), "{place}: there are two of this name");
        for line in LINES.iter().flat_map(|key| strings(place, format, key)) {
            for hole in line.split('<').skip(1) {
                let hole = hole.split(['>', ':']).next().unwrap_or_default();
                assert!(HOLES.contains(&hole), "{place}: `{line}`: there is no `<{hole}>`");
            }
        }
        let over = strings(place, format, "over").into_iter().filter(|name| name != "*");
        self.named_formats.extend(over.map(|name| (place.to_owned(), name)));
        let _ = writeln!(
            self.formats,
            "Format {{ name: {name:?}, last: {}, {}words: Words {{ {}}} }},",
            truth(place, format, "last", false),
            lists(place, format, LINES),
            lists(place, format, WORDS),
        );
    }

    fn source(&self) -> String {
        let Self { runners, programs, wrappers, formats, .. } = self;
        for (place, name) in &self.named_formats {
            assert!(self.known_formats.contains(name), "{place}: there is no format `{name}`");
        }
        let mut by_program = String::new();
        for (program, those) in &self.by_program {
            let those: Vec<usize> = those.iter().copied().collect();
            let _ = writeln!(by_program, "({program:?}, &{those:?}),");
        }
        format!(
            "pub(super) static BY_PROGRAM: &[(&str, &[usize])] = &[\n{by_program}];\n\
             pub(super) static RUNNERS: &[Runner<'static>] = &[\n{runners}];\n\
             pub(super) static PROGRAMS: &[Program] = &[\n{programs}];\n\
             pub(super) static WRAPPERS: &[Wrapper<'static>] = &[\n{wrappers}];\n\
             pub(super) static FORMATS: &[Format<'static>] = &[\n{formats}];\n"
        )
    }
}

fn reading(place: &str, table: &Table) -> String {
    let operands = match table.get("operands").map(|value| value.as_str()) {
        None | Some(Some("narrow")) => "Narrow",
        Some(Some("free")) => "Free",
        Some(Some("targets")) => "Targets",
        Some(_) => panic!("{place}: `operands` is narrow, free or targets"),
    };
    let bare = truth(place, table, "bare", true);
    let lists = lists(place, table, READING);
    format!("Reading {{ {lists}operands: Operands::{operands}, bare: {bare} }}")
}

fn known(place: &str, table: &Table, keys: &[&str]) {
    for key in table.keys() {
        assert!(keys.contains(&key.as_str()), "{place}: there is no key `{key}`");
    }
}

fn each<'t>(table: &'t Table, key: &str) -> impl Iterator<Item = (usize, &'t Table)> {
    let list = table.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_table).enumerate()
}

fn text(place: &str, table: &Table, key: &str) -> String {
    let text = table.get(key).and_then(Value::as_str);
    text.unwrap_or_else(|| panic!("{place}: `{key}` is no text")).to_owned()
}

fn strings(place: &str, table: &Table, key: &str) -> Vec<String> {
    let Some(value) = table.get(key) else { return Vec::new() };
    let list = value.as_array().unwrap_or_else(|| panic!("{place}: `{key}` is no list"));
    let one = |value: &Value| value.as_str().map(str::to_owned);
    list.iter()
        .map(|value| one(value).unwrap_or_else(|| panic!("{place}: {key}: no text")))
        .collect()
}

fn truth(place: &str, table: &Table, key: &str, unsaid: bool) -> bool {
    table.get(key).map_or(unsaid, |value| {
        value.as_bool().unwrap_or_else(|| panic!("{place}: `{key}` is neither true nor false"))
    })
}

/// Fields that are lists of texts.
fn lists(place: &str, table: &Table, keys: &[&str]) -> String {
    let field = |key: &&str| format!("{key}: List::Built(&{:?}), ", strings(place, table, key));
    keys.iter().map(field).collect()
}
