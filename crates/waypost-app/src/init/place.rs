//! The files and folders that `init` may touch.
//!
//! They are named by what they are, never by a path out of a file: a forged manifest cannot lead
//! anywhere else.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::git_hooks;
use crate::git::{self, Deadline};
pub(super) use crate::plain::{Existing, failed, look, write};
use crate::project::Project;

/// A file that `init` may touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Item {
    /// `waypost.toml`
    Config,
    /// `.claude/settings.local.json`: this user's.
    LocalSettings,
    /// `.claude/settings.json`: everyone's.
    SharedSettings,
    /// `.mcp.json`: the MCP servers that a client starts.
    Servers,
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
}

/// A folder that `init` may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Folder {
    /// `.claude`
    Claude,
    /// `.waypost`
    Waypost,
    /// `info` of the repository, shared by its work trees.
    GitInfo,
    /// Where git looks for hooks, as a rule shared by the work trees.
    GitHooks,
    /// The folder of the streams, shared by the work trees.
    Store,
}

impl Item {
    /// Whether all work trees of the repository share it.
    pub(super) fn is_common(self) -> bool {
        matches!(self, Self::Exclude | Self::PreCommit | Self::PrePush)
    }

    /// Where it lies; none if this project cannot have it.
    pub(super) fn path(self, project: &Project) -> Option<PathBuf> {
        Some(match self {
            Self::Config => project.config_file(),
            Self::LocalSettings => local_settings(&project.root),
            Self::SharedSettings => project.root.join(".claude/settings.json"),
            Self::Servers => project.root.join(".mcp.json"),
            Self::Wrapper => project.root.join(".waypost/hook"),
            Self::Exclude => project.git.as_ref()?.common.join("info/exclude"),
            Self::Attributes => {
                project.git.as_ref().map(|_| project.root.join(".gitattributes"))?
            }
            Self::PreCommit => Folder::GitHooks.path(project)?.join("pre-commit"),
            Self::PrePush => Folder::GitHooks.path(project)?.join("pre-push"),
        })
    }

    /// The folder that it needs; none if that is there anyway.
    pub(super) fn folder(self) -> Option<Folder> {
        match self {
            Self::Config | Self::Attributes | Self::Servers => None,
            Self::LocalSettings | Self::SharedSettings => Some(Folder::Claude),
            Self::Wrapper => Some(Folder::Waypost),
            Self::Exclude => Some(Folder::GitInfo),
            Self::PreCommit | Self::PrePush => Some(Folder::GitHooks),
        }
    }

    /// Whether it came from somebody else who works on the project, unless `init` made it here.
    pub(super) fn is_everyones(self, project: &Project) -> bool {
        self == Self::SharedSettings || (self == Self::Servers && is_tracked(self, project))
    }

    /// The mode of a new one, before the user's umask.
    pub(super) fn new_mode(self) -> u32 {
        if matches!(self, Self::Wrapper | Self::PreCommit | Self::PrePush) { 0o755 } else { 0o644 }
    }
}

impl Folder {
    /// Whether all work trees of the repository share it.
    pub(super) fn is_common(self) -> bool {
        matches!(self, Self::GitInfo | Self::GitHooks | Self::Store)
    }

    /// Where it lies; none if this project cannot have it.
    pub(super) fn path(self, project: &Project) -> Option<PathBuf> {
        Some(match self {
            Self::Claude => project.root.join(".claude"),
            Self::Waypost => project.root.join(".waypost"),
            Self::GitInfo => project.git.as_ref()?.common.join("info"),
            Self::GitHooks => git_hooks::folder(project).ok().flatten()?,
            Self::Store => project.store.clone(),
        })
    }
}

/// Whether git keeps a file. What git cannot tell, it does not keep.
fn is_tracked(item: Item, project: &Project) -> bool {
    let Some(path) = item.path(project).filter(|_| project.git.is_some()) else {
        return false;
    };
    let args = [OsStr::new("ls-files"), OsStr::new("--"), path.as_os_str()];
    let found = git::output(git::command(&project.root), args, Deadline::after(git::LIMIT));
    found.is_ok_and(|names| !names.is_empty())
}

/// The settings of Claude Code for this user in a work tree.
pub(super) fn local_settings(root: &Path) -> PathBuf {
    root.join(".claude/settings.local.json")
}
