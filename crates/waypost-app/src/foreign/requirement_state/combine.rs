//! What several files tell of the same sessions, put together: the same whatever their order.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use waypost_core::event::{Past, PastMark};
use waypost_core::key::sha256_hex;
use waypost_core::text::{one_line, shortened, slug};
use waypost_core::time::Timestamp;

use super::gathered::{Gathered, SHORT, mark};
use super::{FORMAT, Part};
use crate::foreign::requirements::gate_name;
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, Outline, Status};

/// No more entries than this are taken of one sort.
const MAX_ENTRIES: usize = 5_000;

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
    /// The project that it is said of, by its folder there; empty where that is not said.
    pub project: String,
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
    let outdated = outdated(&parts, times);
    for (at, (path, part)) in parts.iter().enumerate() {
        let name = path.rsplit('/').next().unwrap_or(path);
        match part {
            Part::Branch { branch, whole } => {
                let counts = !outdated.contains(&at);
                all.branch((path, name), branch, whole, counts, times);
                of_branch(&mut sessions, (path, name), (branch, counts), whole, times);
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
    let mut latest: BTreeMap<(String, String, String), SharedMark> = BTreeMap::new();
    for mark in std::mem::take(&mut all.shared) {
        let known = latest
            .entry((mark.project.clone(), mark.branch.clone(), mark.gate.clone()))
            .or_insert(mark.clone());
        if mark.time > known.time {
            *known = mark;
        }
    }
    all.shared = latest.into_values().collect();
    all
}

fn session<'s>(sessions: &'s mut BTreeMap<String, Gathered>, key: &str) -> &'s mut Gathered {
    let known = sessions.entry(short(key)).or_default();
    if !known.keys.iter().any(|other| other == key) {
        known.keys.push(key.to_owned());
    }
    known
}

/// What a session is called by all files: of a UUID, with or without its dashes, the first characters.
fn short(key: &str) -> String {
    let clean: String = key.chars().filter(|c| *c != '-').collect::<String>().to_lowercase();
    let is_long = clean.len() > SHORT && clean.chars().all(|c| c.is_ascii_hexdigit());
    if is_long { clean[..SHORT].to_owned() } else { clean }
}

/// The files that are not the newest of their branch: they are kept, and what they say does not count any more. One that
/// tells of another project is of another branch.
fn outdated(parts: &[(String, Part)], times: &Times<'_>) -> BTreeSet<usize> {
    let mut newest: BTreeMap<(&str, &str), (Option<Timestamp>, usize)> = BTreeMap::new();
    let mut outdated = BTreeSet::new();
    for (at, (_, part)) in parts.iter().enumerate() {
        let Part::Branch { branch, whole } = part else { continue };
        let project = whole.get("project").and_then(Value::as_str).unwrap_or_default();
        let time = whole.get("updated_at").and_then(|time| times.value(time));
        match newest.get(&(branch.as_str(), project)) {
            Some((known, _)) if *known >= time => drop(outdated.insert(at)),
            before => {
                outdated.extend(before.map(|(_, known)| *known));
                newest.insert((branch, project), (time, at));
            }
        }
    }
    outdated
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
        known.on(entry.get("branch"), entry, times);
        known.keep(name, slice(whole, "sessions", json!({(key): entry})));
    }
}

/// A file with a part of one of its fields. What it says beside that belongs to no session, and is kept with each, so that
/// it can be read again.
fn slice(whole: &Map<String, Value>, field: &str, part: Value) -> Value {
    let beside = whole.iter().filter(|(key, _)| *key != field);
    let mut own: Map<String, Value> =
        beside.map(|(key, value)| (key.clone(), value.clone())).collect();
    own.insert(field.to_owned(), part);
    Value::Object(own)
}

