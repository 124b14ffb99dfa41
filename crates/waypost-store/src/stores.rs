//! Where the stores of projects are: the one choice that the program makes for all of them.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use waypost_core::key::Keyring;

use crate::blobs::{Blobs, FileBlobs};
use crate::disk::Patience;
use crate::log::{Copies, FileLog};
use crate::memory::MemoryStore;
use crate::upkeep::Store;

/// Opens the stores of projects.
pub trait Stores: Debug + Send + Sync {
    /// The store of the project that keeps its private things in `folder`.
    fn open(&self, folder: &Path, terms: Terms) -> Opened;
}

/// On what terms a store is opened.
#[derive(Debug)]
pub struct Terms {
    /// The keys that sign.
    pub ring: Keyring,
    /// How long to wait for a lock.
    pub patience: Patience,
    /// Who is asked for what is torn.
    pub copies: Arc<dyn Copies>,
}

/// The store of a project.
#[derive(Debug, Clone)]
pub struct Opened {
    /// Its streams.
    pub log: Arc<dyn Store>,
    /// Its documents.
    pub blobs: Arc<dyn Blobs>,
}

/// Stores in files.
#[derive(Debug, Clone, Copy)]
pub struct InFiles;

impl Stores for InFiles {
    fn open(&self, folder: &Path, Terms { ring, patience, copies }: Terms) -> Opened {
        let log = FileLog::new(folder.to_owned(), ring).patient(patience).with_copies(copies);
        Opened { log: Arc::new(log), blobs: Arc::new(FileBlobs::new(folder.to_owned())) }
    }
}

/// Stores that are gone when the process is.
#[derive(Debug, Default)]
pub struct InMemory {
    opened: Mutex<BTreeMap<PathBuf, Opened>>,
}

impl Stores for InMemory {
    fn open(&self, folder: &Path, Terms { ring, .. }: Terms) -> Opened {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || {
            let store = Arc::new(MemoryStore::new(ring));
            Opened { log: Arc::clone(&store) as Arc<dyn Store>, blobs: store }
        };
        opened.entry(folder.to_owned()).or_insert_with(new).clone()
    }
}
