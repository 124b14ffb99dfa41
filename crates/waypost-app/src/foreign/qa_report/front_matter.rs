//! The front matter of a report: plain `key: value` lines between the first two lines of `---`.

use waypost_core::gate::facts::ReportVerdict;
use waypost_core::text::{one_line, shortened};

use super::{Field, Fields, spelt, verdict};

/// Front matter of more lines than this is none.
const MAX_LINES: usize = 200;
/// The names under which it gives its verdict, the one that counts first.
const VERDICTS: &[&str] = &["qaverdict", "verdict", "qastatus", "status", "result"];

/// The fields, and what stands behind them.
pub(super) fn parse(text: &str) -> (Fields, &str) {
    let none = (Fields::new(), text);
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return none };
    let mut read = first.len();
    let mut fields = Fields::new();
    for (number, line) in (2..).zip(lines.take(MAX_LINES)) {
        read += line.len();
        let line = line.trim_end();
        if matches!(line, "---" | "...") {
            return (fields, &text[read..]);
        }
        // What is indented belongs to a field above, and is no field of its own.
        if line.starts_with([' ', '\t', '#', '-']) {
            continue;
        }
        if let Some((key, value)) = line.split_once(':') {
            let value = value.split(" #").next().unwrap_or_default().trim();
            let value = shortened(&one_line(value.trim_matches(['"', '\''])), 200);
            // Of two fields of one name, the first is what people read.
            fields.entry(one_line(key)).or_insert(Field { value, line: number });
        }
    }
    // It never ended, so it never was one.
    none
}

/// The verdict that the front matter gives.
pub(super) fn verdict(text: &str, fields: &Fields) -> Option<ReportVerdict> {
    debug_assert!(fields.is_empty() || text.starts_with("---"));
    let named = |name: &&str| fields.iter().find(|(key, _)| spelt(key) == **name);
    let (_, field) = VERDICTS.iter().find_map(named)?;
    verdict::said(&field.value, field.line)
}
