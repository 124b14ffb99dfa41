//! What others wrote, so that it stays in its place in a table or a list.

use crate::text::{is_hidden, one_line, shortened};

/// How much of a text stands in a line, in characters.
const MAX_LINE: usize = 500;
/// How much of one stands in a cell.
const MAX_CELL: usize = 200;

/// A text as part of a line: it can neither end the line nor begin another block.
pub(super) fn line(text: &str) -> String {
    let plain: String = one_line(text).chars().filter(|c| !is_hidden(*c)).collect();
    shortened(plain.trim(), MAX_LINE).replace("```", "'''")
}

/// A text as a cell of a table: it can neither end the cell nor the row.
pub(super) fn cell(text: &str) -> String {
    let escaped = |c: char| match c {
        '|' => "\\|".to_owned(),
        '\\' => "\\\\".to_owned(),
        c => c.to_string(),
    };
    shortened(&line(text), MAX_CELL).chars().map(escaped).collect()
}
