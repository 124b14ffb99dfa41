//! Workflows of praxis-os that lie in the project. Never reads what a link brings in from outside the project.

use std::io::ErrorKind;
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

/// All of them, by name; `own` are names that are taken. What keeps one from being found is told as one, too.
pub(super) fn all(root: &Path, own: &[String]) -> Vec<Own> {
    let Places { found, untold } = places(root);
    let found = found.into_iter().map(|(name, folder)| read(root, name, &folder, own));
    let untold = untold.into_iter().map(|problem| Own {
        name: problem.file.clone(),
        file: problem.file.clone(),
        parsed: Parsed { definition: None, problems: vec![problem] },
    });
    found.chain(untold).collect()
}

/// The one of that name: its folder's, else the one that it gives as its `workflow_type`.
pub(super) fn named(root: &Path, name: &str) -> Option<Own> {
    let found = places(root).found;
    if let Some((name, folder)) = found.iter().find(|(known, _)| known == name) {
        return Some(read(root, name.clone(), folder, &[]));
    }
    let called = |own: &Own| {
        let definition = own.parsed.definition.as_ref();
        let also = definition.and_then(|it| it.also.get("workflow_type"));
        also.and_then(|it| it.as_str()) == Some(name)
    };
    found.into_iter().map(|(name, folder)| read(root, name, &folder, &[])).find(called)
}

/// The names of all.
pub(super) fn names(root: &Path) -> Vec<String> {
    places(root).found.into_iter().map(|(name, _)| name).collect()
}

/// Where workflows are.
#[derive(Default)]
struct Places {
    /// Their names and folders, each name once.
    found: Vec<(String, String)>,
    /// What could not be looked at.
    untold: Vec<Problem>,
}

fn places(root: &Path) -> Places {
    let mut places = Places::default();
    for folder in FOLDERS {
        let mut tell = |message: String| {
            places.untold.push(Problem { file: (*folder).to_owned(), line: 1, message });
        };
        let entries = match look::folder(root.join(folder)) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => {
                tell(format!("{error}; see that it is a folder that can be read"));
                continue;
            }
        };
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names.retain(|name| {
            let path = root.join(folder).join(name);
            look::is_there(path.join("metadata.json")) || is_folder(&path.join("phases"))
        });
        if names.len() > MAX_WORKFLOWS {
            tell(format!("{} workflows; at most {MAX_WORKFLOWS} are read", names.len()));
        }
        for name in names.into_iter().take(MAX_WORKFLOWS) {
            if !places.found.iter().any(|(known, _)| *known == name) {
                let below = format!("{folder}/{name}");
                places.found.push((name, below));
            }
        }
    }
    places.found.sort();
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
