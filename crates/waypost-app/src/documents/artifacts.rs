//! What people and agents write in a session's folder: the first drafts, and what changed since.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use waypost_core::id::SessionId;
use waypost_core::key::sha256_hex;
use waypost_core::session::SessionState;
use waypost_core::text::one_line;
use waypost_core::text::spoken::count;
use waypost_store::look;

use crate::error::AppError;
use crate::machine::plain_files;

/// Folders are looked into this deep.
const MAX_DEPTH: usize = 4;
/// No more files than this are looked at.
const MAX_FILES: usize = 500;
/// No more files than this are carried along.
const MAX_CARRIED: usize = 5_000;
/// What is carried along lies no deeper than this.
const MAX_CARRIED_DEPTH: usize = 16;
const MAX_BYTES: u64 = 16 * 1024 * 1024;

const FILES: [&str; 4] = ["spec.md", "plan.json", "plan.md", "dev-notes.json"];
const FOLDERS: [&str; 2] = ["research", "debug"];

/// Puts the first drafts into a new folder. Whatever is there already stays.
pub fn draft(folder: &Path, id: &SessionId, state: &SessionState) -> Result<(), AppError> {
    for name in FOLDERS {
        let path = folder.join(name);
        fs::create_dir_all(&path).map_err(plain_files::failed("cannot make the folder", &path))?;
    }
    for (name, text) in drafts(id, state) {
        let path = folder.join(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        match file {
            Ok(mut file) => {
                file.write_all(text.as_bytes())
                    .map_err(plain_files::failed("cannot write", &path))?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(plain_files::failed("cannot create", &path)(error)),
        }
    }
    Ok(())
}

/// Every file in a session's folder, by its path there, and what is none that could be carried elsewhere.
pub fn all(folder: &Path) -> (Vec<PathBuf>, Vec<String>) {
    let (mut found, mut left, mut surplus) = (Vec::new(), Vec::new(), 0);
    let mut open = vec![(PathBuf::new(), 0)];
    while let Some((below, depth)) = open.pop() {
        let entries = look::folder(folder.join(&below)).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| below.join(entry.file_name())).collect();
        paths.sort();
        for path in paths {
            let Ok(metadata) = look::link(folder.join(&path)) else { continue };
            if !is_harmless(&path) {
                left.push(format!("{} could run programs, and stays where it is", path.display()));
            } else if metadata.is_dir() && depth == MAX_CARRIED_DEPTH {
                left.push(format!("{} lies too deep to be carried along", path.display()));
            } else if metadata.is_dir() && is_hidden(&path) {
                left.push(format!("{} is hidden, and stays where it is", path.display()));
            } else if metadata.is_dir() {
                open.push((path, depth + 1));
            } else if !metadata.is_file() {
                left.push(format!("{} is no plain file, and stays where it is", path.display()));
            } else if found.len() < MAX_CARRIED {
                found.push(path);
            } else {
                surplus += 1;
            }
        }
    }
    if surplus > 0 {
        left.push(format!("{} more than are carried along", count(surplus, "file")));
    }
    found.sort();
    (found, left)
}

/// Whether a file of this name, by its path in a session's folder, is text or data and nothing else: no program reads it
/// by itself. Repositories and the settings of programs in hidden folders do run things.
pub fn is_harmless(path: &Path) -> bool {
    const NEVER: [&str; 5] = [".git", ".gitattributes", ".gitmodules", ".mcp.json", ".envrc"];
    let is_named = |name: &str| NEVER.iter().any(|never| name.eq_ignore_ascii_case(never));
    let folders = path.parent().into_iter().flat_map(Path::components);
    let is_hidden = |part: Component<'_>| part.as_os_str().to_string_lossy().starts_with('.');
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !folders.into_iter().any(is_hidden) && !is_named(&name)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// The files whose content is neither a first draft nor `known`, with the hash of what they hold.
pub fn changed(
    folder: &Path,
    id: &SessionId,
    state: &SessionState,
    known: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for name in FILES {
        look(&folder.join(name), name, &mut found);
    }
    for name in FOLDERS {
        walk(&folder.join(name), name, MAX_DEPTH, &mut found);
    }
    let drafts: BTreeMap<&str, String> = drafts(id, state)
        .into_iter()
        .map(|(name, text)| (name, sha256_hex(&[text.as_bytes()])))
        .collect();
    found.retain(|name, hash| {
        known.get(name) != Some(hash) && drafts.get(name.as_str()) != Some(hash)
    });
    found
}

fn walk(folder: &Path, name: &str, depth: usize, found: &mut BTreeMap<String, String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let mut entries: Vec<_> = look::folder(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let below = format!("{name}/{}", entry.file_name().to_string_lossy());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(&entry.path(), &below, depth, found),
            Ok(kind) if kind.is_file() => look(&entry.path(), &below, found),
            _ => {}
        }
    }
}

fn look(path: &Path, name: &str, found: &mut BTreeMap<String, String>) {
    if found.len() >= MAX_FILES {
        return;
    }
    if let Ok(Some(file)) = plain_files::look_at(path, MAX_BYTES) {
        found.insert(one_line(name), sha256_hex(&[&file.bytes]));
    }
}

/// Whether a file is as Waypost put it there, and nobody has written anything in it.
pub fn is_draft(id: &SessionId, state: &SessionState, name: &str, bytes: &[u8]) -> bool {
    drafts(id, state).iter().any(|(of, text)| *of == name && text.as_bytes() == bytes)
}

/// The first draft of a session's spec.
pub fn spec(id: &SessionId, state: &SessionState) -> String {
    let topic = one_line(state.objective.as_deref().unwrap_or("Session"));
    let created = state.started_at.map(|time| time.to_string()).unwrap_or_default();
    let day: String = created.chars().take(10).collect();
    format!(
        "# {topic}\n\n> **Session**: `{id}`\n> **Status**: Draft\n> **Created**: {day}\n\n\
         ## Goals\n\n### High-Level Goals\n\n### Mid-Level Goals\n\n\
         ## Open Questions\n\n<!-- - [ ] A question that is still open\n     - [x] One that is answered → the answer -->\n\n\
         ## Key Decisions\n\n<!-- ### What was decided\n     **Rationale**: why\n     **Made**: {day} -->\n"
    )
}

fn drafts(id: &SessionId, state: &SessionState) -> [(&'static str, String); 2] {
    let created = state.started_at.map(|time| time.to_string()).unwrap_or_default();
    let plan = serde_json::json!({
        "$schema": "Plan schema for session checkpoint-based planning (v2)",
        "session_id": id,
        "spec_reference": "./spec.md",
        "created_at": created,
        "updated_at": created,
        "status": "draft",
        "checkpoints": [],
    });
    let plan = serde_json::to_string_pretty(&plan).unwrap_or_default() + "\n";
    [("spec.md", spec(id, state)), ("plan.json", plan)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_draft_is_no_change_and_an_edit_is_one_once() {
        let folder = tempfile::tempdir().unwrap();
        let id: SessionId = "2026-11-15_x_abcdef".parse().unwrap();
        let state = SessionState { objective: Some("X".into()), ..SessionState::default() };
        let mut known = BTreeMap::new();
        draft(folder.path(), &id, &state).unwrap();
        assert!(changed(folder.path(), &id, &state, &known).is_empty());
        fs::write(folder.path().join("spec.md"), "mine").unwrap();
        fs::write(folder.path().join("research/a.md"), "found").unwrap();
        fs::write(folder.path().join("elsewhere.md"), "not looked at").unwrap();
        let now = changed(folder.path(), &id, &state, &known);
        assert_eq!(now.keys().collect::<Vec<_>>(), ["research/a.md", "spec.md"]);
        known.extend(now);
        assert!(changed(folder.path(), &id, &state, &known).is_empty());
        draft(folder.path(), &id, &state).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("spec.md")).unwrap(), "mine");
    }
}
