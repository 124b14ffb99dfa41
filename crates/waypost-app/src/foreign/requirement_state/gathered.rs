//! One session, as far as files told of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use waypost_core::event::{Past, PastConversation, PastMark, PastNote};
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;

use super::FORMAT;
use crate::foreign::requirements::gate_name;
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, Outline, Status};

/// How long a session's short name is.
pub(super) const SHORT: usize = 8;
/// How much of a text is in a note, in characters.
const MAX_TEXT: usize = 2_000;

/// A session as far as files told of it.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) keys: Vec<String>,
    paths: Vec<String>,
    branch: Option<(Option<Timestamp>, String)>,
    pub(super) commits: Vec<String>,
    times: Vec<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    satisfied: BTreeMap<String, PastMark>,
    notes: Vec<PastNote>,
    pub(super) remarks: Vec<String>,
    original: Map<String, Value>,
}

impl Gathered {
    pub(super) fn saw(&mut self, path: &str, entry: &Value, keys: &[&str], times: &Times<'_>) {
        self.times.extend(keys.iter().filter_map(|key| times.value(entry.get(*key)?)));
        if !self.paths.iter().any(|known| known == path) {
            self.paths.push(path.to_owned());
        }
    }

    /// Its branch is the one that it was last seen on.
    pub(super) fn on(&mut self, branch: Option<&Value>, entry: &Value, times: &Times<'_>) {
        let keys = ["last_active", "satisfied_at", "triggered_at", "ended_at", "started_at"];
        let seen = keys.iter().filter_map(|key| times.value(entry.get(*key)?)).max();
        let branch = branch.and_then(Value::as_str).filter(|branch| !branch.is_empty());
        if let Some(branch) = branch
            && self.branch.as_ref().is_none_or(|(known, _)| *known < seen)
        {
            self.branch = Some((seen, branch.to_owned()));
        }
    }

    /// Keeps what a file says of it. Files of two branches can have one name.
    pub(super) fn keep(&mut self, name: &str, told: Value) {
        let mut name = name.to_owned();
        let is_other = |known: &Value| known.get("branch") != told.get("branch");
        while self.original.get(&name).is_some_and(is_other) {
            name.push('\'');
        }
        let known = self.original.entry(name).or_insert_with(|| json!({}));
        merge(known, told, 4);
    }

    /// Of two entries for a requirement, the newer counts.
    pub(super) fn satisfy(&mut self, mark: PastMark) {
        match self.satisfied.get(&mark.gate) {
            Some(known) if known.time >= mark.time => {}
            _ => drop(self.satisfied.insert(mark.gate.clone(), mark)),
        }
    }

    pub(super) fn note(&mut self, kind: &str, text: &str, time: Option<Timestamp>) {
        let text = shortened(&one_line(text), MAX_TEXT);
        self.notes.push(PastNote { kind: kind.to_owned(), text, by: None, time });
    }

    /// What was satisfied is told as well.
    fn tell_satisfied(&mut self) {
        for mark in self.satisfied.values() {
            let how = mark.note.as_deref().unwrap_or_default();
            let until = mark.until.map(|until| format!(", until {until}")).unwrap_or_default();
            let text = format!("{} by {how}{until}", mark.gate);
            let (kind, by) = ("satisfied".to_owned(), None);
            self.notes.push(PastNote { kind, text, by, time: mark.time });
        }
    }

    pub(super) fn brought(mut self, short: &str) -> (Brought, Vec<String>) {
        self.tell_satisfied();
        // The whole name, where any file has it.
        self.keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
        let conversation = self.keys.first().and_then(|key| key.parse().ok());
        let harness = String::new();
        let conversations: Vec<PastConversation> = conversation
            .clone()
            .map(|conversation| PastConversation { conversation, harness })
            .into_iter()
            .collect();
        let satisfied = self
            .satisfied
            .into_values()
            .map(|mark| PastMark { conversation: conversation.clone(), ..mark });
        let uuids: BTreeSet<String> = self
            .keys
            .iter()
            .filter(|key| key.len() > SHORT)
            .map(|key| key.replace('-', "").to_lowercase())
            .collect();
        if uuids.len() > 1 {
            self.remarks.push(format!(
                "{} sessions begin with {short}; they are one here, as they are for the framework",
                uuids.len()
            ));
        }
        let branch = self.branch.map(|(_, branch)| branch);
        let on = branch.as_ref().map(|branch| format!(" on {}", one_line(branch)));
        let outline = Outline {
            session_id: self.keys.first().cloned().unwrap_or_default(),
            topic: format!("Requirements session {short}{}", on.unwrap_or_default()),
            status: if self.ended.is_some() { Status::Complete } else { Status::Active },
            created_at: self.times.iter().min().copied(),
            updated_at: self.times.iter().max().copied(),
            branch,
            commits: self.commits.into_iter().map(|sha| (sha, String::new(), None)).collect(),
            ..Outline::default()
        };
        let past = Past {
            workflow: Some("none".to_owned()),
            ended_at: self.ended,
            satisfied: satisfied.collect(),
            conversations,
            notes: self.notes,
            ..Past::default()
        };
        let brought = Brought {
            name: format!("requirements_{short}"),
            format: FORMAT,
            manifest: outline.manifest(),
            past,
            definition: None,
            original: self.original,
            remarks: self.remarks,
        };
        (brought, self.paths)
    }
}

/// What satisfied a requirement, if anything did.
pub(super) fn mark(requirement: &str, entry: &Value, times: &Times<'_>) -> Option<PastMark> {
    let is_satisfied = match entry.get("satisfied") {
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        told => told == Some(&Value::Bool(true)),
    };
    let gate = gate_name(requirement).filter(|_| is_satisfied)?;
    let by = entry.get("satisfied_by").and_then(Value::as_str).unwrap_or("unknown");
    let metadata =
        entry.get("metadata").filter(|told| told.as_object().is_some_and(|it| !it.is_empty()));
    let metadata = metadata.map(|told| format!(" {told}")).unwrap_or_default();
    Some(PastMark {
        gate,
        conversation: None,
        time: entry.get("satisfied_at").and_then(|time| times.value(time)),
        until: entry.get("expires_at").and_then(|time| times.value(time)),
        note: Some(shortened(&one_line(&format!("{by}{metadata}")), MAX_TEXT)),
    })
}

/// Puts what a value says into another, as deep as files of the framework are.
fn merge(into: &mut Value, more: Value, depth: usize) {
    match (into, more) {
        (Value::Object(known), Value::Object(more)) if depth > 0 => {
            for (key, value) in more {
                merge(known.entry(key).or_insert(Value::Null), value, depth - 1);
            }
        }
        (known, more) => *known = more,
    }
}
