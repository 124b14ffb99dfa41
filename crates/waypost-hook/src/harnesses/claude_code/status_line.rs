//! What Claude Code gives to the command of its status line.

use std::path::PathBuf;

use serde::Deserialize;
use waypost_app::harness::StatusLine;

/// Anything of it may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Given {
    session_id: Option<String>,
    cwd: Option<PathBuf>,
    workspace: Folders,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Folders {
    current_dir: Option<PathBuf>,
    project_dir: Option<PathBuf>,
}

pub(super) fn parse(bytes: &[u8]) -> Option<StatusLine> {
    let given: Given = serde_json::from_slice(bytes).ok()?;
    let folders = [given.workspace.project_dir, given.workspace.current_dir, given.cwd];
    let folders: Vec<PathBuf> = folders.into_iter().flatten().collect();
    let is_ours = given.session_id.is_some() || !folders.is_empty();
    is_ours.then_some(StatusLine { conversation: given.session_id, folders })
}
