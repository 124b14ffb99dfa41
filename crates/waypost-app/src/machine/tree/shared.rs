//! What all parts of one look at the work tree share, and how it is handed over to those that come after.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

use super::cache::{self, Cached};
use super::generation::Generation;
use super::scratch::Scratch;
use super::{Trees, objects, private};

/// What all parts of one look at the work tree share.
pub(super) struct Shared<'a> {
    pub(super) trees: &'a Trees<'a>,
    pub(super) generation: Generation,
    pub(super) scratch: Scratch,
    /// Indexes to keep once the objects that they need are where they stay.
    pub(super) pending: Mutex<Vec<(PathBuf, Cached)>>,
    /// Names by which whole trees are remembered, and those that they stand instead of.
    pub(super) wholes: Mutex<Vec<(String, Vec<String>)>>,
}

impl Shared<'_> {
    /// Where new objects are written, and where the others of this generation are.
    pub(super) fn objects(&self) -> [PathBuf; 2] {
        [self.scratch.objects(), self.generation.objects()]
    }

    /// Gives the objects that were written to those that come after, then what needs them. All this is derived:
    /// what cannot be kept is made again.
    pub(super) fn hand_over(&self) -> std::io::Result<()> {
        objects::hand_over(&self.scratch.objects(), &self.generation.objects())?;
        for (index, cached) in self.pending.lock().iter_mut().flat_map(|all| all.drain(..)) {
            cache::keep(&index, &cached, &self.generation);
        }
        for (name, before) in self.wholes.lock().iter_mut().flat_map(|all| all.drain(..)) {
            if private::file(&self.generation.folder.join(&name)).is_ok() {
                for other in before.iter().filter(|other| **other != name) {
                    let _ = fs::remove_file(self.generation.folder.join(other));
                }
            }
        }
        Ok(())
    }
}
