//! A store and keys for a checkout that may have neither: nothing of them is left behind.

use std::fs;
use std::path::PathBuf;

use waypost_core::key::{Key, Keyring, hex};
use waypost_store::{files, look};

use crate::error::AppError;
use crate::machine::host::Host;
use crate::machine::project::Project;

/// A folder that is removed with everything in it.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new(host: &Host) -> Result<Self, AppError> {
        let name = format!("waypost-ci-{}", hex(&host.random::<16>()?));
        let folder = std::env::temp_dir().join(name);
        files::make_dir(&folder)?;
        Ok(Self(folder))
    }

    /// The project with its store in here: what the machine knows beyond the checkout has no say.
    pub(super) fn around(&self, project: Project) -> Project {
        Project { store: self.0.clone(), ..project }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is in the machine's folder for what is temporary.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The keys, or one that nobody knows: then every copy is unverified.
pub(super) fn keys(host: &Host) -> Result<Keyring, AppError> {
    if host.secret.is_none() && look::link(host.key_file()).is_err() {
        return Ok(Keyring::new(Key::from_bytes(host.random::<32>()?.to_vec())));
    }
    host.keyring()
}
