//! Reports: files that say in their front matter how something went.

use std::collections::BTreeMap;
use std::path::Path;

use waypost_core::gate::facts::FoundReport;
use waypost_core::text::{one_line, shortened};

use crate::machine::matching;

const MAX_BYTES: u64 = 1024 * 1024;
/// Front matter of more lines than this is none.
const MAX_LINES: usize = 200;

/// The reports that fit `pattern`, with their front matter.
pub(super) fn fitting(root: &Path, pattern: &str) -> Vec<FoundReport> {
    let found = matching::fitting(root, pattern).into_iter();
    found
        .map(|file| {
            let content = waypost_store::files::read(&root.join(&file.path), MAX_BYTES);
            let content = content.ok().flatten().unwrap_or_default();
            let fields = parse(&String::from_utf8_lossy(&content));
            FoundReport { path: file.path, fields }
        })
        .collect()
}

/// The plain `key: value` lines between the first two lines of `---`.
fn parse(text: &str) -> BTreeMap<String, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return BTreeMap::new();
    }
    let mut fields = BTreeMap::new();
    for line in lines.take(MAX_LINES) {
        if matches!(line.trim_end(), "---" | "...") {
            return fields;
        }
        // What is indented belongs to a field above, and is no field of its own.
        if line.starts_with([' ', '\t', '#', '-']) {
            continue;
        }
        if let Some((key, value)) = line.split_once(':') {
            let value = value.split(" #").next().unwrap_or_default().trim();
            let value = value.trim_matches(['"', '\'']);
            fields.insert(one_line(key), shortened(&one_line(value), 200));
        }
    }
    // It never ended, so it never was one.
    BTreeMap::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_lines_between_the_marks_are_fields() {
        let fields =
            parse("---\nverdict: PASS # really\nqa:\n  verdict: FAIL\nby: \"me\"\n---\nx: y\n");
        assert_eq!(fields["verdict"], "PASS");
        assert_eq!(fields["by"], "me");
        assert_eq!(fields.get("x"), None);
        assert!(parse("verdict: PASS\n").is_empty());
        assert!(parse("---\nverdict: PASS\n").is_empty());
    }
}
