//! Documents that are never changed, each under the hash of its content: policies, and the definitions
//! of workflows and protocols that tracks run.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use waypost_core::gate::Before;
use waypost_core::gate::before::ActionParts;
use waypost_core::gate::policy::{Excerpt, Policy, PolicyError};
use waypost_core::track::Definition;

use crate::{StoreError, files};

const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The gates that are in force.
    Policy,
    /// A workflow or protocol. The records hold it too: one that is missing or damaged loses nothing.
    Definition,
}

impl Kind {
    /// The folder that such documents are kept in.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Policy => "policies",
            Self::Definition => "definitions",
        }
    }
}

/// A store of such documents.
pub trait Blobs: Debug + Send + Sync {
    /// Keeps a document under its hash.
    fn keep_blob(&self, kind: Kind, hash: &str, text: &str) -> Result<(), StoreError>;

    /// Reads a document.
    fn blob(&self, kind: Kind, hash: &str) -> Result<Vec<u8>, StoreError>;

    /// Where it lies, for those who are told about it.
    fn place_of_blob(&self, kind: Kind, hash: &str) -> PathBuf;
}

impl dyn Blobs + '_ {
    /// The whole policy that these bytes are.
    pub fn policy(&self, hash: &str, bytes: &[u8]) -> Result<Policy, StoreError> {
        Policy::decode(bytes, hash).map_err(|source| self.wrong(hash, source))
    }

    /// The part of these bytes that stands before an action that is `kinds`, and made of `details`.
    pub fn excerpt(
        &self,
        hash: &str,
        bytes: &[u8],
        kinds: &[Before],
        details: ActionParts<'_>,
    ) -> Result<Excerpt, StoreError> {
        Policy::excerpt(bytes, hash, kinds, details).map_err(|source| self.wrong(hash, source))
    }

    fn wrong(&self, hash: &str, source: PolicyError) -> StoreError {
        StoreError::Policy { path: self.place_of_blob(Kind::Policy, hash), source }
    }

    /// Keeps a definition and returns its hash.
    pub fn keep_definition(&self, definition: &Definition) -> Result<String, StoreError> {
        let (text, hash) = definition.encode()?;
        self.keep_blob(Kind::Definition, &hash, &text)?;
        Ok(hash)
    }

    /// Reads a definition; `None` if what is there is not what was kept. A server asks for the same one
    /// again and again, and what has a hash never changes, so the last one is remembered.
    pub fn definition(&self, hash: &str) -> Option<Arc<Definition>> {
        static LAST: Mutex<Option<(String, Arc<Definition>)>> = Mutex::new(None);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, definition)) = last.as_ref().filter(|(known, _)| known == hash) {
            return Some(Arc::clone(definition));
        }
        let content = self.blob(Kind::Definition, hash).ok()?;
        let definition = Arc::new(Definition::decode(&content, hash)?);
        *last = Some((hash.to_owned(), Arc::clone(&definition)));
        Some(definition)
    }
}

/// Documents in files below one folder.
#[derive(Debug, Clone)]
pub struct FileBlobs {
    root: PathBuf,
}

impl FileBlobs {
    /// The documents below `root`.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }
}

impl Blobs for FileBlobs {
    fn keep_blob(&self, kind: Kind, hash: &str, text: &str) -> Result<(), StoreError> {
        let path = self.place_of_blob(kind, hash);
        if files::read(&path, MAX_BYTES).ok().flatten().as_deref() != Some(text.as_bytes()) {
            files::make_dir(path.parent().unwrap_or(Path::new("/")))?;
            if path.is_dir() {
                // It was put there by somebody else. A file cannot take its place while it is there.
                let aside = path.with_extension("aside");
                let moved = std::fs::rename(&path, &aside);
                moved.map_err(StoreError::io("cannot move away", &path))?;
            }
            files::replace(&path, text.as_bytes(), true)?;
        }
        Ok(())
    }

    fn blob(&self, kind: Kind, hash: &str) -> Result<Vec<u8>, StoreError> {
        let path = self.place_of_blob(kind, hash);
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        files::read(&path, MAX_BYTES)?
            .ok_or_else(|| StoreError::io("cannot read", &path)(missing()))
    }

    fn place_of_blob(&self, kind: Kind, hash: &str) -> PathBuf {
        // Hashes come out of signed records; still, only their plain form may become a file name.
        let plain = waypost_core::key::unhex(hash).is_some();
        self.root.join(kind.folder()).join(if plain { hash } else { "malformed-hash" })
    }
}
