//! Whose a folder is: the work tree's that the agent is in, another one's of the same repository, or nobody's.
//!
//! Another repository is nobody's business, but for a submodule, which is part of the work tree around it. Reads
//! `.git` by hand: this is the hook's hot path.

use std::path::Path;

use waypost_core::shell::{Analysis, GitPlace, Word};
use waypost_store::look;

use super::readings::{PossiblePath, Reading};
use crate::machine::place;
use crate::machine::project::{self, Project};
use crate::view::View;

/// Whose a folder is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ground {
    /// That of the work tree that the agent is in.
    Here,
    /// That of another work tree of the same repository.
    Other(Project),
    /// That of another repository, or of none.
    Nobody,
}

/// Whose a folder is, which need not exist.
pub(super) fn of_folder(view: &View<'_>, folder: &Path) -> Ground {
    let here = &view.place().project;
    match project::find(folder) {
        Ok(Some(found)) => of_project(here, found),
        Ok(None) if folder.starts_with(&here.root) => Ground::Here,
        // Git follows what Waypost does not trust, a link or a folder elsewhere: what leads to another repository is
        // that one's. Where nobody can tell, it is not given away.
        Err(_) if is_below(here, folder) || !project::leads_elsewhere(folder, here) => Ground::Here,
        Ok(None) | Err(_) => Ground::Nobody,
    }
}

fn is_below(here: &Project, folder: &Path) -> bool {
    folder.starts_with(&here.root)
        || place::resolved(folder).starts_with(place::resolved(&here.root))
}

fn of_project(here: &Project, found: Project) -> Ground {
    if found.is_kept_with(here) {
        let is_here = found.worktree() == here.worktree();
        return if is_here { Ground::Here } else { Ground::Other(found) };
    }
    if found.is_part_of(here) { Ground::Here } else { Ground::Nobody }
}

/// Whose a file is. What lies in an embedded repository is content of the work tree around it all the same.
pub(super) fn of_file(view: &View<'_>, file: &Path) -> Ground {
    let here = &view.place().project;
    let folder = file.parent().unwrap_or(file);
    let is_below = |folder: &Path| folder.starts_with(&here.root);
    if !is_below(folder) {
        return match project::find(folder) {
            Ok(Some(found)) if found.is_kept_with(here) => of_project(here, found),
            _ => Ground::Nobody,
        };
    }
    let between = folder.ancestors().take_while(|at| is_below(at) && *at != here.root);
    let mut linked = between.filter(|at| look::is_file(at.join(".git")));
    match linked.next().map(project::find) {
        Some(Ok(Some(found))) if found.is_kept_with(here) => of_project(here, found),
        _ => Ground::Here,
    }
}

/// Whose the repositories are in which git does something.
pub(super) fn of_git(
    view: &View<'_>,
    reading: &Reading<'_>,
    line: &Analysis,
    at: &GitPlace,
) -> Vec<Ground> {
    let top = view.place().project.root.clone();
    let reading = Reading { cwd: if at.from_top { &top } else { reading.cwd }, ..*reading };
    if let Some(repository) = &at.repository {
        return resolved(&reading, repository, |path| of_repository(view, path));
    }
    // A repository of its own, somewhere.
    let makes_one = line.makes_repository();
    let unknown = || if makes_one { Ground::Nobody } else { Ground::Here };
    let Some(folders) = &at.folders else { return vec![unknown()] };
    let of = |path: &Path| {
        if makes_one && !look::is_there(path) { Ground::Nobody } else { of_folder(view, path) }
    };
    let each = folders.iter().flat_map(|folder| {
        let found = resolved(&reading, folder, of);
        if found.is_empty() { vec![unknown()] } else { found }
    });
    each.collect()
}

/// What each path is that a word may stand for.
fn resolved(reading: &Reading<'_>, word: &Word, of: impl Fn(&Path) -> Ground) -> Vec<Ground> {
    let paths = reading.paths(&word.text, word.literal);
    let targets = paths.iter().filter_map(PossiblePath::target);
    targets.map(|target| of(target.spellings()[0])).collect()
}

/// Whose a folder is that git keeps a repository in.
fn of_repository(view: &View<'_>, path: &Path) -> Ground {
    let here = &view.place().project;
    let Some(git) = &here.git else { return Ground::Nobody };
    let real = place::resolved(path);
    if [&git.own, &git.common].iter().any(|own| place::resolved(own) == real) {
        return Ground::Here;
    }
    let linked = real.strip_prefix(place::resolved(&git.common.join("worktrees"))).ok();
    let named = linked.and_then(|name| name.to_str()).and_then(|name| here.work_tree(name));
    named.map_or(Ground::Nobody, |found| of_project(here, found))
}
