//! Where git looks for its hooks.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::error::AppError;
use crate::machine::git::{self, Deadline};
use crate::machine::place::resolved;
use crate::machine::project::Project;

/// The folder that git looks for hooks in, with links followed; none where there is no git. One
/// outside of the repository serves others too, so it is refused.
pub(super) fn folder(project: &Project) -> Result<Option<PathBuf>, AppError> {
    let Some(git) = &project.git else {
        return Ok(None);
    };
    let args = ["rev-parse", "--git-path", "hooks"];
    let told = git::output(git::configured(&project.root), args, Deadline::after(git::LIMIT));
    let folder = match &told {
        Ok(path) => project.root.join(OsStr::from_bytes(path.trim_ascii_end())),
        // Without git there are no hooks either; this is where they would be.
        Err(_) => git.common.join("hooks"),
    };
    let real = resolved(&folder);
    let inside = |top: &&PathBuf| real.starts_with(resolved(top));
    if [&project.root, &git.own, &git.common].iter().any(inside) {
        return Ok(Some(real));
    }
    Err(AppError::configuration(format!(
        "git looks for hooks in {}, which is outside of this repository",
        folder.display()
    ))
    .hint("hooks there serve other repositories too: let core.hooksPath name a folder of this one"))
}

/// Whether the folder lies in the work tree, where its files can be committed.
pub(super) fn is_in_work_tree(project: &Project, folder: &Path) -> bool {
    let below = |top: &Path| folder.starts_with(resolved(top));
    let git = project.git.as_ref();
    below(&project.root) && !git.is_some_and(|git| below(&git.own) || below(&git.common))
}
