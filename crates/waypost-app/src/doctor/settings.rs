//! The settings that Claude Code reads for a project, as it would find them. Reads only.

use std::path::{Path, PathBuf};

use serde_json::Value;
use waypost_store::{files, look};

use crate::error::AppError;
use crate::host::Host;
use crate::init::{self, Approval, Found, Registration, Settings};
use crate::project::Project;

/// What an administrator sets for everyone on the machine.
const MANAGED: &str = "/etc/claude-code/managed-settings.json";
const MANAGED_PARTS: &str = "/etc/claude-code/managed-settings.d";
const MAX_FILE: u64 = 4 * 1024 * 1024;

/// All of them.
#[derive(Default)]
pub(super) struct All {
    /// The files that are there, those that win over others first.
    pub(super) files: Vec<File>,
    /// Waypost's hooks in them.
    pub(super) hooks: Vec<Hook>,
    /// The commands of these hooks.
    pub(super) registrations: Vec<Registration>,
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
    /// Whether it switches all hooks off, or on where others switch them off.
    pub(super) disables_hooks: Option<bool>,
    /// Whether it lets no hooks run but those that an administrator set.
    pub(super) managed_hooks_only: bool,
    /// Whether the client may start Waypost's MCP server.
    pub(super) server: Approval,
}

/// One of Waypost's hooks.
pub(super) struct Hook {
    pub(super) file: PathBuf,
    pub(super) whose: Whose,
    pub(super) event: String,
    pub(super) command: String,
    /// Whether it is the registration that a team shares, which yields to a local one.
    pub(super) is_shared: bool,
    /// Whether its matcher leaves something out.
    pub(super) is_narrow: bool,
    /// Everything that is set for it.
    pub(super) fields: Value,
}

impl All {
    pub(super) fn read(host: &Host, project: &Project) -> Self {
        let mut all = Self::default();
        for path in managed() {
            all.add(path, Whose::Managed);
        }
        for path in init::settings_files(project) {
            all.add(path, Whose::Project);
        }
        all.add(host.claude_dir.join("settings.json"), Whose::User);
        all
    }

    fn add(&mut self, path: PathBuf, whose: Whose) {
        let read = files::read(&path, MAX_FILE).map_err(AppError::from);
        let settings = match read
            .and_then(|bytes| bytes.map(|bytes| Settings::parse(&path, &bytes)).transpose())
        {
            Ok(Some(settings)) => settings,
            Ok(None) => return,
            Err(error) => return self.errors.push(error),
        };
        self.registrations.extend(init::registered_in(&path, &settings));
        let hook = |found: Found| Hook {
            file: path.clone(),
            whose,
            is_shared: found.args.len() == 1,
            is_narrow: found.is_narrow(),
            fields: found.entry.to_serde_value().unwrap_or_default(),
            event: found.event,
            command: found.command,
        };
        self.hooks.extend(settings.found(None).into_iter().map(hook));
        self.files.push(File {
            whose,
            disables_hooks: settings.flag("disableAllHooks"),
            managed_hooks_only: whose == Whose::Managed
                && settings.flag("allowManagedHooksOnly") == Some(true),
            server: settings.approval(),
            path,
        });
    }
}

/// The files of an administrator, those that win over others first.
fn managed() -> Vec<PathBuf> {
    let parts = look::folder(MANAGED_PARTS).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        parts.map(|part| part.path()).filter(|path| is_json(path)).collect();
    files.sort_by(|one, other| other.cmp(one));
    files.push(PathBuf::from(MANAGED));
    files
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}
