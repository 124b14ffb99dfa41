//! The ways in which a file can break.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

/// A way in which a file can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Damage {
    Gone,
    Empty,
    CutInside,
    CutAtLine,
    EndGone,
    Flipped,
    Zeroed,
    ExtraLine,
    Unreadable,
    Folder,
    Dangling,
}

pub(crate) const ALL: [(&str, Damage); 11] = [
    ("gone", Damage::Gone),
    ("empty", Damage::Empty),
    ("cut inside", Damage::CutInside),
    ("cut at a line", Damage::CutAtLine),
    ("last 7 bytes gone", Damage::EndGone),
    ("flipped", Damage::Flipped),
    ("zeroed", Damage::Zeroed),
    ("an extra line", Damage::ExtraLine),
    ("unreadable", Damage::Unreadable),
    ("a folder", Damage::Folder),
    ("a dangling link", Damage::Dangling),
];

impl Damage {
    pub(crate) fn apply(self, path: &Path) {
        let bytes = fs::read(path).unwrap();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        match self {
            Self::Gone => fs::remove_file(path).unwrap(),
            Self::Empty => fs::write(path, "").unwrap(),
            Self::CutInside => fs::write(path, &bytes[..bytes.len() * 2 / 3]).unwrap(),
            Self::CutAtLine => fs::write(path, lines[..lines.len() - 1].concat()).unwrap(),
            Self::EndGone => fs::write(path, &bytes[..bytes.len().saturating_sub(7)]).unwrap(),
            Self::Flipped => {
                let mut bytes = bytes.clone();
                let middle = bytes.len() / 2;
                for byte in &mut bytes[middle..middle + 3] {
                    *byte ^= 0x15;
                }
                fs::write(path, bytes).unwrap();
            }
            Self::Zeroed => fs::write(path, vec![0; bytes.len()]).unwrap(),
            Self::ExtraLine => fs::write(path, [&bytes, *lines.last().unwrap()].concat()).unwrap(),
            // Whoever may read everything is kept out by a link that leads back to itself.
            Self::Unreadable if rustix::process::geteuid().is_root() => {
                fs::remove_file(path).unwrap();
                symlink(path, path).unwrap();
            }
            Self::Unreadable => {
                fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
            }
            Self::Folder => {
                fs::remove_file(path).unwrap();
                fs::create_dir(path).unwrap();
            }
            Self::Dangling => {
                fs::remove_file(path).unwrap();
                symlink("/nowhere/at/all", path).unwrap();
            }
        }
    }
}

/// Puts a file back as it was, whatever lies there.
pub(crate) fn undo(path: &Path, good: &[u8]) {
    if fs::remove_file(path).is_err() {
        fs::remove_dir(path).unwrap();
    }
    fs::write(path, good).unwrap();
}
