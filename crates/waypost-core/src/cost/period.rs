//! The day, week and month that a time lies in, on clocks that are so many seconds ahead of UTC.

use crate::time::Timestamp;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// The day, such as `2026-11-18`.
pub fn day(time: Timestamp, offset: i32) -> String {
    shifted(time.as_millis(), offset).day()
}

/// The number of the day, since 1970.
pub fn day_number(time: Timestamp, offset: i32) -> i64 {
    shifted(time.as_millis(), offset).as_millis().div_euclid(DAY)
}

/// The Monday on which the week begins.
pub fn week(time: Timestamp, offset: i32) -> String {
    let days = day_number(time, offset);
    let monday = days - (days + 3).rem_euclid(7);
    Timestamp::saturating_from_millis(monday.saturating_mul(DAY)).day()
}

/// The month, such as `2026-11`.
pub fn month(time: Timestamp, offset: i32) -> String {
    let day = day(time, offset);
    day.rsplit_once('-').map_or_else(|| day.clone(), |(month, _)| month.to_owned())
}

/// The same time on the day after.
pub fn day_after(time: Timestamp) -> Timestamp {
    shifted(time.as_millis().saturating_add(DAY), 0)
}

fn shifted(millis: i64, offset: i32) -> Timestamp {
    Timestamp::saturating_from_millis(millis.saturating_add(i64::from(offset) * 1000))
}
