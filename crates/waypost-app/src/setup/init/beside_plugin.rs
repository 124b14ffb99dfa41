//! A client that loads Waypost as a plugin may be told of Waypost by its settings too, and runs both. Whether the
//! settings do the work, so that the plugin has nothing to do. Only looks.

use std::path::{Path, PathBuf};

use waypost_store::files;

use super::registrations::{MAX_FILE, managed_files, registered_server, settings_files};
use super::silenced::said;
use crate::error::AppError;
use crate::harness::{Ground, Harness, Local, Role, SERVER, Settings};
use crate::machine::host::Host;
use crate::machine::project::Project;

/// How a client was started.
#[derive(Debug, Default)]
pub struct Started<'a> {
    /// Its arguments, if they are known.
    pub arguments: Option<Vec<String>>,
    /// The folder that it was started in, if that is known.
    pub started_in: Option<&'a Path>,
}

impl Started<'_> {
    fn reads(&self, harness: &dyn Harness, settings: Settings) -> bool {
        self.arguments.as_deref().is_none_or(|arguments| harness.reads(arguments, settings))
    }

    /// Everyone's settings are read in the folder that the client was started in, and nowhere else.
    fn reads_shared(&self, harness: &dyn Harness, project: &Project) -> bool {
        let is_top = self.started_in.is_none_or(|folder| folder == project.root);
        is_top && self.reads(harness, Settings::Shared)
    }
}

/// Whether a client calls Waypost's hook because settings say so.
pub fn calls_by_settings(
    host: &Host,
    harness: &dyn Harness,
    project: &Project,
    started: &Started<'_>,
) -> bool {
    let Some(local) = host.harness(harness.facts().name) else { return false };
    let files = read_by(host, local, project, started);
    files.into_iter().any(|file| !said(local, &file).hooks.is_empty())
}

/// Whether a client starts Waypost's MCP server because settings say so.
pub fn serves_by_settings(
    host: &Host,
    harness: &dyn Harness,
    project: &Project,
    started: &Started<'_>,
) -> Result<bool, AppError> {
    let Some(local) = host.harness(harness.facts().name) else { return Ok(false) };
    let ground = Ground { root: &project.root, home: &host.home, folder: &local.folder };
    let registering = harness.registering();
    let own = files::read(&registering.user_servers(ground), MAX_FILE)?.unwrap_or_default();
    if registering.servers(&own, &project.root).iter().any(|name| name == SERVER) {
        return Ok(true);
    }
    let registered = registered_server(host, local, project)?.and_then(|(_, server)| server);
    if registered.is_none() || !started.reads_shared(harness, project) {
        return Ok(false);
    }
    let files = read_by(host, local, project, started);
    let said: Vec<_> = files.iter().map(|file| said(local, file).server).collect();
    let is_refused = said.iter().any(|said| said.is_refused);
    let all = said.iter().find_map(|said| said.all) == Some(true);
    Ok(!is_refused && (all || said.iter().any(|said| said.is_approved)))
}

/// The files of settings that a client reads which was started so.
fn read_by(host: &Host, local: &Local, project: &Project, started: &Started<'_>) -> Vec<PathBuf> {
    let harness = local.harness;
    let managed = local.facts().managed.iter().flat_map(managed_files);
    let is_read = |role: Role| match role {
        Role::Local | Role::Either => started.reads(harness, Settings::Local),
        Role::Shared | Role::Servers => started.reads_shared(harness, project),
    };
    let own = settings_files(host, local, project).into_iter();
    let own = own.filter(|(role, _)| is_read(*role)).map(|(_, path)| path);
    let user = Some(local.folder.join(local.facts().user_settings));
    let user = user.filter(|_| started.reads(harness, Settings::User));
    managed.chain(own).chain(user).collect()
}
