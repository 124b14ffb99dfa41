//! What can go wrong with an index.

use std::path::PathBuf;

use crate::StoreError;

/// What can go wrong with an index.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// It is not what Waypost made: it has to be made anew.
    #[error("the index {} is damaged: {why}", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A row is not what Waypost wrote.
    #[error("a row of `{0}` in the index is damaged")]
    Foreign(&'static str),
    /// An older Waypost made it.
    #[error("the index {} was made by an older Waypost", path.display())]
    Older {
        /// The database.
        path: PathBuf,
    },
    /// A newer Waypost made it.
    #[error("the index {} was made by a newer Waypost", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
    },
    /// The database refused.
    #[error("the index {}: {source}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What it said.
        source: rusqlite::Error,
    },
    /// Its files cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl IndexError {
    /// Whether making it anew is all that helps.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. } | Self::Foreign(_) | Self::Older { .. })
    }
}
