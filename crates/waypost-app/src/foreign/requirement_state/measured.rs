//! What metrics and pauses tell of a session.

use serde_json::{Map, Value};
use waypost_core::text::one_line;
use waypost_core::text::spoken::count;

use super::gathered::Gathered;
use crate::foreign::session::times::Times;

/// No more entries than this are told of one sort.
const MAX: usize = 100;

impl Gathered {
    pub(super) fn metrics(
        &mut self,
        path: &str,
        name: &str,
        whole: &Map<String, Value>,
        times: &Times<'_>,
    ) {
        let value = Value::Object(whole.clone());
        self.saw(path, &value, &["started_at", "ended_at"], times);
        self.on(whole.get("branch"), &value, times);
        self.ended = self.ended.max(whole.get("ended_at").and_then(|ended| times.value(ended)));
        let tools = each(whole, "tools", |tool, told| {
            let (calls, blocked) = (number(told, "count"), number(told, "blocked_count"));
            format!("{tool}: {}{}", count(calls, "call"), blocked_of(blocked))
        });
        let requirements = each(whole, "requirements", |requirement, told| {
            let by = told.get("satisfied_by").and_then(Value::as_str);
            let by = by.map(|by| format!(", satisfied by {by}")).unwrap_or_default();
            format!("{requirement}: triggered{}{by}", blocked_of(number(told, "blocked_count")))
        });
        for told in [tools, requirements] {
            if !told.is_empty() {
                self.note("metrics", &told.join("; "), None);
            }
        }
        let list =
            |key: &str| whole.get(key).and_then(Value::as_array).into_iter().flatten().take(MAX);
        for (key, kind) in [("skills", "skill"), ("commands", "command"), ("agents", "agent")] {
            for used in list(key) {
                let name = used.get("name").or(Some(used)).and_then(Value::as_str);
                let time = used.get("timestamp").and_then(|time| times.value(time));
                if let Some(name) = name {
                    self.note(kind, name, time);
                }
            }
        }
        for error in list("errors") {
            let part = |key: &str| error.get(key).and_then(Value::as_str);
            let parts: Vec<&str> = [part("type"), part("message")].into_iter().flatten().collect();
            let whole = || error.as_str().map_or_else(|| error.to_string(), str::to_owned);
            let text = if parts.is_empty() { whole() } else { parts.join(": ") };
            let time = error.get("timestamp").and_then(|time| times.value(time));
            self.note("error", &text, time);
        }
        self.learned(whole);
        let commits = whole.get("git").and_then(|git| git.get("commits")).and_then(Value::as_array);
        for sha in commits.into_iter().flatten().filter_map(Value::as_str).take(MAX) {
            let is_sha =
                (7..=64).contains(&sha.len()) && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_sha && !self.commits.iter().any(|known| known == sha) {
                self.commits.push(sha.to_owned());
            }
        }
        self.keep(name, value);
    }

    fn learned(&mut self, whole: &Map<String, Value>) {
        let learnings = whole.get("learnings").and_then(Value::as_object).into_iter().flatten();
        for (kind, told) in learnings.take(MAX) {
            let list = match told {
                Value::Array(list) => list.as_slice(),
                Value::Null => &[],
                one => std::slice::from_ref(one),
            };
            for one in list.iter().take(MAX) {
                let text = one.as_str().map_or_else(|| one.to_string(), str::to_owned);
                self.note("learning", &format!("{}: {text}", kind.replace('_', " ")), None);
            }
        }
    }

    pub(super) fn pause(
        &mut self,
        path: &str,
        name: &str,
        whole: &Map<String, Value>,
        times: &Times<'_>,
    ) {
        let value = Value::Object(whole.clone());
        self.saw(path, &value, &["paused_at"], times);
        let reason = whole.get("reason").and_then(Value::as_str).filter(|text| !text.is_empty());
        let reason = reason.unwrap_or("no reason given");
        let since = whole.get("paused_at").and_then(|time| times.value(time));
        let told = since.map(|since| format!(" since {since}")).unwrap_or_default();
        let told = format!("its requirements were paused{told}: {}", one_line(reason));
        self.note("pause", &told, since);
        self.remarks.push(format!("{told}; that is not taken over"));
        self.keep(name, value);
    }
}

fn each(
    whole: &Map<String, Value>,
    key: &str,
    told: impl Fn(&str, &Value) -> String,
) -> Vec<String> {
    let entries = whole.get(key).and_then(Value::as_object).into_iter().flatten().take(MAX);
    entries.map(|(name, entry)| told(name, entry)).collect()
}

fn number(entry: &Value, key: &str) -> usize {
    let number = entry.get(key).and_then(Value::as_u64).unwrap_or_default();
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn blocked_of(number: usize) -> String {
    if number == 0 { String::new() } else { format!(", {number} blocked") }
}
