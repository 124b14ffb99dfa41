//! Times as the program that reads the file writes its own. It compares them with its clock, which has no time zone, and
//! fails where one of the two has and the other has not.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use waypost_core::event::SessionImported;
use waypost_core::time::Timestamp;

use crate::foreign::session::times::Times;

/// In milliseconds.
const QUARTER: i64 = 15 * 60 * 1000;
const DAY: i64 = 24 * 3_600_000;

/// By how many seconds clocks on this machine are ahead of UTC at a time.
pub type Offset<'a> = &'a dyn Fn(Timestamp) -> i32;

/// How a file writes times.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Without a time zone: local times.
    Local,
    /// With an offset in digits.
    Digits,
    /// With a `Z`.
    Zulu,
}

impl Style {
    fn of(original: Option<&Map<String, Value>>) -> Self {
        let told =
            original.and_then(|it| it.get("created_at")?.as_str()).unwrap_or_default().trim();
        match Timestamp::lenient(told) {
            None => Self::Local,
            Some(_) if told.ends_with(['Z', 'z']) => Self::Zulu,
            Some(_) => Self::Digits,
        }
    }

    fn written(self, time: Timestamp, offset: Offset<'_>) -> String {
        let ahead = i64::from(offset(time)) * 1000;
        let shown = match self {
            Self::Local => Timestamp::from_millis(time.as_millis() + ahead).unwrap_or(time),
            Self::Digits | Self::Zulu => time,
        };
        let shown = shown.to_string();
        let plain = shown.strip_suffix('Z').unwrap_or(&shown);
        match self {
            Self::Local => plain.to_owned(),
            Self::Digits => format!("{plain}+00:00"),
            Self::Zulu => shown,
        }
    }
}

/// The times that a session came with. A text without a time zone was read where clocks may have been others than those
/// here, so that reading it again tells nothing.
#[derive(Default)]
struct Came(BTreeSet<i64>);

impl Came {
    fn with(imported: &SessionImported) -> Self {
        let mut came = Self::default();
        came.take(&imported.manifest);
        came.take(&serde_json::to_value(&imported.past).unwrap_or_default());
        came
    }

    fn take(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                self.0.extend(Timestamp::lenient(text).map(Timestamp::as_millis));
            }
            Value::Array(list) => list.iter().for_each(|one| self.take(one)),
            Value::Object(fields) => fields.values().for_each(|one| self.take(one)),
            _ => {}
        }
    }

    /// Whether a time is what a value of the file was taken for, wherever that was.
    fn is_of(&self, before: &Value, time: Timestamp) -> bool {
        let Some(as_utc) = Times::new(&|_| 0).value(before) else { return false };
        let has_zone = before.as_str().is_none_or(|text| Timestamp::lenient(text).is_some());
        let apart = time.as_millis() - as_utc.as_millis();
        // Clocks are apart by quarters of an hour, and by a day at the most.
        let by_zone = apart % QUARTER == 0 && apart.abs() <= DAY;
        if has_zone { apart == 0 } else { by_zone && self.0.contains(&time.as_millis()) }
    }
}

/// Writes the times of a file as it does itself. Those that it came with stay as they are.
pub(super) fn set(
    fields: &mut Map<String, Value>,
    came: Option<(&SessionImported, &Map<String, Value>)>,
    offset: Offset<'_>,
) {
    let original = came.map(|(_, original)| original);
    let came = came.map(|(imported, _)| Came::with(imported)).unwrap_or_default();
    let style = Style::of(original);
    let before = |path: &[&str]| {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(original?.get(*first)?, |at, key| at.get(*key))
    };
    let change = |value: &mut Value, path: &[&str]| {
        let time = value
            .as_str()
            .and_then(|text| Timestamp::lenient(text).filter(|time| time.to_string() == text));
        let Some(time) = time else { return };
        // The same time may be more exact there.
        *value = match before(path).filter(|before| came.is_of(before, time)) {
            Some(before) => before.clone(),
            None => style.written(time, offset).into(),
        };
    };
    for key in ["created_at", "updated_at", "completed_at"] {
        fields.get_mut(key).into_iter().for_each(|value| change(value, &[key]));
    }
    for (key, value) in
        fields.get_mut("lifecycle").and_then(Value::as_object_mut).into_iter().flatten()
    {
        change(value, &["lifecycle", key]);
    }
    let aside =
        fields.get_mut("metadata").and_then(|it| it.get_mut(super::ASIDE)?.get_mut("lifecycle"));
    for (_, value) in aside.and_then(Value::as_object_mut).into_iter().flatten() {
        change(value, &[]);
    }
    for (group, keys) in [
        ("phase_timing", &["started_at", "completed_at"][..]),
        ("phase_timings", &["started_at", "completed_at"]),
        ("phase_artifacts", &["timestamp"]),
    ] {
        for (number, one) in
            fields.get_mut(group).and_then(Value::as_object_mut).into_iter().flatten()
        {
            for key in keys {
                one.get_mut(*key)
                    .into_iter()
                    .for_each(|value| change(value, &[group, number, key]));
            }
        }
    }
}
