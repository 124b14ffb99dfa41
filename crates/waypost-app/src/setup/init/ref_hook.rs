//! Git's `reference-transaction` hook: a link to this very program, so that git calls it without a shell in between. A
//! link that leads nowhere is passed over by git, so a program that is gone stops nobody.
//!
//! A hook that was there before is moved aside, as it is, and moved back on removal. There a script takes the place
//! of the link: it runs the one before even if this program is gone. Nothing is ever written where files are committed,
//! or where hooks of other repositories lie.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use waypost_store::{files, look, os};

use super::InitOutcome;
use super::git_hooks::{kept, program_of, quoted};
use super::hooks_folder::{self, is_in_work_tree};
use super::items::{self, Item};
use super::manifest::{FileEntry, Manifest};
use crate::error::AppError;
use crate::machine::git::{self, Deadline};
use crate::machine::plain_files;
use crate::machine::project::Project;

/// What git calls it.
pub const NAME: &str = "reference-transaction";

const SCRIPT: &str = include_str!("ref_hook.sh");
/// What every version of the script says.
const MARK: &str = "# Tells Waypost what happens to branches";
/// The script is shorter than this.
const MAX_SCRIPT: u64 = 4096;

/// Where git looks for the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Folder {
    /// In a folder that is this repository's own.
    Own(PathBuf),
    /// In one that is not for Waypost to write to, and why.
    Others(String),
}

/// Whether git tells Waypost what happens to branches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefHookState {
    /// It does, by calling this program.
    Installed(PathBuf),
    /// It would, but the program is gone, or is none: git passes it over.
    Dangling(PathBuf),
    /// There is none.
    Missing,
    /// The hook is somebody else's.
    Replaced,
    /// The hook is there, but git was told since to look for hooks elsewhere.
    Bypassed(PathBuf),
    /// Waypost does not write to the folder that git looks in, and why.
    Others(String),
}

/// The hook as it is now, where git looks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefHook {
    /// Whether it is Waypost's.
    pub state: RefHookState,
    /// Where it is, or would be.
    pub path: PathBuf,
    /// Whether `waypost init` put one there, and nothing took it out since.
    pub wanted: bool,
    /// Whether somebody did not want it.
    pub declined: bool,
}

/// The hook of a project as it is now; none where there is no git.
pub fn state(project: &Project, exe: &Path) -> Result<Option<RefHook>, AppError> {
    let (Some(found), Some(git)) = (folder(project), &project.git) else { return Ok(None) };
    let manifest = Manifest::load(project)?;
    let entry = manifest.entry(project, Item::ReferenceTransaction);
    let own = Own { exe, entry };
    let usual = git.common.join("hooks").join(NAME);
    let (path, now) = match &found {
        Folder::Own(folder) => {
            let path = folder.join(NAME);
            let now = own.look(&path)?;
            (path, now)
        }
        Folder::Others(_) => (usual.clone(), Now::Nothing),
    };
    // Where git looks for hooks there is none of ours, but where it does as a rule there is.
    let is_bypassed =
        !matches!(now, Now::Ours { .. }) && matches!(own.look(&usual)?, Now::Ours { .. });
    let state = match (found, now) {
        _ if is_bypassed => RefHookState::Bypassed(usual),
        (Folder::Others(why), _) => RefHookState::Others(why),
        (_, Now::Ours { program, .. }) if is_program(&program) => RefHookState::Installed(program),
        (_, Now::Ours { program, .. }) => RefHookState::Dangling(program),
        (_, Now::Nothing) => RefHookState::Missing,
        (_, Now::Foreign) => RefHookState::Replaced,
    };
    Ok(Some(RefHook { state, path, wanted: entry.is_some(), declined: manifest.declined }))
}

fn is_program(path: &Path) -> bool {
    look::at(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Where git looks for the hook; none where there is no git.
fn folder(project: &Project) -> Option<Folder> {
    let folder = match hooks_folder::folder(project) {
        Ok(folder) => folder?,
        Err(error) => return Some(Folder::Others(error.message)),
    };
    let is_for_commits = is_in_work_tree(project, &folder)
        && (items::is_tracked(&folder, project) || !is_ignored(&folder.join(NAME), project));
    if is_for_commits {
        let folder = project.relative(&folder);
        let why = format!("git looks for hooks in {folder}, whose files are there to be committed");
        return Some(Folder::Others(why));
    }
    Some(Folder::Own(folder))
}

/// Whether git would never commit a file. What git cannot tell, it would.
fn is_ignored(path: &Path, project: &Project) -> bool {
    let args = [OsStr::new("check-ignore"), OsStr::new("-q"), OsStr::new("--"), path.as_os_str()];
    git::output(git::command(&project.root), args, Deadline::after(git::LIMIT)).is_ok()
}

/// What is to be done to the hook.
#[derive(Debug)]
pub(super) struct RefHookToWrite {
    pub(super) path: PathBuf,
    /// What is to be there; none if it is right as it is.
    pub(super) after: Option<Form>,
    pub(super) what: &'static str,
    moves_aside: bool,
    program: String,
}

/// What a hook of ours is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    Link,
    Script,
}

/// Works out what is to be done, and changes nothing.
pub(super) fn plan(
    project: &Project,
    program: &str,
    entry: Option<&FileEntry>,
    outcome: &mut InitOutcome,
) -> Result<Option<RefHookToWrite>, AppError> {
    let folder = match folder(project) {
        None => return Ok(None),
        Some(Folder::Own(folder)) => folder,
        Some(Folder::Others(why)) => {
            outcome.note(format!(
                "{why}: nothing is written there, so a commit that no tool call shows is found only when the turn ends"
            ));
            return Ok(None);
        }
    };
    let path = folder.join(NAME);
    let has_kept = look::link(kept(&path)).is_ok();
    let wanted = if has_kept { Form::Script } else { Form::Link };
    let (after, what, moves_aside) = match (Own { exe: Path::new(program), entry }).look(&path)? {
        Now::Nothing => (Some(wanted), "created", false),
        Now::Ours { program: now, form } if now == Path::new(program) && form == wanted => {
            (None, "already there", false)
        }
        Now::Ours { .. } => (Some(wanted), "updated", false),
        Now::Foreign if has_kept => {
            let kept = kept(&path);
            outcome.note(format!(
                "{} is no longer Waypost's, and {} holds another hook already: both stay as they are",
                path.display(),
                kept.display()
            ));
            return Ok(None);
        }
        Now::Foreign => (Some(Form::Script), "added; what was there before runs first", true),
    };
    Ok(Some(RefHookToWrite { path, after, what, moves_aside, program: program.to_owned() }))
}

impl RefHookToWrite {
    /// What the manifest remembers of it.
    pub(super) fn recorded(&self) -> Option<Vec<u8>> {
        self.after.as_ref().map(|_| self.program.clone().into_bytes())
    }

    /// Does it.
    pub(super) fn carry_out(&self) -> Result<(), AppError> {
        let Some(form) = &self.after else { return Ok(()) };
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)
                .map_err(plain_files::failed("cannot make the folder", folder))?;
        }
        if self.moves_aside {
            fs::rename(&self.path, kept(&self.path))
                .map_err(plain_files::failed("cannot move aside", &self.path))?;
        }
        if *form == Form::Link && link(&self.path, &self.program).is_ok() {
            return Ok(());
        }
        // Not every disk has links. Never written through one: it would lead to this program.
        if look::is_link(&self.path) {
            files::remove(&self.path)?;
        }
        let mode = Item::ReferenceTransaction.new_mode();
        plain_files::write(&self.path, &script(&self.program), None, mode)
    }
}

