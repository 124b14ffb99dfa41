//! The projects of this machine: what people added, what they call it, and where it lies. All else in an index is found
//! again from there.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use waypost_core::key::sha256_hex;
use waypost_core::tables::ProjectRow;
use waypost_store::{files, look};

use crate::error::AppError;
use crate::machine::host::Host;
use crate::machine::project::{self, Project};

const VERSION: u64 = 1;
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The projects of this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Known {
    #[serde(rename = "v")]
    version: u64,
    pub(super) projects: Vec<KnownProject>,
}

/// A project of this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownProject {
    /// Its id, which stays.
    pub(super) id: String,
    /// What people call it, if not as its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    /// Its main work tree.
    pub(super) root: PathBuf,
    /// Where its records are.
    pub(super) store: PathBuf,
    /// The hash of its first record, by which it is known again elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    /// Whether people have put it away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) archived: bool,
}

/// The folders of the projects of this machine that are there.
pub(crate) fn roots(host: &Host) -> Vec<PathBuf> {
    let known = Known::read(host).map(|(known, _)| known.projects).unwrap_or_default();
    known.into_iter().map(|project| project.root).filter(|root| look::is_folder(root)).collect()
}

impl Known {
    /// What is known. What cannot be read is put aside, and a warning.
    pub(super) fn read(host: &Host) -> Result<(Self, Option<String>), AppError> {
        let path = file(host);
        let Some(content) = files::read(&path, MAX_BYTES)? else {
            return Ok((Self::default(), None));
        };
        match serde_json::from_slice::<Self>(&content) {
            Ok(known) if known.version > VERSION => {
                Err(AppError::refused(format!("{} was written by a newer Waypost", path.display()))
                    .hint(waypost_core::next_step::Mend::UseNewer))
            }
            Ok(known) => Ok((known, None)),
            Err(error) => {
                let aside = path.with_extension("json.damaged");
                files::replace(&aside, &content, true)?;
                let told = format!(
                    "{} is damaged ({error}) and was put aside as {}: name the folders of your projects again",
                    path.display(),
                    aside.display()
                );
                Ok((Self::default(), Some(told)))
            }
        }
    }

    pub(super) fn write(&mut self, host: &Host) -> Result<(), AppError> {
        self.version = VERSION;
        self.projects.sort_by(|one, other| one.id.cmp(&other.id));
        let text = serde_json::to_vec_pretty(self).map_err(|error| {
            AppError::refused(format!("the list of projects cannot be written: {error}"))
        })?;
        files::make_dir(&host.state_dir)?;
        Ok(files::replace(&file(host), &text, true)?)
    }

    /// Adds a project, or finds that it is known.
    pub(super) fn add(&mut self, project: &Project) {
        let root = main_root(project);
        let (store, first) = (project.store.clone(), project::first_record(&project.store));
        if let Some(known) = self.projects.iter_mut().find(|known| known.store == store) {
            (known.root, known.first) = (root, first.or(known.first.take()));
            return;
        }
        let is_gone = |known: &&mut KnownProject| known.first == first && !known.is_there();
        let mut gone = self.projects.iter_mut().filter(is_gone).filter(|_| first.is_some());
        // Of several that began in the same way nobody can tell which of them this is.
        if let (Some(known), None) = (gone.next(), gone.next()) {
            (known.root, known.store) = (root, store);
            return;
        }
        let place = root.as_os_str().as_encoded_bytes();
        let short = |parts: &[&[u8]]| sha256_hex(parts)[..12].to_owned();
        let begun = first.as_ref().map(|first| short(&[first.as_bytes()]));
        let is_taken = |id: &String| self.projects.iter().any(|known| known.id == *id);
        let id = begun.filter(|id| !is_taken(id)).unwrap_or_else(|| {
            short(&[first.as_deref().unwrap_or_default().as_bytes(), b"\0", place])
        });
        self.projects.push(KnownProject { id, name: None, root, store, first, archived: false });
    }

    /// The one that people mean: by its id, its name or its folder.
    pub(super) fn named(&mut self, name: &str) -> Result<&mut KnownProject, AppError> {
        let real = look::real(name).ok();
        let is_it = |known: &KnownProject| {
            known.id == name || known.called() == name || Some(&known.root) == real.as_ref()
        };
        let mut fit = self.projects.iter().enumerate().filter(|(_, known)| is_it(known));
        match (fit.next().map(|(place, _)| place), fit.next()) {
            (Some(place), None) => Ok(&mut self.projects[place]),
            (Some(_), Some(_)) => {
                Err(AppError::refused(format!("several projects are called {name}"))
                    .hint("name one by its id or its folder"))
            }
            (None, _) => {
                Err(AppError::refused(format!("no project of the index is called {name}"))
                    .hint("name it by its id, its name or its folder"))
            }
        }
    }
}

impl KnownProject {
    /// Whether it is where it is said to be.
    pub(super) fn is_there(&self) -> bool {
        look::is_folder(&self.root) && (self.first.is_none() || look::is_folder(&self.store))
    }

    /// What people call it.
    pub(super) fn called(&self) -> String {
        let folder = || self.root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.name.clone().unwrap_or_else(folder)
    }

    fn listed(&self) -> Option<ListedProject> {
        let project = self.project().ok()?;
        Some(ListedProject { id: self.id.clone(), name: self.called(), project })
    }

    pub(super) fn row(&self) -> ProjectRow {
        ProjectRow {
            id: self.id.clone(),
            name: self.called(),
            working_dir: self.root.to_string_lossy().into_owned(),
            store: self.store.to_string_lossy().into_owned(),
            present: self.is_there(),
            archived: self.archived,
        }
    }

    /// The project itself. One that another program alone knows has no store yet.
    pub(super) fn project(&self) -> Result<Project, AppError> {
        project::find_or_here(&self.root)
    }
}

/// A project that is listed.
#[derive(Debug, Clone)]
pub struct ListedProject {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The project.
    pub project: Project,
}

/// The projects that are there and not put away.
#[derive(Debug)]
pub(crate) struct There {
    /// Each of them.
    pub(crate) projects: Vec<ListedProject>,
    /// What somebody should be told.
    pub(crate) warning: Option<String>,
}

/// The projects that are there and not put away.
pub(crate) fn projects(host: &Host) -> Result<There, AppError> {
    let (known, warning) = Known::read(host)?;
    let there = known.projects.iter().filter(|known| !known.archived && known.is_there());
    Ok(There { projects: there.filter_map(KnownProject::listed).collect(), warning })
}

/// The project with that id, also one that was put away.
pub fn project(host: &Host, id: &str) -> Result<ListedProject, AppError> {
    let (known, _) = Known::read(host)?;
    let known = known.projects.into_iter().find(|known| known.id == id);
    let known = known.ok_or_else(|| AppError::refused(format!("no project has the id {id}")))?;
    let gone = format!("{} is not at {} any more", known.called(), known.root.display());
    known.listed().ok_or_else(|| AppError::refused(gone))
}

fn file(host: &Host) -> PathBuf {
    host.state_dir.join("projects.json")
}

/// The main work tree: all of a repository's work trees are one project.
fn main_root(project: &Project) -> PathBuf {
    let main = project.work_tree("").map(|main| main.root);
    let root = main.unwrap_or_else(|| project.root.clone());
    look::real(&root).unwrap_or(root)
}
