//! Files and folders that only their owner can read, whatever the umask says: what is in them is the
//! user's work, also where the repository itself is open to others.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use waypost_store::look;

const FOLDER: u32 = 0o700;
const FILE: u32 = 0o600;

/// What makes git's own files private: it sets their modes itself, and does not ask the umask.
pub(super) const GIT: &str = "core.sharedRepository=0600";

/// Makes a folder with all above it, if it is not there, and closes it, if it is open.
pub(super) fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(path)?;
    if look::at(path)?.permissions().mode() & 0o777 != FOLDER {
        fs::set_permissions(path, Permissions::from_mode(FOLDER))?;
    }
    Ok(())
}

/// Makes a file that is not there.
pub(super) fn file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).mode(FILE).open(path)?;
    file.set_permissions(Permissions::from_mode(FILE))?;
    Ok(file)
}
