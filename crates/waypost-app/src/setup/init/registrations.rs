//! Which hook commands of Waypost are installed for a project, as the client would find them.

use std::path::{Path, PathBuf};

use waypost_store::{files, look};

use super::items::{Client, Site};
use crate::error::AppError;
use crate::harness::{Content, Harness, Hook, Local, Managed, Role, Server};
use crate::machine::host::Host;
use crate::machine::project::Project;

/// A larger file is no settings file.
pub(crate) const MAX_FILE: u64 = 4 * 1024 * 1024;

/// A hook command of Waypost, and the events that it is registered for.
#[derive(Debug, Clone)]
pub struct HarnessRegistration {
    /// The settings file.
    pub file: PathBuf,
    /// Whose settings these are.
    pub role: Role,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Whether it is the one that a team shares, which yields to a local one.
    pub is_shared: bool,
    /// The events, in the order of the file.
    pub events: Vec<String>,
}

/// The hook commands of Waypost for this project: in the local settings of this work tree and of
/// the main one (which a client reads in linked work trees too), and in everyone's settings.
pub fn registrations(
    host: &Host,
    harness: &dyn Harness,
    project: &Project,
) -> Result<Vec<HarnessRegistration>, AppError> {
    let mut result = Vec::new();
    let Some(local) = host.harness(harness.facts().name) else { return Ok(result) };
    for (role, path) in settings_files(host, local, project) {
        let Some(bytes) = files::read(&path, MAX_FILE)? else {
            continue;
        };
        let content = Content { role, path: &path, bytes: &bytes, exe: None };
        let said = local.harness.registering().said(content)?;
        result.append(&mut grouped(&path, role, &said.hooks));
    }
    Ok(result)
}

/// The hook commands of Waypost in one settings file.
pub(crate) fn grouped(file: &Path, role: Role, hooks: &[Hook]) -> Vec<HarnessRegistration> {
    let mut in_file: Vec<HarnessRegistration> = Vec::new();
    for hook in hooks {
        let same = |known: &&mut HarnessRegistration| {
            known.command == hook.command && known.args == hook.args
        };
        match in_file.iter_mut().find(same) {
            Some(known) => known.events.push(hook.event.clone()),
            None => in_file.push(HarnessRegistration {
                file: file.to_owned(),
                role,
                command: hook.command.clone(),
                args: hook.args.clone(),
                is_shared: hook.is_shared,
                events: vec![hook.event.clone()],
            }),
        }
    }
    in_file
}

/// The settings files of the project itself, those that win over others first.
pub(crate) fn settings_files(
    host: &Host,
    local: &Local,
    project: &Project,
) -> Vec<(Role, PathBuf)> {
    let main = main_root(project);
    let roots = [Some(project.root.as_path()), main.as_deref()];
    let files = |role: Role| {
        Client::of(local).map(|client| client.file).filter(move |file| file.role == role)
    };
    let at = |root: &Path, role: Role| {
        let ground = host.ground(local, root);
        files(role).map(|file| (role, (file.place)(ground))).collect::<Vec<_>>()
    };
    let own = roots.into_iter().flatten().flat_map(|root| at(root, Role::Local));
    let own = own.chain(at(&project.root, Role::Either));
    own.chain(at(&project.root, Role::Shared)).collect()
}

/// Every file of settings that a harness reads for the project: an administrator's, the project's and the
/// user's, those that win over others first.
pub(crate) fn all_settings_files(host: &Host, local: &Local, project: &Project) -> Vec<PathBuf> {
    let managed = local.facts().managed.iter().flat_map(managed_files);
    let own = settings_files(host, local, project).into_iter().map(|(_, path)| path);
    managed.chain(own).chain([local.folder.join(local.facts().user_settings)]).collect()
}

/// The files of an administrator, those that win over others first.
pub(crate) fn managed_files(managed: &Managed) -> Vec<PathBuf> {
    let parts = look::folder(managed.parts).into_iter().flatten().flatten();
    let is_json = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut files: Vec<PathBuf> = parts.map(|part| part.path()).filter(is_json).collect();
    files.sort_by(|one, other| other.cmp(one));
    files.push(PathBuf::from(managed.file));
    files
}

/// The file in which a harness finds the MCP server that it starts in this project under Waypost's
/// name, and the server if there is one.
pub(crate) fn registered_server(
    host: &Host,
    local: &Local,
    project: &Project,
) -> Result<Option<(PathBuf, Option<Server>)>, AppError> {
    let Some(client) = Client::of(local).find(|client| client.file.has_servers()) else {
        return Ok(None);
    };
    let path = client.path(Site { host, project });
    let bytes = files::read(&path, MAX_FILE)?.unwrap_or_default();
    let server = local.harness.registering().server(client.content(&path, &bytes, None))?;
    Ok(Some((path, server)))
}

/// The main work tree, if this one is linked to it.
fn main_root(project: &Project) -> Option<PathBuf> {
    let git = project.git.as_ref().filter(|git| git.worktree.is_some())?;
    let is_work_tree = git.common.file_name().is_some_and(|name| name == ".git");
    git.common.parent().filter(|_| is_work_tree).map(PathBuf::from)
}
