//! Adding the projects below folders to the index, and what people say of them.

use std::path::PathBuf;

use super::find::{self, Found};
use super::known::{Known, KnownProject};
use super::making::{Listed, Sources, place};
use super::report::{Failed, Progress, Report};
use crate::error::AppError;
use crate::machine::host::Host;
use crate::machine::project::Project;
use crate::transcripts::Kept;

/// Adds the projects below these folders, and reads what happened in all that are known.
pub fn onboard(
    host: &Host,
    kept: &[Kept],
    folders: &[PathBuf],
    progress: Progress<'_>,
) -> Result<Report, AppError> {
    let mut failed = Vec::new();
    let mut projects = Vec::new();
    for folder in folders {
        progress(0, 0, &folder.display().to_string());
        let found = find::below(&host.cwd.join(folder));
        let Found { projects: more, failed: unread } = found;
        if more.is_empty() && unread.is_empty() {
            let what = folder.display().to_string();
            let why = "there is no project that Waypost keeps, and no session folder".to_owned();
            failed.push(Failed { what, why });
        }
        projects.extend(more);
        failed.extend(unread);
    }
    let place = place(host);
    let hold = place.hold(host.patience)?;
    let mut listed = Listed::read(host)?;
    for project in &projects {
        listed.known.add(project);
    }
    listed.known.write(host)?;
    let mut report = listed.write_into(&Sources { host, kept }, &place, &hold, progress)?;
    report.failed.splice(0..0, failed);
    Ok(report)
}

/// Lists projects that are not. Whether there was one.
pub fn list(host: &Host, projects: &[Project]) -> Result<bool, AppError> {
    let (known, _) = Known::read(host)?;
    let is_new = |project: &&Project| !known.projects.iter().any(|one| one.store == project.store);
    if !projects.iter().any(|project| is_new(&project)) {
        return Ok(false);
    }
    let place = place(host);
    let _hold = place.hold(host.patience)?;
    let (mut known, _) = Known::read(host)?;
    for project in projects {
        known.add(project);
    }
    known.write(host)?;
    Ok(true)
}

/// Calls a project by another name; by an empty one, as its folder is called.
pub fn rename(host: &Host, kept: &[Kept], project: &str, name: &str) -> Result<Report, AppError> {
    let name = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
    change(host, kept, project, |known| known.name = name)
}

/// Puts a project away, or takes it out again.
pub fn archive(
    host: &Host,
    kept: &[Kept],
    project: &str,
    archived: bool,
) -> Result<Report, AppError> {
    change(host, kept, project, |known| known.archived = archived)
}

fn change(
    host: &Host,
    kept: &[Kept],
    project: &str,
    change: impl FnOnce(&mut KnownProject),
) -> Result<Report, AppError> {
    let place = place(host);
    let hold = place.hold(host.patience)?;
    let mut listed = Listed::read(host)?;
    change(listed.known.named(project)?);
    listed.known.write(host)?;
    listed.write_into(&Sources { host, kept }, &place, &hold, &mut |_, _, _| {})
}
