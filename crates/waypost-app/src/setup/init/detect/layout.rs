//! Layouts of projects, as `layouts.toml` describes them, and whether a folder has one.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::folder::Folder;
use super::members;
use super::tasks;

/// Everything that `layouts.toml` says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// Lists of files under one name, which is written with `@`.
    #[serde(default)]
    sets: BTreeMap<String, Vec<String>>,
    /// What is written before a project's programs, the first that fits.
    #[serde(default)]
    pub(super) manager: Vec<Manager>,
    /// The layouts, the one that counts for most first.
    #[serde(default)]
    pub(super) layout: Vec<Layout>,
}

/// A tool that runs a project's programs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manager {
    /// The word in braces that it stands for.
    pub(super) of: String,
    /// What is written.
    pub(super) words: String,
    /// Whether it is this one where nothing tells.
    #[serde(default)]
    pub(super) usual: bool,
    /// Where it is this one.
    #[serde(default)]
    pub(super) when: Conditions,
}

/// A layout, and the command that runs its tests.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Layout {
    /// The command.
    pub(super) command: String,
    /// One of these has to be there.
    #[serde(default)]
    pub(super) any: Vec<String>,
    /// A task of this name has to be written down: the tool, and the name.
    task: Option<(String, String)>,
    /// Whether it makes no package of a folder in which it is found.
    #[serde(default)]
    pub(super) only_at_top: bool,
    /// What else has to hold.
    #[serde(default)]
    when: Conditions,
}

/// What has to hold: all of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Conditions {
    /// These are there.
    all: Vec<String>,
    /// One of these is there.
    any: Vec<String>,
    /// None of these is there.
    none: Vec<String>,
    /// Each of these is said.
    says: Vec<Saying>,
    /// One of these is said.
    says_any: Vec<Saying>,
    /// None of these is said.
    unsaid: Vec<Saying>,
    /// `package.json` names this package manager.
    names: Option<String>,
    /// No such task is written down: the tool, and the name.
    no_task: Option<(String, String)>,
    /// A package of the workspace has a script of this name.
    member: Option<String>,
}

/// Something that is said in a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saying {
    /// The files, one of which says it.
    r#in: Vec<String>,
    /// The texts, one of which is said.
    text: Vec<String>,
}

impl Table {
    /// The one that is built in.
    pub(super) fn built_in() -> Self {
        // A test sees to it that it can be read.
        toml::from_str(include_str!("layouts.toml")).unwrap_or_default()
    }

    /// The files that are meant: those of a set, or a file.
    fn files(&self, names: &[String]) -> Vec<String> {
        let files = names.iter().flat_map(|name| match name.strip_prefix('@') {
            Some(set) => self.sets.get(set).cloned().unwrap_or_default(),
            None => vec![name.clone()],
        });
        files.collect()
    }

    fn has_any(&self, names: &[String], folder: Folder<'_>) -> Option<String> {
        self.files(names).into_iter().find(|name| folder.has(name))
    }

    fn is_said(&self, saying: &Saying, folder: Folder<'_>) -> bool {
        folder.says(&self.files(&saying.r#in), &saying.text)
    }
}

impl Layout {
    /// Why a folder has this layout; none if it has not.
    pub(super) fn found(&self, table: &Table, folder: Folder<'_>) -> Option<String> {
        let task = match &self.task {
            Some((tool, name)) => Some(tasks::written(folder, tool, name)?),
            None => None,
        };
        let file = if self.any.is_empty() { None } else { Some(table.has_any(&self.any, folder)?) };
        if !self.when.fits(table, folder) {
            return None;
        }
        let all = self.when.all.first();
        task.or_else(|| Some(format!("there is {}", file.as_ref().or(all)?)))
    }
}

impl Conditions {
    /// Whether all of it holds in a folder.
    pub(super) fn fits(&self, table: &Table, folder: Folder<'_>) -> bool {
        let named = || folder.json("package.json").and_then(|package| named_manager(&package));
        table.files(&self.all).iter().all(|name| folder.has(name))
            && (self.any.is_empty() || table.has_any(&self.any, folder).is_some())
            && table.has_any(&self.none, folder).is_none()
            && self.names.as_ref().is_none_or(|name| named().as_ref() == Some(name))
            && self.says.iter().all(|saying| table.is_said(saying, folder))
            && (self.says_any.is_empty()
                || self.says_any.iter().any(|saying| table.is_said(saying, folder)))
            && !self.unsaid.iter().any(|saying| table.is_said(saying, folder))
            && self
                .no_task
                .as_ref()
                .is_none_or(|(tool, name)| tasks::written(folder, tool, name).is_none())
            && self.member.as_ref().is_none_or(|name| members::any_has(folder, name))
    }
}

/// The package manager that `package.json` names.
fn named_manager(package: &serde_json::Value) -> Option<String> {
    let own = package["packageManager"].as_str();
    let engine = package["devEngines"]["packageManager"]["name"].as_str();
    Some(own.or(engine)?.split('@').next().unwrap_or_default().to_owned())
}
