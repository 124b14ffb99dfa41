//! What a person should know who sets Waypost up where the requirements of another framework are.

use waypost_store::files;

use super::InitOutcome;
use crate::config;
use crate::foreign::requirements::{Imported, Places};
use crate::harness::{Content, Local, Role};
use crate::machine::host::Host;
use crate::machine::project::Project;
use crate::setup::init::{MAX_FILE, all_settings_files};

/// Tells what becomes of the project's requirements.
pub(super) fn say(host: &Host, project: &Project, outcome: &mut InitOutcome) {
    let config = config::read(&project.config_file()).ok().flatten().unwrap_or_default();
    for places in Places::of_each(host, &project.root) {
        let name = places.name();
        let Some(imported) = Imported::read(&places) else {
            if let Some(alone) = places.without_project() {
                outcome.note(format!("{alone} is not in force: there is no {name}"));
            }
            continue;
        };
        if !config.requirements {
            outcome.note(format!(
                "{name} is there and not in force: waypost.toml says `requirements = false`"
            ));
            continue;
        }
        let summary = imported.summary(&places);
        outcome.note(format!(
            "{summary}; `requirements = false` below [project] in waypost.toml leaves them out"
        ));
        for problem in &imported.problems {
            outcome.note(problem.to_string());
        }
        let beside = host.harnesses.iter().flat_map(|local| beside(host, local, project));
        for (file, what) in beside {
            outcome.note(format!(
                "{file} has {what} run beside Waypost: both enforce {name}, so one of them should be switched off"
            ));
        }
    }
}

/// The settings that call the framework itself, and what in them does.
fn beside(host: &Host, local: &Local, project: &Project) -> Vec<(String, String)> {
    let user = local.folder.join(local.facts().user_settings);
    let mut paths = all_settings_files(host, local, project);
    if !paths.contains(&user) {
        paths.push(user);
    }
    let calling = paths.into_iter().filter_map(|path| {
        let bytes = files::read(&path, MAX_FILE).ok().flatten()?;
        let content = Content { role: Role::Local, path: &path, bytes: &bytes, exe: None };
        let said = local.harness.registering().said(content).ok()?;
        let what = said.frameworks.join(", ");
        (!what.is_empty()).then(|| (path.display().to_string(), what))
    });
    calling.collect()
}
