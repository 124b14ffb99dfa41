//! Finding the project that a folder belongs to. Reads `.git` by hand: no git is started here.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use waypost_core::key::sha256_hex;
use waypost_core::next_step::{Mend, to};
use waypost_store::{files, look};

use crate::error::AppError;

/// Where git lists the tables of refs, where it keeps them so.
const TABLES: &str = "reftable/tables.list";
/// The longest first record of a project that is looked at.
const MAX_RECORD: u64 = 64 * 1024;

/// A git repository, or a plain folder, that Waypost keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The work tree's top folder.
    pub root: PathBuf,
    /// Where streams, locks, heads and policies are.
    pub store: PathBuf,
    /// The git folders, if it is a git repository.
    pub git: Option<GitDirs>,
}

/// The folders of a git repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitDirs {
    /// The work tree's own folder.
    pub own: PathBuf,
    /// The folder that all work trees share.
    pub common: PathBuf,
    /// The linked work tree's name; none is the main one.
    pub worktree: Option<String>,
}

impl Project {
    /// The project's configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.root.join("waypost.toml")
    }

    /// Whether Waypost was set up here, in this work tree or another of the repository: a checkout
    /// without the file stays set up until `waypost init --remove` takes the record of it away.
    pub fn is_initialised(&self) -> bool {
        look::is_file(self.config_file()) || look::is_file(self.store.join("install.json"))
    }

    /// The branch, if one is checked out, as far as that can be read by hand: see [`Self::keeps_refs_in_tables`].
    pub fn branch(&self) -> Option<String> {
        let head = look::text(self.git.as_ref()?.own.join("HEAD")).ok()?;
        let name = head.trim_end().strip_prefix("ref: ")?;
        Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
    }

    /// The linked work tree's name; none is the main one.
    pub fn worktree(&self) -> Option<String> {
        self.git.as_ref().and_then(|git| git.worktree.clone())
    }

    /// Whether both are work trees of one repository, so that what is recorded of them lies together.
    pub fn is_kept_with(&self, other: &Self) -> bool {
        let real = |path: &Path| look::real(path).unwrap_or_else(|_| path.to_owned());
        match (&self.git, &other.git) {
            (Some(one), Some(two)) => {
                one.common == two.common || real(&one.common) == real(&two.common)
            }
            (None, None) => real(&self.root) == real(&other.root),
            _ => false,
        }
    }

    /// Whether it is a submodule of the other, or of one of its submodules.
    pub fn is_part_of(&self, other: &Self) -> bool {
        let (Some(own), Some(outer)) = (&self.git, &other.git) else { return false };
        let modules = [outer.own.join("modules"), outer.common.join("modules")];
        let Ok(own) = look::real(&own.own) else { return false };
        modules.iter().any(|at| look::real(at).is_ok_and(|at| own.starts_with(at)))
    }

    /// The work tree of that name, an empty one for the main one, if it is still there.
    pub fn work_tree(&self, name: &str) -> Option<Self> {
        let git = self.git.as_ref()?;
        if self.worktree().unwrap_or_default() == name {
            return Some(self.clone());
        }
        let root = if name.is_empty() {
            git.common.parent()?.to_owned()
        } else {
            let dot_git = pointed_to(&git.common.join("worktrees").join(name).join("gitdir"), "")?;
            dot_git.parent()?.to_owned()
        };
        let found = find(&root).ok().flatten()?;
        (found.is_kept_with(self) && found.worktree().unwrap_or_default() == name).then_some(found)
    }

    /// All work trees of the repository that are still there, this one first.
    pub fn work_trees(&self) -> Vec<Self> {
        let Some(git) = &self.git else { return vec![self.clone()] };
        let linked = look::folder(git.common.join("worktrees")).into_iter().flatten().flatten();
        let linked = linked.filter_map(|entry| entry.file_name().into_string().ok());
        let own = self.worktree().unwrap_or_default();
        let others = std::iter::once(String::new()).chain(linked).filter(|name| *name != own);
        let others = others.filter_map(|name| self.work_tree(&name));
        std::iter::once(self.clone()).chain(others).collect()
    }

    /// Whether git keeps its refs and their logs in tables (`reftable`) instead of files. What is checked out, only
    /// git can tell then.
    pub fn keeps_refs_in_tables(&self) -> bool {
        self.git.as_ref().is_some_and(|git| look::is_file(git.own.join(TABLES)))
    }

    /// What is checked out, in words that are others once that changes: the commit, or where it is to be found.
    /// Read by hand. Where git keeps its refs in tables, they are others after any change of a ref.
    pub fn checked_out(&self) -> Option<String> {
        let git = self.git.as_ref()?;
        if self.keeps_refs_in_tables() {
            let tables = [&git.own, &git.common].map(|at| look::text(at.join(TABLES)));
            let tables: Vec<String> = tables.into_iter().flatten().collect();
            return Some(tables.concat());
        }
        let head = look::bytes(git.own.join("HEAD")).ok()?;
        let head = head.trim_ascii_end();
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let Some(name) = head.strip_prefix(b"ref: ") else { return Some(shown(head)) };
        let path = Path::new(OsStr::from_bytes(name));
        let mut loose =
            [&git.own, &git.common].into_iter().filter_map(|at| look::bytes(at.join(path)).ok());
        if let Some(commit) = loose.next() {
            return Some(shown(commit.trim_ascii_end()));
        }
        // Packed refs may be many, and git never changes their file, but puts another in its place.
        let packed = look::at(git.common.join("packed-refs")).ok()?;
        let (size, file) = (packed.len(), packed.ino());
        let (seconds, parts) = (packed.mtime(), packed.mtime_nsec());
        Some(format!("{} packed {size} {file} {seconds}.{parts}", shown(name)))
    }

    /// A path as records name it: relative to the project where it lies in it.
    pub fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().into_owned()
    }
}

