//! Times as the program that reads the file writes its own. It compares them with its clock, which has no time zone, and
//! fails where one of the two has and the other has not.

use serde_json::{Map, Value};
use waypost_core::time::Timestamp;

use crate::foreign::session::times::Times;

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

/// Writes the times of a file as it does itself. Those that it came with stay as they are.
pub(super) fn set(
    fields: &mut Map<String, Value>,
    original: Option<&Map<String, Value>>,
    offset: Offset<'_>,
) {
    let style = Style::of(original);
    let before = |path: &[&str]| {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(original?.get(*first)?, |at, key| at.get(*key))
    };
    let times = Times::new(offset);
    let change = |value: &mut Value, path: &[&str]| {
        let time = value
            .as_str()
            .and_then(|text| Timestamp::lenient(text).filter(|time| time.to_string() == text));
        let Some(time) = time else { return };
        // The same time may be more exact there.
        *value = match before(path).filter(|before| times.value(before) == Some(time)) {
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
