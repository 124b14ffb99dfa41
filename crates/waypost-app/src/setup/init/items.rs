//! The files and folders that `init` may touch.
//!
//! They are named by what they are, never by a path out of a file: a forged manifest cannot lead
//! anywhere else.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::hooks_folder;
use crate::harness::{self, File, Local, Role};
use crate::machine::git::{self, Deadline};
use crate::machine::host::Host;
use crate::machine::project::Project;

/// A file that `init` may touch.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item<'h> {
    /// `waypost.toml`
    Config,
    /// One in which a harness finds Waypost.
    Client(Client<'h>),
    /// `.waypost/hook`: what everyone's settings call.
    Wrapper,
    /// `info/exclude` of the repository, shared by its work trees.
    Exclude,
    /// `.gitattributes`
    Attributes,
    /// git's `pre-commit`, where git looks for it.
    PreCommit,
    /// git's `pre-push`, where git looks for it.
    PrePush,
    /// git's `reference-transaction`, where git looks for it.
    ReferenceTransaction,
}

/// A file in which a harness finds Waypost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Client<'h> {
    /// The harness.
    pub(super) local: &'h Local,
    /// The file.
    pub(super) file: &'static File,
}

/// A folder that `init` may make.
#[derive(Debug, Clone, Copy)]
pub(super) enum Folder<'h> {
    /// One in which a harness looks for its files.
    Client(&'h Local, &'static harness::Folder),
    /// `.waypost`
    Waypost,
    /// `info` of the repository, shared by its work trees.
    GitInfo,
    /// Where git looks for hooks, as a rule shared by the work trees.
    GitHooks,
    /// The folder of the streams, shared by the work trees.
    Store,
}

/// The machine and the project that files are looked for in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'a> {
    /// The machine.
    pub(super) host: &'a Host,
    /// The project.
    pub(super) project: &'a Project,
}

impl<'a> Site<'a> {
    /// The files of all harnesses.
    pub(super) fn clients(self) -> impl Iterator<Item = Client<'a>> {
        self.host.harnesses.iter().flat_map(Client::of)
    }

    fn root(self) -> &'a Path {
        &self.project.root
    }
}

impl<'h> Client<'h> {
    /// The files of a harness.
    pub(super) fn of(local: &'h Local) -> impl Iterator<Item = Self> {
        local.harness.registering().files().iter().map(move |file| Self { local, file })
    }

    /// Where it lies.
    pub(super) fn path(self, site: Site<'_>) -> PathBuf {
        (self.file.place)(site.host.ground(self.local, site.root()))
    }

    /// Its content, as the harness is asked about it.
    pub(super) fn content<'c>(
        self,
        path: &'c Path,
        bytes: &'c [u8],
        exe: Option<&'c str>,
    ) -> harness::Content<'c> {
        harness::Content { role: self.file.role, path, bytes, exe }
    }
}

