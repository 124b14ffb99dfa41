//! What several files tell of the same sessions, put together: the same whatever their order.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use waypost_core::event::{Past, PastConversation, PastMark, PastNote};
use waypost_core::key::sha256_hex;
use waypost_core::text::{one_line, shortened, slug};
use waypost_core::time::Timestamp;

use super::{FORMAT, Part};
use crate::foreign::requirements::gate_name;
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, Outline, Status};

/// How long a session's short name is.
const SHORT: usize = 8;
/// No more entries than this are taken of one sort.
const MAX_ENTRIES: usize = 5_000;
/// How much of a text is in a note, in characters.
const MAX_TEXT: usize = 2_000;

/// What was put together.
#[derive(Debug, Default)]
pub struct Combined {
    /// The sessions, in order of their names, each with the files that it comes from.
    pub sessions: Vec<(Brought, Vec<String>)>,
    /// What is satisfied beyond a session.
    pub shared: Vec<SharedMark>,
}

/// A gate that is satisfied on a branch, or everywhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SharedMark {
    /// The branch; empty is everywhere.
    pub branch: String,
    /// The gate.
    pub gate: String,
    /// When it was satisfied.
    pub time: Option<Timestamp>,
    /// Until when that holds.
    pub until: Option<Timestamp>,
    /// How, in the words there.
    pub note: String,
}

/// Puts together what files tell, each named by its path.
pub fn combine(mut parts: Vec<(String, Part)>, times: &Times<'_>) -> Combined {
    parts.sort_by(|one, other| one.0.cmp(&other.0));
    let mut all = Combined::default();
    let mut sessions: BTreeMap<String, Gathered> = BTreeMap::new();
    for (path, part) in &parts {
        let name = path.rsplit('/').next().unwrap_or(path);
        match part {
            Part::Branch { branch, whole } => {
                all.branch(path, name, branch, whole, times);
                of_branch(&mut sessions, (path, name), branch, whole, times);
            }
            Part::Registry(whole) => of_registry(&mut sessions, (path, name), whole, times),
            Part::Metrics { key, whole } => {
                let known = session(&mut sessions, key);
                known.metrics(path, name, whole, times);
            }
            Part::Pause { key, whole } => {
                let known = session(&mut sessions, key);
                known.pause(path, name, whole, times);
            }
        }
    }
    all.sessions.extend(sessions.into_iter().map(|(short, known)| known.brought(&short)));
    all.sessions.sort_by(|one, other| one.0.name.cmp(&other.0.name));
    // Of the same gate, the one that was satisfied last.
    all.shared.sort();
    let mut latest: BTreeMap<(String, String), SharedMark> = BTreeMap::new();
    for mark in std::mem::take(&mut all.shared) {
        let known = latest.entry((mark.branch.clone(), mark.gate.clone())).or_insert(mark.clone());
        if mark.time > known.time {
            *known = mark;
        }
    }
    all.shared = latest.into_values().collect();
    all
}

/// A session as far as files told of it.
#[derive(Debug, Default)]
struct Gathered {
    keys: Vec<String>,
    paths: Vec<String>,
    branch: Option<String>,
    times: Vec<Timestamp>,
    ended: Option<Timestamp>,
    satisfied: BTreeMap<String, PastMark>,
    notes: Vec<PastNote>,
    remarks: Vec<String>,
    original: Map<String, Value>,
}

fn session<'s>(sessions: &'s mut BTreeMap<String, Gathered>, key: &str) -> &'s mut Gathered {
    let short: String = key.chars().take(SHORT).collect::<String>().to_lowercase();
    let known = sessions.entry(short).or_default();
    if !known.keys.iter().any(|other| other == key) {
        known.keys.push(key.to_owned());
    }
    known
}

fn of_registry(
    sessions: &mut BTreeMap<String, Gathered>,
    (path, name): (&str, &str),
    whole: &Map<String, Value>,
    times: &Times<'_>,
) {
    let entries = whole.get("sessions").and_then(Value::as_object).into_iter().flatten();
    for (key, entry) in entries.take(MAX_ENTRIES) {
        let known = session(sessions, key);
        known.saw(path, entry, &["started_at", "last_active"], times);
        known.on(entry.get("branch"));
        known.keep(name, json!({"sessions": {(key): entry}}));
    }
}

/// The entries of sessions in a branch's file.
fn of_branch(
    sessions: &mut BTreeMap<String, Gathered>,
    (path, name): (&str, &str),
    branch: &str,
    whole: &Map<String, Value>,
    times: &Times<'_>,
) {
    let requirements = whole.get("requirements").and_then(Value::as_object).into_iter().flatten();
    for (requirement, told) in requirements.take(MAX_ENTRIES) {
        let entries = told.get("sessions").and_then(Value::as_object).into_iter().flatten();
        for (key, entry) in entries.take(MAX_ENTRIES) {
            let known = session(sessions, key);
            known.saw(path, entry, &["satisfied_at", "triggered_at"], times);
            known.on(Some(&Value::from(branch)));
            let scope = told.get("scope").cloned().unwrap_or_default();
            let own = json!({"scope": scope, "sessions": {(key): entry}});
            known.keep(name, json!({"branch": branch, "requirements": {(requirement): own}}));
            if let Some(mark) = mark(requirement, entry, times) {
                known.satisfy(mark);
            }
        }
    }
}

