//! The table of lines, and what it means.

use super::own::{OwnFormat, OwnReading, OwnRunner, OwnWrapper};
use super::tally::{Tally, Tests};
use super::{Awaited, Profile, Reach};
use crate::shell;

/// A line of a table: which pattern it is tried with, what it should be, and the command line.
#[derive(Clone)]
struct Line {
    pattern: String,
    sign: char,
    command: String,
}

fn tables() -> Vec<Line> {
    [table(include_str!("companions.txt")), table(include_str!("lines.txt"))].concat()
}

fn table(text: &str) -> Vec<Line> {
    let (mut pattern, mut lines) = ("", Vec::new());
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            pattern = name.trim();
        } else if let Some((sign @ ("+" | ">" | "-" | "?"), command)) = line.split_once(' ') {
            let sign = sign.chars().next().unwrap();
            lines.push(Line { pattern: pattern.to_owned(), sign, command: command.to_owned() });
        } else {
            assert!(line.is_empty() || line.starts_with('#'), "not a line of the table: {line}");
        }
    }
    lines
}

#[test]
fn every_line_of_the_table_means_what_it_says() {
    let mut wrong = Vec::new();
    for Line { pattern, sign, command } in tables() {
        let awaited = Awaited::by(&pattern, &[]);
        let found = shell::ran(&shell::analyse(&command), &awaited).map(|found| found.counts);
        let shown = match &found {
            Some(Ok(Reach { elsewhere: Some(_), .. })) => '>',
            Some(Ok(_)) => '+',
            Some(Err(_)) => '-',
            None => '?',
        };
        if shown != sign {
            wrong.push(format!("{pattern}: {command}\n    {sign} is wanted, and it is {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
}

fn reach(pattern: &str, command: &str, parts: bool) -> Result<Reach, String> {
    let awaited = Awaited::by(pattern, &[]);
    let awaited = if parts { awaited.with_parts() } else { awaited };
    let found = shell::ran(&shell::analyse(command), &awaited);
    found.expect("it is a run of it").counts
}

#[test]
fn a_run_tells_in_which_folder_it_works() {
    for (pattern, command, folder) in [
        ("cargo test", "cargo test --manifest-path ./sub/Cargo.toml", Some("./sub")),
        ("cargo test", "cargo test --manifest-path=Cargo.toml", None),
        ("cargo test", "env -C a cargo test --manifest-path b/Cargo.toml", Some("a/b")),
        ("cargo test", "env --chdir=/srv cargo test", Some("/srv")),
        ("make test", "make -C a -C b test", Some("a/b")),
        ("make test", "make -C . test", None),
        ("make test", "make -Ca test", Some("a")),
        ("make test", "make -C a -C /b test", Some("/b")),
        ("npm test", "npm --prefix=web run test", Some("web")),
        ("npm test", "npm test --prefix ../web -- --coverage", Some("../web")),
        ("pnpm test", "pnpm --dir web test", Some("web")),
        ("pytest", "uv run --directory api pytest", Some("api")),
        ("pytest", "pytest --rootdir api", None),
    ] {
        assert_eq!(
            reach(pattern, command, false).unwrap().elsewhere.as_deref(),
            folder,
            "{command}"
        );
    }
    for command in ["make -C $DIR test", "make -C ~/x test", "make -C \"$(pwd)\" test"] {
        assert!(reach("make test", command, false).is_err(), "{command}");
    }
}

#[test]
fn a_run_tells_whether_it_reaches_the_whole_workspace() {
    for (pattern, command, everywhere) in [
        ("cargo test", "cargo test --workspace", true),
        ("cargo test", "cargo test", false),
        ("cargo test", "cargo test -- --workspace", false),
        ("npm test", "npm test --workspaces", true),
        ("pnpm test", "pnpm -r test", true),
        ("pnpm test", "pnpm recursive run test", true),
        ("pnpm test", "pnpm test -r ts-node/register", false),
        ("yarn test", "yarn workspaces run test", true),
        ("yarn test", "yarn test", false),
        ("bazel test //...", "bazel test //...", true),
    ] {
        assert_eq!(reach(pattern, command, false).unwrap().everywhere, everywhere, "{command}");
    }
    assert_eq!(reach("cargo test", "cargo test", false).unwrap().tops, ["Cargo.toml"]);
}

#[test]
fn where_a_part_is_enough_only_what_tests_nothing_is_an_objection() {
    for (pattern, command) in [
        ("cargo test*", "cargo test -p core parser::"),
        ("pytest", "pytest tests/test_a.py -k login"),
        ("pytest", "pytest tests/test_*.py"),
        ("npm test", "npm test -- -t login"),
        ("go test", "go test -run TestX ./pkg/a"),
    ] {
        assert!(reach(pattern, command, false).is_err(), "{command}");
        assert!(reach(pattern, command, true).is_ok(), "{command}");
    }
    for (pattern, command) in [
        ("cargo test*", "cargo test -p core --no-run"),
        ("pytest", "pytest tests/test_a.py --collect-only"),
        ("pytest", "pytest $WHAT"),
        ("pytest", "pytest *"),
        ("pytest", "PYTEST_ADDOPTS=--co pytest"),
        ("cargo test*", "cargo test one || true"),
    ] {
        assert!(reach(pattern, command, true).is_err(), "{command}");
    }
    assert!(reach("go test ./...", "go test ./pkg/a", true).is_ok());
    assert!(reach("cargo test --workspace", "cargo test -p core", true).is_ok());
    assert!(!reach("go test", "go test", true).unwrap().below);
}

fn own() -> Profile {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let checks = OwnRunner {
        name: "run-checks".to_owned(),
        spellings: texts(&["./run-checks all", "pytest -q"]),
        formats: texts(&["checks"]),
        tops: texts(&["checks.toml"]),
        reading: OwnReading {
            idle: texts(&["--list"]),
            narrow: texts(&["--only*"]),
            ..OwnReading::default()
        },
        ..OwnRunner::default()
    };
    let format = OwnFormat {
        name: "checks".to_owned(),
        summary: texts(&["checks: <counts>"]),
        passed: texts(&["good"]),
        failed: texts(&["bad"]),
        names: texts(&["bad: <name>"]),
        ..OwnFormat::default()
    };
    let wrapper = OwnWrapper { words: "./in-docker".to_owned(), ..OwnWrapper::default() };
    Profile { runners: vec![checks], wrappers: vec![wrapper], formats: vec![format] }
}

#[test]
fn a_project_s_own_runner_counts_for_patterns_that_name_it() {
    let own = [own()];
    let counts = |pattern: &str, command: &str| {
        let awaited = Awaited::by(pattern, &own);
        let found = shell::ran(&shell::analyse(command), &awaited);
        found.map(|found| found.counts.is_ok())
    };
    for (command, expected) in [
        ("./run-checks all", Some(true)),
        ("timeout 60 ./run-checks all -v", Some(true)),
        ("./in-docker ./run-checks all", Some(true)),
        ("./run-checks all --list", Some(false)),
        ("./run-checks all --only=x", Some(false)),
        ("./run-checks all tests/a", Some(false)),
        ("./run-checks all || true", Some(false)),
        ("./run-checks some", None),
    ] {
        assert_eq!(counts("./run-checks all*", command), expected, "{command}");
    }
    assert_eq!(counts("pytest", "./in-docker pytest"), Some(true));
    assert_eq!(counts("pytest", "./run-checks all"), None);
    assert_eq!(counts("pytest -q", "pytest -q"), Some(true), "what is built in stays what it is");
    assert_eq!(Awaited::by("pytest -q", &own).runner(), Some("pytest"));
}

#[test]
fn a_project_s_own_format_is_read_and_changes_no_other() {
    let own = [own()];
    let read = |pattern: &str, output: &str| {
        let awaited = Awaited::by(pattern, &own);
        let mut tally = Tally::new(&awaited);
        tally.feed(output.as_bytes());
        tally.finish()
    };
    let own_output = "bad: login\nchecks: 4 good, 1 bad\n";
    let some = |passed, failed| Some(Tests { passed, failed, skipped: 0 });
    let counted = read("./run-checks all", own_output);
    assert_eq!((counted.tests, counted.failed), (some(4, 1), vec!["login".to_owned()]));
    assert_eq!(read("make test", own_output).tests, some(4, 1));
    assert_eq!(read("pytest", own_output).tests, None);
    assert_eq!(read("make test", "2 passed in 0.1s\n").tests, some(2, 0));
    assert_eq!(read("./run-checks all", "2 passed in 0.1s\n").tests, None);
}

#[test]
fn profiles_of_a_project_are_kept_as_they_are() {
    let text = serde_json::to_string(&own()).unwrap();
    assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), own());
}