/// The hash of the first record of a project, as it stands there: a hint, which nothing is decided by.
pub fn first_record(store: &Path) -> Option<String> {
    let path = store.join("project").join("events.jsonl");
    let content = files::head(&path, MAX_RECORD).ok()??;
    let end = content.iter().position(|byte| *byte == b'\n')?;
    Some(sha256_hex(&[&content[..end]]))
}

/// The project around `start`: the nearest git work tree, else the nearest folder with a
/// `waypost.toml`. `None` if there is neither.
pub fn find(start: &Path) -> Result<Option<Project>, AppError> {
    let mut plain = None;
    for folder in start.ancestors() {
        if let Some(git) = git_dirs(folder)? {
            let store = own_folder(git.common.join("waypost"))?;
            return Ok(Some(Project { root: folder.to_owned(), store, git: Some(git) }));
        }
        if plain.is_none() && look::is_file(folder.join("waypost.toml")) && !is_bare(folder) {
            plain = Some(folder);
        }
    }
    plain.map(plain_folder).transpose()
}

/// The project that `waypost init` would set up in `folder`.
pub fn find_or_here(folder: &Path) -> Result<Project, AppError> {
    match (find(folder)?, bare_around(folder)) {
        (Some(project), _) => Ok(project),
        (None, Some(error)) => Err(error),
        (None, None) => plain_folder(folder),
    }
}

/// The project around `start`, which has to be set up.
pub fn require(start: &Path) -> Result<Project, AppError> {
    match find(start)? {
        Some(project) if project.is_initialised() => Ok(project),
        found => match bare_around(start).filter(|_| found.is_none()) {
            Some(error) => Err(error),
            None => Err(AppError::configuration(format!(
                "{} is in no project that Waypost keeps",
                start.display()
            ))
            .hint(to("set one up", Mend::SetUp))),
        },
    }
}

fn plain_folder(folder: &Path) -> Result<Project, AppError> {
    let store = own_folder(folder.join(".waypost"))?;
    Ok(Project { root: folder.to_owned(), store, git: None })
}

/// The store itself, never a link that leads elsewhere.
fn own_folder(store: PathBuf) -> Result<PathBuf, AppError> {
    if look::link(&store).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(link(&store).hint("put a folder of its own there, or remove the link"));
    }
    Ok(store)
}

