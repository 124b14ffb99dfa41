//! The event log in files.
//!
//! A stream is a file of records. `transact` loads, decides and appends under the stream's lock;
//! when it returns, what was appended is on disk. Beside each stream lies a snapshot of its state,
//! so that nobody has to read it from the start; it is derived and can be deleted at any time.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use waypost_core::actor::Actor;
use waypost_core::event::Known;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::Keyring;
use waypost_core::projection::Projection;
use waypost_core::record::{Draft, Position, Record};
use waypost_core::time::Timestamp;

use crate::disk::{Disk, Patience, RealDisk};
use crate::head::Head;
use crate::{StoreError, files, head};

mod copies;
mod damage;
mod reading;
mod repair;
mod snapshots;
mod writing;

use damage::Mending;
use reading::Behind;
use snapshots::Snapshot;
use writing::End;

pub use copies::{Copies, Relation, Standing};
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
    copies: Option<Arc<dyn Copies>>,
    notice: Option<fn(&str)>,
    /// The end of a stream that was looked at last: it is not read over and over.
    checked: Arc<Mutex<Option<(StreamId, Position)>>>,
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

/// A stream's state as it is found under the lock.
struct Followed<S> {
    loaded: Loaded<S>,
    /// What stands at the end and is no record.
    torn: Vec<u8>,
    /// Where the stream stood when its snapshot was written.
    known: Position,
    /// What was known of it does not fit what is there.
    is_stale: bool,
    /// The snapshot could not be read.
    is_damaged: bool,
    warnings: Vec<String>,
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
        Self {
            root,
            ring,
            disk,
            patience: Patience::default(),
            copies: None,
            notice: None,
            checked: Arc::default(),
        }
    }

    /// The same with copies elsewhere: where a stream's last line is torn, they are asked for it.
    #[must_use]
    pub fn with_copies(self, copies: Arc<dyn Copies>) -> Self {
        Self { copies: Some(copies), ..self }
    }

    /// The same for somebody who wants to know what was mended.
    #[must_use]
    pub fn telling(self, notice: Option<fn(&str)>) -> Self {
        Self { notice, ..self }
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

    /// Whether the stream is there, or was: a head tells of records that are gone.
    pub fn exists(&self, stream: &StreamId) -> bool {
        self.disk.is_folder(&self.folder_of(stream)) || self.is_gone(stream)
    }

    /// Whether there is nothing left of a stream but a head that tells of records.
    fn is_gone(&self, stream: &StreamId) -> bool {
        let head = self.read_head(stream);
        head.is_ok_and(|head| head.acknowledged().is_some_and(|known| known.seq > 0))
    }

    /// The sessions that are there, in order of their ids.
    pub fn sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        let folder = self.root.join("sessions");
        let names = self.disk.names(&folder).map_err(StoreError::io("cannot list", &folder))?;
        let sessions: BTreeSet<SessionId> =
            names.iter().filter_map(|name| name.parse().ok()).collect();
        let heads = self.disk.names(&self.root.join("heads")).unwrap_or_default();
        let heads = heads.iter().filter_map(|name| name.strip_prefix("session-")?.parse().ok());
        let gone = heads.filter(|id| !sessions.contains(id));
        let gone = gone.filter(|id: &SessionId| self.is_gone(&StreamId::Session(id.clone())));
        let gone: Vec<SessionId> = gone.collect();
        Ok(sessions.into_iter().chain(gone).collect::<BTreeSet<_>>().into_iter().collect())
    }

    /// Whether something could be recorded in the stream, as far as a few system calls tell. The head
    /// is not looked at: whatever is wrong with it, the next append makes it again.
    pub fn check_usable(&self, stream: &StreamId) -> Result<(), StoreError> {
        files::check_writable(&self.root)?;
        files::check_own(&self.path_of(stream))
    }

    /// Makes room for a new stream; whether the name was still free. It is not where a head tells of
    /// records: they are gone, and the head is what proves it.
    pub fn create(&self, stream: &StreamId) -> Result<bool, StoreError> {
        let folder = self.folder_of(stream);
        if self.disk.is_folder(&folder) {
            return Ok(false);
        }
        let _lock = self.lock(stream)?;
        self.make_folder(&self.root.join("heads"))?;
        self.make_folder(folder.parent().unwrap_or(&folder))?;
        let is_free = match self.read_head(stream)? {
            Head::Missing => true,
            Head::At { position, .. } => position.seq == 0,
            Head::Unreadable(_) => false,
        };
        if !is_free || self.disk.is_folder(&folder) {
            return Ok(false);
        }
        // The head first: a stream without one is taken for one whose head was deleted.
        let start = Position::start(stream);
        head::create(&self.disk, &self.head_of(stream), stream, &self.ring, &start)?;
        self.make_folder(&folder)?;
        Ok(true)
    }

    /// The stream's state, without a lock. What another process is just writing is not seen yet.
    pub fn load<S: Projection>(&self, stream: &StreamId) -> Result<Loaded<S>, StoreError> {
        let (snapshot, damage) = self.snapshot_or_start(stream)?;
        let (mut loaded, _) = self.follow(stream, snapshot)?;
        // Mended only where there is somebody to tell.
        if let (Some(damage), Some(notice)) = (damage, self.notice) {
            self.refresh(stream, &mut loaded);
            notice(&damage);
        }
        Ok(loaded)
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
        let Followed { mut loaded, torn, known, is_stale, is_damaged, mut warnings } =
            self.catch_up(stream, loaded)?;
        let end = loaded.position.clone();
        let head = self.read_head(stream)?;
        let mending = self.damage(stream, (&head, &known), &mut loaded, &torn)?;
        let (mut drafts, value) = decide(&loaded.state)?;
        if drafts.is_empty() {
            return Ok((Transacted { value, warning: joined(&warnings) }, loaded));
        }
        let mut lines = String::new();
        if let Some(mut mending) = mending {
            warnings.push(self.make_room(stream, (&head, &end), &torn, &mut mending)?);
            let Mending { cut, restored } = mending;
            let event = Known::TailCut(cut).into();
            drafts.insert(0, Draft { time: now, actor: Actor::Waypost, event });
            lines.extend(restored);
        }
        self.encode(stream, &mut loaded, drafts, &mut lines)?;
        self.write_lines(stream, &End::of(&end, &torn, &head), &lines)?;
        loaded.behind += lines.len() as u64;
        warnings.extend(self.acknowledge(stream, &head, &mut loaded));
        if is_stale {
            // Only now that the loss is on disk: until then the snapshot may be all that tells it.
            let dropped = self.drop_snapshot::<S>(stream);
            warnings.extend(dropped.err().map(|error| error.to_string()));
        }
        if is_damaged {
            self.refresh(stream, &mut loaded);
        }
        Ok((Transacted { value, warning: joined(&warnings) }, loaded))
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

    /// The stream's state under its lock, from what is nearest: the caller's, or the snapshot.
    fn catch_up<S: Projection>(
        &self,
        stream: &StreamId,
        loaded: Option<Loaded<S>>,
    ) -> Result<Followed<S>, StoreError> {
        if let Some(Loaded { state, position, behind: unread }) = loaded {
            match self.look(stream, &position) {
                Ok(behind @ Behind::Near(_)) => {
                    let known = Snapshot { fold: S::FOLD, position, modified: 0, state };
                    let mut followed = self.catch_up_from(stream, known, Ok(behind))?;
                    followed.loaded.behind += unread;
                    // Who read without a lock may have read what was taken back since.
                    followed.known = Position::start(stream);
                    return Ok(followed);
                }
                Err(error) if !error.is_integrity() => return Err(error),
                // Others have added much since, or what the caller knows was taken back: the snapshot
                // is nearer.
                Ok(Behind::Far) | Err(_) => {}
            }
        }
        let (snapshot, warning) = self.snapshot_or_start(stream)?;
        let behind = self.look(stream, &snapshot.position);
        let mut followed = self.catch_up_from(stream, snapshot, behind)?;
        followed.is_damaged = warning.is_some();
        followed.warnings.extend(warning);
        Ok(followed)
    }

    fn catch_up_from<S: Projection>(
        &self,
        stream: &StreamId,
        snapshot: Snapshot<S>,
        behind: Result<Behind, StoreError>,
    ) -> Result<Followed<S>, StoreError> {
        let known = snapshot.position.clone();
        let followed = behind.and_then(|behind| self.follow_to(stream, snapshot, &behind));
        let is_stale = known.seq > 0 && followed.as_ref().is_err_and(StoreError::is_integrity);
        // Where what is known and what is there do not fit, reading from the start tells which of the
        // records are bad; where all that are left are good, the others are gone.
        let (loaded, torn) =
            if is_stale { self.follow(stream, Snapshot::start(stream))? } else { followed? };
        let is_damaged = false;
        Ok(Followed { loaded, torn, known, is_stale, is_damaged, warnings: Vec::new() })
    }

    /// Encodes `drafts` as the lines that come next, and applies them.
    fn encode<S: Projection>(
        &self,
        stream: &StreamId,
        loaded: &mut Loaded<S>,
        drafts: Vec<Draft>,
        lines: &mut String,
    ) -> Result<(), StoreError> {
        for draft in drafts {
            lines.push_str(&loaded.position.append(stream, self.ring.current(), &draft)?);
            let Draft { time, actor, event } = draft;
            let seq = loaded.position.seq;
            loaded.state.apply(&Record { seq, time, actor, event });
        }
        Ok(())
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

fn joined(warnings: &[String]) -> Option<String> {
    (!warnings.is_empty()).then(|| warnings.join("; "))
}

#[cfg(test)]
mod tests;
