//! Points in time, as every record writes them: UTC, milliseconds, `Z`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since the Unix epoch, written as `2026-11-15T09:12:55.123Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(jiff::Timestamp);

/// A text is not a point in time, or not one of those that records can hold.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a time such as 2026-11-15T09:12:55.123Z")]
pub struct TimeError(String);

impl Timestamp {
    /// The point in time that lies `millis` after the Unix epoch.
    pub fn from_millis(millis: i64) -> Result<Self, TimeError> {
        jiff::Timestamp::from_millisecond(millis)
            .map(Self)
            .map_err(|_| TimeError(millis.to_string()))
    }

    /// The same, or the nearest point in time that can be written down.
    pub fn saturating_from_millis(millis: i64) -> Self {
        let last = jiff::Timestamp::MAX.as_millisecond();
        let first = jiff::Timestamp::MIN.as_millisecond();
        Self::from_millis(millis.clamp(first, last)).unwrap_or(Self(jiff::Timestamp::UNIX_EPOCH))
    }

    /// The point in time that another program wrote, with any offset and precision. One without an
    /// offset says nothing that holds elsewhere.
    pub fn lenient(text: &str) -> Option<Self> {
        let parsed: jiff::Timestamp = text.trim().parse().ok()?;
        Self::from_millis(parsed.as_millisecond()).ok()
    }

    /// Milliseconds since the Unix epoch.
    pub fn as_millis(self) -> i64 {
        self.0.as_millisecond()
    }

    /// The calendar day in UTC, as session ids begin with it: `2026-11-15`.
    pub fn day(self) -> String {
        self.to_string().chars().take(10).collect()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl FromStr for Timestamp {
    type Err = TimeError;

    // By hand: every state that a hook reads holds several, and always in this one form.
    fn from_str(text: &str) -> Result<Self, TimeError> {
        let parse = || {
            let bytes: &[u8; 24] = text.as_bytes().try_into().ok()?;
            let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'.')];
            let fits = marks.iter().all(|(place, mark)| bytes[*place] == *mark);
            let number = |from: usize, to: usize| {
                let digits = bytes.get(from..to)?;
                digits.iter().try_fold(0, |sum, digit| match digit {
                    b'0'..=b'9' => Some(sum * 10 + i16::from(digit - b'0')),
                    _ => None,
                })
            };
            let small = |from: usize| number(from, from + 2).and_then(|n| i8::try_from(n).ok());
            if !fits || bytes[23] != b'Z' {
                return None;
            }
            let date = jiff::civil::Date::new(number(0, 4)?, small(5)?, small(8)?).ok()?;
            let nanoseconds = i32::from(number(20, 23)?) * 1_000_000;
            let time = jiff::civil::Time::new(small(11)?, small(14)?, small(17)?, nanoseconds);
            let time = date.to_datetime(time.ok()?);
            jiff::tz::Offset::UTC.to_timestamp(time).ok().map(Self)
        };
        parse().ok_or_else(|| TimeError(text.to_owned()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_with_milliseconds_and_read_back() {
        let time = Timestamp::from_millis(1_794_734_575_000).unwrap();
        assert_eq!(time.to_string(), "2026-11-15T09:22:55.000Z");
        assert_eq!(time.day(), "2026-11-15");
        assert_eq!(time.to_string().parse::<Timestamp>().unwrap(), time);
    }

    #[test]
    fn another_spelling_of_a_time_is_refused() {
        for other in [
            "2026-11-15T09:22:55Z",
            "2026-11-15t09:22:55.000z",
            "2026-11-15T10:22:55.000+01:00",
            "yesterday",
        ] {
            assert!(other.parse::<Timestamp>().is_err(), "{other}");
        }
    }
}
