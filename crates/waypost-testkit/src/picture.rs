//! Pictures of folders: every name, mode and byte, to see that nothing changed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Every file, folder and link below some folders, with its mode and content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture(BTreeMap<PathBuf, (u32, Vec<u8>)>);

#[expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test that cannot be set up has failed"
)]
impl Picture {
    /// Everything below `folders`, the folders themselves included.
    pub fn of(folders: &[&Path]) -> Self {
        let mut found = BTreeMap::new();
        let mut left: Vec<PathBuf> = folders.iter().map(|folder| (*folder).to_owned()).collect();
        while let Some(path) = left.pop() {
            let metadata = fs::symlink_metadata(&path).unwrap();
            let content = if metadata.is_dir() {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                Vec::new()
            } else if metadata.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            found.insert(path, (metadata.mode(), content));
        }
        Self(found)
    }

    /// What a later picture shows that this one does not, and the other way round.
    pub fn changes(&self, later: &Self) -> Vec<String> {
        let gone = self.0.keys().filter(|path| !later.0.contains_key(*path));
        let gone = gone.map(|path| format!("gone: {}", path.display()));
        let other = later.0.iter().filter_map(|(path, now)| match self.0.get(path) {
            None => Some(format!("new: {}", path.display())),
            Some(before) if before != now => Some(format!("changed: {}", path.display())),
            Some(_) => None,
        });
        gone.chain(other).collect()
    }
}