impl<'h> Item<'h> {
    /// How `install.json` names it.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Client(client) => client.file.key,
            Self::Wrapper => "wrapper",
            Self::Exclude => "exclude",
            Self::Attributes => "attributes",
            Self::PreCommit => "pre-commit",
            Self::PrePush => "pre-push",
            Self::ReferenceTransaction => "reference-transaction",
        }
    }

    /// Where it lies; none if this project cannot have it.
    pub(super) fn path(self, site: Site<'_>) -> Option<PathBuf> {
        let git = site.project.git.as_ref();
        Some(match self {
            Self::Config => site.project.config_file(),
            Self::Client(client) => client.path(site),
            Self::Wrapper => site.root().join(".waypost/hook"),
            Self::Exclude => git?.common.join("info/exclude"),
            Self::Attributes => git.map(|_| site.root().join(".gitattributes"))?,
            Self::PreCommit => Folder::GitHooks.path(site)?.join("pre-commit"),
            Self::PrePush | Self::ReferenceTransaction => {
                Folder::GitHooks.path(site)?.join(self.key())
            }
        })
    }

    /// The folder that it needs; none if that is there anyway.
    pub(super) fn folder(self) -> Option<Folder<'h>> {
        match self {
            Self::Config | Self::Attributes => None,
            Self::Client(Client { local, file }) => Some(Folder::Client(local, file.folder?)),
            Self::Wrapper => Some(Folder::Waypost),
            Self::Exclude => Some(Folder::GitInfo),
            Self::PreCommit | Self::PrePush | Self::ReferenceTransaction => Some(Folder::GitHooks),
        }
    }

    /// Whether it came from somebody else who works on the project, unless `init` made it here.
    pub(super) fn is_everyones(self, site: Site<'_>) -> bool {
        let Self::Client(client) = self else { return false };
        match client.file.role {
            Role::Local => false,
            Role::Shared => true,
            Role::Servers | Role::Either => is_tracked(&client.path(site), site.project),
        }
    }

    /// The mode of a new one, before the user's umask.
    pub(super) fn new_mode(self) -> u32 {
        let is_program = matches!(
            self,
            Self::Wrapper | Self::PreCommit | Self::PrePush | Self::ReferenceTransaction
        );
        if is_program { 0o755 } else { 0o644 }
    }
}

impl<'h> Folder<'h> {
    /// The one that `install.json` names so; none if no harness that is known here has it.
    pub(super) fn named(key: &str, host: &'h Host) -> Option<Self> {
        let own = [Self::Waypost, Self::GitInfo, Self::GitHooks, Self::Store];
        let of_clients = host.harnesses.iter().flat_map(Client::of);
        let of_clients = of_clients.filter_map(|client| Item::Client(client).folder());
        let of_clients = of_clients.flat_map(Self::all);
        own.into_iter().chain(of_clients).find(|folder| folder.key() == key)
    }

    /// The folders in which it lies that may not be there, the outermost first, and it itself.
    pub(super) fn all(self) -> Vec<Self> {
        match self {
            Self::Client(local, folder) => {
                folder.all().into_iter().map(|folder| Self::Client(local, folder)).collect()
            }
            Self::Waypost | Self::GitInfo | Self::GitHooks | Self::Store => vec![self],
        }
    }

    /// How `install.json` names it.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Client(_, folder) => folder.key,
            Self::Waypost => "waypost",
            Self::GitInfo => "git-info",
            Self::GitHooks => "git-hooks",
            Self::Store => "store",
        }
    }

    /// Where it lies; none if this project cannot have it.
    pub(super) fn path(self, site: Site<'_>) -> Option<PathBuf> {
        Some(match self {
            Self::Client(local, folder) => (folder.place)(site.host.ground(local, site.root())),
            Self::Waypost => site.root().join(".waypost"),
            Self::GitInfo => site.project.git.as_ref()?.common.join("info"),
            Self::GitHooks => hooks_folder::folder(site.project).ok().flatten()?,
            Self::Store => site.project.store.clone(),
        })
    }
}

/// Whether all work trees of the repository share a file that `install.json` names so.
pub(super) fn is_common_file(key: &str) -> bool {
    let common = [Item::Exclude, Item::PreCommit, Item::PrePush, Item::ReferenceTransaction];
    common.iter().any(|item| item.key() == key)
}

/// Whether all work trees of the repository share a folder that `install.json` names so.
pub(super) fn is_common_folder(key: &str) -> bool {
    [Folder::GitInfo, Folder::GitHooks, Folder::Store].iter().any(|folder| folder.key() == key)
}

/// Whether git keeps a file. What git cannot tell, it does not keep.
pub(super) fn is_tracked(path: &Path, project: &Project) -> bool {
    if project.git.is_none() {
        return false;
    }
    let args = [OsStr::new("ls-files"), OsStr::new("--"), path.as_os_str()];
    let found = git::output(git::command(&project.root), args, Deadline::after(git::LIMIT));
    found.is_ok_and(|names| !names.is_empty())
}
