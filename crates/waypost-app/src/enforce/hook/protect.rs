//! What agents may not touch with their file tools: Waypost's own files, key and configuration,
//! the hook registration, and what a client loads code from that could silence hooks.

use std::path::{Path, PathBuf};

use waypost_store::look;

use super::client_code;
use super::target::Target;
use crate::config::runners;
use crate::foreign::requirements::Places;
use crate::machine::project;
use crate::setup::init::git_hooks::{self, GitHook};
use crate::setup::init::ref_hook;
use crate::tracks::catalogue;
use crate::view::View;

/// Why a file may not be written by an agent; `None` if it may.
pub(super) fn from_writing(view: &View<'_>, target: &Target) -> Option<String> {
    let by_name = target.spellings().into_iter().find_map(|path| reason_for(view, path));
    by_name.or_else(|| {
        let same = target.hard_link_into(|| places(view))?;
        reason_for(view, &same)
    })
}

/// Where the files are that agents may not write, for those who do not call them by their names.
pub(super) fn places(view: &View<'_>) -> Vec<PathBuf> {
    let (project, host) = (&view.project, view.host);
    let mut places = vec![
        project.config_file(),
        project.store.clone(),
        host.config_dir.clone(),
        host.state_dir.join("conversations"),
        host.state_dir.join("pending"),
        host.state_dir.join("serve"),
        host.exe.clone(),
        wrapper(view),
        own_workflows(view),
        own_runners(view),
    ];
    let here = view.place();
    if here.project.root != project.root {
        let own = ["waypost.toml", ".waypost/hook", catalogue::FOLDER, runners::FOLDER];
        places.extend(own.map(|file| here.project.root.join(file)));
    }
    for folder in [&project.root, &here.project.root, &host.home] {
        places.extend(registrations(view).map(|file| folder.join(file)));
    }
    places.extend(client_code::places(view));
    places.extend(requirements(view).into_iter().flat_map(|files| {
        files.paths().into_iter().chain(files.folders()).chain(files.targets()).collect::<Vec<_>>()
    }));
    places
}

/// The files of requirements that are there, in the project and in the work tree that the call is about.
fn requirements(view: &View<'_>) -> Vec<Places> {
    let here = &view.place().project.root;
    let mut all: Vec<Places> = view.requirements_there().cloned().collect();
    if *here != view.project.root {
        all.extend(Places::of_each(view.host, here).into_iter().filter(Places::is_there));
    }
    all
}

/// Whether a file says what is required while that is in force.
fn is_required(view: &View<'_>, path: &Path) -> bool {
    let is_one = |files: &Places| {
        let is_target = || files.targets().any(|target| target == path);
        files.keeps(path) || is_target()
    };
    requirements(view).iter().any(is_one) && view.configuration().requirements
}

/// The hook by which git asks Waypost, where the repository has it in its own folder.
pub(super) fn git_hook(view: &View<'_>) -> Option<PathBuf> {
    let path = view.project.store.with_file_name("hooks").join(ref_hook::NAME);
    ref_hook::is_ours(&path, &view.host.exe).then_some(path)
}

/// Why a file may not be read by an agent: it is the key, or the folder of keys. `None` if it may.
pub(super) fn from_reading(view: &View<'_>, target: &Target) -> Option<String> {
    let host = view.host;
    let is =
        |private: &[PathBuf]| private.iter().any(|one| target.spellings().contains(&one.as_path()));
    if is(&[host.key_file(), host.approval_key_file(), host.config_dir.clone()]) {
        return Some(key_is_private(view));
    }
    let token = [host.serve_token_file(), host.state_dir.join("serve"), host.state_dir.clone()];
    is(&token).then(|| token_is_private(view))
}

/// Why the key is read by no agent.
pub(super) fn key_is_private(view: &View<'_>) -> String {
    format!(
        "Waypost: {} is the key that signs what agents did; agents may not read it.\n\
         Next: go on without it; nothing that you are asked for needs it.",
        view.host.key_file().display()
    )
}