/// Why nothing can be kept here: the repository around `start` has no work tree.
fn bare_around(start: &Path) -> Option<AppError> {
    let bare = start.ancestors().find(|folder| is_bare(folder))?;
    let message = format!("{} is a git repository without a work tree", bare.display());
    let hint = "go to a clone of it, or to a work tree: `git worktree add` makes one";
    Some(AppError::configuration(message).hint(hint))
}

fn is_bare(folder: &Path) -> bool {
    look::is_file(folder.join("HEAD"))
        && look::is_folder(folder.join("objects"))
        && look::is_folder(folder.join("refs"))
}

/// The git folders of the repository whose top folder this is, where there is one that knows it.
pub fn git_folders(folder: &Path) -> Option<GitDirs> {
    git_dirs(folder).ok().flatten()
}

/// Whether git would find another repository than that of `here` around a folder, however it is led there. Not where
/// that cannot be told.
pub fn leads_elsewhere(folder: &Path, here: &Project) -> bool {
    let found = folder.ancestors().find(|folder| !matches!(git_dirs(folder), Ok(None)));
    let led = found.and_then(|folder| led_to(&folder.join(".git")));
    let ours = here.git.as_ref().and_then(|git| look::real(&git.common).ok());
    let is_ours = |path: &PathBuf| ours.as_ref().is_some_and(|ours| path.starts_with(ours));
    led.is_some_and(|folders| !folders.iter().any(is_ours))
}

/// The repository's folder, and the one that its work trees share, that `.git` leads to: believed without asking back.
fn led_to(dot_git: &Path) -> Option<[PathBuf; 2]> {
    let real = look::real(dot_git).ok()?;
    let own = if look::is_folder(&real) { real } else { pointed_to(dot_git, "gitdir: ")? };
    let common = pointed_to(&own.join("commondir"), "").unwrap_or_else(|| own.clone());
    look::is_file(own.join("HEAD")).then_some([own, common])
}

fn git_dirs(folder: &Path) -> Result<Option<GitDirs>, AppError> {
    let dot_git = folder.join(".git");
    let Ok(metadata) = look::link(&dot_git) else {
        return Ok(None);
    };
    if metadata.is_dir() {
        let looks_like_git = look::is_file(dot_git.join("HEAD"));
        return Ok(looks_like_git.then(|| GitDirs {
            own: dot_git.clone(),
            common: dot_git,
            worktree: None,
        }));
    }
    if metadata.is_symlink() && look::is_there(&dot_git) {
        return Err(link(&dot_git).hint("put the repository itself there"));
    }
    if !metadata.is_file() {
        return Ok(None);
    }
    let own = pointed_to(&dot_git, "gitdir: ").ok_or_else(|| strange(&dot_git))?;
    match pointed_to(&own.join("commondir"), "") {
        Some(common) => linked_worktree(&dot_git, own, common).map(Some),
        None => submodule(folder, &dot_git, own).map(Some),
    }
}

/// A linked work tree: the repository has to know it, or the `.git` file could lead anywhere.
fn linked_worktree(dot_git: &Path, own: PathBuf, common: PathBuf) -> Result<GitDirs, AppError> {
    let back = pointed_to(&own.join("gitdir"), "").and_then(|path| look::real(&path).ok());
    let knows_it = back.is_some() && back == look::real(dot_git).ok();
    let name = own.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let below = own.parent().and_then(|folder| look::real(folder).ok());
    let is_below = below.is_some() && below == look::real(common.join("worktrees")).ok();
    if knows_it && is_below && look::is_file(common.join("HEAD")) {
        Ok(GitDirs { own, common, worktree: name })
    } else {
        Err(strange(dot_git))
    }
}

/// A submodule: its repository lies in that of a project around it, which may itself be a linked
/// work tree or a submodule.
fn submodule(folder: &Path, dot_git: &Path, own: PathBuf) -> Result<GitDirs, AppError> {
    let within = |outer: &Path| {
        let outer = git_dirs(outer).ok().flatten();
        let modules = outer.and_then(|git| look::real(git.own.join("modules")).ok());
        modules.is_some_and(|modules| look::real(&own).is_ok_and(|own| own.starts_with(modules)))
    };
    if look::is_file(own.join("HEAD")) && folder.ancestors().skip(1).any(within) {
        Ok(GitDirs { common: own.clone(), own, worktree: None })
    } else {
        Err(strange(dot_git))
    }
}