/// The entries of sessions in a branch's file.
fn of_branch(
    sessions: &mut BTreeMap<String, Gathered>,
    (path, name): (&str, &str),
    (branch, counts): (&str, bool),
    whole: &Map<String, Value>,
    times: &Times<'_>,
) {
    let requirements = whole.get("requirements").and_then(Value::as_object).into_iter().flatten();
    for (requirement, told) in requirements.take(MAX_ENTRIES) {
        let entries = told.get("sessions").and_then(Value::as_object).into_iter().flatten();
        for (key, entry) in entries.take(MAX_ENTRIES) {
            let known = session(sessions, key);
            known.saw(path, entry, &["satisfied_at", "triggered_at"], times);
            known.on(Some(&Value::from(branch)), entry, times);
            let scope = told.get("scope").cloned().unwrap_or_default();
            let own = json!({"scope": scope, "sessions": {(key): entry}});
            known.keep(name, slice(whole, "requirements", json!({(requirement): own})));
            if let (Some(mark), true) = (mark(requirement, entry, times), counts) {
                known.satisfy(mark);
            }
        }
    }
}

impl Combined {
    /// A branch's file, kept whole, and what in it counts beyond a session.
    fn branch(
        &mut self,
        (path, name): (&str, &str),
        branch: &str,
        whole: &Map<String, Value>,
        counts: bool,
        times: &Times<'_>,
    ) {
        let mut remarks = self.share(branch, whole, counts, times);
        let time = |key: &str| times.value(whole.get(key)?);
        let hash = &sha256_hex(&[branch.as_bytes()])[..6];
        let session_name = format!("requirements_branch_{}_{hash}", slug(branch));
        if !counts {
            let told = "a newer file of the same branch was found: this one is kept, and what it says does not count";
            remarks.push(format!("{name}: {told}"));
        }
        let whole = Value::Object(whole.clone());
        if let Some((known, paths)) =
            self.sessions.iter_mut().find(|(known, _)| known.name == session_name)
        {
            known.original.insert(free(&known.original, name, path), whole);
            known.remarks.extend(remarks);
            paths.push(path.to_owned());
            return;
        }
        let outline = Outline {
            session_id: branch.to_owned(),
            topic: format!("Requirements of branch {}", one_line(branch)),
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
            original: Map::from_iter([(name.to_owned(), whole)]),
            remarks,
        };
        self.sessions.push((brought, vec![path.to_owned()]));
    }

    /// What is satisfied on a branch or everywhere. Says what cannot be taken.
    fn share(
        &mut self,
        branch: &str,
        whole: &Map<String, Value>,
        counts: bool,
        times: &Times<'_>,
    ) -> Vec<String> {
        let requirements =
            whole.get("requirements").and_then(Value::as_object).into_iter().flatten();
        let mut remarks = Vec::new();
        let project = whole.get("project").and_then(Value::as_str).unwrap_or_default().to_owned();
        for (requirement, told) in requirements.take(MAX_ENTRIES) {
            if gate_name(requirement).is_none() {
                let name = shortened(&one_line(requirement), 60);
                remarks.push(format!(
                    "`{name}` is no name that a gate can have; what satisfied it is only kept"
                ));
            }
            let branch = match told.get("scope").and_then(Value::as_str).unwrap_or_default() {
                "branch" => branch.to_owned(),
                "permanent" => String::new(),
                _ => continue,
            };
            let mark = mark(requirement, told, times).filter(|_| counts);
            if let Some(PastMark { gate, time, until, note, .. }) = mark {
                let note = note.unwrap_or_default();
                self.shared.push(SharedMark {
                    project: project.clone(),
                    branch,
                    gate,
                    time,
                    until,
                    note,
                });
            }
        }
        remarks
    }
}

/// A name that is free among files: that of the file, else its path, else that with marks.
fn free(known: &Map<String, Value>, name: &str, path: &str) -> String {
    let mut free = name.to_owned();
    if known.contains_key(&free) {
        path.clone_into(&mut free);
    }
    while known.contains_key(&free) {
        free.push('\'');
    }
    free
}
