//! The project's own workflows: `.waypost/workflows/*.toml`. Never reads what a link brings in from
//! outside the project.

use std::path::{Path, PathBuf};

use waypost_core::track::builtin;
use waypost_store::look;

use crate::config::workflow::{self, Parsed};
use crate::config::{MAX_BYTES, Problem, is_name, text_inside};
use crate::error::AppError;

/// The folder, below the project's.
pub(crate) const FOLDER: &str = ".waypost/workflows";
/// More files than this are not read.
const MAX_FILES: usize = 200;

/// A workflow's file.
#[derive(Debug)]
pub(super) struct Own {
    /// The workflow: the file's name without its ending.
    pub(super) name: String,
    /// The file, as the project calls it.
    pub(super) file: String,
    /// What it says.
    pub(super) parsed: Parsed,
}

/// All of them, by name.
pub(super) fn all(root: &Path) -> Result<Vec<Own>, AppError> {
    let names = names_or_error(root)?;
    Ok(names.into_iter().map(|name| read(root, name)).collect())
}

/// The one of that name; `None` if there is no such file.
pub(super) fn named(root: &Path, name: &str) -> Result<Option<Own>, AppError> {
    let names = names_or_error(root)?;
    Ok(names.into_iter().find(|known| known == name).map(|name| read(root, name)))
}

/// The names of all, as far as they can be read.
pub(super) fn names(root: &Path) -> Vec<String> {
    names_or_error(root).unwrap_or_default()
}

fn names_or_error(root: &Path) -> Result<Vec<String>, AppError> {
    let folder = root.join(FOLDER);
    let entries = match look::folder(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(AppError::configuration(format!("{FOLDER}: {error}"))
                .because(error)
                .hint("see that it is a folder that can be read"));
        }
    };
    let name = |path: PathBuf| {
        let is_toml = path.extension().is_some_and(|ending| ending == "toml");
        let stem = path.file_stem().filter(|_| is_toml)?;
        Some(stem.to_string_lossy().into_owned())
    };
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| name(entry.path())).collect();
    names.sort();
    if names.len() > MAX_FILES {
        return Err(AppError::configuration(format!(
            "{FOLDER} has {} workflows; at most {MAX_FILES} are read",
            names.len()
        ))
        .hint("take those out that nobody follows"));
    }
    Ok(names)
}

fn read(root: &Path, name: String) -> Own {
    let file = format!("{FOLDER}/{name}.toml");
    let unusable = |message: String| {
        let problem = Problem { file: file.clone(), line: 1, message };
        Parsed { definition: None, problems: vec![problem] }
    };
    let parsed = if builtin::WORKFLOWS.contains(&name.as_str()) {
        unusable(format!("`{name}` is a built-in workflow; give yours another name"))
    } else if !is_name(&name) {
        unusable("its name has to be made of letters, digits, `-` and `_`".to_owned())
    } else {
        match text_inside(root, &root.join(&file), MAX_BYTES) {
            Ok(text) => workflow::parse(&file, &name, &text),
            Err(message) => unusable(message),
        }
    };
    Own { name, file, parsed }
}

#[cfg(test)]
mod tests;
