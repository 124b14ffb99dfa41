//! From when on something counts, as people say it.

use std::str::FromStr;

use waypost_core::cost::day_after;
use waypost_core::time::Timestamp;

use super::local_time::midnight;

/// A day in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// From when on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    /// From a time on.
    At(Timestamp),
    /// From the beginning of a day on, which is told as if clocks here showed UTC.
    Day(Timestamp),
    /// For so many milliseconds.
    For(i64),
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, unit) =
            text.split_at(text.len() - text.chars().last().map_or(0, char::len_utf8));
        let millis = match unit {
            "m" => Some(60_000),
            "h" => Some(DAY / 24),
            "d" => Some(DAY),
            "w" => Some(7 * DAY),
            _ => None,
        };
        let ago = millis.zip(number.parse::<i64>().ok().filter(|number| *number >= 0));
        if let Some((millis, number)) = ago {
            return Ok(Self::For(millis.saturating_mul(number)));
        }
        let day = || Timestamp::lenient(&format!("{text}T00:00:00Z")).map(Self::Day);
        let at = Timestamp::lenient(text).map(Self::At);
        at.or_else(day)
            .ok_or_else(|| "say a day (2026-11-01), a time, or how long ago (7d, 12h)".to_owned())
    }
}

impl Since {
    /// The time, where it is `now`.
    pub fn before(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(time) | Self::Day(time) => time,
            Self::For(millis) => {
                Timestamp::saturating_from_millis(now.as_millis().saturating_sub(millis))
            }
        }
    }

    /// The time, where a day begins when it begins on clocks here.
    pub fn begins(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Day(day) => midnight(day),
            Self::At(_) | Self::For(_) => self.before(now),
        }
    }

    /// The same where it says until when, and a day belongs to it.
    pub fn ends(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Day(day) => midnight(day_after(day)),
            Self::At(_) | Self::For(_) => self.before(now),
        }
    }
}
