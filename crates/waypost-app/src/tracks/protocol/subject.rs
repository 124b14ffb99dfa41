//! What a step is about: is it there?

use std::cell::OnceCell;

use waypost_core::evidence::Tree;
use waypost_core::glob;
use waypost_core::track::StepSubject;

use crate::machine::matching;
use crate::rulings::facts;
use crate::view::View;
use crate::view::protocol;

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

/// Why the subject is not there; `None` if it is.
pub(super) fn why_absent(changes: &Changes<'_>, subject: &StepSubject) -> Option<String> {
    match subject {
        StepSubject::Always | StepSubject::Git => None,
        StepSubject::Absent(why) | StepSubject::Unseen(why) => Some(why.clone()),
        StepSubject::Server(name) => (!protocol::is_configured(changes.view, name))
            .then(|| format!("no MCP server {name} is configured")),
        StepSubject::File(pattern) => {
            let there = matching::any_fits(&changes.view.project.root, pattern);
            (!there).then(|| format!("there is no {pattern}"))
        }
        // What cannot be told counts as there: the step is asked for.
        StepSubject::Changed(pattern) => {
            let files = changes.files().as_ref().ok()?;
            let fits = |file: &String| glob::matches_path(pattern, file);
            (!files.iter().any(fits)).then(|| match pattern.as_str() {
                "**" => "nothing changed".to_owned(),
                pattern => format!("no {pattern} changed"),
            })
        }
        StepSubject::Code => {
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
        StepSubject::All(subjects) => subjects.iter().find_map(|one| why_absent(changes, one)),
    }
}

/// Whether a file is documentation.
fn is_docs(file: &str) -> bool {
    DOCS.iter().any(|pattern| glob::matches_path(pattern, file))
}

fn is_notes(file: &str) -> bool {
    [".agents/**", ".serena/**"].iter().any(|pattern| glob::matches_path(pattern, file))
}
