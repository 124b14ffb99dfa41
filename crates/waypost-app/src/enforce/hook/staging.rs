//! Before a command line that stages the session's folder: its copy is brought up to date, so that what
//! is committed is what the session was then, and nothing is left to commit afterwards.

use std::path::{Path, PathBuf};

use waypost_core::shell::Staging;
use waypost_store::look;

use super::Call;
use super::seen_call::SeenCall;
use crate::machine::place;
use crate::share::publishing;
use crate::view::registry::Registration;
use crate::view::{View, copy};

/// Brings the copy up to date, if the line is to stage it. Returns what the agent should be told.
pub(super) fn before(
    view: &View<'_>,
    call: &Call,
    registration: &Registration,
    seen: &SeenCall,
) -> Option<String> {
    if seen.stagings.is_empty() || view.project.git.is_none() {
        return None;
    }
    let root = &real(&view.project.root);
    let folder = root.join(copy::folder_of(view, &registration.session));
    let takes = |staging: &Staging| {
        let start = if staging.from_top { root } else { &call.cwd };
        staging.folders.iter().all(|at| {
            let at = real(&start.join(at));
            let (top, at_text) = (root.to_string_lossy(), at.to_string_lossy());
            is_of_project(root, &at) && staging.takes(&top, &at_text, &folder.to_string_lossy())
        })
    };
    let taking: Vec<&Staging> = seen.stagings.iter().filter(|staging| takes(staging)).collect();
    if taking.is_empty() {
        return None;
    }
    let only_known = taking.iter().all(|staging| staging.only_known);
    let told = publishing::before_staging(view, &registration.session, only_known);
    (!told.is_empty()).then(|| format!("Waypost: {}.", told.join("; ")))
}

fn real(path: &Path) -> PathBuf {
    look::real(path).unwrap_or_else(|_| place::without_dots(path))
}

/// Whether git in this folder means the project's work tree, and not a repository inside of it.
fn is_of_project(root: &Path, folder: &Path) -> bool {
    let mut between = folder.ancestors().take_while(|at| *at != root);
    folder.starts_with(root) && !between.any(|at| look::link(at.join(".git")).is_ok())
}
