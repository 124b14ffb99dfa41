//! The event log in files.
//!
//! A stream is a file of records. `transact` loads, decides and appends under the stream's lock;
//! when it returns, what was appended is on disk. Beside each stream lies a snapshot of its state,
//! so that nobody has to read it from the start; it is derived and can be deleted at any time.

use std::path::{Path, PathBuf};

use waypost_core::actor::Actor;
use waypost_core::event::{Event, Known, TailCut};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::Keyring;
use waypost_core::projection::Projection;
use waypost_core::record::{Draft, Position, Record};
use waypost_core::time::Timestamp;

use crate::disk::{Disk, Patience, RealDisk};
use crate::head::Head;
use crate::{StoreError, files, head, tail};

mod copies;
mod repair;
mod snapshots;
mod writing;

use snapshots::Snapshot;
use writing::End;

pub use copies::{Relation, Standing};
pub use repair::Repaired;

/// With more than this behind the snapshot, an append writes a new one: about as long as reading what
/// is behind over and over takes.
const MAX_BEHIND: u64 = 3072;

/// The streams of one project.
#[derive(Debug, Clone)]
pub struct FileLog<D = RealDisk> {
    root: PathBuf,
    ring: Keyring,
    disk: D,
    patience: Patience,
}

/// A stream's state and where the stream stands.
#[derive(Debug, Clone)]
pub struct Loaded<S> {
    /// The state.
    pub state: S,
    /// Where the stream stands.
    pub position: Position,
    /// How many bytes the snapshot was behind.
    pub behind: u64,
}

/// What a transaction did.
#[derive(Debug)]
pub struct Transacted<T> {
    /// What the decision returned.
    pub value: T,
    /// What somebody should be told: something was damaged and mended.
    pub warning: Option<String>,
}

impl FileLog {
    /// The streams below `root` on the machine's disk, signed with the keys of `ring`.
    pub fn new(root: PathBuf, ring: Keyring) -> Self {
        Self::on(RealDisk, root, ring)
    }
}

impl<D: Disk> FileLog<D> {
    /// The streams below `root` on any disk.
    pub fn on(disk: D, root: PathBuf, ring: Keyring) -> Self {
        Self { root, ring, disk, patience: Patience::default() }
    }

    /// The same for somebody who waits longer, or less long, for a lock.
    #[must_use]
    pub fn patient(self, patience: Patience) -> Self {
        Self { patience, ..self }
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
        self.disk.is_folder(&self.folder_of(stream))
    }