/// Why the token is read by no agent.
pub(super) fn token_is_private(view: &View<'_>) -> String {
    format!(
        "Waypost: {} is the token that Waypost's server asks for; agents may not read it.\n\
         Next: go on without it; an agent has Waypost's tools from its own client.",
        view.host.serve_token_file().display()
    )
}

fn reason_for(view: &View<'_>, path: &Path) -> Option<String> {
    let what = if path.starts_with(&view.project.store) {
        "one of Waypost's own files"
    } else if path.starts_with(&view.host.config_dir) || path.starts_with(&view.host.state_dir) {
        "one of Waypost's keys and registers"
    } else if path == view.host.exe {
        "the program that the hooks call"
    } else if let Some(what) = of_project(view, path) {
        what
    } else if registrations(view).any(|file| is_read_by_a_client(view, path, file)) {
        "where Waypost's hooks are registered"
    } else if let Some(what) = client_code::reason_for(view, path) {
        what
    } else if is_required(view, path) {
        "one of the files of this project's requirements"
    } else if is_git_hook(path) || ref_hook::is_ours(path, &view.host.exe) {
        "one of the hooks by which git asks Waypost"
    } else {
        return None;
    };
    Some(format!(
        "Waypost: {} is {what}, which agents may not change.\nNext: ask the user to change it.",
        path.display()
    ))
}

/// What a file at the top of one of the project's work trees is to Waypost.
fn of_project(view: &View<'_>, path: &Path) -> Option<&'static str> {
    let is_named = |at: &&Path| {
        at.file_name().is_some_and(|name| name == "waypost.toml" || name == ".waypost")
    };
    let top = path.ancestors().find(is_named)?.parent()?;
    let below = path.strip_prefix(top).ok()?;
    let what = if below == Path::new("waypost.toml") {
        "the configuration of Waypost"
    } else if below == Path::new(".waypost/hook") {
        "the program that the hooks call"
    } else if below.starts_with(catalogue::FOLDER) {
        "one of the project's workflows"
    } else if below.starts_with(runners::FOLDER) {
        "what this project says of its test runners"
    } else {
        return None;
    };
    let is_ours = || {
        let found = project::find(top).ok().flatten();
        found.is_some_and(|found| found.root == top && found.is_kept_with(&view.project))
    };
    (top == view.project.root || is_ours()).then_some(what)
}

/// The script of the project that everyone's settings call.
fn wrapper(view: &View<'_>) -> PathBuf {
    view.project.root.join(".waypost/hook")
}

/// The folder of the project's own workflows: they hold gates, as the configuration does.
fn own_workflows(view: &View<'_>) -> PathBuf {
    view.project.root.join(catalogue::FOLDER)
}

/// The folder of the project's own runners: they say what counts as a run.
fn own_runners(view: &View<'_>) -> PathBuf {
    view.project.root.join(runners::FOLDER)
}

/// Whether it lies where a client looks for it: in the user's home, or at the top of a work tree. One
/// of the same name elsewhere is an ordinary file.
fn is_read_by_a_client(view: &View<'_>, path: &Path, file: &str) -> bool {
    let above = Path::new(file).components().count();
    let Some(folder) = path.ancestors().nth(above).filter(|_| path.ends_with(file)) else {
        return false;
    };
    let (root, home, cwd) = (&view.project.root, &view.host.home, &view.host.cwd);
    [root, home, cwd].into_iter().any(|one| folder == one) || look::is_there(folder.join(".git"))
}

/// Told by what it says: git may look for hooks anywhere.
fn is_git_hook(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    GitHook::ALL.into_iter().any(|hook| hook.name() == name) && git_hooks::is_ours(path)
}

/// The files in which harnesses find Waypost's hooks, from whatever folder they count for.
fn registrations<'a>(view: &'a View<'_>) -> impl Iterator<Item = &'static str> + 'a {
    let harnesses = view.host.harnesses.iter();
    harnesses.flat_map(|local| local.facts().protected.files.iter().copied())
}
