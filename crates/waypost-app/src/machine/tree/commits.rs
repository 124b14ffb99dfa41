//! Commits beside contents: which paths a commit changed, and which of them a content has too. Nothing is
//! written, and what cannot be read is told as an error, never as a difference or as none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use waypost_store::look;

use super::whole::PRIVATE;
use super::{MAX_DEPTH, Trees};
use crate::machine::git::{self, GitError};
use crate::machine::project;

const GITLINK: &str = "160000";
const RAW: [&str; 6] =
    ["-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none"];

/// A path that two trees have not in common. Modes and ids of nothing are zeros.
struct Difference {
    path: String,
    modes: (String, String),
    ids: (String, String),
}

impl Difference {
    /// Whether the commit names a commit where the content has files.
    fn is_link_for_content(&self) -> bool {
        self.modes.0 == GITLINK && self.modes.1 != GITLINK
    }
}

impl Trees<'_> {
    /// The paths that each of these commits changed against all its parents, without Waypost's own. A commit
    /// without parents changed all that it has. Commits are named by their whole ids; one that cannot be read
    /// is an error.
    pub fn changed_by(
        &self,
        commits: &[String],
    ) -> Result<BTreeMap<String, Vec<String>>, GitError> {
        let mut found = BTreeMap::new();
        if commits.is_empty() {
            return Ok(found);
        }
        let args = ["diff-tree", "--stdin", "--always", "--root", "-c"];
        let input = commits.iter().flat_map(|id| [id.as_bytes(), b"\n"]).collect::<Vec<_>>();
        let args = args.into_iter().chain(RAW);
        let listed = git::output_of(self.place().git(&[]), args, input.concat(), self.deadline)?;
        let own = self.own_paths();
        let mut paths: Option<&mut Vec<String>> = None;
        let mut records = listed.split(|byte| *byte == 0).filter(|record| !record.is_empty());
        while let Some(record) = records.next() {
            // What changed begins with a colon for each parent, and its path follows.
            if record.first() != Some(&b':') {
                let commit = String::from_utf8_lossy(record).trim().to_owned();
                paths = Some(found.entry(commit).or_default());
                continue;
            }
            let path = String::from_utf8_lossy(records.next().unwrap_or_default()).into_owned();
            if let Some(paths) = paths.as_deref_mut().filter(|_| !is_below(&path, &own)) {
                paths.push(path);
            }
        }
        match commits.iter().find(|commit| !found.contains_key(*commit)) {
            Some(commit) => Err(GitError::from_text(format!("commit {commit} cannot be read"))),
            None => Ok(found),
        }
    }

    /// Those of `paths` that are not the same in a commit and in a content of the work tree: another blob or
    /// mode, or only one of them has it. A repository in the repository is the same where the commit that is
    /// named has the content; where that commit is not there, it is not the same. A content whose objects are
    /// gone is an error.
    pub fn differing(
        &self,
        commit: &str,
        tree: &str,
        paths: &[String],
    ) -> Result<Vec<String>, GitError> {
        let asked: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let from = format!("{commit}^{{tree}}");
        let all = self.differences(&[], &from, tree)?;
        let mut differing = BTreeSet::new();
        let mut lenient = None;
        for difference in &all {
            let Difference { path, modes, ids } = difference;
            if !asked.contains(path.as_str()) {
                continue;
            }
            let is_same = if difference.is_link_for_content() {
                let below = inside(tree, path);
                self.is_content_of(Path::new(path), &ids.0, &below, &[], MAX_DEPTH)
            } else if ids.0 == ids.1 && modes.0 != modes.1 {
                *lenient.get_or_insert_with(|| self.is_mode_unknown())
            } else {
                false
            };
            if !is_same {
                differing.insert(path.clone());
            }
        }
        // A path that the commit has as a file and the content as a folder is told by the file alone.
        Ok(paths.iter().filter(|path| differing.contains(*path)).cloned().collect())
    }

    /// Whether a content's objects are still there, as far as one look tells. They are dropped when many
    /// newer ones came, or after a month or two.
    pub fn is_known(&self, tree: &str) -> bool {
        self.compare(&["cat-file", "-e", &format!("{tree}^{{tree}}")]).is_ok()
    }

    /// How many lines were added and taken away between a commit and a content.
    pub fn lines(&self, commit: &str, tree: &str) -> Result<u64, GitError> {
        self.lines_between(&[], Path::new(""), (&format!("{commit}^{{tree}}"), tree), MAX_DEPTH)
    }

    fn lines_between(
        &self,
        objects: &[PathBuf],
        at: &Path,
        (from, to): (&str, &str),
        depth: usize,
    ) -> Result<u64, GitError> {
        let listed = self.differences(objects, from, to)?;
        let links: Vec<&Difference> =
            listed.iter().filter(|one| one.is_link_for_content()).collect();
        let mut left_out = if at.as_os_str().is_empty() { self.own_paths() } else { Vec::new() };
        left_out.extend(links.iter().map(|link| link.path.clone()));
        // Of what is in no commit, only ids are there.
        let hidden = format!(":(exclude,glob)**/{PRIVATE}/**");
        let args =
            ["diff-tree", "-r", "-z", "--numstat", "--no-renames", from, to, "--", ".", &hidden];
        let counted = self.compare_with(objects, &args)?;
        let counted = String::from_utf8_lossy(&counted);
        let mut sum: u64 = counted
            .split('\0')
            .filter_map(|line| {
                let mut columns = line.splitn(3, '\t');
                let (added, gone) = (columns.next()?, columns.next()?);
                // Binary files have no lines.
                let number = |text: &str| text.parse::<u64>().unwrap_or(0);
                (!is_below(columns.next()?, &left_out)).then(|| number(added) + number(gone))
            })
            .sum();
        for link in links {
            let (path, below) = (at.join(&link.path), inside(to, &link.path));
            // A repository whose commits are not there says nothing of its lines.
            let (Some(depth), Some(own)) = (depth.checked_sub(1), self.objects_of(&path)) else {
                continue;
            };
            let objects = [objects, &[own]].concat();
            let trees = (format!("{}^{{tree}}", link.ids.0), below);
            sum += self.lines_between(&objects, &path, (&trees.0, &trees.1), depth).unwrap_or(0);
        }
        Ok(sum)
    }

    /// Whether the commit `id` of the repository at `path` has what the tree `content` has.
    fn is_content_of(
        &self,
        path: &Path,
        id: &str,
        content: &str,
        around: &[PathBuf],
        depth: usize,
    ) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let Some(objects) = self.objects_of(path) else { return false };
        let objects = [around, &[objects]].concat();
        let Ok(all) = self.differences(&objects, &format!("{id}^{{tree}}"), content) else {
            return false;
        };
        let links: Vec<&Difference> = all.iter().filter(|one| one.is_link_for_content()).collect();
        let is_in_link = |one: &Difference| {
            let is_private = one.path.split('/').any(|name| name == PRIVATE);
            is_private
                || links.iter().any(|link| is_below(&one.path, std::slice::from_ref(&link.path)))
        };
        all.iter().all(is_in_link)
            && links.iter().all(|link| {
                let below = inside(content, &link.path);
                self.is_content_of(&path.join(&link.path), &link.ids.0, &below, &objects, depth)
            })
    }

    /// Where the objects of a repository in the work tree are: also where it is not checked out.
    fn objects_of(&self, path: &Path) -> Option<PathBuf> {
        let here = project::git_folders(&self.project.root.join(path));
        let here = here.map(|git| git.common.join("objects"));
        let kept =
            || Some(self.project.git.as_ref()?.common.join("modules").join(path).join("objects"));
        here.or_else(kept).filter(|objects| look::is_folder(objects))
    }

    fn differences(
        &self,
        objects: &[PathBuf],
        from: &str,
        to: &str,
    ) -> Result<Vec<Difference>, GitError> {
        let args = ["diff-tree"].into_iter().chain(RAW).chain([from, to]);
        let listed = self.compare_with(objects, &args.collect::<Vec<_>>())?;
        let mut records = listed.split(|byte| *byte == 0).filter(|record| !record.is_empty());
        let mut found = Vec::new();
        while let Some(record) = records.next() {
            let record = String::from_utf8_lossy(record);
            let fields: Vec<&str> = record.trim_start_matches(':').split(' ').collect();
            let (Some(path), [mode, new_mode, id, new_id, _]) = (records.next(), &fields[..])
            else {
                return Err(GitError::from_text("git compared in words that are not known".into()));
            };
            found.push(Difference {
                path: String::from_utf8_lossy(path).into_owned(),
                modes: ((*mode).to_owned(), (*new_mode).to_owned()),
                ids: ((*id).to_owned(), (*new_id).to_owned()),
            });
        }
        Ok(found)
    }

    /// Whether the user told git that the file system does not keep modes, so that they say nothing.
    fn is_mode_unknown(&self) -> bool {
        let asked = ["config", "--bool", "--get-regexp", r"^core\.(filemode|symlinks)$"];
        let command = git::command(&self.project.root);
        let told = git::output(command, asked, self.deadline).unwrap_or_default();
        String::from_utf8_lossy(&told).lines().any(|line| line.ends_with(" false"))
    }
}

/// Whether a path is one of these, or lies below one.
pub(super) fn is_below(path: &str, of: &[String]) -> bool {
    of.iter().any(|one| {
        path.strip_prefix(one.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// What is at a path in a tree, or in what is in one.
fn inside(tree: &str, path: &str) -> String {
    let mark = if tree.contains(':') { '/' } else { ':' };
    format!("{tree}{mark}{path}")
}