fn link(path: &Path, program: &str) -> std::io::Result<()> {
    let new = path.with_extension("waypost-new");
    // One that an earlier attempt left is in nobody's way.
    let _ = fs::remove_file(&new);
    std::os::unix::fs::symlink(program, &new)?;
    fs::rename(&new, path)
}

fn script(program: &str) -> Vec<u8> {
    SCRIPT.replace("@PROGRAM@", &quoted(program)).into_bytes()
}

/// Takes the hook out again, wherever git looks now and where it does as a rule, and puts back what was there before.
pub(super) fn take_out(
    project: &Project,
    own: Own<'_>,
    outcome: &mut InitOutcome,
) -> Result<(), AppError> {
    let Some(git) = &project.git else { return Ok(()) };
    let mut folders = vec![git.common.join("hooks")];
    if let Ok(Some(now)) = hooks_folder::folder(project)
        && look::real(&now).ok() != look::real(&folders[0]).ok()
    {
        folders.push(now);
    }
    for path in folders.iter().map(|folder| folder.join(NAME)) {
        let kept = kept(&path);
        let has_kept = look::link(&kept).is_ok();
        match own.look(&path)? {
            Now::Ours { .. } => {}
            // It was interrupted, now or when it was set up.
            Now::Nothing if has_kept => {}
            Now::Nothing | Now::Foreign => continue,
        }
        if has_kept {
            fs::rename(&kept, &path).map_err(plain_files::failed("cannot put back", &path))?;
            files::sync_folder_of(&path)?;
            outcome.change(&path, "restored");
        } else {
            files::remove(&path)?;
            outcome.change(&path, "removed");
        }
    }
    Ok(())
}

/// The hook as it is now.
enum Now {
    Nothing,
    Ours { program: PathBuf, form: Form },
    Foreign,
}

/// What tells a hook of Waypost's from another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Own<'a> {
    /// This program.
    pub(super) exe: &'a Path,
    /// What `init` left there.
    pub(super) entry: Option<&'a FileEntry>,
}

impl Own<'_> {
    fn is_program(self, program: &Path) -> bool {
        let known = |entry: &FileEntry| entry.left(program.as_os_str().as_encoded_bytes());
        program == self.exe
            || program.file_name() == Some(OsStr::new("waypost"))
            || self.entry.is_some_and(known)
    }

    fn look(self, path: &Path) -> Result<Now, AppError> {
        look(path, self)
    }
}

fn look(path: &Path, own: Own<'_>) -> Result<Now, AppError> {
    let metadata = match look::link(path) {
        Ok(metadata) => metadata,
        Err(error) if os::is_absent(&error) => return Ok(Now::Nothing),
        Err(error) => return Err(plain_files::failed("cannot look at", path)(error)),
    };
    if metadata.is_symlink() {
        let program = look::target(path).map_err(plain_files::failed("cannot look at", path))?;
        let is_ours = own.is_program(&program);
        return Ok(if is_ours { Now::Ours { program, form: Form::Link } } else { Now::Foreign });
    }
    if !metadata.is_file() {
        return Ok(Now::Foreign);
    }
    let mut bytes = Vec::new();
    look::open(path)
        .and_then(|file| file.take(MAX_SCRIPT).read_to_end(&mut bytes))
        .map_err(plain_files::failed("cannot read", path))?;
    let is_ours = bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes());
    let ours = || Now::Ours { program: program_of(&bytes), form: Form::Script };
    Ok(if is_ours { ours() } else { Now::Foreign })
}

/// Whether a file is the hook of Waypost's, perhaps of another version.
pub(crate) fn is_ours(path: &Path, exe: &Path) -> bool {
    let own = Own { exe, entry: None };
    path.file_name() == Some(OsStr::new(NAME)) && matches!(own.look(path), Ok(Now::Ours { .. }))
}
