//! The projects of this machine, and what was last seen in each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use waypost_core::key::Keyring;
use waypost_core::session::Lifecycle;
use waypost_core::time::Timestamp;
use waypost_store::seen::{self, Unchanging};

use super::{Watch, WatchRow, WatchState, beside, rows};
use crate::error::AppError;
use crate::index::{self, ListedProject};
use crate::machine::host::Host;
use crate::machine::project::{self, Project};
use crate::view::View;
use crate::view::registry::Registry;

/// A project, and what was last seen in it.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) name: String,
    /// Its id in the index.
    pub(super) id: Option<String>,
    project: Project,
    sessions: Vec<WatchRow>,
    lapses: Vec<WatchRow>,
    /// What waits beside the sessions, and what has to stay as it is for the same to be told.
    beside: (Vec<WatchRow>, Option<Unchanging>),
    /// Whether there are more open sessions than these.
    pub(super) more: bool,
    /// Why it could not be read.
    pub(super) failed: Option<String>,
    /// What has to stay as it is for the same sessions to be seen, and on which day they were.
    depends_on: Option<(Unchanging, Timestamp)>,
}

impl Place {
    fn new(name: String, project: Project) -> Self {
        let (sessions, lapses, beside) = (Vec::new(), Vec::new(), (Vec::new(), None));
        Self {
            name,
            id: None,
            project,
            sessions,
            lapses,
            beside,
            more: false,
            failed: None,
            depends_on: None,
        }
    }

    /// What was seen.
    pub(super) fn rows(&self) -> impl Iterator<Item = &WatchRow> {
        self.sessions.iter().chain(&self.beside.0).chain(&self.lapses)
    }

    /// Reads it again, unless nothing of it has changed. What ended before `today` is left out.
    pub(super) fn read(&mut self, host: &Host, ring: &Keyring, today: Timestamp) {
        let before = self.is_at_work();
        self.read_sessions(host, ring, today);
        let is_same = before == self.is_at_work();
        if is_same && self.beside.1.as_ref().is_some_and(|same| same.holds_at(host.moment())) {
            return;
        }
        let (found, seen) = seen::of(|| {
            let view = View::with(host, self.project.clone(), ring.clone());
            beside::of(&view, &self.name, self.is_at_work())
        });
        self.beside = (found, seen.unchanging());
    }

    /// Whether an agent is attached to a session.
    fn is_at_work(&self) -> bool {
        let is_open = |row: &WatchRow| row.lifecycle == Some(Lifecycle::Active);
        let rests = |row: &WatchRow| row.state == WatchState::Resting;
        self.sessions.iter().any(|row| is_open(row) && !rests(row))
    }

    fn read_sessions(&mut self, host: &Host, ring: &Keyring, today: Timestamp) {
        if let Some((depends_on, day)) = &self.depends_on
            && *day == today
            && depends_on.holds_at(host.moment())
        {
            return;
        }
        let (found, seen) = seen::of(|| {
            let view = View::with(host, self.project.clone(), ring.clone());
            rows::of(&view, &self.name, today)
        });
        self.depends_on = seen.unchanging().map(|unchanging| (unchanging, today));
        match found {
            Ok((sessions, more)) => {
                (self.sessions, self.more, self.failed) = (sessions, more, None);
            }
            Err(error) => {
                self.sessions.clear();
                self.failed = Some(format!("{}: {}", self.name, error.message));
            }
        }
    }

    /// Looks for conversations without hooks in its work trees.
    pub(super) fn look_for_lapses(&mut self, host: &Host, ring: &Keyring) {
        let others = self.project.work_trees();
        let others = others.into_iter().filter(|other| other.root != self.project.root);
        let trees = std::iter::once(self.project.clone()).chain(others);
        self.lapses = trees
            .flat_map(|tree| rows::lapses(&View::with(host, tree, ring.clone()), &self.name))
            .collect();
    }
}

impl Watch<'_> {
    /// Finds the projects. With `all`, those of every conversation that is registered, whether it runs or not.
    pub(super) fn find(&mut self, all: bool) -> Result<Option<String>, AppError> {
        let known = index::projects(self.host)?;
        let mut found: BTreeSet<PathBuf> = BTreeSet::new();
        for ListedProject { id, name, project } in known.projects {
            let store = self.add(Some(name), project);
            if let Some(place) = self.places.get_mut(&store) {
                place.id = Some(id);
            }
            found.insert(store);
        }
        let registry = Registry::new(&self.host.state_dir, &self.ring);
        let mut folders: BTreeSet<PathBuf> =
            registry.running().into_iter().map(|entry| entry.root).collect();
        if all {
            let read: BTreeMap<String, PathBuf> = std::mem::take(&mut self.conversations);
            self.conversations = registry.folders(read);
            folders.extend(self.conversations.values().cloned());
        }
        let here = project::require(&self.host.cwd).ok();
        let others = folders.iter().filter_map(|folder| project::require(folder).ok());
        for project in here.into_iter().chain(others) {
            found.insert(self.add(None, project));
        }
        self.places.retain(|store, _| found.contains(store));
        Ok(known.warning)
    }

    /// Adds a project, unless it is known. All work trees of a repository are one.
    fn add(&mut self, name: Option<String>, project: Project) -> PathBuf {
        let store = project.store.clone();
        let project = project.work_tree("").unwrap_or(project);
        let folder = || project.root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(place) = self.places.get_mut(&store) {
            if let Some(name) = name.filter(|name| *name != place.name) {
                (place.name, place.depends_on) = (name, None);
            }
            return store;
        }
        let name = name.unwrap_or_else(folder);
        self.places.insert(store.clone(), Place::new(name, project));
        store
    }
}
