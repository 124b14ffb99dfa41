//! What a stream's records were folded to, in a file beside the stream's.

use std::io;

use waypost_core::id::StreamId;

use super::FileLog;
use crate::disk::Disk;
use crate::event_log::Folds;
use crate::streams::MAX_SNAPSHOT;
use crate::{StoreError, files};

impl<D: Disk> Folds for FileLog<D> {
    fn fold(&self, stream: &StreamId, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.folder_of(stream).join(name);
        match self.disk.read(&path, MAX_SNAPSHOT) {
            // Nobody has to be able to read it: the records are still there.
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(None),
            content => content.map_err(StoreError::reading(&path)),
        }
    }

    fn keep_fold(&self, stream: &StreamId, name: &str, content: &[u8]) -> Result<(), StoreError> {
        let path = self.folder_of(stream).join(name);
        if self.disk.is_folder(&path) {
            // A file cannot take its place while it is there.
            self.move_aside(&path)?;
        }
        files::replace_on(&self.disk, &path, content, false)
    }

    fn forget_fold(&self, stream: &StreamId, name: &str) -> Result<(), StoreError> {
        let path = self.folder_of(stream).join(name);
        self.disk.remove(&path).map_err(StoreError::io("cannot remove", &path))
    }
}
