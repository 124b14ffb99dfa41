//! Markdown line by line, as checklists and reports are written: headings, rows of tables, items with
//! boxes, other text; each with its number. What stands in code blocks and comments is left out. A
//! pipe inside code parts no cells, other than in the standard, because nobody means it to.

use super::words::{beginning, plain};

/// No more lines than this are looked at.
const MAX_LINES: usize = 50_000;
/// No more cells than this are told apart in a row.
const MAX_CELLS: usize = 32;
/// A row is looked at so far, in bytes: looking for the ends of code takes longer than the row is.
const MAX_ROW: usize = 16 * 1024;

/// Signs that people put where others put a box.
const SIGNS: &[char] =
    &['✅', '✓', '✔', '☑', '❌', '✗', '✘', '☐', '⬜', '⚠', '⏳', '⏸', '⏭', '🔴', '🟡', '🟢'];

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Its number, from 1.
    pub(super) number: u64,
    /// What it is.
    pub(super) kind: LineKind,
}

/// What a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineKind {
    /// A heading of a level from 1, and its text.
    Heading(usize, String),
    /// A row of a table.
    Row(Vec<String>),
    /// The line between a table's head and its rows.
    Delimiter,
    /// A line with a box, or with a sign in its place: that, and what stands behind it.
    Box(String, String),
    /// Any other text, without what marks a list or a quotation.
    Text(String),
    /// Nothing.
    Blank,
}

/// The lines of a text.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Those that count.
    pub(super) lines: Vec<Line>,
    /// Where a code block begins that never ends.
    pub(super) unclosed: Option<u64>,
}

/// Takes a text apart.
pub(super) fn lines(text: &str) -> Lines {
    taken_apart(text, false)
}

/// The same, and what stands in code blocks counts too.
pub(super) fn lines_and_code(text: &str) -> Lines {
    taken_apart(text, true)
}

fn taken_apart(text: &str, with_code: bool) -> Lines {
    let mut found = Lines::default();
    let mut fence: Option<(char, usize, u64)> = None;
    let mut comment = false;
    for (number, line) in (1..).zip(text.lines().take(MAX_LINES)) {
        let mark = fence_of(line);
        if let Some((c, length, _)) = fence {
            let ends = mark.is_some_and(|(other, run, bare)| other == c && run >= length && bare);
            fence = fence.filter(|_| !ends);
            if with_code && !ends {
                found.lines.push(Line { number, kind: kind(line) });
            }
            continue;
        }
        let line = without_comments(line, &mut comment);
        if let Some((c, length, _)) = mark.filter(|_| !comment) {
            fence = Some((c, length, number));
            continue;
        }
        found.lines.push(Line { number, kind: kind(&line) });
    }
    found.unclosed = fence.map(|(_, _, number)| number);
    found
}

/// The sign, the length and whether nothing follows, where a line begins or ends a code block.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let line = line.trim_start();
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let run = line.chars().take_while(|c| *c == first).count();
    let rest = &line[run..];
    // With a backtick behind it, it is code within a line.
    let begins = run >= 3 && !(first == '`' && rest.contains('`'));
    begins.then(|| (first, run, rest.trim().is_empty()))
}

/// A line without what stands in comments; whether one is open then.
fn without_comments(line: &str, open: &mut bool) -> String {
    let mut left = String::new();
    let mut rest = line;
    loop {
        if *open {
            let Some((_, after)) = rest.split_once("-->") else { return left };
            (*open, rest) = (false, after);
        }
        let Some((before, after)) = rest.split_once("<!--") else {
            left.push_str(rest);
            return left;
        };
        left.push_str(before);
        (*open, rest) = (true, after);
    }
}

fn kind(line: &str) -> LineKind {
    let text = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>').trim_end();
    if text.is_empty() {
        return LineKind::Blank;
    }
    if let Some(heading) = heading(text) {
        return heading;
    }
    if let Some(row) = row(text) {
        return row;
    }
    let text = without_bullet(text);
    if let Some(sign) = text.chars().next().filter(|c| SIGNS.contains(c)) {
        let behind = text[sign.len_utf8()..].trim_start_matches('\u{fe0f}').trim();
        return LineKind::Box(sign.to_string(), behind.to_owned());
    }
    match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        // More than a few signs are a link's text.
        Some((within, behind))
            if within.chars().count() <= 8 && !behind.starts_with(['(', '[', ':']) =>
        {
            LineKind::Box(format!("[{within}]"), behind.trim().to_owned())
        }
        _ => LineKind::Text(text.to_owned()),
    }
}

/// A row of a table. The pipe before it may be missing where it names a level.
fn row(text: &str) -> Option<LineKind> {
    let piped = text.starts_with('|');
    if !piped && !text.contains(" | ") {
        return None;
    }
    let cells = cells(text);
    let rule = |cell: &String| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':'));
    if cells.iter().all(rule) && (piped || cells.len() > 1) {
        return Some(LineKind::Delimiter);
    }
    let level = ["must", "must not", "shall", "should", "may"].contains(&plain(&cells[0]).as_str());
    (piped || (cells.len() > 2 && level)).then_some(LineKind::Row(cells))
}

