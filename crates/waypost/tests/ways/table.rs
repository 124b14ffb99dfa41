//! The table in the documentation: written, read and compared by its parts.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

use crate::play::{Came, Way};

const HEAD: &str = "\n| way | what comes of it | test | real client |\n|---|---|---|---|\n";

/// Tests of one process write their parts one after the other.
static WRITING: Mutex<()> = Mutex::new(());

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/ways-around.md")
}

/// Whether the table is written anew, not compared.
pub(crate) fn is_written() -> bool {
    std::env::var_os("WAYPOST_UPDATE").is_some()
}

/// One line of the table.
pub(crate) fn line(way: &Way, came: &Came, test: &str) -> String {
    let came = match came {
        Came::Stopped(how) => format!("**stopped**: {how}"),
        Came::Seen(how) => format!("**seen**: {how}"),
        Came::Missed(why) => format!("**missed**: {why}"),
    };
    let real = if way.real.is_empty() { String::new() } else { format!("`{}`", way.real) };
    format!("| {} | {} | `ways::{test}` | {real} |\n", escaped(way.title), escaped(&came))
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Compares a part of the table with what was played, or writes it.
pub(crate) fn compare(heading: &str, lines: &[String]) {
    let _writing = WRITING.lock().unwrap();
    let text = fs::read_to_string(file()).unwrap();
    let made = format!("{HEAD}{}", lines.concat());
    let (before, rest) = text
        .split_once(&format!("\n## {heading}\n"))
        .unwrap_or_else(|| panic!("docs/ways-around.md has no part \"{heading}\""));
    let end = rest.find("\n## ").unwrap_or(rest.len());
    if is_written() {
        fs::write(file(), format!("{before}\n## {heading}\n{made}{}", &rest[end..])).unwrap();
        return;
    }
    let (found, wanted): (Vec<&str>, Vec<&str>) =
        (made.lines().collect(), rest[..end].lines().collect());
    assert_eq!(found, wanted, "docs/ways-around.md is not what was played: WAYPOST_UPDATE=1");
}

/// The ways that it has, in order.
pub(crate) fn titles() -> Vec<String> {
    let text = fs::read_to_string(file()).unwrap().replace("\\|", "\u{0}");
    let rows = text.lines().filter(|line| line.starts_with("| ") && line.contains("`ways::"));
    rows.map(|line| line.split('|').nth(1).unwrap().trim().replace('\u{0}', "|")).collect()
}
