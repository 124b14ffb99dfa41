//! The files of one folder of a project, as detection asks about them. It only looks: a file that cannot be read
//! counts as not there, and nothing is ever run.

use std::path::{Path, PathBuf};

use jsonc_parser::{CollectOptions, ParseOptions};
use waypost_core::glob;
use waypost_store::{files, look};

const MAX_FILE: u64 = 1024 * 1024;
/// How many files a pattern may stand for.
const MAX_FITTING: usize = 60;

/// A folder of the project.
#[derive(Debug, Clone, Copy)]
pub(super) struct Folder<'a> {
    /// The top of the project.
    pub(super) root: &'a Path,
    /// The folder.
    pub(super) path: &'a Path,
}

impl<'a> Folder<'a> {
    /// Whether something of this name is there: a file, with `/` at its end a folder, with `*` in it any
    /// file that fits.
    pub(super) fn has(self, name: &str) -> bool {
        match name.strip_suffix('/') {
            Some(folder) => look::is_folder(self.path.join(folder)),
            None => self.first(name).is_some(),
        }
    }

    /// The first file that fits a name, by its name.
    pub(super) fn first(self, name: &str) -> Option<String> {
        self.fitting(name).into_iter().next()
    }

    /// The files that fit a name, in order: `*` stands for any text within one part of a path.
    pub(super) fn fitting(self, name: &str) -> Vec<String> {
        let mut level = vec![String::new()];
        for part in name.split('/') {
            let next = level.iter().flat_map(|above| self.parts_fitting(above, part));
            level = next.take(MAX_FITTING).collect();
        }
        level.retain(|path| look::is_file(self.path.join(path)));
        level
    }

    fn parts_fitting(self, above: &str, part: &str) -> Vec<String> {
        let join =
            |name: &str| if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
        if !part.contains('*') {
            let path = join(part);
            return if look::is_there(self.path.join(&path)) { vec![path] } else { Vec::new() };
        }
        let Ok(entries) = look::folder(self.path.join(above)) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut found: Vec<String> = names.filter(|name| glob::matches(part, name)).collect();
        found.sort();
        found.iter().map(|name| join(name)).collect()
    }

    /// What stands in a file.
    pub(super) fn text(self, name: &str) -> Option<String> {
        let path = self.path.join(name);
        let bytes = files::read(&path, MAX_FILE).ok()?.filter(|_| look::is_file(&path))?;
        Some(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned())
    }

    /// Whether a line that is no comment says one of these texts, in one of the files that fit `names`.
    pub(super) fn says(self, names: &[String], texts: &[String]) -> bool {
        let is_said = |line: &str| {
            let line = line.trim_start();
            let is_comment = line.starts_with('#') || line.starts_with("//");
            !is_comment && texts.iter().any(|text| line.contains(text.as_str()))
        };
        let fitting = names.iter().flat_map(|name| self.fitting(name));
        fitting.filter_map(|name| self.text(&name)).any(|text| text.lines().any(is_said))
    }

    /// A file of JSON, which may have comments.
    pub(super) fn json(self, name: &str) -> Option<serde_json::Value> {
        let text = self.text(name)?;
        let read =
            jsonc_parser::parse_to_ast(&text, &CollectOptions::default(), &ParseOptions::default());
        read.ok()?.value.map(Into::into)
    }

    /// A file of TOML.
    pub(super) fn toml(self, name: &str) -> Option<toml::Table> {
        self.text(name)?.parse().ok()
    }

    /// A folder below.
    pub(super) fn below(self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The folders from this one up to the top of the project.
    pub(super) fn upwards(self) -> impl Iterator<Item = Folder<'a>> {
        let above = self.path.ancestors().take_while(move |at| at.starts_with(self.root));
        above.map(move |path| Folder { root: self.root, path })
    }
}
