//! The event log in files.
//!
//! A stream is a file of records. `transact` loads, decides and appends under the stream's lock;
//! when it returns, what was appended is on disk. Beside each stream lies a snapshot of its state,
//! so that nobody has to read it from the start; it is derived and can be deleted at any time.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waypost_core::actor::Actor;
use waypost_core::event::{Known, TailCut};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::Keyring;
use waypost_core::projection::Projection;
use waypost_core::record::{Draft, Position, Record};
use waypost_core::sealed;
use waypost_core::time::Timestamp;

use crate::{StoreError, files, head, lock, tail};

const SNAPSHOT: &str = "waypost-snapshot";
const MAX_SNAPSHOT: u64 = 1024 * 1024;
/// With more than this behind the snapshot, an append writes a new one.
const MAX_BEHIND: u64 = 4096;

/// The streams of one project.
#[derive(Debug, Clone)]
pub struct FileLog {
    root: PathBuf,
    ring: Keyring,
}

/// A stream's state and where the stream stands.
#[derive(Debug, Clone)]
pub struct Loaded<S> {
    /// The state.
    pub state: S,
    /// Where the stream stands.
    pub position: Position,
    /// How many bytes the snapshot was behind.
    behind: u64,
}

/// What a transaction did.
#[derive(Debug)]
pub struct Transacted<T> {
    /// What the decision returned.
    pub value: T,
    /// What somebody should be told: the stream's end was damaged and mended.
    pub warning: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Snapshot<S> {
    position: Position,
    state: S,
}

impl FileLog {
    /// The streams below `root`, signed with the keys of `ring`.
    pub fn new(root: PathBuf, ring: Keyring) -> Self {
        Self { root, ring }
    }

    /// The folder that holds everything.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The keys that sign.
    pub fn ring(&self) -> &Keyring {
        &self.ring
    }

    /// The stream's file.
    pub fn path_of(&self, stream: &StreamId) -> PathBuf {
        self.folder_of(stream).join("events.jsonl")
    }

    /// Whether the stream is there.
    pub fn exists(&self, stream: &StreamId) -> bool {
        self.folder_of(stream).is_dir()
    }