fn pointed_to(file: &Path, prefix: &str) -> Option<PathBuf> {
    let content = look::text(file).ok()?;
    let target = content.trim_end_matches(['\n', '\r']).strip_prefix(prefix)?;
    let path = file.parent()?.join(target);
    Some(look::real(&path).unwrap_or(path))
}

fn link(path: &Path) -> AppError {
    AppError::configuration(format!(
        "{} is a symbolic link, and Waypost does not write through links",
        path.display()
    ))
}

fn strange(dot_git: &Path) -> AppError {
    AppError::configuration(format!(
        "{} points to a repository that does not know this folder",
        dot_git.display()
    ))
    .hint("if you moved the work tree, run `git worktree repair`")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn repository(folder: &Path) {
        fs::create_dir_all(folder.join(".git")).unwrap();
        fs::write(folder.join(".git/HEAD"), "ref: refs/heads/feature/auth\n").unwrap();
    }

    #[test]
    fn a_subfolder_belongs_to_the_work_tree_around_it() {
        let folder = tempfile::tempdir().unwrap();
        repository(folder.path());
        let deep = folder.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        let project = find(&deep).unwrap().unwrap();
        assert_eq!(project.root, folder.path());
        assert_eq!(project.branch().as_deref(), Some("feature/auth"));
        assert!(!project.is_initialised());
    }

    #[test]
    fn a_git_file_that_leads_elsewhere_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        repository(&victim);
        let crafted = folder.path().join("crafted");
        fs::create_dir_all(&crafted).unwrap();
        fs::write(crafted.join(".git"), format!("gitdir: {}/.git\n", victim.display())).unwrap();
        assert!(find(&crafted).unwrap_err().message.contains("does not know this folder"));
        fs::create_dir_all(crafted.join("own")).unwrap();
        fs::write(crafted.join(".git"), "gitdir: own\n").unwrap();
        fs::write(crafted.join("own/commondir"), "../../victim/.git\n").unwrap();
        fs::write(crafted.join("own/gitdir"), format!("{}/.git\n", crafted.display())).unwrap();
        assert!(find(&crafted).is_err());
    }

    #[test]
    fn a_plain_folder_counts_where_it_has_a_configuration() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(find(folder.path()).unwrap(), None);
        fs::write(folder.path().join("waypost.toml"), "").unwrap();
        let project = find(folder.path()).unwrap().unwrap();
        assert_eq!(project.store, folder.path().join(".waypost"));
        assert!(project.is_initialised());
    }

    #[test]
    fn what_is_checked_out_is_told_without_reading_all_packed_refs() {
        let folder = tempfile::tempdir().unwrap();
        repository(folder.path());
        let (git, project) = (folder.path().join(".git"), find(folder.path()).unwrap().unwrap());
        assert_eq!(project.checked_out(), None);
        // Names of branches need not be text.
        let packed = |id: &str| {
            [id.as_bytes(), b" refs/heads/\xe9\n", id.as_bytes(), b" refs/heads/x\n"].concat()
        };
        fs::write(git.join("new"), packed("1")).unwrap();
        fs::rename(git.join("new"), git.join("packed-refs")).unwrap();
        let (first, seen) = waypost_store::seen::of(|| project.checked_out());
        assert!(first.is_some());
        assert!(!seen.read.contains_key(&git.join("packed-refs")));
        assert_eq!(project.checked_out(), first);
        fs::write(git.join("HEAD"), "ref: refs/heads/x\n").unwrap();
        let other = project.checked_out();
        assert_ne!(other, first);
        fs::write(git.join("new"), packed("2")).unwrap();
        fs::rename(git.join("new"), git.join("packed-refs")).unwrap();
        assert_ne!(project.checked_out(), other);
        fs::create_dir_all(git.join("refs/heads")).unwrap();
        fs::write(git.join("refs/heads/x"), "3\n").unwrap();
        assert_eq!(project.checked_out().as_deref(), Some("3"));
    }
}
