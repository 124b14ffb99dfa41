//! The table of outputs, and what it means.

use proptest::prelude::*;

use super::{Counted, Tally, Tests};
use crate::runner::Awaited;

/// An output of the table: the pattern that it is read for, and what it should say.
struct Output {
    pattern: &'static str,
    tests: Option<Tests>,
    failed: Vec<String>,
    text: String,
}

/// `@@ PATTERN` begins an output, `@= 5 passed, 1 failed` tells what it says, `@! NAME` which test failed.
fn table() -> Vec<Output> {
    let mut outputs: Vec<Output> = Vec::new();
    for line in include_str!("../outputs.txt").lines() {
        if let Some(pattern) = line.strip_prefix("@@ ") {
            outputs.push(Output { pattern, tests: None, failed: Vec::new(), text: String::new() });
            continue;
        }
        let Some(output) = outputs.last_mut() else {
            assert!(line.is_empty() || line.starts_with('#'), "not a line of the table: {line}");
            continue;
        };
        if let Some(told) = line.strip_prefix("@= ") {
            output.tests = told_tests(told);
        } else if let Some(name) = line.strip_prefix("@! ") {
            output.failed.push(name.to_owned());
        } else {
            let line = line.replace("\\e", "\u{1b}").replace("\\r", "\r").replace("\\t", "\t");
            output.text.push_str(&line);
            output.text.push('\n');
        }
    }
    outputs
}

fn told_tests(told: &str) -> Option<Tests> {
    let mut tests = Tests::default();
    match told {
        "unknown" => return None,
        "nothing" => return Some(tests),
        _ => {}
    }
    for count in told.split(", ") {
        let (count, word) = count.split_once(' ').expect("a number and a word");
        let count = count.parse().expect("a number");
        match word {
            "passed" => tests.passed = count,
            "failed" => tests.failed = count,
            "skipped" => tests.skipped = count,
            other => panic!("no word of the table: {other}"),
        }
    }
    Some(tests)
}

fn read(pattern: &str, pieces: &[&[u8]]) -> Counted {
    let awaited = Awaited::by(pattern, &[]);
    let mut tally = Tally::new(&awaited);
    for piece in pieces {
        tally.feed(piece);
    }
    tally.finish()
}

#[test]
fn every_output_of_the_table_means_what_it_says() {
    let mut wrong = Vec::new();
    for Output { pattern, tests, failed, text } in table() {
        let found = read(pattern, &[text.as_bytes()]);
        if (found.tests, &found.failed) != (tests, &failed) {
            wrong.push(format!("@@ {pattern}\n{text}\n--> {found:?}\nnot {tests:?} {failed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} outputs:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Where a task runner calls it, the same output says the same, as far as counts go.
#[test]
fn every_output_means_the_same_where_any_format_may_come() {
    let mut wrong = Vec::new();
    for Output { pattern, tests, text, .. } in table() {
        let found = read("make test", &[text.as_bytes()]);
        if found.tests != tests {
            wrong.push(format!("@@ {pattern}\n{text}\n--> {found:?}\nnot {tests:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} outputs:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn what_never_ends_is_read_in_bounded_memory() {
    let awaited = Awaited::by("pytest", &[]);
    let mut tally = Tally::new(&awaited);
    for _ in 0..1000 {
        tally.feed(&[b'x'; 4096]);
    }
    for test in 0..5000 {
        let name = "n".repeat(400);
        tally.feed(format!("\nFAILED a.py::test_{test}{name} - x").as_bytes());
    }
    tally.feed(b"\n==== 5000 failed in 1.00s ====");
    let Counted { tests, failed, .. } = tally.finish();
    assert_eq!(tests, Some(Tests { failed: 5000, ..Tests::default() }));
    assert_eq!(failed.len(), 1000);
    assert!(failed.iter().all(|name| name.chars().count() <= 300));
}

#[test]
fn bytes_that_are_no_text_hide_no_summary() {
    let output =
        b"\xff\xfe\x00 junk \x1b[31\n\x1b]0;title\x07\x1b[1m=== \x1b(B3 passed in 0.1s ===\r\n\xc3";
    assert_eq!(read("pytest", &[output]).tests, Some(Tests { passed: 3, ..Tests::default() }));
}

proptest! {
    #[test]
    fn pieces_of_any_size_say_the_same(
        which in any::<prop::sample::Index>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        noise in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let outputs = table();
        let Output { pattern, text, .. } = which.get(&outputs);
        let bytes = [noise.as_slice(), text.as_bytes(), noise.as_slice()].concat();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        at.extend([0, bytes.len()]);
        at.sort_unstable();
        let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(read(pattern, &pieces), read(pattern, &[&bytes]));
    }
}

#[test]
fn whoever_stops_at_a_failure_says_so() {
    let cargo = "test result: FAILED. 1 passed; 1 failed; 0 ignored\n\n\
                 error: test failed, to rerun pass `--lib`\n";
    let all = format!("{cargo}error: 1 target failed:\n    `--lib`\n");
    for (pattern, text, stopped) in [
        ("cargo test", cargo, true),
        ("cargo test", all.as_str(), false),
        ("cargo nextest run", "warning: 3/10 tests were not run due to test failure\n", true),
        ("cargo nextest run", "  Cancelling due to test failure: 2 tests still running\n", true),
        ("pytest", "!!!!!!!! stopping after 1 failures !!!!!!!!\n", true),
        ("pytest", "!!!!!! Interrupted: 1 error during collection !!!!!!\n", true),
        ("pytest", "1 failed, 2 passed in 0.1s\n", false),
    ] {
        assert_eq!(read(pattern, &[text.as_bytes()]).stopped, stopped, "{pattern}: {text}");
    }
}
