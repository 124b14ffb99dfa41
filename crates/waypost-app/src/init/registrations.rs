//! Which hook commands of Waypost are installed for a project, as the client would find them.

use std::path::{Path, PathBuf};

use super::place::{Item, local_settings};
use super::settings::Settings;
use crate::error::AppError;
use crate::project::Project;
use waypost_store::files;

const MAX_FILE: u64 = 4 * 1024 * 1024;

/// A hook command of Waypost, and the events that it is registered for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// The settings file.
    pub file: PathBuf,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The events, in the order of the file.
    pub events: Vec<String>,
}

/// The hook commands of Waypost for this project: in the local settings of this work tree and of
/// the main one (which the client reads in linked work trees too), and in everyone's settings.
pub fn registrations(project: &Project) -> Result<Vec<Registration>, AppError> {
    let mut result = Vec::new();
    for file in settings_files(project) {
        let Some(bytes) = files::read(&file, MAX_FILE)? else {
            continue;
        };
        result.append(&mut registered_in(&file, &Settings::parse(&file, &bytes)?));
    }
    Ok(result)
}

/// The hook commands of Waypost in one settings file.
pub(crate) fn registered_in(file: &Path, settings: &Settings) -> Vec<Registration> {
    let mut in_file: Vec<Registration> = Vec::new();
    for found in settings.found(None) {
        let (command, args) = (found.command, found.args);
        let same = |known: &&mut Registration| known.command == command && known.args == args;
        match in_file.iter_mut().find(same) {
            Some(known) => known.events.push(found.event),
            None => in_file.push(Registration {
                file: file.to_owned(),
                command,
                args,
                events: vec![found.event],
            }),
        }
    }
    in_file
}

/// The settings files of the project itself, those that win over others first.
pub(crate) fn settings_files(project: &Project) -> impl Iterator<Item = PathBuf> {
    let main = main_root(project).map(|root| local_settings(&root));
    let own = [Item::LocalSettings.path(project), main, Item::SharedSettings.path(project)];
    own.into_iter().flatten()
}

/// The main work tree, if this one is linked to it.
fn main_root(project: &Project) -> Option<PathBuf> {
    let git = project.git.as_ref().filter(|git| git.worktree.is_some())?;
    let is_work_tree = git.common.file_name().is_some_and(|name| name == ".git");
    git.common.parent().filter(|_| is_work_tree).map(PathBuf::from)
}
