//! The settings that harnesses read for a project, as they would find them. Reads only.

use std::path::PathBuf;

use waypost_store::files;

use crate::error::AppError;
use crate::harness::{Content, Local, Role, Said};
use crate::machine::host::Host;
use crate::machine::project::Project;
use crate::setup::init::{self, HarnessRegistration, MAX_FILE};

/// Those of a harness.
pub(super) struct All<'a> {
    /// The harness.
    pub(super) local: &'a Local,
    /// The files that are there, those that win over others first.
    pub(super) files: Vec<File>,
    /// The commands of Waypost's hooks in them.
    pub(super) registrations: Vec<HarnessRegistration>,
    /// Waypost's plugin, if the harness loads it here.
    pub(super) plugin: Option<init::Plugin>,
    /// Why others cannot be read.
    pub(super) errors: Vec<AppError>,
}

/// Whose settings a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// An administrator's: nobody else can change them.
    Managed,
    /// The project's: `waypost init` writes them.
    Project,
    /// The user's, for all projects.
    User,
}

/// A settings file.
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) whose: Whose,
    pub(super) said: Said,
}

impl<'a> All<'a> {
    /// Those of each harness.
    pub(super) fn of_each(host: &'a Host, project: &Project) -> Vec<Self> {
        host.harnesses.iter().map(|local| Self::read(host, local, project)).collect()
    }

    fn read(host: &Host, local: &'a Local, project: &Project) -> Self {
        let (files, registrations, errors) = (Vec::new(), Vec::new(), Vec::new());
        let plugin = init::plugin(host, local, project);
        let mut all = Self { local, files, registrations, plugin, errors };
        for path in local.facts().managed.iter().flat_map(init::managed_files) {
            all.add(path, Role::Shared, Whose::Managed);
        }
        for (role, path) in init::settings_files(host, local, project) {
            all.add(path, role, Whose::Project);
        }
        all.add(local.folder.join(local.facts().user_settings), Role::Local, Whose::User);
        all
    }

    fn add(&mut self, path: PathBuf, role: Role, whose: Whose) {
        let bytes = match files::read(&path, MAX_FILE) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return,
            Err(error) => return self.errors.push(error.into()),
        };
        let content = Content { role, path: &path, bytes: &bytes, exe: None };
        match self.local.harness.registering().said(content) {
            Ok(said) => {
                self.registrations.append(&mut init::grouped(&path, role, &said.hooks));
                self.files.push(File { path, whose, said });
            }
            Err(error) => self.errors.push(error),
        }
    }
}
