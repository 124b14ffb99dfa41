//! A folder that is gone when the run ends.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::failure::{During, Failure};

/// A new folder that nobody else can look into.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn create(parent: &Path, name: &str) -> Result<Self, Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("{name}-{}-{}", std::process::id(), now.as_nanos());
        let parent = parent.canonicalize().during(|| parent.display().to_string())?;
        let path = parent.join(name);
        DirBuilder::new().mode(0o700).create(&path).during(|| path.display().to_string())?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("waypost-bench: {} is left behind: {error}", self.0.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_gone_with_all_that_is_in_it() {
        let folder = Folder::create(&std::env::temp_dir(), "waypost-bench-test").unwrap();
        let path = folder.path().to_owned();
        fs::write(path.join("file"), "text").unwrap();
        drop(folder);
        assert!(!path.exists());
    }
}
