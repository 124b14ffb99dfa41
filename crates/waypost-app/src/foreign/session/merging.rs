//! Several files that tell of one session, read at once or one after the other.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use waypost_core::event::{Past, PastMark};
use waypost_core::id::ConversationId;
use waypost_core::time::Timestamp;

use super::{Brought, OPEN_MUSTS};

impl Brought {
    /// Both together: what `self` says wins, where it says something.
    #[must_use]
    pub fn merged_with(self, other: Self) -> Self {
        // What is said of a checklist goes with it.
        let has_checklist = !self.past.checklist.is_empty();
        let others = other.remarks.into_iter();
        let others = others.filter(|told| !has_checklist || !told.contains(OPEN_MUSTS)).collect();
        let remarks = all(self.remarks, others);
        let name = if self.name.len() >= other.name.len() { self.name } else { other.name };
        Self {
            manifest: manifest(self.manifest, other.manifest, &name),
            name,
            format: self.format,
            past: past(self.past, other.past),
            definition: self.definition.or(other.definition),
            original: united(self.original, other.original),
            remarks,
        }
    }
}

fn past(one: Past, other: Past) -> Past {
    Past {
        workflow: one.workflow.or(other.workflow),
        target: one.target.or(other.target),
        options: if one.options.is_empty() { other.options } else { one.options },
        phase: one.phase.or(other.phase),
        phases: if one.phases.is_empty() { other.phases } else { one.phases },
        complete: one.complete || other.complete,
        ended_at: one.ended_at.or(other.ended_at),
        resumed: one.resumed.max(other.resumed),
        resumed_at: one.resumed_at.max(other.resumed_at),
        pause: one.pause.or(other.pause),
        last_error: one.last_error.or(other.last_error),
        starting_commit: one.starting_commit.or(other.starting_commit),
        mode: one.mode.or(other.mode),
        focus: if one.focus.is_empty() { other.focus } else { one.focus },
        notes: all(one.notes, other.notes),
        checklist: if one.checklist.is_empty() { other.checklist } else { one.checklist },
        violations: all(one.violations, other.violations),
        satisfied: newest(one.satisfied, other.satisfied),
        conversations: all(one.conversations, other.conversations),
        summary: one.summary.or(other.summary),
        next_notes: one.next_notes.or(other.next_notes),
    }
}

fn all<T: PartialEq>(mut known: Vec<T>, more: Vec<T>) -> Vec<T> {
    for one in more {
        if !known.contains(&one) {
            known.push(one);
        }
    }
    known
}

/// Of what was satisfied for the same gate and conversation, the latest.
fn newest(known: Vec<PastMark>, more: Vec<PastMark>) -> Vec<PastMark> {
    let mut latest: BTreeMap<(String, Option<ConversationId>), PastMark> = BTreeMap::new();
    for mark in known.into_iter().chain(more) {
        let of = (mark.gate.clone(), mark.conversation.clone());
        match latest.get(&of) {
            Some(known) if known.time >= mark.time => {}
            _ => drop(latest.insert(of, mark)),
        }
    }
    latest.into_values().collect()
}

fn manifest(one: Value, other: Value, name: &str) -> Value {
    let (Value::Object(mut known), Value::Object(more)) = (one, other) else { return Value::Null };
    // A session that any of them calls complete is.
    let complete =
        [&known, &more].iter().any(|fields| fields.get("status") == Some(&"complete".into()));
    // What has no topic has its name instead.
    let names: Vec<Value> =
        [&known, &more].iter().filter_map(|fields| fields.get("session_id").cloned()).collect();
    let times = [
        ("created_at", began(time(&known, "created_at"), time(&more, "created_at"))),
        ("updated_at", time(&known, "updated_at").max(time(&more, "updated_at"))),
    ];
    let times: Vec<(String, Value)> = times
        .into_iter()
        .filter_map(|(key, time)| Some((key.to_owned(), time?.to_string().into())))
        .collect();
    let says = |value: &Value| match value {
        Value::String(text) => !text.is_empty() && !names.contains(value),
        Value::Null => false,
        _ => true,
    };
    for (key, value) in more {
        if !known.get(&key).is_some_and(says) {
            known.insert(key, value);
        } else if let (Some(Value::Array(list)), Value::Array(others)) =
            (known.get_mut(&key), value)
        {
            let sha = |one: &Value| one.get("sha").cloned();
            for other in others {
                if !list.iter().any(|one| sha(one) == sha(&other)) {
                    list.push(other);
                }
            }
        }
    }
    known.extend(times);
    if complete {
        known.insert("status".to_owned(), "complete".into());
        known.insert("current_phase".to_owned(), "complete".into());
    }
    known.insert("session_id".to_owned(), name.into());
    Value::Object(known)
}

fn time(fields: &Map<String, Value>, key: &str) -> Option<Timestamp> {
    Timestamp::lenient(fields.get(key)?.as_str()?)
}

/// The earlier beginning; but a time within the day that the other says is more exact.
fn began(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    const DAY: i64 = 24 * 3_600_000;
    let (Some(one), Some(other)) = (one, other) else { return one.or(other) };
    let (earlier, later) = (one.min(other), one.max(other));
    let is_day = earlier.as_millis() % DAY == 0;
    let is_within = later.as_millis() - earlier.as_millis() < DAY;
    Some(if is_day && is_within { later } else { earlier })
}

/// The files of both. Where different ones have the same name, one of them gets another.
fn united(one: Map<String, Value>, other: Map<String, Value>) -> Map<String, Value> {
    let mut all = one;
    for (name, value) in other {
        if all.get(&name).is_some_and(|known| *known == value) {
            continue;
        }
        let mut free = name;
        while all.contains_key(&free) {
            free.push('\'');
        }
        all.insert(free, value);
    }
    all
}
