//! What was promised, and whether it was kept: everything acknowledged is there once, what was killed
//! at most once, what was refused never.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

/// How words begin and end that only one call writes.
const WORD: (&str, &str) = ("word-", "-end");

/// An event of this type about this: a word that only one call wrote, a conversation, or a stream.
pub(crate) type Key = (&'static str, String);

/// What somebody was told about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// That it is done.
    Done,
    /// Nothing: it was killed first.
    Nothing,
    /// That it was refused.
    Refused,
}

/// How often something has to be there, and how often it may be there beyond that.
#[derive(Debug, Default, Clone, Copy)]
struct Promise {
    sure: usize,
    maybe: usize,
}

/// Everything that was ever promised in a project.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    promises: BTreeMap<Key, Promise>,
}

/// The text that only this call of this worker writes.
pub(crate) fn word(worker: u64, count: u64) -> String {
    format!("{}{worker}-{count}{}", WORD.0, WORD.1)
}

impl Ledger {
    pub(crate) fn note(&mut self, key: Key, told: Told) {
        let promise = self.promises.entry(key).or_default();
        match told {
            Told::Done => promise.sure += 1,
            Told::Nothing => promise.maybe += 1,
            Told::Refused => {}
        }
    }

    /// How many writes were acknowledged.
    pub(crate) fn acknowledged(&self) -> usize {
        self.promises.values().map(|promise| promise.sure).sum()
    }

    /// How many writes of killed calls are there all the same.
    pub(crate) fn survived(&self, streams: &Streams) -> usize {
        let promises = self.promises.iter();
        promises.map(|(key, promise)| streams.count(key).saturating_sub(promise.sure)).sum()
    }

    /// What was promised and is otherwise, a line each.
    pub(crate) fn broken(&self, streams: &Streams) -> Vec<String> {
        let mut broken = streams.halves.clone();
        for (key, &Promise { sure, maybe }) in &self.promises {
            let found = streams.count(key);
            let what = match found {
                found if found < sure => "LOST",
                1 if sure + maybe == 0 => "REFUSED, AND THERE",
                found if found > sure + maybe => "DOUBLED",
                _ => continue,
            };
            broken.push(format!("{what} {key:?}: {found}, of {sure} acknowledged, {maybe} killed"));
        }
        let unknown = streams.found.keys().filter(|(kind, about)| {
            let known = self.promises.keys().any(|key| key.0 == kind);
            known && about.starts_with(WORD.0) && !self.knows(kind, about)
        });
        broken.extend(unknown.map(|key| format!("NOBODY WROTE {key:?}")));
        broken
    }

    fn knows(&self, kind: &str, about: &str) -> bool {
        self.promises.keys().any(|key| key.0 == kind && key.1 == about)
    }
}

/// What the streams of a project hold, read by nobody but this test.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    found: BTreeMap<(String, String), usize>,
    /// The sessions that have a record.
    pub(crate) sessions: BTreeSet<String>,
    /// How many records there are.
    pub(crate) records: usize,
    halves: Vec<String>,
}

impl Streams {
    /// Reads every stream below a project's store.
    pub(crate) fn of(store: &Path) -> Self {
        let mut streams = Self::default();
        streams.read("project", &store.join("project/events.jsonl"));
        for entry in fs::read_dir(store.join("sessions")).unwrap() {
            let id = entry.unwrap().file_name().into_string().unwrap();
            let path = store.join("sessions").join(&id).join("events.jsonl");
            if streams.read(&id, &path) > 0 {
                streams.sessions.insert(id);
            }
        }
        streams
    }

    /// Reads one stream, and gives how many records it has. A last line without an end is none: the
    /// next writer cuts it off, and nobody was told of it.
    fn read(&mut self, stream: &str, path: &Path) -> usize {
        let content = fs::read_to_string(path).unwrap_or_default();
        let whole = content.rfind('\n').map_or("", |end| &content[..end]);
        let mut kinds = BTreeSet::new();
        let mut follows = false;
        let mut count = 0;
        for line in whole.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let event = &record["event"];
            let kind = event["type"].as_str().unwrap().to_owned();
            follows |= event["workflow"].as_str().is_some_and(|workflow| workflow != "none");
            for about in abouts(stream, line, &record) {
                *self.found.entry((kind.clone(), about)).or_default() += 1;
            }
            kinds.insert(kind);
            count += 1;
        }
        if follows && !kinds.contains("track_started") {
            self.halves.push(format!("HALF {stream}: it follows a workflow that never began"));
        }
        self.records += count;
        count
    }

    pub(crate) fn count(&self, (kind, about): &Key) -> usize {
        self.found.get(&((*kind).to_owned(), about.clone())).copied().unwrap_or(0)
    }
}

/// All that a record is about: its stream, its conversation, its ruling, and the words in it.
fn abouts(stream: &str, line: &str, record: &Value) -> BTreeSet<String> {
    let event = &record["event"];
    let named = [&event["conversation"], &record["actor"]["conversation"], &event["id"]];
    let named = named.into_iter().filter_map(|name| name.as_str().map(str::to_owned));
    let words = line.match_indices(WORD.0).filter_map(|(start, _)| {
        let length = line[start..].find(WORD.1)? + WORD.1.len();
        Some(line[start..start + length].to_owned())
    });
    named.chain(words).chain([stream.to_owned()]).collect()
}
