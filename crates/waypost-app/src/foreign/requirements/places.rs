//! Where the files lie, and how they are called to people.

use std::path::{Path, PathBuf};

use waypost_store::look;

use crate::harness::{Local, Requirements};
use crate::machine::host::Host;

const FILE: &str = "requirements.yaml";
const LOCAL: &str = "requirements.local.yaml";
const MESSAGES: &str = "messages";
const LOCAL_MESSAGES: &str = "messages.local";

/// Where the files of one harness' requirements lie.
#[derive(Debug, Clone)]
pub struct Places {
    /// What is known of them.
    pub facts: &'static Requirements,
    root: PathBuf,
    home: PathBuf,
    /// Whether the user switched the strict check off.
    pub(super) strict_off: bool,
}

/// One of the files.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// Where it lies.
    pub(super) path: PathBuf,
    /// How people call it.
    pub(super) name: String,
}

impl Places {
    /// Those of each harness that knows such a framework.
    pub fn of_each(host: &Host, root: &Path) -> Vec<Self> {
        let known = host.harnesses.iter().filter_map(|local: &Local| local.facts().requirements);
        let strict_off = host.strict_off;
        known.map(|facts| Self { strict_off, ..Self::at(facts, root, &host.home) }).collect()
    }

    pub(super) fn at(facts: &'static Requirements, root: &Path, home: &Path) -> Self {
        Self { facts, root: root.to_owned(), home: home.to_owned(), strict_off: false }
    }

    /// Whether the project has its own file.
    pub fn is_there(&self) -> bool {
        look::is_there(self.of_project().path)
    }

    /// The name of the project's file.
    pub fn name(&self) -> String {
        self.of_project().name
    }

    /// The name of the checkout's file, where that is there without the project's.
    pub fn without_project(&self) -> Option<String> {
        let own = self.of_checkout();
        (!self.is_there() && look::is_there(&own.path)).then_some(own.name)
    }

    /// The files that say what the requirements are: the project's own first.
    pub fn paths(&self) -> [PathBuf; 3] {
        [self.of_project().path, self.of_user().path, self.of_checkout().path]
    }

    /// The folders of what is told where one is not satisfied.
    pub fn folders(&self) -> [PathBuf; 3] {
        self.messages("").map(|place| place.path.components().collect())
    }

    /// Whether a file is one of these, there or not: writing one could loosen what is in force.
    pub fn keeps(&self, path: &Path) -> bool {
        self.paths().iter().any(|file| path == file)
            || self.folders().iter().any(|folder| path.starts_with(folder))
            || path == self.opted_out()
    }

    /// Where the files lie that are links.
    pub fn targets(&self) -> impl Iterator<Item = PathBuf> {
        let links = self.paths().into_iter().filter(|file| look::is_link(file));
        links.filter_map(|link| look::real(link).ok())
    }

    /// The project, as people write it.
    pub(super) fn root(&self) -> String {
        self.root.display().to_string()
    }

    /// The file by which a checkout is left out of the strict check.
    pub(super) fn opted_out(&self) -> PathBuf {
        self.root.join(self.facts.folder).join(self.facts.opted_out)
    }

    pub(super) fn of_user(&self) -> Place {
        self.at_home(FILE)
    }

    pub(super) fn of_project(&self) -> Place {
        self.in_project(FILE)
    }

    pub(super) fn of_checkout(&self) -> Place {
        self.in_project(LOCAL)
    }

    /// The files of that name in the folders of messages: the user's, the project's, the checkout's.
    pub(super) fn messages(&self, file: &str) -> [Place; 3] {
        let named = |folder: &str| format!("{folder}/{file}");
        [
            self.at_home(&named(MESSAGES)),
            self.in_project(&named(MESSAGES)),
            self.in_project(&named(LOCAL_MESSAGES)),
        ]
    }

    fn at_home(&self, file: &str) -> Place {
        let below = format!("{}/{file}", self.facts.folder);
        Place { path: self.home.join(&below), name: format!("~/{below}") }
    }

    fn in_project(&self, file: &str) -> Place {
        let below = format!("{}/{file}", self.facts.folder);
        Place { path: self.root.join(&below), name: below }
    }
}
