//! Times as other programs write them: with an offset, without one, as days, or as seconds since the epoch.

use std::cell::Cell;

use serde_json::Value;
use waypost_core::time::Timestamp;

/// What is said of a session that has times of day without a time zone.
pub const LOCAL_TIMES: &str = "times without a time zone are taken as local times of this machine";

/// A day has so many characters: `2026-11-15`. What is longer says a time of day.
const DAY: usize = 10;

/// How times are read. Those without an offset are local ones of the machine that wrote them, and mostly that is this
/// one.
pub struct Times<'a> {
    /// By how many seconds clocks on this machine are ahead of UTC at a time.
    offset: &'a dyn Fn(Timestamp) -> i32,
    naive: Cell<bool>,
}

impl std::fmt::Debug for Times<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Times").field("naive", &self.naive).finish_non_exhaustive()
    }
}

impl<'a> Times<'a> {
    /// Times of a machine whose clocks are so far ahead of UTC.
    pub fn new(offset: &'a dyn Fn(Timestamp) -> i32) -> Self {
        Self { offset, naive: Cell::new(false) }
    }

    /// The time that a text says. A day is its beginning.
    pub fn read(&self, text: &str) -> Option<Timestamp> {
        let text = text.trim();
        if let Some(time) = Timestamp::lenient(text) {
            return Some(time);
        }
        let naive = text
            .parse::<jiff::civil::DateTime>()
            .or_else(|_| text.parse::<jiff::civil::Date>().map(|day| day.at(0, 0, 0, 0)));
        let as_utc = naive.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        let as_utc = Timestamp::from_millis(as_utc.timestamp().as_millisecond()).ok()?;
        // Days are days wherever somebody is.
        self.naive.set(self.naive.get() || text.len() > DAY);
        // The offset of that time is asked for twice: near a change of clocks the first answer is for another hour.
        let local = |guess: Timestamp| {
            let offset = i64::from((self.offset)(guess)) * 1000;
            Timestamp::from_millis(as_utc.as_millis() - offset).ok()
        };
        local(local(as_utc)?)
    }

    /// The time that a value says: a text, or seconds since the epoch.
    pub fn value(&self, value: &Value) -> Option<Timestamp> {
        match value {
            Value::String(text) => self.read(text),
            Value::Number(number) => seconds(number.as_f64()?),
            _ => None,
        }
    }

    /// Whether a time of day without an offset was read since this was last asked.
    pub fn took_naive(&self) -> bool {
        self.naive.take()
    }
}

/// So many seconds since the epoch, as far as that is a time that anybody wrote.
fn seconds(seconds: f64) -> Option<Timestamp> {
    let millis = (seconds * 1000.0).round();
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
    let whole = (millis.abs() < 1e15).then_some(millis as i64)?;
    Timestamp::from_millis(whole).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_read_however_they_are_written() {
        let ahead = |_: Timestamp| 3600;
        let times = Times::new(&ahead);
        let read = |text: &str| times.read(text).map(|time| time.to_string());
        assert_eq!(read("2025-11-05T13:50:00.025598+00:00").unwrap(), "2025-11-05T13:50:00.025Z");
        assert!(!times.took_naive());
        assert_eq!(read("2025-11-05T13:50:00.025598").unwrap(), "2025-11-05T12:50:00.025Z");
        assert!(times.took_naive() && !times.took_naive());
        assert_eq!(read("2025-11-05 13:50").unwrap(), "2025-11-05T12:50:00.000Z");
        assert!(times.took_naive());
        assert_eq!(read("2025-11-05").unwrap(), "2025-11-04T23:00:00.000Z");
        assert!(!times.took_naive(), "a day is no time of day");
        assert_eq!(read("yesterday"), None);
        let of = |value| times.value(&value).map(|time| time.to_string());
        assert_eq!(of(json!(1_794_729_325)).unwrap(), "2026-11-15T07:55:25.000Z");
        assert_eq!(of(json!(1e300)), None);
        assert_eq!(of(json!(null)), None);
    }
}
