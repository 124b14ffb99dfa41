//! A folder whose content has a tree of its own: the work tree, and each repository in it. Nothing is written.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use waypost_store::look;

use super::begin::as_path;
use super::private as private_files;
use crate::machine::git;
use crate::machine::project::{self, Project};

/// What makes git look at every file as it is, whatever the user told it. What it would store of it stays as the
/// user wants it.
const UNBLINDED: [&str; 16] = [
    "advice.addEmbeddedRepo=false",
    "attr.tree=",
    "core.bigFileThreshold=512m",
    "core.checkStat=default",
    "core.fileMode=true",
    "core.ignoreStat=false",
    "core.protectHFS=false",
    "core.protectNTFS=false",
    "core.safecrlf=false",
    "core.sparseCheckout=false",
    "core.sparseCheckoutCone=false",
    "core.symlinks=true",
    "core.trustctime=true",
    "core.untrackedCache=false",
    "index.sparse=false",
    "submodule.recurse=false",
];

/// A folder, and the repository that git is to look at it with.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) root: PathBuf,
    /// Its path in the project; empty for the project's own folder.
    pub(super) path: String,
    /// Waypost's own paths in it.
    pub(super) own: Vec<String>,
    /// Its repository, or where it has none, the one that lends its own.
    pub(super) git_folder: PathBuf,
    /// What all work trees of the repository share.
    pub(super) common: PathBuf,
    /// Whether the repository is lent: then nothing that it says of files is about those of this folder.
    pub(super) is_lent: bool,
}

/// What another repository in the work tree is to the content.
pub(super) enum Inner {
    /// Its content counts, at its path.
    Content(Place),
    /// It is not checked out: the commit that is to be there counts.
    Empty,
    /// It is a work tree of the same repository, with a content of its own.
    WorkTree,
}

impl Place {
    pub(super) fn of(project: &Project, own: Vec<String>, lent: PathBuf) -> Self {
        let (root, path) = (project.root.clone(), String::new());
        match &project.git {
            Some(dirs) => {
                let (git_folder, common) = (dirs.own.clone(), dirs.common.clone());
                Self { root, path, own, git_folder, common, is_lent: false }
            }
            None => Self { root, path, own, git_folder: lent.clone(), common: lent, is_lent: true },
        }
    }

    /// The user's own index, where there is one for this folder.
    pub(super) fn users_index(&self) -> Option<PathBuf> {
        let index = self.git_folder.join("index");
        (!self.is_lent && look::is_file(&index)).then_some(index)
    }

    /// Git at this place with these private objects: new ones are written to the first folder.
    pub(super) fn git(&self, private: &[PathBuf]) -> Command {
        let mut command = git::command(&self.root);
        // Not where its settings say that it is.
        command.env("GIT_WORK_TREE", &self.root);
        if self.is_lent {
            command.env("GIT_DIR", &self.git_folder);
        }
        let mut others = quoted(&self.common.join("objects"));
        for folder in private.iter().skip(1) {
            others.push(":");
            others.push(quoted(folder));
        }
        if let Some(objects) = private.first() {
            command.env("GIT_OBJECT_DIRECTORY", objects);
        }
        command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", others);
        for setting in UNBLINDED {
            command.args(["-c", setting]);
        }
        if cfg!(target_os = "linux") {
            command.args(["-c", "core.ignoreCase=false"]);
        }
        command.args(["-c", private_files::GIT]);
        // Nobody checks the checksum of an index, and making it takes most of writing a large one.
        command.args(["-c", "index.skipHash=true"]);
        // Linking and unlinking each new object would take twice as long as renaming it.
        command.args(["-c", "core.splitIndex=false", "-c", "core.createObject=rename"]);
        command
    }

    /// What lies at a path that git takes for another repository.
    pub(super) fn inner(&self, name: &[u8]) -> Inner {
        let root = self.root.join(as_path(name));
        let dirs = project::git_folders(&root);
        let is_same = |common: &Path| look::real(common).ok() == look::real(&self.common).ok();
        if dirs.as_ref().is_some_and(|dirs| dirs.worktree.is_some() && is_same(&dirs.common)) {
            return Inner::WorkTree;
        }
        let has_files = look::folder(&root).is_ok_and(|mut entries| entries.next().is_some());
        if dirs.is_none() && !has_files {
            return Inner::Empty;
        }
        let name = String::from_utf8_lossy(name);
        let path =
            if self.path.is_empty() { name.to_string() } else { format!("{}/{name}", self.path) };
        let own = self.own.iter().filter_map(|own| own.strip_prefix(&format!("{name}/")));
        let own = own.map(str::to_owned).collect();
        let is_lent = dirs.is_none();
        let (git_folder, common) = match dirs {
            Some(dirs) => (dirs.own, dirs.common),
            None => (self.git_folder.clone(), self.common.clone()),
        };
        Inner::Content(Self { root, path, own, git_folder, common, is_lent })
    }
}

/// A path as git reads it in a list of paths, whatever colons and quotes are in it.
fn quoted(path: &Path) -> OsString {
    let mut bytes = vec![b'"'];
    for byte in OsStr::as_bytes(path.as_os_str()) {
        if matches!(byte, b'"' | b'\\') {
            bytes.push(b'\\');
        }
        bytes.push(*byte);
    }
    bytes.push(b'"');
    OsString::from_vec(bytes)
}
