//! Published copies: what lies in the work tree's session folders, and what it is worth.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use waypost_core::actor::Actor;
use waypost_core::event::{Known, SessionImported};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::manifest::{self, Manifest};
use waypost_core::record::{Position, Record};
use waypost_core::session::{Basics, Lifecycle, SessionState};
use waypost_store::{Copies, Standing, look};

use crate::config;
use crate::error::AppError;
use crate::foreign::session::{Content, ForeignFile};
use crate::foreign::session_folder::{self, ToldBy};
use crate::machine::plain_files;
use crate::machine::project::Project;
use crate::view::View;

/// The records.
pub const EVENTS: &str = "events.jsonl";
/// The manifest.
pub const MANIFEST: &str = "state.json";
/// What people are told of a folder that another program wrote.
pub const LEGACY: &str = "Legacy session format, limited resumption context";

const MAX_EVENTS: u64 = 1024 * 1024 * 1024;
/// Whatever is taken in from another program has to fit, with what Waypost adds.
const MAX_MANIFEST: u64 = 16 * 1024 * 1024;

/// How a session is kept here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// In a stream of this repository.
    Live,
    /// As a published copy alone: `resume` takes it over.
    Copy,
    /// The same, signed with a key that is not known here.
    Unverified,
    /// In another program's format: `resume` converts it.
    Legacy,
    /// As something that Waypost did not write.
    Damaged,
    /// In a format that only a newer Waypost reads to its end.
    Newer,
}

impl Kept {
    /// Whether nothing can be concluded from what is there.
    pub fn is_in_doubt(self) -> bool {
        matches!(self, Self::Damaged | Self::Newer)
    }
}

/// A session's folder in the work tree.
#[derive(Debug)]
pub struct Copy {
    /// The session.
    pub id: SessionId,
    /// The folder.
    pub folder: PathBuf,
    /// What it is worth. Never [`Kept::Live`].
    pub kept: Kept,
    /// The key that signed it, if that is not known here.
    pub key: Option<String>,
    /// What there is to say about it.
    pub remark: Option<String>,
    /// What it tells; for another program's format, one record that holds all of it.
    pub records: Vec<Record>,
    /// Whether another program's manifest says no time, so that its record has the one in which it was read.
    pub undated: bool,
    /// Where its records end.
    pub position: Option<Position>,
    /// The records' bytes.
    pub events: Vec<u8>,
    /// The manifest's bytes.
    pub manifest: Option<Vec<u8>>,
    /// Whether nothing is wrong but that another program saved the manifest, and left out what Waypost keeps in it.
    pub saved_elsewhere: bool,
}

/// The sessions that have a folder in the work tree, in order of their ids.
pub fn ids(view: &View<'_>) -> Vec<SessionId> {
    let below = PathBuf::from(view.sessions_dir());
    let root = &view.project.root;
    let entries = look::folder(root.join(&below)).into_iter().flatten().flatten();
    let mut ids: Vec<SessionId> = entries
        .filter_map(|entry| entry.file_name().into_string().ok()?.parse().ok())
        .filter(|id: &SessionId| plain_files::is_folder(root, &below.join(id.as_str())))
        .filter(|id| {
            let folder = root.join(&below).join(id.as_str());
            [EVENTS, MANIFEST].iter().any(|name| look::is_file(folder.join(name)))
        })
        .collect();
    ids.sort();
    ids
}

/// The copies of a session's records that are at hand: the published one, and those that were kept
/// apart. Nothing is looked at before somebody needs them.
#[derive(Debug)]
pub(crate) struct AtHand {
    /// The project.
    pub(crate) project: Project,
}

impl Copies for AtHand {
    fn of(&self, stream: &StreamId) -> Vec<Vec<u8>> {
        let StreamId::Session(id) = stream else { return Vec::new() };
        let config = config::read(&self.project.config_file()).ok().flatten().unwrap_or_default();
        let published = self.project.root.join(config.policy.sessions_dir).join(id.as_str());
        let kept = look::folder(self.project.store.join("aside").join(id.as_str()));
        let mut kept: Vec<PathBuf> =
            kept.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        kept.sort();
        std::iter::once(published.join(EVENTS))
            .chain(kept)
            .filter_map(|path| plain_files::look_at(&path, MAX_EVENTS).ok().flatten())
            .map(|found| found.bytes)
            .collect()
    }
}

/// The session's folder, relative to the project.
pub fn folder_of(view: &View<'_>, id: &SessionId) -> PathBuf {
    Path::new(&view.sessions_dir()).join(id.as_str())
}

