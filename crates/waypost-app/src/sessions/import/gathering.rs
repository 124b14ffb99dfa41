//! What candidates hold, each read by itself; then what belongs together is put together.

mod beside;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use waypost_core::key::sha256_hex;
use waypost_core::session::Basics;
use waypost_core::time::Timestamp;

use super::find::{self, Candidate};
use super::own::OwnSession;
use super::{LeftFile, Report};
use crate::foreign::requirement_state::{self, SharedMark};
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, ForeignFile, Reading};
use crate::foreign::{brain, formats, protocol_session, session_folder};
use crate::machine::local_time;
use crate::view::View;
use crate::view::copy::{EVENTS, MANIFEST};

/// A session to be brought in.
#[derive(Debug)]
pub(super) struct Source {
    /// The session.
    pub(super) what: What,
    /// Where it was found, for people and records.
    pub(super) shown: String,
    /// SHA-256 of what was read.
    pub(super) sha256: String,
    /// The folder whose files belong to it.
    pub(super) folder: Option<PathBuf>,
}

impl Source {
    /// When something last happened to it, as far as it says so.
    fn updated_at(&self) -> Option<Timestamp> {
        match &self.what {
            What::Foreign(brought) => Basics::read(&brought.manifest).updated_at,
            What::Own(_) => None,
        }
    }
}

/// A session to be brought in.
#[derive(Debug)]
pub(super) enum What {
    /// Another program's.
    Foreign(Box<Brought>),
    /// Waypost's own, from elsewhere.
    Own(OwnSession),
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    sources: Vec<Source>,
    parts: Vec<(String, requirement_state::Part, Vec<u8>)>,
}

impl Gathered {
    /// Reads a candidate.
    pub(super) fn take(
        &mut self,
        view: &View<'_>,
        candidate: &Candidate,
        shown: &str,
        report: &mut Report,
    ) {
        let read = match candidate {
            Candidate::Folder(folder) => self.folder(folder, shown),
            Candidate::Copy(folder) => self.copy(view, folder, shown),
            Candidate::File(path) => self.file(path, shown),
        };
        let left = |reason| LeftFile { path: shown.to_owned(), reason };
        match read {
            Ok(None) => {}
            Ok(Some(reason)) => report.no_session.push(left(reason)),
            Err(reason) => report.refused.push(left(reason)),
        }
    }

    /// A folder with a manifest. Says why there is no session in it, or fails where there is one that cannot be taken.
    fn folder(&mut self, folder: &Path, shown: &str) -> Result<Option<String>, String> {
        let bytes = find::content(&folder.join(MANIFEST))?;
        let file = ForeignFile::of(MANIFEST, shown, &bytes)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let times = Times::new(&local_time::utc_offset);
        let reading = session_folder::read(&file, &name, &times)
            .unwrap_or_else(|| formats::read(&file, &times));
        self.keep(reading, &bytes, shown, Some(folder))
    }

    /// A published copy, of this project or another one.
    fn copy(
        &mut self,
        view: &View<'_>,
        folder: &Path,
        shown: &str,
    ) -> Result<Option<String>, String> {
        if folder.starts_with(view.project.root.join(view.sessions_dir())) {
            return Ok(Some(
                "it is a published copy of this project, and needs no import".to_owned(),
            ));
        }
        let own = OwnSession::of_copy(folder, &folder.join(EVENTS))?;
        self.own(own, shown, Some(folder));
        Ok(None)
    }

