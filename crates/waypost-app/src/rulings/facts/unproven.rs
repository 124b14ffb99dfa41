//! Commits whose content was never proven, however they were made.
//!
//! A commit is proven where every path that it changed against all its parents is the same in a content of the work
//! tree that passed, or where that holds for all that stands on it up to the tip of a branch.

use std::collections::BTreeMap;

use waypost_core::gate::action::NewCommit;
use waypost_core::gate::facts::{Needs, UnprovenCommit};

use crate::machine::tree::Trees;
use crate::view::View;

/// How many files of a commit are told.
const MAX_FILES: usize = 50;
/// How many commits are compared one by one with contents that passed; of more, the tips of their branches are.
const MAX_COMPARED: usize = 8;
/// How many commits are told of.
const MAX_TOLD: usize = 20;

/// By what gates wait for: the commits whose content it was never seen to pass on. Where git cannot tell, they are
/// unproven, without a file being named.
pub(super) fn unproven(view: &View<'_>, needs: &Needs) -> BTreeMap<String, Vec<UnprovenCommit>> {
    let place = view.place();
    let trees = place.trees(view);
    let ids: Vec<String> = needs.commits.iter().map(|commit| commit.sha.clone()).collect();
    let mut changed = trees.changed_by(&ids).ok();
    changed.iter_mut().flat_map(BTreeMap::values_mut).for_each(leave_out_own);
    let of = |contents: &Vec<String>| {
        let looking = Comparing { view, trees: &trees, changed: changed.as_ref(), contents };
        looking.unproven(&needs.commits)
    };
    let found = needs.contents.iter().map(|(what, contents)| (what.clone(), of(contents)));
    found.filter(|(_, unproven)| !unproven.is_empty()).collect()
}

/// Leaves Waypost's own files out: what they say is asked by Waypost itself.
pub fn leave_out_own(paths: &mut Vec<String>) {
    paths.retain(|path| path != "waypost.toml" && !path.starts_with(".waypost/"));
}

/// Commits beside the contents that something passed on.
struct Comparing<'a> {
    view: &'a View<'a>,
    trees: &'a Trees<'a>,
    /// What each commit changed; none where git cannot tell.
    changed: Option<&'a BTreeMap<String, Vec<String>>>,
    contents: &'a [String],
}

impl Comparing<'_> {
    fn unproven(&self, commits: &[NewCommit]) -> Vec<UnprovenCommit> {
        let by_tip =
            commits.iter().fold(BTreeMap::<&str, Vec<&NewCommit>>::new(), |mut all, one| {
                all.entry(one.tip.as_deref().unwrap_or(&one.sha)).or_default().push(one);
                all
            });
        let mut unproven = Vec::new();
        for (tip, commits) in by_tip {
            let mut paths: Vec<String> =
                commits.iter().flat_map(|commit| self.changed_by(commit)).cloned().collect();
            paths.sort();
            paths.dedup();
            if self.changed.is_some() && self.differing(tip, &paths).is_empty() {
                continue;
            }
            for (number, commit) in commits.into_iter().enumerate() {
                if unproven.len() >= MAX_TOLD {
                    break;
                }
                let is_compared = number < MAX_COMPARED;
                unproven.extend(self.of_commit(commit, tip, is_compared));
            }
        }
        unproven
    }

    fn changed_by(&self, commit: &NewCommit) -> &[String] {
        let known = self.changed.and_then(|changed| changed.get(&commit.sha));
        known.map_or(&[], Vec::as_slice)
    }

    fn of_commit(
        &self,
        commit: &NewCommit,
        tip: &str,
        is_compared: bool,
    ) -> Option<UnprovenCommit> {
        let changed = self.changed_by(commit);
        let mut files =
            if is_compared { self.differing(&commit.sha, changed) } else { changed.to_vec() };
        if files.is_empty() && self.changed.is_some() {
            return None;
        }
        let changed_since = self.view.tree().id().is_some_and(|now| {
            let differing = self.trees.differing(tip, now, &files);
            !commit.away && differing.is_ok_and(|differing| !differing.is_empty())
        });
        files.truncate(MAX_FILES);
        Some(UnprovenCommit {
            sha: commit.sha.clone(),
            changed: changed.iter().take(MAX_FILES).cloned().collect(),
            files,
            on: commit.branch.clone(),
            away: commit.away,
            changed_since,
        })
    }

    /// Those of `paths` that are not the same in the commit and in the content that is nearest to it.
    fn differing(&self, commit: &str, paths: &[String]) -> Vec<String> {
        let mut nearest = paths.to_vec();
        for content in self.contents.iter().rev() {
            if nearest.is_empty() {
                break;
            }
            if let Ok(differing) = self.trees.differing(commit, content, paths)
                && differing.len() < nearest.len()
            {
                nearest = differing;
            }
        }
        nearest
    }
}
