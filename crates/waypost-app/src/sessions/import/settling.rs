//! What was found, put in order: files that tell of the same session are put together, and where several tell the same
//! side of it, the newest is taken.

mod beside;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use waypost_core::key::sha256_hex;
use waypost_core::session::Basics;
use waypost_core::time::Timestamp;

use super::LeftFile;
use super::gathering::{Gathered, Source, What};
use super::together::{self, Known};
use crate::foreign::requirement_state::{self, SharedMark};
use crate::foreign::session::Brought;
use crate::foreign::session::times::Times;
use crate::foreign::{brain, protocol_session};
use crate::machine::local_time;

/// No more files than this make one session: nobody writes more, and comparing them takes time.
const MAX_TOGETHER: usize = 64;

/// A file of the requirements framework: its path, what is in it, and its digest.
type Part = (String, requirement_state::Part, String);

/// What is to be brought in.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// The sessions, in order of their names.
    pub(super) sources: Vec<Source>,
    /// What is satisfied beyond a session.
    pub(super) shared: Vec<SharedMark>,
    /// Files that are not used, since others tell the same of their session, or newer things.
    pub(super) unused: Vec<LeftFile>,
}

impl Settled {
    /// Puts everything that was found in order.
    pub(super) fn of(found: Gathered, secret: Option<&str>) -> Self {
        let mut settled = Self::default();
        let (mut own, mut logs, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for Source { what, path, shown, sha256, folder } in found.sources {
            let source = |what| Source { what, path, shown, sha256, folder };
            match what {
                What::Own(session) => own.push(source(What::Own(session))),
                What::Foreign(brought) if brought.format == protocol_session::FORMAT => {
                    logs.push(source(What::Foreign(brought)));
                }
                What::Foreign(mut brought) => {
                    brain::check(&mut brought, secret);
                    others.push(source(What::Foreign(brought)));
                }
            }
        }
        let mut others = settled.joined(others);
        others.extend(settled.together(logs));
        others.extend(settled.combined(found.parts));
        settled.sources = settled.newest(others);
        settled.sources.extend(own);
        settled
    }

    fn leave(&mut self, source: &Source, other: &Source) {
        let reason = if source.sha256 == other.sha256 {
            format!("it says the same as {}", other.shown)
        } else {
            format!("it tells of {} as well, which is taken from {}", name(source), other.shown)
        };
        self.unused.push(LeftFile { path: source.shown.clone(), reason });
    }

    /// Of several that are the same session, the one that was changed last.
    fn newest(&mut self, mut sources: Vec<Source>) -> Vec<Source> {
        sources.sort_by_cached_key(|source| (name(source), updated_at(source)));
        let mut taken: Vec<Source> = Vec::new();
        for source in sources {
            match taken.last_mut() {
                Some(last) if is_same(last, &source) => {
                    let older = std::mem::replace(last, source);
                    self.leave(&older, last);
                }
                _ => taken.push(source),
            }
        }
        taken
    }

    /// Logs, states and memories that tell of the same session, as one.
    fn together(&mut self, mut logs: Vec<Source>) -> Vec<Source> {
        // Markdown says more than what was made of it, and logs more than memories, which know a session by its number
        // alone. Of files with the same name, the newest is taken.
        logs.sort_by_cached_key(|source| {
            let is_markdown = brought(source)
                .is_some_and(|brought| brought.original.values().any(Value::is_string));
            let order = (std::cmp::Reverse(name(source).len()), !is_markdown);
            (order, std::cmp::Reverse(updated_at(source)), source.shown.clone())
        });
        let mut merged: Vec<Source> = Vec::new();
        let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
        let mut by_number: BTreeMap<(String, u32), Vec<usize>> = BTreeMap::new();
        for log in logs {
            let known = brought(&log).and_then(protocol_session::known_by);
            let others = match &known {
                Some((number, true)) => by_number.get(number).map(Vec::as_slice),
                _ => None,
            };
            let at = by_name.get(&name(&log)).copied().or(match others {
                // Several logs share the number, so the match is ambiguous.
                Some([at]) => Some(*at),
                _ => None,
            });
            let at =
                at.filter(|at| is_same(&merged[*at], &log) || matches!(known, Some((_, true))));
            match at {
                Some(at) if has_room(&merged[at], &log) => join(&mut merged[at], log),
                Some(at) => self.leave(&log, &merged[at]),
                None => {
                    by_name.insert(name(&log), merged.len());
                    if let Some((number, _)) = known {
                        by_number.entry(number).or_default().push(merged.len());
                    }
                    merged.push(log);
                }
            }
        }
        merged
    }

    /// So many files of one sort about one thing as one session can hold, the newest.
    fn bounded(&mut self, mut parts: Vec<Part>) -> Vec<Part> {
        parts.sort_by_cached_key(|(path, part, _)| {
            let (subject, updated) = part.subject();
            (subject, std::cmp::Reverse(updated), path.clone())
        });
        let (mut taken, mut last) = (0, String::new());
        parts.retain(|(path, part, _)| {
            let (subject, _) = part.subject();
            taken = if subject == last { taken + 1 } else { 1 };
            last = subject;
            if taken > MAX_TOGETHER {
                let reason = "newer files tell of the same branch or session".to_owned();
                self.unused.push(LeftFile { path: path.clone(), reason });
            }
            taken <= MAX_TOGETHER
        });
        parts
    }

    /// What files of the requirements framework tell together.
    fn combined(&mut self, parts: Vec<Part>) -> Vec<Source> {
        let times = Times::new(&local_time::utc_offset);
        let parts = self.bounded(parts);
        let digests: BTreeMap<String, String> =
            parts.iter().map(|(path, _, digest)| (path.clone(), digest.clone())).collect();
        let parts = parts.into_iter().map(|(path, part, _)| (path, part)).collect();
        let combined = requirement_state::combine(parts, &times);
        self.shared = combined.shared;
        let sources = combined.sessions.into_iter().map(|(brought, paths)| {
            let hashes = paths.iter().filter_map(|path| digests.get(path)).map(String::as_bytes);
            let name = brought.name.clone();
            let all: Vec<&[u8]> = std::iter::once(name.as_bytes()).chain(hashes).collect();
            Source {
                sha256: sha256_hex(&all),
                what: What::Foreign(Box::new(brought)),
                path: PathBuf::new(),
                shown: paths.join(", "),
                folder: None,
            }
        });
        sources.collect()
    }
}

impl Source {
    /// It was found there as well.
    fn also(&mut self, other: &Self) {
        self.sha256 = sha256_hex(&[self.sha256.as_bytes(), other.sha256.as_bytes()]);
        self.shown = format!("{}, {}", self.shown, other.shown);
    }
}

fn brought(source: &Source) -> Option<&Brought> {
    match &source.what {
        What::Foreign(brought) => Some(brought),
        What::Own(_) => None,
    }
}

fn name(source: &Source) -> String {
    brought(source).map(|brought| brought.name.clone()).unwrap_or_default()
}

/// When something last happened to it, as far as it says so.
fn updated_at(source: &Source) -> Option<Timestamp> {
    Basics::read(&brought(source)?.manifest).updated_at
}

fn is_same(one: &Source, other: &Source) -> bool {
    let (Some(one), Some(other)) = (brought(one), brought(other)) else { return false };
    one.name == other.name && together::is_same_session(Known::found(other), Known::found(one))
}

/// Whether a file tells of another side of a session than those that it is made of.
fn has_room(known: &Source, log: &Source) -> bool {
    let (Some(known), Some(log)) = (brought(known), brought(log)) else { return false };
    let is_new = log.original.keys().all(|name| !known.original.contains_key(name));
    is_new && known.original.len() < MAX_TOGETHER
}

fn join(known: &mut Source, log: Source) {
    known.also(&log);
    if let (What::Foreign(known), What::Foreign(log)) = (&mut known.what, log.what) {
        let before = std::mem::take(&mut **known);
        **known = before.merged_with(*log);
    }
}