    /// The sessions that are there, in order of their ids.
    pub fn sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        let folder = self.root.join("sessions");
        let names = self.disk.names(&folder).map_err(StoreError::io("cannot list", &folder))?;
        let mut sessions: Vec<SessionId> =
            names.iter().filter_map(|name| name.parse().ok()).collect();
        sessions.sort();
        Ok(sessions)
    }

    /// Whether something could be recorded in the stream, as far as a few system calls tell.
    pub fn check_usable(&self, stream: &StreamId) -> Result<(), StoreError> {
        files::check_writable(&self.root)?;
        files::check_own(&self.path_of(stream), None)?;
        match files::check_own(&self.head_of(stream), Some(head::SIZE)) {
            // It is made anew, and that it was missing is recorded.
            Err(error) if error.is_absent() => Ok(()),
            checked => checked,
        }
    }

    /// Makes room for a new stream; whether the name was still free.
    pub fn create(&self, stream: &StreamId) -> Result<bool, StoreError> {
        let folder = self.folder_of(stream);
        if self.disk.is_folder(&folder) {
            return Ok(false);
        }
        let _lock = self.lock(stream)?;
        self.make_folder(&self.root.join("heads"))?;
        if self.disk.is_folder(&folder) {
            return Ok(false);
        }
        // The head first: a stream without one is taken for one whose head was deleted.
        head::create(&self.disk, &self.head_of(stream), stream, &self.ring)?;
        self.make_folder(&folder)?;
        Ok(true)
    }

    /// The stream's state, without a lock. What another process is just writing is not seen yet.
    pub fn load<S: Projection>(&self, stream: &StreamId) -> Result<Loaded<S>, StoreError> {
        let snapshot = self.read_snapshot(stream)?;
        self.follow(stream, snapshot).map(|(loaded, _)| loaded)
    }

    /// All records, from the first.
    pub fn records(&self, stream: &StreamId) -> Result<Vec<Record>, StoreError> {
        let mut records = Vec::new();
        self.each(stream, |record| records.push(record))?;
        Ok(records)
    }

    /// Looks at every record, from the first.
    pub fn each(&self, stream: &StreamId, mut look: impl FnMut(Record)) -> Result<(), StoreError> {
        self.visit(stream, &mut Position::start(stream), |_, record| look(record)).map(drop)
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
        self.transact_from(stream, None, now, decide).map(|(transacted, _)| transacted)
    }

    /// The same for a caller who has loaded the stream before: under the lock, only what was added
    /// since is read. Gives the state that the stream is in afterwards.
    pub fn transact_from<S, T, E>(
        &self,
        stream: &StreamId,
        loaded: Option<Loaded<S>>,
        now: Timestamp,
        decide: impl FnOnce(&S) -> Result<(Vec<Draft>, T), E>,
    ) -> Result<(Transacted<T>, Loaded<S>), E>
    where
        S: Projection,
        E: From<StoreError>,
    {
        let _lock = self.lock(stream)?;
        // Where others have added much since, their snapshot is nearer than what is known here.
        let path = self.path_of(stream);
        let length = self.disk.length(&path).map_err(StoreError::io("cannot read", &path))?;
        let is_near =
            |loaded: &Loaded<S>| length.saturating_sub(loaded.position.bytes) <= MAX_BEHIND;
        let loaded = loaded.filter(is_near);
        let behind = loaded.as_ref().map_or(0, |loaded| loaded.behind);
        let (snapshot, rebuilt) = match loaded {
            Some(Loaded { state, position, .. }) => {
                (Snapshot { fold: S::FOLD, position, state }, None)
            }
            None => self.snapshot_or_start(stream)?,
        };
        let known = snapshot.position.seq;
        let mut stale = false;
        let (mut loaded, torn) = match self.follow::<S>(stream, snapshot) {
            // The snapshot knows records that are gone: their loss is told, and the rest goes on.
            // Where the records themselves are bad, reading them from the start tells.
            Err(error) if error.is_integrity() && known > 0 => {
                stale = true;
                self.follow(stream, Snapshot::start(stream))?
            }
            followed => followed?,
        };
        loaded.behind += behind;
        let head = head::read(&self.disk, &self.head_of(stream), stream, &self.ring)?;
        let mut cut = self.damage(stream, &head, &loaded.position, &torn)?;
        if known > loaded.position.seq {
            let cut = cut.get_or_insert(TailCut {
                bytes: torn.len() as u64,
                kept: None,
                lost: None,
                head_missing: false,
                restored: 0,
            });
            cut.lost = cut.lost.max(Some(known));
        }
        let (mut drafts, value) = decide(&loaded.state)?;
        if drafts.is_empty() {
            return Ok((Transacted { value, warning: rebuilt }, loaded));
        }
        let cut =
            cut.map(|cut| self.keep_torn(stream, &loaded.position, &torn, cut)).transpose()?;
        let mut warnings: Vec<String> =
            cut.as_ref().map(describe_cut).or(rebuilt).into_iter().collect();
        if let Some(cut) = cut {
            let event = Known::TailCut(cut).into();
            drafts.insert(0, Draft { time: now, actor: Actor::Waypost, event });
        }
        let end = loaded.position.clone();
        let lines = self.encode(stream, &mut loaded, drafts)?;
        self.write_lines(stream, &End::of(&end, &torn, &head), &lines)?;
        loaded.behind += lines.len() as u64;
        warnings.extend(self.acknowledge(stream, &head, &mut loaded));
        if stale {
            // Only now that the loss is on disk: until then the snapshot may be all that tells it.
            let dropped = self.drop_snapshot::<S>(stream);
            warnings.extend(dropped.err().map(|error| error.to_string()));
        }
        let warning = (!warnings.is_empty()).then(|| warnings.join("; "));
        Ok((Transacted { value, warning }, loaded))
    }

    /// Keeps anybody else from writing what is known of all sessions until the lock is let go.
    pub fn lock_index(&self) -> Result<D::Lock, StoreError> {
        self.lock_named("index")
    }

    fn lock(&self, stream: &StreamId) -> Result<D::Lock, StoreError> {
        self.lock_named(&name_of(stream))
    }

    fn lock_named(&self, name: &str) -> Result<D::Lock, StoreError> {
        let folder = self.root.join("locks");
        let path = folder.join(name);
        let taken = match self.disk.lock(&path, self.patience) {
            // Locks hold nothing: whoever tidies up may take their folder away.
            Err(error) if files::is_absent(&error) => {
                self.make_folder(&folder)?;
                self.disk.lock(&path, self.patience)
            }
            taken => taken,
        };
        taken
            .map_err(StoreError::io("cannot lock", &path))?
            .ok_or(StoreError::Locked { path, waited: self.patience.limit })
    }

    /// Encodes `drafts` as the lines that come next, and applies them.
    fn encode<S: Projection>(
        &self,
        stream: &StreamId,
        loaded: &mut Loaded<S>,
        drafts: Vec<Draft>,
    ) -> Result<String, StoreError> {
        let mut lines = String::new();
        for draft in drafts {
            lines.push_str(&loaded.position.append(stream, self.ring.current(), &draft)?);
            let Draft { time, actor, event } = draft;
            let seq = loaded.position.seq;
            loaded.state.apply(&Record { seq, time, actor, event });
        }
        Ok(lines)
    }

    /// Lets head and snapshot know what is on disk now. It is on disk whatever becomes of them:
    /// returns what somebody should be told if they could not be written.
    fn acknowledge<S: Projection>(
        &self,
        stream: &StreamId,
        head: &Head,
        loaded: &mut Loaded<S>,
    ) -> Option<String> {
        let path = self.head_of(stream);
        let written = head::write(&self.disk, &path, stream, &self.ring, (head, &loaded.position));
        if loaded.behind > MAX_BEHIND {
            self.renew_snapshot(stream, loaded);
        }
        written.err().map(|error| {
            format!("this is recorded, but its loss would not be noticed yet: {error}")
        })
    }

    fn make_folder(&self, path: &Path) -> Result<(), StoreError> {
        self.disk.make_folders(path).map_err(StoreError::io("cannot make the folder", path))
    }

    /// What is wrong with the stream's end, if anything is.
    fn damage(
        &self,
        stream: &StreamId,
        head: &Head,
        position: &Position,
        torn: &[u8],
    ) -> Result<Option<TailCut>, StoreError> {
        let mut cut = TailCut {
            bytes: torn.len() as u64,
            kept: None,
            lost: None,
            head_missing: false,
            restored: 0,
        };
        match head {
            Head::Missing => cut.head_missing = true,
            Head::At { position: head, damaged, .. } => {
                if head.seq == position.seq && head.hash != position.hash {
                    // Mended, and ended by a crash before the head was written: the loss is told.
                    if !self.loss_is_told(stream, head.seq)? {
                        let path = self.path_of(stream);
                        return Err(StoreError::Head { path, number: head.seq });
                    }
                }
                cut.lost = (head.seq > position.seq).then_some(head.seq);
                // A slot that a crash tore belongs to a record that was synced before. If there
                // is none, the slot may have been destroyed together with its record.
                cut.head_missing = *damaged && head.seq == position.seq;
            }
        }
        let sound = torn.is_empty() && cut.lost.is_none() && !cut.head_missing;
        Ok((!sound).then_some(cut))
    }

    /// Whether the stream itself tells that records up to `number` were lost.
    fn loss_is_told(&self, stream: &StreamId, number: u64) -> Result<bool, StoreError> {
        let told = |record: &Record| match &record.event {
            Event::Known(Known::TailCut(cut)) => cut.lost.is_some_and(|lost| lost >= number),
            _ => false,
        };
        Ok(self.records(stream)?.iter().any(told))
    }

    /// Keeps aside what is no record.
    fn keep_torn(
        &self,
        stream: &StreamId,
        position: &Position,
        torn: &[u8],
        mut cut: TailCut,
    ) -> Result<TailCut, StoreError> {
        if torn.is_empty() {
            return Ok(cut);
        }
        let name = format!("{}-after-{}", name_of(stream), position.seq);
        let folder = self.root.join("torn");
        self.make_folder(&folder)?;
        files::replace_on(&self.disk, &folder.join(&name), torn, true)?;
        cut.kept = Some(format!("torn/{name}"));
        Ok(cut)
    }

    /// The state as it follows from a snapshot and the records behind it.
    fn follow<S: Projection>(
        &self,
        stream: &StreamId,
        Snapshot { mut position, mut state, .. }: Snapshot<S>,
    ) -> Result<(Loaded<S>, Vec<u8>), StoreError> {
        let start = position.bytes;
        let path = self.path_of(stream);
        let length = self.disk.length(&path).map_err(StoreError::io("cannot read", &path))?;
        if start > 0 && length == start {
            return Ok((Loaded { state, position, behind: 0 }, Vec::new()));
        }
        let torn = self.visit(stream, &mut position, |_, record| state.apply(&record))?;
        let behind = position.bytes - start;
        Ok((Loaded { state, position, behind }, torn))
    }

    pub(crate) fn visit(
        &self,
        stream: &StreamId,
        position: &mut Position,
        each: impl FnMut(&Position, Record),
    ) -> Result<Vec<u8>, StoreError> {
        let path = self.path_of(stream);
        let trusted = || self.trusted(stream);
        tail::visit(&self.disk, &path, (stream, &self.ring), trusted, position, each)
    }

    pub(crate) fn read_head(&self, stream: &StreamId) -> Result<Head, StoreError> {
        head::read(&self.disk, &self.head_of(stream), stream, &self.ring)
    }

    fn folder_of(&self, stream: &StreamId) -> PathBuf {
        match stream {
            StreamId::Project => self.root.join("project"),
            StreamId::Session(id) => self.root.join("sessions").join(id.as_str()),
        }
    }

    pub(crate) fn head_of(&self, stream: &StreamId) -> PathBuf {
        self.root.join("heads").join(name_of(stream))
    }
}

fn name_of(stream: &StreamId) -> String {
    stream.to_string().replace('/', "-")
}

fn describe_cut(cut: &TailCut) -> String {
    match (cut.lost, cut.head_missing, cut.bytes) {
        (Some(lost), _, _) => format!(
            "the stream's end was damaged: records up to {lost} had been acknowledged and are missing"
        ),
        (None, true, _) => {
            "the head was missing: whether records are missing cannot be told".to_owned()
        }
        (None, false, bytes) => {
            format!("{bytes} bytes of an unfinished write were cut off and kept aside")
        }
    }
}

#[cfg(test)]
mod tests;
