//! The table of lines, and what it means.

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
        } else if let Some((sign @ ("+" | "-" | "?"), command)) = line.split_once(' ') {
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
        let found = shell::ran(&shell::analyse(&command), &pattern).map(|found| found.counts);
        let shown = match &found {
            Some(Ok(())) => '+',
            Some(Err(_)) => '-',
            None => '?',
        };
        if shown != sign {
            wrong.push(format!("{pattern}: {command}\n    {sign} is wanted, and it is {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
}