/// The session's folder in the work tree; `None` if there is nothing of a session in it.
pub fn of(view: &View<'_>, id: &SessionId) -> Result<Option<Copy>, AppError> {
    let below = folder_of(view, id);
    let root = &view.project.root;
    if !plain_files::is_folder(root, &below) {
        return Ok(None);
    }
    let folder = root.join(below);
    let path = folder.join(EVENTS);
    let look =
        |path: &Path, max| plain_files::look_at(path, max).map(|found| found.map(|one| one.bytes));
    let files = look(&path, MAX_EVENTS)
        .and_then(|events| Ok((events, look(&folder.join(MANIFEST), MAX_MANIFEST)?)));
    match files {
        Ok((events, manifest)) => {
            let mut copy = Copy::new(id, folder);
            copy.events = events.clone().unwrap_or_default();
            copy.manifest = manifest;
            if copy.is_cut_short(view) {
                return Ok(Some(copy));
            }
            copy.judge(view, events)
        }
        // One folder that is none of ours must not keep the others from being used.
        Err(error) => Ok(Some(Copy::new(id, folder).unreadable(&error))),
    }
}

/// The same of a session that has no stream here, in a plain folder that has no records, by what was just seen of its
/// manifest.
pub(crate) fn of_manifest(
    view: &View<'_>,
    id: &SessionId,
    folder: PathBuf,
    seen: &Metadata,
) -> Result<Option<Copy>, AppError> {
    let manifest = plain_files::read_seen(&folder.join(MANIFEST), seen, MAX_MANIFEST);
    let mut copy = Copy::new(id, folder);
    match manifest {
        Ok(manifest) => {
            copy.manifest = manifest;
            copy.judge(view, None)
        }
        Err(error) => Ok(Some(copy.unreadable(&error))),
    }
}

impl Copy {
    /// One of which nothing is known yet.
    fn new(id: &SessionId, folder: PathBuf) -> Self {
        Self {
            id: id.clone(),
            folder,
            kept: Kept::Copy,
            key: None,
            remark: None,
            records: Vec::new(),
            undated: false,
            position: None,
            events: Vec::new(),
            manifest: None,
            saved_elsewhere: false,
        }
    }

    /// One that cannot even be read: a link, or too large.
    fn unreadable(mut self, error: &AppError) -> Self {
        self.kept = Kept::Damaged;
        self.remark = Some(error.message.clone());
        self
    }

    /// What it is worth, by its records and its manifest; none if there are neither.
    fn judge(mut self, view: &View<'_>, events: Option<Vec<u8>>) -> Result<Option<Self>, AppError> {
        match (events, &self.manifest) {
            (None, None) => return Ok(None),
            (None, Some(manifest)) => match foreign_manifest(manifest) {
                Ok(value) => self.is_legacy(view, value),
                Err(what) => {
                    self.kept = Kept::Damaged;
                    self.remark = Some(what);
                }
            },
            (Some(events), _) => {
                let path = self.folder.join(EVENTS);
                self.check(view, &path, &events)?;
            }
        }
        Ok(Some(self))
    }

    fn check(&mut self, view: &View<'_>, path: &Path, events: &[u8]) -> Result<(), AppError> {
        // What is told of it gets into records, which know no machine.
        let path = PathBuf::from(view.project.relative(path));
        match view.log.check_copy(&self.stream(), &path, events)? {
            Standing::Sound { records, position } => {
                self.records = records;
                self.position = Some(position);
                self.saved_elsewhere = self.is_saved_elsewhere();
                if let Some(remark) = self.fault_of_manifest(view) {
                    self.kept = Kept::Damaged;
                    self.remark = Some(remark);
                }
            }
            Standing::Unverified { key, records, position } => {
                self.kept = Kept::Unverified;
                self.remark = Some(format!("signed with key {key}, which is not known here"));
                self.key = Some(key);
                self.records = records;
                self.position = Some(position);
            }
            Standing::Damaged(what) => {
                self.kept = Kept::Damaged;
                self.remark = Some(what);
            }
            Standing::Newer { what, records } => {
                self.kept = Kept::Newer;
                self.remark = Some(what);
                self.records = records;
            }
        }
        Ok(())
    }

    /// Whether it is what the stream here has, and ends earlier, at whatever byte: a checkout, a crash
    /// or a full disk left it so. It is derived then, and written anew.
    fn is_cut_short(&mut self, view: &View<'_>) -> bool {
        let stream = self.stream();
        if !view.log.exists(&stream) {
            return false;
        }
        let lines = self.events.split_inclusive(|byte| *byte == b'\n').count() as u64;
        let torn = !self.events.is_empty() && !self.events.ends_with(b"\n");
        let is_cut = match self.manifest.as_deref() {
            None => torn,
            // One that ends too early was cut; one that is whole has to be what Waypost wrote.
            Some(text) => match serde_json::from_slice::<Value>(text) {
                Err(error) => error.is_eof(),
                Ok(value) => {
                    let behind = value["waypost"]["version"].as_u64() > Some(lines);
                    let ours = manifest::open(view.log.ring(), &self.id, text).is_ok();
                    ours && (torn || behind)
                }
            },
        };
        let own = || view.log.whole_records(&stream);
        if !is_cut || !own().is_ok_and(|(own, _)| own.starts_with(&self.events)) {
            return false;
        }
        self.events.clear();
        self.manifest = None;
        self.remark = Some("it is cut short; the next publishing writes it anew".to_owned());
        true
    }