    /// The sessions that are there, in order of their ids.
    pub fn sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        let folder = self.root.join("sessions");
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if files::is_absent(&error) => return Ok(Vec::new()),
            Err(error) => return Err(StoreError::io("cannot list", &folder)(error)),
        };
        let mut sessions = Vec::new();
        for entry in entries {
            let entry = entry.map_err(StoreError::io("cannot list", &folder))?;
            sessions.extend(entry.file_name().to_str().and_then(|name| name.parse().ok()));
        }
        sessions.sort();
        Ok(sessions)
    }

    /// Makes room for a new stream; whether the name was still free.
    pub fn create(&self, stream: &StreamId) -> Result<bool, StoreError> {
        let folder = self.folder_of(stream);
        for parent in
            [folder.parent().unwrap_or(&folder), &self.root.join("heads"), &self.root.join("locks")]
        {
            files::make_dir(parent)?;
        }
        match std::fs::DirBuilder::new().create(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => return Err(StoreError::io("cannot make the folder", &folder)(error)),
        }
        head::write(&self.head_of(stream), stream, &self.ring, &Position::start(stream))?;
        files::sync_folder_of(&folder)?;
        Ok(true)
    }

    /// The stream's state, without a lock. What another process is just writing is not seen yet.
    pub fn load<S: Projection>(&self, stream: &StreamId) -> Result<Loaded<S>, StoreError> {
        self.load_with_tail(stream).map(|(loaded, _)| loaded)
    }

    /// The same, and the snapshot is brought up to date for the next reader.
    pub fn load_and_refresh<S: Projection>(
        &self,
        stream: &StreamId,
    ) -> Result<Loaded<S>, StoreError> {
        let loaded = self.load(stream)?;
        if loaded.behind > 0 {
            // Derived and optional: the next reader tries again.
            let _ = self.write_snapshot(stream, &loaded);
        }
        Ok(loaded)
    }

    /// All records, from the first.
    pub fn records(&self, stream: &StreamId) -> Result<Vec<Record>, StoreError> {
        let mut position = Position::start(stream);
        let mut records = Vec::new();
        let path = self.path_of(stream);
        tail::visit(&path, stream, &self.ring, &mut position, |_, record| {
            records.push(record);
        })?;
        Ok(records)
    }

    /// Forgets the snapshot; it is rebuilt from the records.
    pub fn drop_snapshot(&self, stream: &StreamId) -> Result<(), StoreError> {
        files::remove(&self.snapshot_of(stream))
    }

    /// Loads, decides and appends under the stream's lock. What `decide` returns is on disk when
    /// this returns; if `decide` refuses, nothing changes.
    pub fn transact<S, T, E>(
        &self,
        stream: &StreamId,
        now: Timestamp,
        decide: impl FnOnce(&S) -> Result<(Vec<Draft>, T), E>,
    ) -> Result<Transacted<T>, E>
    where
        S: Projection,
        E: From<StoreError>,
    {
        let _lock = lock::take(&self.root.join("locks").join(name_of(stream)))?;
        let (mut loaded, torn) = self.load_with_tail::<S>(stream)?;
        let cut = self.mend(stream, &loaded.position, &torn)?;
        let (drafts, value) = decide(&loaded.state)?;
        if drafts.is_empty() {
            return Ok(Transacted { value, warning: None });
        }
        let warning = cut.as_ref().map(describe_cut);
        let mending = cut.map(|cut| Draft {
            time: now,
            actor: Actor::Waypost,
            event: Known::TailCut(cut).into(),
        });
        self.append(stream, &mut loaded, mending.into_iter().chain(drafts))?;
        Ok(Transacted { value, warning })
    }

    fn append<S: Projection>(
        &self,
        stream: &StreamId,
        loaded: &mut Loaded<S>,
        drafts: impl Iterator<Item = Draft>,
    ) -> Result<(), StoreError> {
        let before = loaded.position.clone();
        let mut lines = String::new();
        for draft in drafts {
            lines.push_str(&loaded.position.append(stream, self.ring.current(), &draft)?);
            let Draft { time, actor, event } = draft;
            let seq = loaded.position.seq;
            loaded.state.apply(&Record { seq, time, actor, event });
        }
        self.write_lines(stream, &before, &lines)?;
        head::write(&self.head_of(stream), stream, &self.ring, &loaded.position)?;
        loaded.behind += lines.len() as u64;
        if loaded.behind > MAX_BEHIND {
            // Derived: an append does not fail because of it.
            let _ = self.write_snapshot(stream, loaded);
        }
        Ok(())
    }

    fn write_lines(
        &self,
        stream: &StreamId,
        before: &Position,
        lines: &str,
    ) -> Result<(), StoreError> {
        let path = self.path_of(stream);
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&path)
            .map_err(StoreError::io("cannot open", &path))?;
        if let Err(error) = file.write_all(lines.as_bytes()) {
            // Nothing half done: take back what was written. If that fails too, the next append
            // finds a torn end and mends it.
            let _ = file.set_len(before.bytes);
            return Err(StoreError::io("cannot append to", &path)(error));
        }
        file.sync_data().map_err(StoreError::io("cannot sync", &path))?;
        if before.bytes == 0 { files::sync_folder_of(&path) } else { Ok(()) }
    }

    /// Cuts off what is no record, and tells what was cut and what is missing.
    fn mend(
        &self,
        stream: &StreamId,
        position: &Position,
        torn: &[u8],
    ) -> Result<Option<TailCut>, StoreError> {
        let path = self.path_of(stream);
        let head = head::read(&self.head_of(stream), stream, &self.ring)?;
        let lost = match head {
            Some(head) if head.seq == position.seq && head.hash != position.hash => {
                return Err(StoreError::Head { path, number: head.seq });
            }
            Some(head) if head.seq > position.seq => Some(head.seq),
            _ => None,
        };
        if torn.is_empty() && lost.is_none() {
            return Ok(None);
        }
        let mut cut = TailCut { bytes: torn.len() as u64, kept: None, lost };
        if !torn.is_empty() {
            let name = format!("{}-after-{}", name_of(stream), position.seq);
            let folder = self.root.join("torn");
            files::make_dir(&folder)?;
            files::replace(&folder.join(&name), torn, true)?;
            cut.kept = Some(format!("torn/{name}"));
            let file = OpenOptions::new().write(true).open(&path);
            file.and_then(|file| file.set_len(position.bytes))
                .map_err(StoreError::io("cannot mend", &path))?;
        }
        Ok(Some(cut))
    }

    fn load_with_tail<S: Projection>(
        &self,
        stream: &StreamId,
    ) -> Result<(Loaded<S>, Vec<u8>), StoreError> {
        let Snapshot { mut position, mut state } = self.read_snapshot(stream)?;
        let start = position.bytes;
        let path = self.path_of(stream);
        if start > 0 && length_of(&path)? == start {
            return Ok((Loaded { state, position, behind: 0 }, Vec::new()));
        }
        let torn = tail::visit(&path, stream, &self.ring, &mut position, |_, record| {
            state.apply(&record);
        })?;
        let behind = position.bytes - start;
        Ok((Loaded { state, position, behind }, torn))
    }

    fn read_snapshot<S: Projection>(&self, stream: &StreamId) -> Result<Snapshot<S>, StoreError> {
        let path = self.snapshot_of(stream);
        let content = files::read(&path, MAX_SNAPSHOT)?.unwrap_or_default();
        if content.is_empty() {
            return Ok(Snapshot { position: Position::start(stream), state: S::default() });
        }
        sealed::open(&self.ring, SNAPSHOT, &stream.to_string(), &content)
            .map_err(|source| StoreError::Sealed { path, source })
    }

    fn write_snapshot<S: Projection>(
        &self,
        stream: &StreamId,
        loaded: &Loaded<S>,
    ) -> Result<(), StoreError> {
        let snapshot = Snapshot { position: loaded.position.clone(), state: &loaded.state };
        let owner = stream.to_string();
        let content = sealed::seal(self.ring.current(), SNAPSHOT, &owner, &snapshot)?;
        files::replace(&self.snapshot_of(stream), content.as_bytes(), false)
    }

    fn folder_of(&self, stream: &StreamId) -> PathBuf {
        match stream {
            StreamId::Project => self.root.join("project"),
            StreamId::Session(id) => self.root.join("sessions").join(id.as_str()),
        }
    }

    fn snapshot_of(&self, stream: &StreamId) -> PathBuf {
        self.folder_of(stream).join("snapshot")
    }

    pub(crate) fn head_of(&self, stream: &StreamId) -> PathBuf {
        self.root.join("heads").join(name_of(stream))
    }
}

fn name_of(stream: &StreamId) -> String {
    stream.to_string().replace('/', "-")
}

fn length_of(path: &Path) -> Result<u64, StoreError> {
    match std::fs::metadata(path) {
        Ok(metadata) => Ok(metadata.len()),
        Err(error) if files::is_absent(&error) => Ok(0),
        Err(error) => Err(StoreError::io("cannot read", path)(error)),
    }
}

fn describe_cut(cut: &TailCut) -> String {
    match (cut.lost, cut.bytes) {
        (Some(lost), _) => format!(
            "the stream's end was damaged: records up to {lost} had been acknowledged and are missing"
        ),
        (None, bytes) => {
            format!("{bytes} bytes of an unfinished write were cut off and kept aside")
        }
    }
}

#[cfg(test)]
mod tests;
