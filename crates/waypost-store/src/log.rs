//! The event log in files.
//!
//! A stream is a file of records, which are added under the stream's lock and are on disk when that
//! returns. Beside it lie what its records were folded to, and, apart from it, its head.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::Keyring;
use waypost_core::record::Position;

use crate::disk::{Disk, Patience, RealDisk};
use crate::event_log::{Each, EventLog, Held};
use crate::head::Head;
use crate::mark::Mark;
use crate::{StoreError, head, look, os};

mod copies;
mod damage;
mod folds;
mod holding;
mod reading;
mod repair;
mod upkeep;
mod verify;
mod writing;

use holding::HeldFile;

pub use copies::Copies;

/// The streams of one project.
#[derive(Debug, Clone)]
pub struct FileLog<D = RealDisk> {
    root: PathBuf,
    ring: Keyring,
    disk: D,
    patience: Patience,
    copies: Option<Arc<dyn Copies>>,
    /// The end of a stream that was looked at last: it is not read over and over.
    checked: Arc<Mutex<Option<(StreamId, Position)>>>,
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
            checked: Arc::default(),
        }
    }

    /// The same with copies elsewhere: where a stream's last line is torn, they are asked for it.
    #[must_use]
    pub fn with_copies(self, copies: Arc<dyn Copies>) -> Self {
        Self { copies: Some(copies), ..self }
    }

    /// The same for somebody who waits longer, or less long, for a lock.
    #[must_use]
    pub fn patient(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// The stream's file.
    pub(crate) fn path_of(&self, stream: &StreamId) -> PathBuf {
        self.folder_of(stream).join("events.jsonl")
    }

    /// Whether there is nothing left of a stream but a head that tells of records.
    fn is_gone(&self, stream: &StreamId) -> bool {
        let head = self.read_head(stream);
        head.is_ok_and(|head| head.acknowledged().is_some_and(|known| known.seq > 0))
    }

    fn lock_stream(&self, stream: &StreamId) -> Result<D::Lock, StoreError> {
        self.lock_named(&name_of(stream))
    }

    fn lock_named(&self, name: &str) -> Result<D::Lock, StoreError> {
        let folder = self.root.join("locks");
        let path = folder.join(name);
        let taken = match self.disk.lock(&path, self.patience) {
            // Locks hold nothing: whoever tidies up may take their folder away.
            Err(error) if os::is_absent(&error) => {
                self.make_folder(&folder)?;
                self.disk.lock(&path, self.patience)
            }
            taken => taken,
        };
        taken
            .map_err(StoreError::io("cannot lock", &path))?
            .ok_or(StoreError::Locked { path, waited: self.patience.limit })
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

impl<D: Disk> EventLog for FileLog<D> {
    fn ring(&self) -> &Keyring {
        &self.ring
    }

    /// The name is not free where a head tells of records: they are gone, and the head is what proves it.
    fn create(&self, stream: &StreamId) -> Result<bool, StoreError> {
        let folder = self.folder_of(stream);
        if self.disk.is_folder(&folder) {
            return Ok(false);
        }
        let _lock = self.lock_stream(stream)?;
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

    fn exists(&self, stream: &StreamId) -> bool {
        self.disk.is_folder(&self.folder_of(stream)) || self.is_gone(stream)
    }

    fn sessions(&self) -> Result<Vec<SessionId>, StoreError> {
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

    fn load(
        &self,
        stream: &StreamId,
        position: &mut Position,
        each: Each<'_>,
    ) -> Result<(), StoreError> {
        if self.is_checked(stream, position)? {
            return Ok(());
        }
        let behind = self.look(stream, position)?;
        self.follow(stream, position, &behind, each)?;
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        *checked = Some((stream.clone(), position.clone()));
        Ok(())
    }

    fn hold<'a>(&'a self, stream: &'a StreamId) -> Result<Box<dyn Held + 'a>, StoreError> {
        let lock = self.lock_stream(stream)?;
        Ok(Box::new(HeldFile::new(self, stream, lock)))
    }

    fn mark(&self, stream: &StreamId) -> Result<Mark, StoreError> {
        let path = self.path_of(stream);
        self.disk.mark(&path).map_err(StoreError::reading(&path))
    }

    fn mark_of_all(&self) -> String {
        match look::at(self.root.join("sessions")) {
            Ok(found) => format!("{}.{}-{}", found.mtime(), found.mtime_nsec(), found.nlink()),
            Err(_) => "none".to_owned(),
        }
    }
}

fn name_of(stream: &StreamId) -> String {
    stream.to_string().replace('/', "-")
}

#[cfg(test)]
mod tests;