impl Combined {
    /// A branch's file, kept whole, and what in it counts beyond a session.
    fn branch(
        &mut self,
        path: &str,
        name: &str,
        branch: &str,
        whole: &Map<String, Value>,
        times: &Times<'_>,
    ) {
        let requirements =
            whole.get("requirements").and_then(Value::as_object).into_iter().flatten();
        for (requirement, told) in requirements.take(MAX_ENTRIES) {
            let scope = told.get("scope").and_then(Value::as_str).unwrap_or_default();
            let branch = match scope {
                "branch" => branch.to_owned(),
                "permanent" => String::new(),
                _ => continue,
            };
            if let Some(PastMark { gate, time, until, note, .. }) = mark(requirement, told, times) {
                let note = note.unwrap_or_default();
                self.shared.push(SharedMark { branch, gate, time, until, note });
            }
        }
        let time = |key: &str| times.value(whole.get(key)?);
        let hash = &sha256_hex(&[branch.as_bytes()])[..6];
        let title = format!("Requirements of branch {}", one_line(branch));
        let session_name = format!("requirements_branch_{}_{hash}", slug(branch));
        if let Some(known) = self.sessions.iter_mut().find(|(known, _)| known.name == session_name)
        {
            known.0.original.insert(path.to_owned(), Value::Object(whole.clone()));
            known.1.push(path.to_owned());
            return;
        }
        let outline = Outline {
            session_id: branch.to_owned(),
            topic: title,
            status: Status::Complete,
            created_at: time("created_at"),
            updated_at: time("updated_at"),
            branch: Some(branch.to_owned()),
            ..Outline::default()
        };
        let past = Past {
            workflow: Some("none".to_owned()),
            ended_at: time("updated_at"),
            ..Past::default()
        };
        let brought = Brought {
            name: session_name,
            format: FORMAT,
            manifest: outline.manifest(),
            past,
            definition: None,
            original: Map::from_iter([(name.to_owned(), Value::Object(whole.clone()))]),
            remarks: Vec::new(),
        };
        self.sessions.push((brought, vec![path.to_owned()]));
    }
}

impl Gathered {
    fn saw(&mut self, path: &str, entry: &Value, keys: &[&str], times: &Times<'_>) {
        self.times.extend(keys.iter().filter_map(|key| times.value(entry.get(*key)?)));
        if !self.paths.iter().any(|known| known == path) {
            self.paths.push(path.to_owned());
        }
    }

    fn on(&mut self, branch: Option<&Value>) {
        let branch = branch.and_then(Value::as_str).filter(|branch| !branch.is_empty());
        self.branch = self.branch.take().or(branch.map(str::to_owned));
    }

    /// Keeps what a file says of it.
    fn keep(&mut self, name: &str, told: Value) {
        let known = self.original.entry(name.to_owned()).or_insert_with(|| json!({}));
        merge(known, told, 4);
    }

    /// Of two entries for a requirement, the newer counts.
    fn satisfy(&mut self, mark: PastMark) {
        match self.satisfied.get(&mark.gate) {
            Some(known) if known.time >= mark.time => {}
            _ => drop(self.satisfied.insert(mark.gate.clone(), mark)),
        }
    }

    fn note(&mut self, kind: &str, text: &str, time: Option<Timestamp>) {
        let text = shortened(&one_line(text), MAX_TEXT);
        self.notes.push(PastNote { kind: kind.to_owned(), text, by: None, time });
    }

    fn metrics(&mut self, path: &str, name: &str, whole: &Map<String, Value>, times: &Times<'_>) {
        let value = Value::Object(whole.clone());
        self.saw(path, &value, &["started_at", "ended_at"], times);
        self.on(whole.get("branch"));
        self.ended = self.ended.or(whole.get("ended_at").and_then(|ended| times.value(ended)));
        let tools = whole.get("tools").and_then(Value::as_object).into_iter().flatten();
        let told: Vec<String> = tools
            .take(50)
            .map(|(tool, told)| {
                let number = |key: &str| told.get(key).and_then(Value::as_u64).unwrap_or_default();
                format!("{tool} {} times, {} blocked", number("count"), number("blocked_count"))
            })
            .collect();
        if !told.is_empty() {
            self.note("metrics", &told.join("; "), None);
        }
        let list = |key: &str| whole.get(key).and_then(Value::as_array).into_iter().flatten();
        for skill in list("skills").take(100) {
            if let Some(name) = skill.get("name").and_then(Value::as_str) {
                let time = skill.get("timestamp").and_then(|time| times.value(time));
                self.note("skill", name, time);
            }
        }
        for error in list("errors").take(100) {
            let text = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
            self.note("error", &text, None);
        }
        self.keep(name, value);
    }

    fn pause(&mut self, path: &str, name: &str, whole: &Map<String, Value>, times: &Times<'_>) {
        let value = Value::Object(whole.clone());
        self.saw(path, &value, &["paused_at"], times);
        let reason = whole.get("reason").and_then(Value::as_str).unwrap_or("no reason given");
        let since = whole.get("paused_at").and_then(Value::as_str).unwrap_or("some time");
        let told = format!("its requirements were paused since {since}: {reason}");
        self.note("pause", &told, whole.get("paused_at").and_then(|time| times.value(time)));
        self.remarks.push(format!("{}; that is not taken over", one_line(&told)));
        self.keep(name, value);
    }

    fn brought(mut self, short: &str) -> (Brought, Vec<String>) {
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
        let on = self.branch.as_ref().map(|branch| format!(" on {}", one_line(branch)));
        let outline = Outline {
            session_id: self.keys.first().cloned().unwrap_or_default(),
            topic: format!("Requirements session {short}{}", on.unwrap_or_default()),
            status: if self.ended.is_some() { Status::Complete } else { Status::Active },
            created_at: self.times.iter().min().copied(),
            updated_at: self.times.iter().max().copied(),
            branch: self.branch,
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
fn mark(requirement: &str, entry: &Value, times: &Times<'_>) -> Option<PastMark> {
    let is_satisfied = entry.get("satisfied").and_then(Value::as_bool) == Some(true);
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
