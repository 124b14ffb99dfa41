//! What a step is about: is it there?

use std::cell::OnceCell;
use std::path::PathBuf;

use waypost_core::evidence::Tree;
use waypost_core::glob;
use waypost_core::track::Subject;
use waypost_store::{files, look};

use crate::harness::{Ground, Local, Role};
use crate::machine::matching;
use crate::rulings::facts;
use crate::view::View;

/// The largest file that is looked into for MCP servers.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// What is documentation, or somebody's notes.
const DOCS: &[&str] =
    &["**/*.md", "**/*.txt", "**/*.rst", "docs/**", ".agents/**", ".serena/**", "**/LICENSE*"];

/// What changed since the work began, found out when it is first asked for.
#[derive(Debug)]
pub(super) struct Changes<'a> {
    view: &'a View<'a>,
    begun: Option<&'a Tree>,
    found: OnceCell<Result<Vec<String>, String>>,
}

impl<'a> Changes<'a> {
    /// Since the work tree was `begun`.
    pub(super) fn since(view: &'a View<'a>, begun: Option<&'a Tree>) -> Self {
        Self { view, begun, found: OnceCell::new() }
    }

    /// The files that changed, or why that cannot be told.
    pub(super) fn files(&self) -> &Result<Vec<String>, String> {
        self.found.get_or_init(|| match self.begun {
            Some(Tree::Id(then)) => facts::changes_since(self.view, then),
            Some(Tree::Unknown(why)) => Err(why.clone()),
            None => Err("the work has not begun".to_owned()),
        })
    }
}

/// Settles once and for all what depends on the machine's configuration.
pub(super) fn settle(view: &View<'_>, subject: &mut Subject) {
    match subject {
        Subject::Server(name) => {
            *subject = if is_configured(view, name) {
                Subject::Always
            } else {
                Subject::Absent(format!("no MCP server {name} is configured"))
            };
        }
        Subject::Git if view.project.git.is_none() => {
            *subject = Subject::Absent("this is no git repository".to_owned());
        }
        Subject::All(subjects) => {
            for subject in subjects {
                settle(view, subject);
            }
        }
        _ => {}
    }
}

/// Whether it is there now, or could come to be while work goes on.
pub(super) fn may_come(view: &View<'_>, subject: &Subject) -> bool {
    match subject {
        Subject::Server(name) => is_configured(view, name),
        Subject::File(pattern) => matching::any_fits(&view.project.root, pattern),
        Subject::All(subjects) => subjects.iter().all(|subject| may_come(view, subject)),
        Subject::Absent(_) => false,
        Subject::Always | Subject::Git | Subject::Changed(_) | Subject::Code => true,
    }
}

/// Why the subject is not there; `None` if it is.
pub(super) fn why_absent(changes: &Changes<'_>, subject: &Subject) -> Option<String> {
    match subject {
        Subject::Always | Subject::Git => None,
        Subject::Absent(why) => Some(why.clone()),
        Subject::Server(name) => (!is_configured(changes.view, name))
            .then(|| format!("no MCP server {name} is configured")),
        Subject::File(pattern) => {
            let there = matching::any_fits(&changes.view.project.root, pattern);
            (!there).then(|| format!("there is no {pattern}"))
        }
        // What cannot be told counts as there: the step is asked for.
        Subject::Changed(pattern) => {
            let files = changes.files().as_ref().ok()?;
            let fits = |file: &String| glob::matches_path(pattern, file);
            (!files.iter().any(fits)).then(|| match pattern.as_str() {
                "**" => "nothing changed".to_owned(),
                pattern => format!("no {pattern} changed"),
            })
        }
        Subject::Code => {
            let files = changes.files().as_ref().ok()?;
            match files.iter().find(|file| !is_docs(file)) {
                Some(_) => None,
                None if files.is_empty() => Some("nothing changed".to_owned()),
                None if files.iter().all(|file| is_notes(file)) => {
                    Some("investigation-only: nothing but notes changed".to_owned())
                }
                None => Some("docs-only: nothing but documentation changed".to_owned()),
            }
        }
        Subject::All(subjects) => subjects.iter().find_map(|one| why_absent(changes, one)),
    }
}

/// Whether a file is documentation.
pub(super) fn is_docs(file: &str) -> bool {
    DOCS.iter().any(|pattern| glob::matches_path(pattern, file))
}

fn is_notes(file: &str) -> bool {
    [".agents/**", ".serena/**"].iter().any(|pattern| glob::matches_path(pattern, file))
}

/// Whether an MCP server of that name is configured for the project, or for the user.
fn is_configured(view: &View<'_>, name: &str) -> bool {
    let root = &view.project.root;
    if look::is_file(root.join(format!(".{name}/project.yml"))) {
        return true;
    }
    let has = |servers: &[String]| servers.iter().any(|known| known.to_lowercase().contains(name));
    let of_project = || {
        listed(view, |local, ground| {
            let files = local.harness.registering().files().iter();
            let mut lists = files.filter(|file| file.role == Role::Servers);
            lists.next().map(|file| (file.place)(ground))
        })
    };
    let of_user =
        || listed(view, |local, ground| Some(local.harness.registering().user_servers(ground)));
    has(view.cache.servers_of_project.get_or_init(of_project))
        || has(view.cache.servers_of_user.get_or_init(of_user))
}

/// The MCP servers that one file of each harness lists.
fn listed(view: &View<'_>, file: impl Fn(&Local, Ground<'_>) -> Option<PathBuf>) -> Vec<String> {
    let (host, root) = (view.host, &view.project.root);
    let mut names = Vec::new();
    for local in &host.harnesses {
        let path = file(local, host.ground(local, root));
        let content = path.and_then(|path| files::read(&path, MAX_BYTES).ok().flatten());
        let content = content.unwrap_or_default();
        names.append(&mut local.harness.registering().servers(&content, root));
    }
    names
}
