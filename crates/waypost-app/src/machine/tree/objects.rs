//! Objects that a call wrote. They lie with the call while it works, so that nothing half written is ever
//! among those that others use, and are handed over when they are whole.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use waypost_store::look;

use super::private;

/// How the names begin of what git has not finished.
const UNFINISHED: &str = "tmp_";

/// Moves what is whole to where the others are, once nobody writes here any more. Names are hashes: what
/// is there already is the same.
pub(super) fn hand_over(from: &Path, to: &Path) -> io::Result<()> {
    for folder in children(from)? {
        let target = to.join(folder.file_name().unwrap_or_default());
        let objects = children(&folder)?;
        let are_whole = !objects.iter().any(|path| is_unfinished(path));
        // All at once, if there are none of them yet: a call may write tens of thousands.
        if !(are_whole && fs::rename(&folder, &target).is_ok()) {
            move_whole(objects, &target)?;
        }
    }
    Ok(())
}

/// The same while somebody may still write here: the git of a caller that was killed.
pub(super) fn salvage(from: &Path, to: &Path) -> io::Result<()> {
    for folder in children(from)? {
        move_whole(children(&folder)?, &to.join(folder.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

fn move_whole(mut objects: Vec<PathBuf>, to: &Path) -> io::Result<()> {
    private::folder(to)?;
    // A pack is found by its index, which comes before it by name and so is moved after it.
    objects.sort_unstable();
    for object in objects.iter().rev().filter(|path| !is_unfinished(path)) {
        fs::rename(object, to.join(object.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes())
}

fn children(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match look::folder(folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, path: &str) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }

    #[test]
    fn what_is_whole_is_handed_over_and_nothing_else() {
        for hand_over in [hand_over, salvage] {
            let folder = tempfile::tempdir().unwrap();
            let (from, to) = (folder.path().join("from"), folder.path().join("to"));
            put(&to, "aa/known");
            let whole = ["aa/known", "aa/new", "bb/new", "cc/new", "pack/p.idx", "pack/p.pack"];
            let unfinished = ["aa/tmp_obj_x", "bb/tmp_obj_y", "pack/tmp_pack_z"];
            whole.iter().chain(&unfinished).for_each(|path| put(&from, path));
            hand_over(&from, &to).unwrap();
            for path in whole {
                assert!(to.join(path).is_file() && !from.join(path).exists(), "{path}");
            }
            for path in unfinished {
                assert!(!to.join(path).exists() && from.join(path).is_file(), "{path}");
            }
            hand_over(&from, &to).unwrap();
            hand_over(&folder.path().join("none"), &to).unwrap();
        }
    }
}