    /// Whether the manifest is one of another program beside sound records.
    fn is_saved_elsewhere(&self) -> bool {
        let value = self.manifest.as_ref().and_then(|text| serde_json::from_slice(text).ok());
        value.is_some_and(|value: Value| value.is_object() && !manifest::is_ours(&value))
    }

    /// What is wrong with the manifest beside sound records, if anything is. It may be missing, or
    /// that of an earlier record: it is written last.
    fn fault_of_manifest(&self, view: &View<'_>) -> Option<String> {
        let text = self.manifest.as_ref()?;
        let path = view.project.relative(&self.folder.join(MANIFEST));
        let wrong = |what: &str| Some(format!("{path}: {what}"));
        if self.saved_elsewhere {
            return wrong(
                "another program saved it without what Waypost keeps in it; the records are whole",
            );
        }
        let ring = view.log.ring();
        let (front, signed) = match manifest::open(ring, &self.id, text) {
            Ok(front) => (front, true),
            Err(error) => match manifest::open_unverified(ring, &self.id, text) {
                Ok(front) if self.is_trusted(view) => (front, false),
                _ => return wrong(&error.to_string()),
            },
        };
        let claimed: Value = serde_json::from_str(&format!("{front}\n}}")).unwrap_or_default();
        let version = claimed["waypost"]["version"].as_u64().unwrap_or(0);
        // The first record need not be number one, where those before it are gone.
        let count = self.records.iter().take_while(|record| record.seq <= version).count();
        let records = &self.records[..count];
        if records.last().is_none_or(|last| last.seq != version) {
            return wrong("it tells of records that are missing beside it");
        }
        let head = Position::hash_after(&self.stream(), &self.events, count);
        if claimed["waypost"]["head"] != head.as_str() {
            return wrong("it tells of other records than those beside it");
        }
        if signed {
            return None;
        }
        // Nobody here can vouch for it but the records themselves.
        // Whether nobody had attended to it for long when it was published, only the clock there knew.
        let told = [SessionState::fold(records).lifecycle, Lifecycle::Abandoned];
        let is_told = |lifecycle| {
            let expected = Manifest::of(&self.id, records, &head, lifecycle);
            manifest::seal(&expected, ring.current()).is_ok_and(|seal| seal.starts_with(front))
        };
        if told.into_iter().any(is_told) { None } else { wrong("it is not what its records tell") }
    }

    /// Whether a human accepted it by its hash.
    fn is_trusted(&self, view: &View<'_>) -> bool {
        matches!(view.log.trusted(&self.stream()), Ok(Some(_)))
    }

    fn stream(&self) -> StreamId {
        StreamId::Session(self.id.clone())
    }

    fn is_legacy(&mut self, view: &View<'_>, manifest: Value) {
        self.kept = Kept::Legacy;
        self.remark = Some(if manifest::is_ours(&manifest) {
            format!("{EVENTS} is missing; {LEGACY}")
        } else {
            LEGACY.to_owned()
        });
        let basics = Basics::read(&manifest);
        let time = basics.updated_at.or(basics.created_at);
        self.undated = time.is_none();
        let told = session_folder::told_with(&basics, &manifest);
        let imported = imported_as(view, manifest, told);
        self.records.push(Record {
            seq: 1,
            time: time.unwrap_or_else(|| view.host.now()),
            actor: Actor::Waypost,
            event: Known::SessionImported(imported).into(),
        });
    }
}

/// Reads another program's manifest as an import does, so that the same becomes of it; why it cannot be read, in words.
pub fn foreign_manifest(text: &[u8]) -> Result<Value, String> {
    match ForeignFile::of(MANIFEST, MANIFEST, text)?.content {
        Content::Json(value) => Ok(value),
        Content::Text(_) => Err(format!("{MANIFEST} is not JSON")),
    }
}

/// How another program's manifest becomes part of a stream in this work tree.
pub fn imported(view: &View<'_>, manifest: Value) -> SessionImported {
    let told = session_folder::told(&manifest);
    imported_as(view, manifest, told)
}

fn imported_as(view: &View<'_>, manifest: Value, told: ToldBy) -> SessionImported {
    SessionImported {
        worktree: view.project.worktree(),
        past: Box::new(told.past),
        definition: told.definition.map(Box::new),
        remarks: told.remarks,
        ..SessionImported::of_manifest(session_folder::FORMAT, manifest)
    }
}
