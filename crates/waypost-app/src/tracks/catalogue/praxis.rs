//! Workflows of praxis-os that lie in the project. Never reads what a link brings in from outside the project.

use std::path::{Path, PathBuf};

use waypost_core::track::builtin;
use waypost_store::look;

use super::own::Own;
use crate::config::workflow::Parsed;
use crate::config::{MAX_BYTES, Problem, is_name, text_inside};
use crate::foreign::praxis::{self, Files};

/// Where they lie, below the project's folder; of two with the same name the first counts.
const FOLDERS: &[&str] = &[".praxis-os/workflows", ".agent-os/workflows", "universal/workflows"];
/// More of them than this are not read.
const MAX_WORKFLOWS: usize = 200;

/// All of them, by name; `own` are names that are taken.
pub(super) fn all(root: &Path, own: &[String]) -> Vec<Own> {
    let found = places(root).into_iter();
    found.map(|(name, folder)| read(root, name, &folder, own)).collect()
}

/// The one of that name: its folder's, else the one that it gives as its `workflow_type`.
pub(super) fn named(root: &Path, name: &str) -> Option<Own> {
    let places = places(root);
    if let Some((name, folder)) = places.iter().find(|(known, _)| known == name) {
        return Some(read(root, name.clone(), folder, &[]));
    }
    let called = |own: &Own| {
        let definition = own.parsed.definition.as_ref();
        definition.and_then(|it| it.also.get("workflow_type")).and_then(|it| it.as_str())
            == Some(name)
    };
    places.into_iter().map(|(name, folder)| read(root, name, &folder, &[])).find(called)
}

/// The names of all.
pub(super) fn names(root: &Path) -> Vec<String> {
    places(root).into_iter().map(|(name, _)| name).collect()
}

/// The names and folders of all, each name once.
fn places(root: &Path) -> Vec<(String, String)> {
    let mut places: Vec<(String, String)> = Vec::new();
    for folder in FOLDERS {
        let entries = look::folder(root.join(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        for name in names {
            let below = format!("{folder}/{name}");
            let path = root.join(&below);
            let is_one =
                look::is_there(path.join("metadata.json")) || is_folder(&path.join("phases"));
            let known = places.iter().any(|(known, _)| *known == name);
            if is_one && !known && places.len() < MAX_WORKFLOWS {
                places.push((name, below));
            }
        }
    }
    places.sort();
    places
}

fn is_folder(path: &Path) -> bool {
    look::at(path).is_ok_and(|found| found.is_dir())
}

fn read(root: &Path, name: String, folder: &str, own: &[String]) -> Own {
    let file = format!("{folder}/metadata.json");
    let unusable = |message: String| {
        let problem = Problem { file: file.clone(), line: 1, message };
        Parsed { definition: None, problems: vec![problem] }
    };
    let parsed = if builtin::WORKFLOWS.contains(&name.as_str()) {
        unusable(format!("the built-in workflow `{name}` is followed; give this one another name"))
    } else if own.contains(&name) {
        unusable(format!(
            "the project's own workflow `{name}` is followed; give one of them another name"
        ))
    } else if !is_name(&name) {
        unusable("its folder's name has to be made of letters, digits, `-` and `_`".to_owned())
    } else {
        let files = InFolder { root, folder: root.join(folder) };
        praxis::read(&files, &name, folder)
    };
    Own { name, file, parsed }
}

/// The files of one workflow.
struct InFolder<'a> {
    root: &'a Path,
    folder: PathBuf,
}

impl Files for InFolder<'_> {
    fn text(&self, path: &str) -> Result<Option<String>, String> {
        let path = self.folder.join(path);
        if !look::is_there(&path) {
            return Ok(None);
        }
        text_inside(self.root, &path, MAX_BYTES).map(Some)
    }

    fn names(&self, path: &str) -> Vec<String> {
        let entries = look::folder(self.folder.join(path)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }
}
