//! What can go wrong with files.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use waypost_core::canonical::CanonicalError;
use waypost_core::gate::policy::PolicyError;
use waypost_core::key::KeyError;
use waypost_core::record::RecordError;
use waypost_core::sealed::SealError;

use crate::os;

/// What can go wrong with files.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Somebody else holds the lock.
    #[error("{} is locked by another process for more than {} s", path.display(), waited.as_secs())]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// How long this one waited.
        waited: Duration,
    },
    /// Somebody else added to the stream since it was loaded, and nothing was added here. Only a store that lets
    /// several try at once says so.
    #[error("{} ends with record {actual}, and record {expected} was expected", path.display())]
    Overtaken {
        /// The stream.
        path: PathBuf,
        /// The last record when it was loaded.
        expected: u64,
        /// The last record that there is.
        actual: u64,
    },
    /// A record is not what Waypost wrote.
    #[error("{}: record {number}: {source}", path.display())]
    Record {
        /// The stream's file.
        path: PathBuf,
        /// Which record, from 1.
        number: u64,
        /// What is wrong with it.
        source: RecordError,
    },
    /// A sealed document is not what Waypost wrote.
    #[error("{}: {source}", path.display())]
    Sealed {
        /// The document's file.
        path: PathBuf,
        /// What is wrong with it.
        source: SealError,
    },
    /// A stream is shorter than it is known to have been.
    #[error("{} has {found} bytes, but {known} were written and acknowledged", path.display())]
    Shorter {
        /// The stream's file.
        path: PathBuf,
        /// How long it was.
        known: u64,
        /// How long it is.
        found: u64,
    },
    /// The head and the stream contradict each other.
    #[error("{}: record {number} is not the one that was acknowledged", path.display())]
    Head {
        /// The stream's file.
        path: PathBuf,
        /// Which record.
        number: u64,
    },
    /// The stream's end is not what was written there, though it is where it should be.
    #[error("{}: its end is not record {number} as it was written", path.display())]
    Tail {
        /// The stream's file.
        path: PathBuf,
        /// Which record should stand there.
        number: u64,
    },
    /// Records that were acknowledged are gone.
    #[error("{}: ends after record {found}, but record {known} had been acknowledged", path.display())]
    Lost {
        /// The stream's file.
        path: PathBuf,
        /// The last record that is there.
        found: u64,
        /// The last record that was acknowledged.
        known: u64,
    },
    /// What was written could neither be made to last nor be taken back.
    #[error("{source}; nor could it be taken back: record {number} of {} may yet count", path.display())]
    Unsettled {
        /// The stream's file.
        path: PathBuf,
        /// The first record that was refused.
        number: u64,
        /// Why it was refused.
        source: Box<StoreError>,
    },
    /// Something else is in the place of a stream's file, or it cannot be read by whoever owns it.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The stream's file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A stream's end is damaged, and nothing was added to it since.
    #[error("the end of {} is damaged", path.display())]
    Unmended {
        /// The stream's file.
        path: PathBuf,
    },
    /// A policy is not what Waypost wrote.
    #[error("{}: {source}", path.display())]
    Policy {
        /// The policy's file.
        path: PathBuf,
        /// What is wrong with it.
        source: PolicyError,
    },
    /// A key or key file cannot be used.
    #[error("{}: {source}", path.display())]
    Key {
        /// The key file.
        path: PathBuf,
        /// What is wrong with it.
        source: KeyError,
    },
    /// Something else is in the place of the key file, or it cannot be read.
    #[error("{0}")]
    KeyUnreadable(Box<StoreError>),
    /// There is no key.
    #[error("there is no key at {}", path.display())]
    NoKey {
        /// Where it should be.
        path: PathBuf,
    },
    /// Others can read or change a file that only its owner should.
    #[error("{} can be read or changed by others (mode {mode:o})", path.display())]
    LooseMode {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// A value cannot be written down.
    #[error(transparent)]
    Canonical(#[from] CanonicalError),
}

impl StoreError {
    /// Whether stored data is damaged or forged, rather than out of reach.
    pub fn is_integrity(&self) -> bool {
        matches!(
            self,
            Self::Record { .. }
                | Self::Sealed { .. }
                | Self::Shorter { .. }
                | Self::Head { .. }
                | Self::Tail { .. }
                | Self::Lost { .. }
                | Self::Unreadable { .. }
                | Self::Unsettled { .. }
                | Self::Unmended { .. }
                | Self::Policy { .. }
                | Self::Key { .. }
                | Self::KeyUnreadable(_)
        )
    }

    /// Whether nothing is wrong but that somebody else was first.
    pub fn is_overtaken(&self) -> bool {
        matches!(self, Self::Overtaken { .. })
    }

    /// Whether nothing is wrong but that this version is too old to read it.
    pub fn is_newer(&self) -> bool {
        matches!(self, Self::Record { source: RecordError::Version(_), .. })
    }

    /// Whether something else lies there than what is meant, rather than that it is out of reach.
    pub fn is_of_what_lies_there(&self) -> bool {
        match self {
            Self::Io { source, .. } => os::is_about_what_lies_there(source),
            error => error.is_integrity(),
        }
    }

    /// What is wrong where a stream's file cannot be read.
    pub(crate) fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| {
            if os::is_about_what_lies_there(&source) {
                Self::Unreadable { path, source }
            } else {
                Self::Io { action: "cannot read", path, source }
            }
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
