//! The hooks that git itself calls before a commit and a push: the second line, for whatever the
//! harness' hooks did not see.
//!
//! A hook that was there before is moved aside within its folder, as it is, and moved back on
//! removal: links, modes and bytes stay what they were. It is never read or changed.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use waypost_core::gate::Before;
use waypost_core::next_step::{Mend, amid};
use waypost_store::{files, look, os};

use super::InitOutcome;
use super::hooks_folder::{folder, is_in_work_tree};
use super::items::Item;
use super::manifest::{FileEntry, Manifest};
use crate::error::AppError;
use crate::machine::plain_files;
use crate::machine::project::Project;

const SCRIPT: &str = include_str!("git_hook.sh");

/// What every version of the script says, so that a hook of somebody else's is told apart.
const MARK: &str = "made by `waypost init --git-hooks`";
/// The script says so within its first bytes.
const MARK_WITHIN: u64 = 4096;

/// A hook of git that Waypost has an interest in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitHook {
    /// Before a commit is made.
    PreCommit,
    /// Before anything is pushed.
    PrePush,
}

/// Whether git calls Waypost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Installation {
    /// It does, by the path of this program, if that is still there.
    Installed(PathBuf),
    /// It would, but the file is not executable, so git passes it over.
    NotExecutable,
    /// There is no hook at all.
    Missing,
    /// The hook is somebody else's.
    Replaced,
}

/// One of git's hooks, as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHookState {
    /// Which.
    pub hook: GitHook,
    /// Where git looks for it.
    pub path: PathBuf,
    /// Whether it is Waypost's.
    pub state: Installation,
    /// Whether `waypost init --git-hooks` put one there, and nothing took it out since.
    pub wanted: bool,
}

/// The hooks of git in a project as they are now; none where there is no git.
pub fn state(project: &Project) -> Result<Vec<GitHookState>, AppError> {
    let manifest = Manifest::load(project)?;
    let is_wanted = |hook: GitHook| manifest.entry(project, hook.item()).is_some();
    let folder = match folder(project) {
        // Where hooks of other repositories lie, there are none of ours that anybody could miss.
        Err(_) if !GitHook::ALL.into_iter().any(is_wanted) => None,
        found => found?,
    };
    let Some(folder) = folder else {
        return Ok(Vec::new());
    };
    let found = GitHook::ALL.into_iter().map(|hook| {
        let path = folder.join(hook.name());
        let state = match look(&path)? {
            Now::Nothing => Installation::Missing,
            Now::Foreign => Installation::Replaced,
            Now::Ours { executable: false, .. } => Installation::NotExecutable,
            Now::Ours { bytes, .. } => Installation::Installed(program_of(&bytes)),
        };
        Ok(GitHookState { hook, path, state, wanted: is_wanted(hook) })
    });
    found.collect()
}

impl GitHook {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::PreCommit, Self::PrePush];

    /// Its name, as git calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::PreCommit => "pre-commit",
            Self::PrePush => "pre-push",
        }
    }

    /// What it stands before.
    pub fn before(self) -> Before {
        match self {
            Self::PreCommit => Before::Commit,
            Self::PrePush => Before::Push,
        }
    }

    pub(super) fn item(self) -> Item<'static> {
        match self {
            Self::PreCommit => Item::PreCommit,
            Self::PrePush => Item::PrePush,
        }
    }

    fn script(self, program: &str) -> Vec<u8> {
        let script = SCRIPT.replace("@HOOK@", self.name());
        script.replace("@PROGRAM@", &quoted(program)).into_bytes()
    }
}

/// What is to be done to one hook.
#[derive(Debug)]
pub(super) struct HookToWrite {
    pub(super) hook: GitHook,
    pub(super) path: PathBuf,
    /// What is to be in it; none if it is right as it is.
    pub(super) after: Option<Vec<u8>>,
    pub(super) what: &'static str,
    moves_aside: bool,
}

/// Works out what is to be done, and changes nothing.
pub(super) fn plans(
    project: &Project,
    program: &str,
    outcome: &mut InitOutcome,
) -> Result<Vec<HookToWrite>, AppError> {
    let folder = folder(project)?.ok_or_else(|| {
        AppError::configuration("there is no git repository here, so there are no git hooks")
            .hint("leave --git-hooks out, or make a repository first: git init")
    })?;
    if is_in_work_tree(project, &folder) {
        outcome.note(format!(
            "git looks for hooks in {}, in the work tree: Waypost's hold a path of this machine, so \
             do not commit them",
            project.relative(&folder)
        ));
    }
    GitHook::ALL.into_iter().map(|hook| plan(hook, folder.join(hook.name()), program)).collect()
}

fn plan(hook: GitHook, path: PathBuf, program: &str) -> Result<HookToWrite, AppError> {
    let script = hook.script(program);
    let (after, what, moves_aside) = match look(&path)? {
        Now::Nothing => (Some(script), "created", false),
        Now::Ours { bytes, executable: true } if bytes == script => (None, "already there", false),
        Now::Ours { .. } => (Some(script), "updated", false),
        Now::Foreign => {
            let kept = kept(&path);
            if look::link(&kept).is_ok() && look::bytes(&kept).ok() != look::bytes(&path).ok() {
                return Err(AppError::configuration(format!(
                    "{} is no longer Waypost's, and {} holds another hook already",
                    path.display(),
                    kept.display()
                ))
                .hint("see which of them you want, move the other one away, then run this again"));
            }
            (Some(script), "added; what was there before runs first", true)
        }
    };
    Ok(HookToWrite { hook, path, after, what, moves_aside })
}

