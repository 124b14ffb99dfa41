//! By how much clocks on this machine are ahead of UTC. One file is read for it, and no database of all time zones is
//! looked through: that takes longer than everything else that a brief is made of.

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use waypost_core::time::Timestamp;
use waypost_store::{files, look, seen};

/// Where the zone of the machine is kept, and those of the world.
const HERE: &str = "/etc/localtime";
const WORLD: &str = "/usr/share/zoneinfo";
/// The largest description of a zone that is read.
const MAX_BYTES: u64 = 256 * 1024;
/// A day, in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// The zone of clocks on this machine, for whoever asks of many times.
#[derive(Debug)]
pub struct Zone(TimeZone);

impl Zone {
    /// Reads it. Where that cannot be told, clocks show UTC.
    pub fn here() -> Self {
        seen::beyond_files();
        let named = std::env::var("TZ").ok();
        Self(zone(named.as_deref()).unwrap_or(TimeZone::UTC))
    }

    /// By how many seconds they are ahead of UTC at a time.
    pub fn offset(&self, time: Timestamp) -> i32 {
        let time = jiff::Timestamp::from_millisecond(time.as_millis()).unwrap_or_default();
        self.0.to_offset(time).seconds()
    }
}

/// By how many seconds clocks on this machine are ahead of UTC at a time.
pub fn utc_offset(time: Timestamp) -> i32 {
    Zone::here().offset(time)
}

/// When the day began on clocks of this machine.
pub fn day_begins(time: Timestamp) -> Timestamp {
    let begins = |offset: i32| {
        let ahead = i64::from(offset) * 1000;
        let shown = time.as_millis().saturating_add(ahead);
        let midnight = shown - shown.rem_euclid(DAY);
        Timestamp::saturating_from_millis(midnight.saturating_sub(ahead))
    };
    // The difference may have been another one then.
    begins(utc_offset(begins(utc_offset(time))))
}

/// When clocks here show what they would show at a time if they showed UTC.
pub fn midnight(day: Timestamp) -> Timestamp {
    let earlier = |offset: i32| {
        Timestamp::saturating_from_millis(
            day.as_millis().saturating_sub(i64::from(offset).saturating_mul(1000)),
        )
    };
    // The difference may be another one by then.
    earlier(utc_offset(earlier(utc_offset(day))))
}

/// The zone that `TZ` names, or without it that of the machine.
fn zone(named: Option<&str>) -> Option<TimeZone> {
    let Some(named) = named else { return described(Path::new(HERE)) };
    let name = named.strip_prefix(':').unwrap_or(named);
    let is_name = !name.is_empty() && !name.split('/').any(|part| part == "..");
    let path = PathBuf::from(WORLD).join(name);
    let found = is_name.then(|| described(&path)).flatten();
    found.or_else(|| TimeZone::posix(name).ok())
}

fn described(path: &Path) -> Option<TimeZone> {
    let path = look::real(path).ok()?;
    let bytes = files::read(&path, MAX_BYTES).ok().flatten()?;
    TimeZone::tzif("", &bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_named_described_or_utc() {
        let summer = jiff::Timestamp::from_second(1_784_000_000).unwrap();
        let offset = |named: &str| zone(Some(named)).map(|zone| zone.to_offset(summer).seconds());
        assert_eq!(offset("UTC0"), Some(0));
        assert_eq!(offset("CET-1CEST,M3.5.0,M10.5.0/3"), Some(7200));
        assert_eq!(offset("../../../etc/passwd"), None);
        assert_eq!(offset("no zone at all"), None);
        if Path::new(WORLD).join("Asia/Kathmandu").is_file() {
            assert_eq!(offset("Asia/Kathmandu"), Some(20_700));
            assert_eq!(offset(":Europe/Berlin"), Some(7200));
        }
    }

    #[test]
    fn a_day_begins_at_midnight_of_the_clock_here() {
        let begins = |time: &str| day_begins(time.parse().unwrap());
        let noon = begins("2026-11-15T12:00:00.000Z");
        let here = noon.as_millis() + i64::from(utc_offset(noon)) * 1000;
        assert_eq!(here.rem_euclid(DAY), 0);
        assert_eq!(day_begins(noon), noon, "it is a part of its own day");
    }
}
