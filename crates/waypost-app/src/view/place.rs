//! The work tree that something happens in: its branch, its commit, its content. Each is looked at when it is first
//! asked for, and at most once.
//!
//! Nearly always it is the one of the view's project. An agent may act in another one of the same repository, and
//! is judged there: by that work tree's content and evidence, never by those of the one that it began in.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use waypost_core::evidence::Tree;
use waypost_store::seen;

use super::{View, calls};
use crate::harness::File;
use crate::machine::git;
use crate::machine::git_refs;
use crate::machine::project::Project;
use crate::machine::tree::Trees;

/// How many changed files are named.
const MAX_NAMED: usize = 50;
/// How many changed files are found out at most.
pub(crate) const MAX_COMPARED: usize = 100_000;

/// Files, by the two contents that they differ between.
type Changed = BTreeMap<(String, String), Rc<Vec<String>>>;

/// A work tree, and what a call has seen of it.
#[derive(Debug)]
pub struct Place {
    /// The work tree.
    pub project: Project,
    branch: OnceCell<Option<String>>,
    tree: RefCell<Option<Tree>>,
    looked_at: Cell<Option<u64>>,
    commit: OnceCell<Option<String>>,
    /// The files that differ between two contents.
    changed: RefCell<Changed>,
}

impl Place {
    fn new(project: Project) -> Self {
        let (branch, commit) = (OnceCell::new(), OnceCell::new());
        let (tree, changed) = (RefCell::default(), RefCell::default());
        Self { project, branch, tree, looked_at: Cell::new(None), commit, changed }
    }

    /// What compares its contents.
    pub(crate) fn trees<'p>(&'p self, view: &'p View<'_>) -> Trees<'p> {
        let harnesses = view.host.harnesses.iter();
        let files = harnesses.flat_map(|local| local.harness.registering().files());
        Trees::new(&self.project, view.sessions_dir()).allowing(files.flat_map(File::named_by))
    }

    /// When its content began to be looked at, by the clock that files are stamped with.
    pub(super) fn looked_at(&self) -> Option<u64> {
        self.looked_at.get()
    }
}

/// The places of one call, and the one that it is about just now.
#[derive(Debug)]
pub(super) struct Places {
    known: RefCell<Vec<Rc<Place>>>,
    here: RefCell<Rc<Place>>,
}

impl Places {
    pub(super) fn of(project: &Project) -> Self {
        let here = Rc::new(Place::new(project.clone()));
        Self { known: RefCell::new(vec![Rc::clone(&here)]), here: RefCell::new(here) }
    }

    fn at(&self, project: &Project) -> Rc<Place> {
        let mut known = self.known.borrow_mut();
        if let Some(place) = known.iter().find(|place| place.project.root == project.root) {
            return Rc::clone(place);
        }
        let place = Rc::new(Place::new(project.clone()));
        known.push(Rc::clone(&place));
        place
    }
}

impl View<'_> {
    /// The work tree that things happen in.
    pub fn place(&self) -> Rc<Place> {
        Rc::clone(&self.places.here.borrow())
    }

    /// Things happen in this work tree of the project from now on.
    pub fn go_to(&self, project: &Project) {
        let place = self.places.at(project);
        self.places.here.replace(place);
    }

    /// Does something in one of the project's work trees.
    pub fn within<T>(&self, project: &Project, act: impl FnOnce() -> T) -> T {
        let place = self.places.at(project);
        let before = self.places.here.replace(place);
        let done = act();
        self.places.here.replace(before);
        done
    }

    /// The name of the work tree that things happen in, where that is not the project's own; empty for the main one.
    pub fn elsewhere(&self) -> Option<String> {
        let here = self.place().project.worktree();
        (here != self.project.worktree()).then(|| here.unwrap_or_default())
    }

    /// The branch, if one is checked out.
    pub fn branch(&self) -> Option<String> {
        let place = self.place();
        place.branch.get_or_init(|| git_refs::checked_out(&place.project)).clone()
    }

    /// The content of the work tree.
    pub fn tree(&self) -> Tree {
        let place = self.place();
        if let Some(tree) = &*place.tree.borrow() {
            return tree.clone();
        }
        place.looked_at.set(Some(calls::tick()));
        (self.host.expect_longer)();
        seen::read(Path::new("/the work tree"));
        seen::beyond_files();
        let tree = place.trees(self).now();
        place.tree.replace(Some(tree.clone()));
        tree
    }

    /// The content of the work tree, after something ran that may have changed it.
    pub fn tree_again(&self) -> Tree {
        self.place().tree.replace(None);
        self.tree()
    }

    /// The files that differ between two contents of the work tree, as far as they can still be told.
    pub(crate) fn differing(&self, then: &str, now: &str) -> Vec<String> {
        self.differing_up_to(then, now, MAX_NAMED)
    }

    /// The same for so many files at most, of those that are compared.
    pub(crate) fn differing_up_to(&self, then: &str, now: &str, most: usize) -> Vec<String> {
        let place = self.place();
        let key = (then.to_owned(), now.to_owned());
        let known = place.changed.borrow().get(&key).cloned();
        let all = known.unwrap_or_else(|| {
            let all = Rc::new(place.trees(self).changed_up_to(then, now, MAX_COMPARED));
            place.changed.borrow_mut().insert(key, Rc::clone(&all));
            all
        });
        all.iter().take(most).cloned().collect()
    }

    /// The commit that is checked out.
    pub fn commit(&self) -> Option<String> {
        let place = self.place();
        place.project.git.as_ref()?;
        let ask = || {
            let deadline = git::Deadline::after(std::time::Duration::from_secs(2));
            let args = ["rev-parse", "--verify", "-q", "HEAD"];
            let output = git::output(git::command(&place.project.root), args, deadline).ok()?;
            Some(String::from_utf8_lossy(&output).trim().to_owned())
        };
        place.commit.get_or_init(ask).clone()
    }
}
