//! The repository that git calls a hook in, read by hand from where git says that it is: a hook runs at the top of the
//! work tree, or in the repository itself. Nothing is looked for above that.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use waypost_store::look;

/// A repository as git's hooks see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledIn {
    /// The work tree's own folder.
    pub own: PathBuf,
    /// The folder that all work trees share.
    pub common: PathBuf,
    /// The linked work tree's name; none is the main one.
    pub worktree: Option<String>,
}

impl CalledIn {
    /// The repository of a hook that was called in `cwd`, with git's word on where it lies.
    pub fn of(cwd: &Path, git_dir: Option<&OsStr>) -> Option<Self> {
        let own = match git_dir.filter(|said| !said.is_empty()) {
            Some(said) => cwd.join(said),
            None => own_folder(cwd)?,
        };
        let folder = own.parent().and_then(Path::file_name);
        if folder != Some(OsStr::new("worktrees")) {
            return Some(Self { common: own.clone(), own, worktree: None });
        }
        let common = pointed_to(&own.join("commondir"), b"")?;
        let worktree = own.file_name().and_then(OsStr::to_str).map(str::to_owned);
        Some(Self { own, common, worktree })
    }

    /// Where Waypost keeps what it has to of this repository.
    pub fn store(&self) -> PathBuf {
        self.common.join("waypost")
    }

    /// Whether Waypost was set up in this repository, and not taken out since.
    pub fn is_kept(&self) -> bool {
        look::is_file(self.store().join("install.json"))
    }

    /// The top folder of the work tree; none where there is none, or it lies where nobody would look.
    pub fn root(&self) -> Option<PathBuf> {
        if self.worktree.is_some() {
            return pointed_to(&self.own.join("gitdir"), b"")?.parent().map(Path::to_owned);
        }
        let own = look::real(&self.own).ok()?;
        let root = own.parent().filter(|_| own.file_name() == Some(OsStr::new(".git")))?;
        Some(root.to_owned())
    }
}

fn own_folder(cwd: &Path) -> Option<PathBuf> {
    let dot_git = cwd.join(".git");
    if look::link(&dot_git).ok()?.is_file() {
        pointed_to(&dot_git, b"gitdir: ")
    } else {
        Some(dot_git)
    }
}

fn pointed_to(file: &Path, prefix: &[u8]) -> Option<PathBuf> {
    let content = look::bytes(file).ok()?;
    let target = content.trim_ascii_end().strip_prefix(prefix)?;
    Some(file.parent()?.join(OsStr::from_bytes(target)))
}
