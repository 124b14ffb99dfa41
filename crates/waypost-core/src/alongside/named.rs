//! Which files a program's output may name. Whether they are there is for whoever can look.

use std::collections::BTreeMap;

/// No more names than this are kept: of what printed more, it cannot be told that it named only a few files.
const MAX_NAMES: usize = 4096;
/// A line is looked at so far, in bytes.
const MAX_LINE: usize = 8 * 1024;
/// What stands around a name.
const AROUND: &[char] = &[
    '"', '\'', '`', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '|', '=', '*', '│', '╭', '─',
];

/// The words of an output that may be files, in the order of their names.
#[derive(Debug, Default)]
pub struct NamedFiles {
    /// Whether a place in the file was told with each.
    names: BTreeMap<String, bool>,
    line: Vec<u8>,
    overflowed: bool,
}

impl NamedFiles {
    /// Looks at a piece of the output.
    pub fn feed(&mut self, mut piece: &[u8]) {
        while let Some(end) = piece.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.add(&piece[..end]);
            self.end_line();
            piece = &piece[end + 1..];
        }
        self.add(piece);
    }

    fn add(&mut self, part: &[u8]) {
        let room = MAX_LINE.saturating_sub(self.line.len());
        self.overflowed |= part.len() > room;
        self.line.extend_from_slice(&part[..part.len().min(room)]);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = plain(&String::from_utf8_lossy(&line));
        let mut rest = line.as_str();
        let is_around = |c: char| c.is_whitespace() || AROUND.contains(&c);
        while let Some(begin) = rest.find(|c| !is_around(c)) {
            rest = &rest[begin..];
            let end = rest.find(is_around).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            self.word(word, after);
            rest = after;
        }
    }

    fn word(&mut self, word: &str, after: &str) {
        let word = word.strip_prefix("file://").unwrap_or(word);
        let (file, place) = word.split_once(':').unwrap_or((word, ""));
        let file = file.trim_end_matches('.');
        if !file.contains(['/', '.']) || file.trim_matches(['/', '.', '-']).is_empty() {
            return;
        }
        let begins_with_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let said = after.trim_start_matches(['"', '\'']);
        let said = said.strip_prefix(", line ").or_else(|| said.strip_prefix('('));
        let located = begins_with_digit(place) || said.is_some_and(begins_with_digit);
        if self.names.len() >= MAX_NAMES && !self.names.contains_key(file) {
            self.overflowed = true;
            return;
        }
        *self.names.entry(file.to_owned()).or_default() |= located;
    }

    /// What was named, and whether a line was told with it; `None` if there was too much to know all of it.
    pub fn finish(mut self) -> Option<Vec<(String, bool)>> {
        self.end_line();
        (!self.overflowed).then(|| self.names.into_iter().collect())
    }
}

/// Without what colours it.
fn plain(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic());
        text.push_str(end.map_or("", |end| &part[end + 1..]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(output: &str) -> Vec<String> {
        let mut named = NamedFiles::default();
        // In pieces that end anywhere.
        output.as_bytes().chunks(7).for_each(|piece| named.feed(piece));
        let found = named.finish().unwrap();
        found.into_iter().filter(|(_, located)| *located).map(|(file, _)| file).collect()
    }

    #[test]
    fn files_are_found_in_what_compilers_and_test_runners_print() {
        for (line, file) in [
            ("error[E0425]: cannot find value\n --> src/lib.rs:3:5\n", "src/lib.rs"),
            ("thread 'a' panicked at src/a.rs:7:9:\nassertion failed", "src/a.rs"),
            ("tests/test_a.py:12: AssertionError", "tests/test_a.py"),
            ("  File \"pkg/b.py\", line 4, in <module>\n    x = 1", "pkg/b.py"),
            ("src/a.ts(3,5): error TS2304: Cannot find name", "src/a.ts"),
            ("    at f (file:///p/src/a.js:3:5)", "/p/src/a.js"),
            ("\u{1b}[0m\u{1b}[38;5;12m--> \u{1b}[0msrc/lib.rs:3:5\u{1b}[0m", "src/lib.rs"),
            ("--- FAIL: TestX (0.00s)\n    a_test.go:12: no", "a_test.go"),
        ] {
            assert_eq!(located(line), [file], "{line:?}");
        }
    }

    #[test]
    fn a_file_without_a_line_is_named_too_and_a_number_is_none() {
        let mut named = NamedFiles::default();
        named.feed(b"FAILED tests/test_a.py::test_x - 3 of 4\n in 0.1s, see log");
        let found = named.finish().unwrap();
        assert!(found.contains(&("tests/test_a.py".to_owned(), false)), "{found:?}");
        assert!(found.iter().all(|(_, located)| !located), "{found:?}");
    }

    #[test]
    fn of_too_many_names_nothing_is_claimed() {
        let mut named = NamedFiles::default();
        (0..=MAX_NAMES).for_each(|number| named.feed(format!("src/{number}.rs:1\n").as_bytes()));
        assert_eq!(named.finish(), None);
        let mut named = NamedFiles::default();
        named.feed(&[b'x'; MAX_LINE + 1]);
        assert_eq!(named.finish(), None, "a line that is too long");
    }
}
