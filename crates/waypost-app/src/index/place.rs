//! What is to be said of a folder before its projects are added: whether it can be read, what is kept there, and which
//! folders lie in it. Nothing but names is read of what is no project.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use waypost_core::id::SessionId;
use waypost_store::look;

use super::known::Known;
use crate::error::AppError;
use crate::machine::host::Host;
use crate::machine::project::{self, Project};
use crate::view::View;
use crate::view::copy::{EVENTS, MANIFEST};

/// So many folders are listed at most.
pub const MAX_INSIDE: usize = 500;
/// So many entries of a folder are looked at.
const MAX_LOOKED_AT: usize = 20_000;
/// So many folders of sessions are counted: adding them counts all.
const MAX_COUNTED: usize = 1_000;

/// What is to be said of a folder.
#[derive(Debug, Serialize)]
pub struct Place {
    /// The folder, without links.
    pub path: PathBuf,
    /// Why it cannot be read.
    pub unreadable: Option<String>,
    /// The project that it is, or lies in.
    pub project: Option<FoundProject>,
    /// The folder around it.
    pub around: Option<PathBuf>,
    /// The folders in it, by their names, without hidden ones.
    pub inside: Vec<Inside>,
    /// Whether there are more than are listed.
    pub more: bool,
}

/// A folder in another one.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Inside {
    /// Its name there.
    pub name: String,
    /// The folder, without links.
    pub path: PathBuf,
    /// Whether a repository begins there.
    pub repository: bool,
}

/// A project that was found at a place.
#[derive(Debug, Serialize)]
pub struct FoundProject {
    /// Its folder.
    pub root: PathBuf,
    /// Whether it is a git repository.
    pub repository: bool,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// Whether it has a configuration of Waypost.
    pub configured: bool,
    /// Whether Waypost is set up there.
    pub initialised: bool,
    /// The sessions.
    pub sessions: SessionsThere,
    /// Its id, where it is listed.
    pub listed: Option<String>,
}

/// How many sessions there are at a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SessionsThere {
    /// Those that are kept there.
    pub live: u64,
    /// Those that came as published copies.
    pub copies: u64,
    /// Folders of another program's sessions.
    pub legacy: u64,
    /// Whether there are more folders than were counted.
    pub more: bool,
}

impl FoundProject {
    /// Whether there is anything to add.
    pub fn is_kept(&self) -> bool {
        let SessionsThere { live, copies, legacy, .. } = self.sessions;
        self.initialised || live + copies + legacy > 0
    }
}

/// What is to be said of a folder that somebody names: from their home where they name no whole path, and their home where
/// they name none.
pub fn place(host: &Host, named: Option<&str>) -> Result<Place, AppError> {
    let path = meant(&host.home, named.unwrap_or("~"));
    let mut place = Place {
        around: path.parent().map(Path::to_owned),
        path,
        unreadable: None,
        project: None,
        inside: Vec::new(),
        more: false,
    };
    match look::real(&place.path) {
        Ok(real) => {
            place.around = real.parent().map(Path::to_owned);
            place.path = real;
        }
        Err(error) => {
            place.unreadable = Some(error.to_string());
            return Ok(place);
        }
    }
    match inside(&place.path) {
        Ok((inside, more)) => (place.inside, place.more) = (inside, more),
        Err(error) => place.unreadable = Some(error.to_string()),
    }
    if place.unreadable.is_none() {
        match project::find_or_here(&place.path) {
            Ok(found) => place.project = kept(host, &place.path, found)?,
            Err(error) => place.unreadable = Some(error.message),
        }
    }
    Ok(place)
}

fn meant(home: &Path, named: &str) -> PathBuf {
    let named = named.trim();
    let below = named.strip_prefix("~/").or_else(|| (named == "~").then_some(""));
    home.join(below.unwrap_or(named))
}

/// The folders in a folder, sorted, and whether there are more.
fn inside(folder: &Path) -> std::io::Result<(Vec<Inside>, bool)> {
    let mut looked_at = 0;
    let mut found = Vec::new();
    for entry in look::folder(folder)?.take(MAX_LOOKED_AT + 1).flatten() {
        looked_at += 1;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') || !look::is_folder(entry.path()) {
            continue;
        }
        let Ok(path) = look::real(entry.path()) else { continue };
        let repository = look::link(path.join(".git")).is_ok();
        found.push(Inside { name, path, repository });
    }
    let more = found.len() > MAX_INSIDE || looked_at > MAX_LOOKED_AT;
    found.sort_by_cached_key(|inside| (inside.name.to_lowercase(), inside.name.clone()));
    found.truncate(MAX_INSIDE);
    Ok((found, more))
}

/// What a project has, unless the folder is none.
fn kept(host: &Host, at: &Path, found: Project) -> Result<Option<FoundProject>, AppError> {
    let (initialised, repository) = (found.is_initialised(), found.git.is_some());
    let (known, _) = Known::read(host)?;
    let listed = known.projects.iter().find(|known| known.store == found.store);
    let mut told = FoundProject {
        root: found.root.clone(),
        repository,
        branch: found.branch(),
        configured: look::is_file(found.config_file()),
        initialised,
        sessions: SessionsThere::default(),
        listed: listed.map(|known| known.id.clone()),
    };
    if let Ok(ring) = host.keyring() {
        told.sessions = sessions(&View::with(host, found, ring));
    }
    let is_one = repository || told.is_kept() || told.configured && told.root == at;
    Ok(is_one.then_some(told))
}

fn sessions(view: &View<'_>) -> SessionsThere {
    let live = view.log.sessions().unwrap_or_default();
    let live: BTreeSet<&str> = live.iter().map(SessionId::as_str).collect();
    let mut there = SessionsThere { live: live.len() as u64, ..SessionsThere::default() };
    let folders = look::folder(view.project.root.join(view.sessions_dir()));
    for (number, folder) in folders.into_iter().flatten().flatten().enumerate() {
        if number == MAX_COUNTED {
            there.more = true;
            break;
        }
        let name = folder.file_name();
        let is_live = name.to_str().is_some_and(|name| live.contains(name));
        let has = |name| look::link(folder.path().join(name)).is_ok();
        match (is_live, has(EVENTS), has(MANIFEST)) {
            (false, true, _) => there.copies += 1,
            (false, false, true) => there.legacy += 1,
            _ => {}
        }
    }
    there
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_home_unless_they_are_whole() {
        let home = Path::new("/ada");
        for (named, path) in [
            ("~", "/ada"),
            ("~/code", "/ada/code"),
            ("code", "/ada/code"),
            (" /srv/x ", "/srv/x"),
            ("~eve", "/ada/~eve"),
        ] {
            assert_eq!(meant(home, named), Path::new(path).join(""), "{named}");
        }
    }
}
