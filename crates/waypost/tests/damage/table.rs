//! The table of damages in the documentation.

use std::collections::BTreeMap;

const DOCS: &str = include_str!("../../../../docs/storage.md");

fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_matches('|');
    inner.split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect()
}

/// The lines of the table, the names of the damages first.
fn lines() -> Vec<Vec<String>> {
    let lines = DOCS.lines().skip_while(|line| !line.starts_with("| file | gone |"));
    lines.take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// The files that it has.
pub(crate) fn files() -> Vec<String> {
    lines().into_iter().skip(2).map(|mut cells| cells.remove(0)).collect()
}

/// What comes of each damage of a file.
pub(crate) fn row(file: &str) -> BTreeMap<String, String> {
    let lines = lines();
    let names = lines[0].iter().skip(1).cloned();
    let row = lines.iter().find(|cells| cells[0] == file);
    names.zip(row.into_iter().flatten().skip(1).cloned()).collect()
}
