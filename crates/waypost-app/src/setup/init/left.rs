//! What taking Waypost out leaves behind, and deleting it where somebody wants that: the records of sessions and their
//! published copies. What concerns the whole project stays, and so does what people wrote beside a copy.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use waypost_core::id::{SessionId, StreamId};
use waypost_store::look;

use super::manifest::Manifest;
use crate::config;
use crate::error::AppError;
use crate::machine::plain_files;
use crate::machine::project::Project;
use crate::view::copy::{EVENTS, MANIFEST};

/// The folders of the store that hold nothing but what belongs to sessions.
const OF_SESSIONS: [&str; 6] = ["sessions", "index", "aside", "torn", "definitions", "trees"];
/// Those that hold a file for each stream.
const OF_STREAMS: [&str; 2] = ["heads", "trusted"];
/// What a published copy consists of.
const COPY: [&str; 3] = [EVENTS, MANIFEST, "activity.jsonl"];

/// What is left.
#[derive(Debug)]
pub struct Left {
    store: PathBuf,
    sessions: Vec<String>,
    sessions_dir: PathBuf,
    copies: Vec<PathBuf>,
}

/// What would be left of a project's sessions; none if there are none, or another work tree still has them.
pub fn left(project: &Project) -> Option<Left> {
    let store = project.store.clone();
    if Manifest::load(project).ok()?.has_others(project) {
        return None;
    }
    let entries = look::folder(store.join("sessions")).ok()?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut sessions: Vec<String> =
        names.filter(|name| name.parse::<SessionId>().is_ok()).collect();
    sessions.sort();
    if sessions.is_empty() {
        return None;
    }
    let config = config::read(&project.config_file()).ok().flatten().unwrap_or_default();
    let sessions_dir = project.root.join(&config.policy.sessions_dir);
    let is_copy = |folder: &PathBuf| !look::is_link(folder) && look::is_file(folder.join(MANIFEST));
    let copies = sessions.iter().map(|id| sessions_dir.join(id)).filter(is_copy).collect();
    Some(Left { store, sessions, sessions_dir, copies })
}

impl Left {
    /// What it is, in a few words.
    pub fn words(&self, project: &Project) -> String {
        let count = self.sessions.len();
        let plural = if count == 1 { "session" } else { "sessions" };
        let mut words = format!("the records of {count} {plural} in {}", self.store.display());
        if !self.copies.is_empty() {
            let folder = project.relative(&self.sessions_dir);
            let _ = write!(words, " and the published copies in {folder}");
        }
        words
    }

    /// Deletes it. Returns the folders in which something was deleted.
    pub fn delete(&self) -> Result<Vec<PathBuf>, AppError> {
        let mut done = Vec::new();
        for copy in &self.copies {
            for name in COPY {
                remove_file(&copy.join(name))?;
            }
            // What people wrote beside it keeps its folder.
            let _ = fs::remove_dir(copy);
        }
        if !self.copies.is_empty() {
            done.push(self.sessions_dir.clone());
            let above = self.sessions_dir.parent();
            let _ = fs::remove_dir(&self.sessions_dir)
                .and_then(|()| above.map_or(Ok(()), fs::remove_dir));
        }
        for name in OF_SESSIONS {
            let folder = self.store.join(name);
            if look::is_folder(&folder) && !look::is_link(&folder) {
                fs::remove_dir_all(&folder)
                    .map_err(plain_files::failed("cannot delete", &folder))?;
            }
        }
        let project = StreamId::Project.to_string();
        for folder in OF_STREAMS.map(|name| self.store.join(name)) {
            let Ok(entries) = look::folder(&folder) else { continue };
            let others = entries
                .flatten()
                .filter(|entry| !entry.file_name().to_string_lossy().starts_with(&project));
            for entry in others {
                remove_file(&entry.path())?;
            }
        }
        done.push(self.store.clone());
        Ok(done)
    }
}

fn remove_file(path: &Path) -> Result<(), AppError> {
    if look::is_file(path) {
        fs::remove_file(path).map_err(plain_files::failed("cannot delete", path))?;
    }
    Ok(())
}
