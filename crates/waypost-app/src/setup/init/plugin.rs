//! Waypost's plugin, where a client has it and loads it in a project. Only looks.

use std::path::{Path, PathBuf};

use waypost_store::files;

use super::registrations::{HarnessRegistration, MAX_FILE, all_settings_files, grouped};
use crate::harness::{Content, Local, Plugins, Role, Server};
use crate::machine::host::Host;
use crate::machine::project::Project;

/// Waypost's plugin, as a client loads it.
#[derive(Debug)]
pub struct Plugin {
    /// Where it lies.
    pub folder: PathBuf,
    /// How its hook is called.
    pub hooks: Vec<HarnessRegistration>,
    /// The file that names its MCP server, and the server.
    pub server: Option<(PathBuf, Server)>,
}

/// The plugin that a client loads in a project. What cannot be read is not loaded by the client either.
pub fn plugin(host: &Host, local: &Local, project: &Project) -> Option<Plugin> {
    let plugins = local.harness.plugins()?;
    let list = read(&plugins.list(host.ground(local, &project.root)))?;
    let settings = all_settings_files(host, local, project);
    let is_on = |name: &str| {
        // The first that says anything wins over the others.
        let said = settings.iter().find_map(|path| said_by(plugins, path, name));
        said == Some(true)
    };
    let listed = plugins.listed(&list, &project.root).into_iter().find(|one| is_on(&one.name))?;
    let (hooks_file, server_file) = plugins.files(&listed.folder);
    let hooks = plugins.hooks(&read(&hooks_file)?, &listed.folder);
    let hooks = grouped(&hooks_file, Role::Shared, &hooks);
    let server = read(&server_file).and_then(|content| plugins.server(&content, &listed.folder));
    let server = server.map(|server| (server_file, server));
    Some(Plugin { folder: listed.folder, hooks, server })
}

fn said_by(plugins: &dyn Plugins, path: &Path, name: &str) -> Option<bool> {
    let bytes = read(path)?;
    plugins.is_on(Content { role: Role::Local, path, bytes: &bytes, exe: None }, name)
}

fn read(path: &Path) -> Option<Vec<u8>> {
    files::read(path, MAX_FILE).ok().flatten()
}
