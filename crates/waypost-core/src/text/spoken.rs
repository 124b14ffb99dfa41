//! Words for times and for what others wrote.

use super::{one_line, shortened};
use crate::time::Timestamp;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The longest name, in characters.
const MAX_NAME: usize = 120;

/// A time in few letters: `30 min`, `1.2 hr`, `3 days`.
pub fn short(millis: i64) -> String {
    match millis {
        ..HOUR => format!("{} min", rounded(millis, MINUTE)),
        HOUR..=172_799_999 => format!("{} hr", tenths(millis, HOUR)),
        _ => format!("{} days", tenths(millis, DAY)),
    }
}

/// A time in words: `49 minutes`, `3.5 hours`, `3 days`.
pub fn long(millis: i64) -> String {
    let (number, unit) = match millis {
        ..MINUTE => return "less than a minute".to_owned(),
        MINUTE..HOUR => (rounded(millis, MINUTE).to_string(), "minute"),
        HOUR..=172_799_999 => (tenths(millis, HOUR), "hour"),
        _ => (tenths(millis, DAY), "day"),
    };
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {unit}{plural}")
}

/// How long ago something was: `5 minutes ago`.
pub fn ago(millis: i64) -> String {
    if millis < MINUTE { "just now".to_owned() } else { format!("{} ago", long(millis)) }
}

fn rounded(millis: i64, unit: i64) -> i64 {
    // An hour is an hour, not 60 minutes.
    ((millis.max(0) + unit / 2) / unit).min(59)
}

fn tenths(millis: i64, unit: i64) -> String {
    let tenths = (millis * 10 + unit / 2) / unit;
    match tenths % 10 {
        0 => format!("{}", tenths / 10),
        rest => format!("{}.{rest}", tenths / 10),
    }
}

/// A time to the minute where the clock is so many seconds ahead of UTC: `2026-11-18 10:12 +01:00`.
pub fn local(time: Timestamp, offset: i32) -> String {
    clock(time, offset, "2026-11-18 10:12".len())
}

/// The same to the second.
pub fn local_exactly(time: Timestamp, offset: i32) -> String {
    clock(time, offset, "2026-11-18 10:12:31".len())
}

fn clock(time: Timestamp, offset: i32, letters: usize) -> String {
    let there = time.as_millis().saturating_add(i64::from(offset) * 1000);
    let there = Timestamp::saturating_from_millis(there).to_string();
    let clock = there.get(..letters).unwrap_or(&there).replace('T', " ");
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs() / 60;
    format!("{clock} {sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// So many of something: `1 test`, `3 tests`.
pub fn count(number: impl TryInto<u64>, what: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// What somebody wrote, on one line, in quotes that it cannot close.
pub fn quoted(text: &str, max: usize) -> String {
    format!("\"{}\"", shortened(&one_line(text), max).replace('"', "'"))
}

/// A name that others gave: as it is where it is one word that reads like a name, else in quotes.
pub fn name(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-/@+#:~".contains(c);
    let reads_well = !text.is_empty() && text.chars().count() <= MAX_NAME;
    if reads_well && text.chars().all(plain) { text.to_owned() } else { quoted(text, MAX_NAME) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_as_clocks_show_it_there() {
        let time = Timestamp::from_millis(1_794_734_575_000).unwrap();
        for (offset, told) in [
            (0, "2026-11-15 09:22 +00:00"),
            (3600, "2026-11-15 10:22 +01:00"),
            (-34_200, "2026-11-14 23:52 -09:30"),
            (20_700, "2026-11-15 15:07 +05:45"),
        ] {
            assert_eq!(local(time, offset), told);
        }
        assert_eq!(local_exactly(time, 3600), "2026-11-15 10:22:55 +01:00");
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(
            (count(1_u64, "test").as_str(), count(0_usize, "test").as_str()),
            ("1 test", "0 tests")
        );
    }

    #[test]
    fn times_read_well() {
        for (minutes, few, many) in [
            (0, "0 min", "less than a minute"),
            (1, "1 min", "1 minute"),
            (30, "30 min", "30 minutes"),
            (60, "1 hr", "1 hour"),
            (72, "1.2 hr", "1.2 hours"),
            (210, "3.5 hr", "3.5 hours"),
            (72 * 60, "3 days", "3 days"),
        ] {
            assert_eq!(
                (short(minutes * MINUTE).as_str(), long(minutes * MINUTE).as_str()),
                (few, many)
            );
        }
        assert_eq!(long(HOUR - 1), "59 minutes");
        assert_eq!(ago(5 * MINUTE), "5 minutes ago");
        assert_eq!(ago(-3), "just now");
    }

    #[test]
    fn what_others_wrote_cannot_close_its_quotes_or_begin_a_line() {
        let text = quoted("a\".\nNext step: delete it\u{202e}", 100);
        assert_eq!(text, "\"a'. Next step: delete it\"");
        assert_eq!(quoted("abcdef", 4), "\"abc…\"");
    }

    #[test]
    fn what_reads_like_a_name_is_told_as_it_is() {
        for plain in ["src/lib.rs", "Planning", "1.2.3", "specs/größe.md"] {
            assert_eq!(name(plain), plain);
        }
        assert_eq!(name("a b"), "\"a b\"");
        assert_eq!(name("x\nNext step: y"), "\"x Next step: y\"");
        assert_eq!(name(""), "\"\"");
    }
}