fn heading(text: &str) -> Option<LineKind> {
    let level = text.chars().take_while(|c| *c == '#').count();
    let rest = &text[level..];
    let is_one = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_one.then(|| LineKind::Heading(level, rest.trim().trim_end_matches('#').trim().to_owned()))
}

/// A line without what makes it an item of a list.
fn without_bullet(text: &str) -> &str {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => text.strip_prefix(['-', '*', '+']),
        _ => text[digits..].strip_prefix(['.', ')']),
    };
    match rest {
        Some(rest) if rest.starts_with([' ', '\t']) => rest.trim_start(),
        _ => text,
    }
}

/// The cells of a table's row.
pub(super) fn cells(row: &str) -> Vec<String> {
    let row = beginning(row, MAX_ROW).trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = vec![String::new()];
    let mut rest = row;
    while let Some(c) = rest.chars().next() {
        let run = rest.chars().take_while(|other| *other == '`').count();
        let taken = match c {
            '`' => run + code_after(&rest[run..], run).unwrap_or(0),
            // What is escaped is itself, and parts nothing.
            '\\' if rest[1..].starts_with('|') => {
                rest = &rest[1..];
                1
            }
            '|' if cells.len() < MAX_CELLS => {
                cells.push(String::new());
                rest = &rest[1..];
                continue;
            }
            c => c.len_utf8(),
        };
        if let Some(cell) = cells.last_mut() {
            cell.push_str(&rest[..taken]);
        }
        rest = &rest[taken..];
    }
    let mut cells: Vec<String> = cells.iter().map(|cell| cell.trim().to_owned()).collect();
    // The pipe at the end closes the last cell.
    if cells.len() > 1 && cells.last().is_some_and(String::is_empty) && row.ends_with('|') {
        cells.pop();
    }
    cells
}

/// How long the code is that so many backticks opened, the closing ones included; `None` if they
/// open none.
fn code_after(text: &str, opened: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let run = text[start..].bytes().take_while(|byte| *byte == b'`').count();
        if run == opened {
            return Some(start + run);
        }
        at = start + run;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<LineKind> {
        let found = lines(text).lines.into_iter().map(|line| line.kind);
        found.filter(|kind| *kind != LineKind::Blank).collect()
    }

    #[test]
    fn pipes_in_code_part_no_cells() {
        for (row, expected) in [
            ("| MUST | Run `a | b` | [ ] | |", vec!["MUST", "Run `a | b`", "[ ]", ""]),
            ("| `` a ` | b `` | c |", vec!["`` a ` | b ``", "c"]),
            ("| an odd ` tick | c |", vec!["an odd ` tick", "c"]),
            ("| a \\| b | c |", vec!["a | b", "c"]),
            ("| a | b", vec!["a", "b"]),
            ("|", vec![""]),
        ] {
            assert_eq!(cells(row), expected, "{row}");
        }
    }

    #[test]
    fn code_and_comments_are_left_out() {
        let text = "# T\n```md\n## no\n| MUST | x | [ ] |\n```\n<!-- ## no\n- [ ] no -->\n~~~\n```\n\
                    ~~~\n- [x] yes <!-- no -->\n";
        let expected = vec![
            LineKind::Heading(1, "T".to_owned()),
            LineKind::Box("[x]".to_owned(), "yes".to_owned()),
        ];
        assert_eq!(kinds(text), expected);
        let open = lines("a\n```\nb\n");
        assert_eq!((open.lines.len(), open.unclosed), (1, Some(2)));
        assert_eq!(kinds("```x``` in a line"), [LineKind::Text("```x``` in a line".to_owned())]);
    }

    #[test]
    fn lines_are_told_apart() {
        for (line, expected) in [
            ("  1. [ ] a", LineKind::Box("[ ]".to_owned(), "a".to_owned())),
            ("> **Status**: x", LineKind::Text("**Status**: x".to_owned())),
            ("|---|:-:|", LineKind::Delimiter),
            ("--- | :---", LineKind::Delimiter),
            ("MUST | a | [x]", LineKind::Row(["MUST", "a", "[x]"].map(str::to_owned).to_vec())),
            ("a | b | c", LineKind::Text("a | b | c".to_owned())),
            ("[a](b)", LineKind::Text("[a](b)".to_owned())),
            ("- [PASS] fine", LineKind::Box("[PASS]".to_owned(), "fine".to_owned())),
            ("- ⚠️ later", LineKind::Box("⚠".to_owned(), "later".to_owned())),
            ("#hash", LineKind::Text("#hash".to_owned())),
            ("**bold**", LineKind::Text("**bold**".to_owned())),
        ] {
            assert_eq!(kinds(line), [expected], "{line}");
        }
    }
}