impl HookToWrite {
    /// Does it.
    pub(super) fn carry_out(&self) -> Result<(), AppError> {
        let Some(after) = &self.after else {
            return Ok(());
        };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)
                .map_err(plain_files::failed("cannot make the folder", folder))?;
        }
        if self.moves_aside {
            fs::rename(&self.path, kept(&self.path))
                .map_err(plain_files::failed("cannot move aside", &self.path))?;
        }
        plain_files::write(&self.path, after, None, self.hook.item().new_mode())
    }
}

/// Takes one hook out again and puts back what was there before.
pub(super) fn take_out(
    path: &Path,
    entry: Option<&FileEntry>,
    outcome: &mut InitOutcome,
) -> Result<(), AppError> {
    let kept = kept(path);
    let has_kept = look::link(&kept).is_ok();
    match look(path)? {
        Now::Ours { bytes, .. } if entry.is_none_or(|entry| entry.left(&bytes)) => {}
        // It was interrupted, now or when it was set up.
        Now::Nothing if has_kept && entry.is_some() => {}
        Now::Ours { .. } => {
            let changed = format!("{} was changed since ", path.display());
            outcome.change(path, "kept");
            outcome.note(amid(changed, Mend::SetUp, ", so it stays"));
            return Ok(());
        }
        Now::Foreign if has_kept => {
            outcome.note(format!(
                "{} is no longer Waypost's, so it stays; what was there before is in {}",
                path.display(),
                kept.display()
            ));
            return Ok(());
        }
        Now::Nothing | Now::Foreign => return Ok(()),
    }
    if has_kept {
        fs::rename(&kept, path).map_err(plain_files::failed("cannot put back", path))?;
        files::sync_folder_of(path)?;
        outcome.change(path, "restored");
    } else {
        files::remove(path)?;
        outcome.change(path, "removed");
    }
    Ok(())
}

/// A hook as it is now.
enum Now {
    Nothing,
    Ours { bytes: Vec<u8>, executable: bool },
    Foreign,
}

fn look(path: &Path) -> Result<Now, AppError> {
    let metadata = match look::link(path) {
        Ok(metadata) => metadata,
        Err(error) if os::is_absent(&error) => return Ok(Now::Nothing),
        Err(error) => return Err(plain_files::failed("cannot look at", path)(error)),
    };
    if metadata.is_dir() {
        return Err(AppError::configuration(format!(
            "{} is a folder, and no hook",
            path.display()
        ))
        .hint("move it away, then run this again; nothing was changed"));
    }
    if !metadata.is_file() {
        return Ok(Now::Foreign);
    }
    let mut bytes = Vec::new();
    look::open(path)
        .and_then(|file| file.take(MARK_WITHIN).read_to_end(&mut bytes))
        .map_err(plain_files::failed("cannot read", path))?;
    let ours = bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes());
    let executable = metadata.permissions().mode() & 0o100 != 0;
    Ok(if ours { Now::Ours { bytes, executable } } else { Now::Foreign })
}

/// Whether a file is a hook of Waypost's, perhaps changed or of another version.
pub(crate) fn is_ours(path: &Path) -> bool {
    matches!(look(path), Ok(Now::Ours { .. }))
}

/// Where a hook is kept that was there before.
pub(super) fn kept(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".before-waypost");
    path.with_file_name(name)
}

/// A word as a shell script says it.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The program that a script of ours calls.
pub(super) fn program_of(script: &[u8]) -> PathBuf {
    let text = String::from_utf8_lossy(script);
    let line = text.lines().find_map(|line| line.strip_prefix("program='"));
    let quoted = line.and_then(|line| line.strip_suffix('\'')).unwrap_or_default();
    PathBuf::from(quoted.replace("'\\''", "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_knows_itself_and_its_program_whatever_its_path() {
        for program in ["/opt/bin/waypost", "/opt/o'neill/my bin/way$post"] {
            for hook in GitHook::ALL {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join(hook.name());
                let plan = plan(hook, path.clone(), program).unwrap();
                plan.carry_out().unwrap();
                let Now::Ours { bytes, executable: true } = look(&path).unwrap() else {
                    panic!("{program}");
                };
                assert_eq!(program_of(&bytes), Path::new(program));
                assert!(bytes.len() < 4096, "the mark has to be within what is read");
            }
        }
    }

    #[test]
    fn a_link_is_moved_aside_as_a_link_and_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pre-push");
        std::os::unix::fs::symlink("../scripts/push", &path).unwrap();
        plan(GitHook::PrePush, path.clone(), "/w").unwrap().carry_out().unwrap();
        assert!(matches!(look(&path).unwrap(), Now::Ours { .. }));
        take_out(&path, None, &mut InitOutcome::default()).unwrap();
        assert_eq!(fs::read_link(&path).unwrap(), Path::new("../scripts/push"));
        assert!(!kept(&path).exists());
    }

    #[test]
    fn a_hook_that_took_the_place_of_ours_is_not_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pre-commit");
        fs::write(&path, "first").unwrap();
        plan(GitHook::PreCommit, path.clone(), "/w").unwrap().carry_out().unwrap();
        fs::write(&path, "second").unwrap();
        assert!(plan(GitHook::PreCommit, path.clone(), "/w").is_err());
        take_out(&path, None, &mut InitOutcome::default()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(fs::read_to_string(kept(&path)).unwrap(), "first");
        fs::write(&path, "first").unwrap();
        plan(GitHook::PreCommit, path.clone(), "/w").unwrap().carry_out().unwrap();
        take_out(&path, None, &mut InitOutcome::default()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
    }
}
