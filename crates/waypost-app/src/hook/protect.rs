//! What agents may not touch with their file tools: Waypost's own files, key and configuration,
//! and the hook registration.

use std::path::Path;

use super::target::Target;
use crate::workspace::Workspace;

/// Why a file may not be written by an agent; `None` if it may.
pub(super) fn from_writing(workspace: &Workspace<'_>, target: &Target) -> Option<String> {
    target.spellings().into_iter().find_map(|path| reason_for(workspace, path))
}

/// Why a file may not be read by an agent: it is the key. `None` if it may.
pub(super) fn from_reading(workspace: &Workspace<'_>, target: &Target) -> Option<String> {
    let key = workspace.host.key_file();
    target.spellings().contains(&key.as_path()).then(|| {
        format!(
            "Waypost: {} is the key that signs what agents did; agents do not read it.\n\
             Next: go on without it; nothing that you are asked for needs it.",
            key.display()
        )
    })
}

fn reason_for(workspace: &Workspace<'_>, path: &Path) -> Option<String> {
    let what = if path.starts_with(&workspace.project.store) {
        "one of Waypost's own files"
    } else if path.starts_with(&workspace.host.config_dir)
        || path.starts_with(&workspace.host.state_dir)
    {
        "one of Waypost's keys and registers"
    } else if path.file_name()? == "waypost.toml" && path.parent()? == workspace.project.root {
        "the configuration of Waypost"
    } else if is_registration(path) {
        "where Waypost's hooks are registered"
    } else {
        return None;
    };
    Some(format!(
        "Waypost: {} is {what}, which agents do not change.\nNext: ask the user to change it.",
        path.display()
    ))
}

fn is_registration(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let in_claude = path.parent().and_then(Path::file_name).is_some_and(|name| name == ".claude");
    in_claude && matches!(name, "settings.json" | "settings.local.json")
}
