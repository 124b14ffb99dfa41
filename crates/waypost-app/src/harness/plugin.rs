//! Waypost as a plugin: how a harness that loads plugins keeps it.

use std::path::{Path, PathBuf};

use super::{Content, Ground, Hook, Server};

/// How a harness keeps Waypost's plugin. It is given what files hold, and reads none.
pub trait Plugins: Sync {
    /// The file that lists what is installed.
    fn list(&self, ground: Ground<'_>) -> PathBuf;

    /// Waypost's plugins in that list that count for the project in `root`.
    fn listed(&self, list: &[u8], root: &Path) -> Vec<Listed>;

    /// Whether settings switch a plugin on or off, if they say.
    fn is_on(&self, settings: Content<'_>, name: &str) -> Option<bool>;

    /// The files of a plugin that name its hooks, and its MCP server.
    fn files(&self, folder: &Path) -> (PathBuf, PathBuf);

    /// The hooks that such a file names, with the folder's path in the place of what stands for it.
    fn hooks(&self, content: &[u8], folder: &Path) -> Vec<Hook>;

    /// The server that such a file names, in the same way.
    fn server(&self, content: &[u8], folder: &Path) -> Option<Server>;
}

/// A plugin that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// How settings name it.
    pub name: String,
    /// Where it lies.
    pub folder: PathBuf,
}