    fn file(&mut self, path: &Path, shown: &str) -> Result<Option<String>, String> {
        if let Some(own) = OwnSession::of_document(path)? {
            self.own(own, shown, None);
            return Ok(None);
        }
        let bytes = find::content(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let file = ForeignFile::of(&name, shown, &bytes)?;
        if requirement_state::is_config(&file) {
            let told = "these are requirements, which are gates already where they lie";
            return Ok(Some(told.to_owned()));
        }
        if let Some(part) = requirement_state::read(&file) {
            self.parts.push((shown.to_owned(), part?, bytes.clone()));
            return Ok(None);
        }
        let times = Times::new(&local_time::utc_offset);
        let reading =
            session_folder::read(&file, "", &times).unwrap_or_else(|| formats::read(&file, &times));
        self.keep(reading, &bytes, shown, None)
    }

    fn own(&mut self, own: OwnSession, shown: &str, folder: Option<&Path>) {
        self.sources.push(Source {
            sha256: sha256_hex(&[&own.records]),
            what: What::Own(own),
            shown: shown.to_owned(),
            folder: folder.map(Path::to_owned),
        });
    }

    fn keep(
        &mut self,
        reading: Reading,
        bytes: &[u8],
        shown: &str,
        folder: Option<&Path>,
    ) -> Result<Option<String>, String> {
        match reading {
            Reading::Refused(reason) => Err(reason),
            Reading::NoSession(reason) => Ok(Some(reason)),
            Reading::Sessions(sessions) => {
                for brought in sessions {
                    self.sources.push(Source {
                        sha256: sha256_hex(&[brought.name.as_bytes(), b"\0", bytes]),
                        what: What::Foreign(Box::new(brought)),
                        shown: shown.to_owned(),
                        folder: folder.map(Path::to_owned),
                    });
                }
                Ok(None)
            }
        }
    }

    /// The sessions, what belongs together put together, and what is satisfied beyond them.
    pub(super) fn settle(self, secret: Option<&str>) -> (Vec<Source>, Vec<SharedMark>) {
        let mut settled: Vec<Source> = Vec::new();
        let mut logs: Vec<(Source, Brought)> = Vec::new();
        for Source { what, shown, sha256, folder } in beside::joined(self.sources) {
            match what {
                What::Foreign(brought) if brought.format == protocol_session::FORMAT => {
                    let what = What::Foreign(brought.clone());
                    logs.push((Source { what, shown, sha256, folder }, *brought));
                }
                What::Foreign(mut brought) => {
                    brain::check(&mut brought, secret);
                    settled.push(Source { what: What::Foreign(brought), shown, sha256, folder });
                }
                what @ What::Own(_) => settled.push(Source { what, shown, sha256, folder }),
            }
        }
        settled.extend(together(logs));
        let combined = combined(self.parts);
        settled.extend(combined.0);
        // Where one session was found several times, the newest comes last and stays.
        settled.sort_by_key(Source::updated_at);
        (settled, combined.1)
    }
}

/// Logs, states and memories that tell of the same session, as one.
fn together(mut logs: Vec<(Source, Brought)>) -> Vec<Source> {
    // Markdown says more than what was made of it, and logs more than memories.
    logs.sort_by_key(|(source, brought)| {
        let is_markdown = brought.original.values().any(serde_json::Value::is_string);
        (std::cmp::Reverse(brought.name.len()), !is_markdown, source.shown.clone())
    });
    let mut merged: Vec<(Source, Brought)> = Vec::new();
    let mut by_day: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (source, brought) in logs {
        // Only sessions of a day can be the same, so that many logs are not all compared with each other.
        let day: String = brought.name.chars().take(10).collect();
        let others = by_day.entry(day).or_default();
        let same = |at: &&usize| protocol_session::same_session(&merged[**at].1, &brought);
        let found: Vec<usize> = others.iter().filter(same).copied().collect();
        if let [at] = found[..] {
            let (known, before) = &mut merged[at];
            known.sha256 = sha256_hex(&[known.sha256.as_bytes(), source.sha256.as_bytes()]);
            known.shown = format!("{}, {}", known.shown, source.shown);
            *before = protocol_session::merge(before.clone(), brought);
        } else {
            // What could be several is none of them.
            others.push(merged.len());
            merged.push((source, brought));
        }
    }
    let whole = |(source, brought): (Source, Brought)| Source {
        what: What::Foreign(Box::new(brought)),
        ..source
    };
    merged.into_iter().map(whole).collect()
}

/// What files of the requirements framework tell together.
fn combined(
    parts: Vec<(String, requirement_state::Part, Vec<u8>)>,
) -> (Vec<Source>, Vec<SharedMark>) {
    let times = Times::new(&local_time::utc_offset);
    let bytes: BTreeMap<String, String> =
        parts.iter().map(|(path, _, bytes)| (path.clone(), sha256_hex(&[bytes]))).collect();
    let parts = parts.into_iter().map(|(path, part, _)| (path, part)).collect();
    let combined = requirement_state::combine(parts, &times);
    let sources = combined.sessions.into_iter().map(|(brought, paths)| {
        let hashes = paths.iter().filter_map(|path| bytes.get(path)).map(String::as_bytes);
        let name = brought.name.clone();
        let all: Vec<&[u8]> = std::iter::once(name.as_bytes()).chain(hashes).collect();
        Source {
            sha256: sha256_hex(&all),
            what: What::Foreign(Box::new(brought)),
            shown: paths.join(", "),
            folder: None,
        }
    });
    (sources.collect(), combined.shared)
}
