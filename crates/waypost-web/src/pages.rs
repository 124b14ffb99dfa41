//! The pages: what each tells, and how that looks. The same value is a page for people and an answer for programs, so the
//! two never differ.

mod audit;
mod conversation;
mod cost;
mod gates;
mod health;
mod inbox;
mod live_agents;
mod project;
mod projects;
mod search;
pub(crate) mod session;
mod violations;

use maud::Markup;
use serde::Serialize;
use serde_json::Value;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;

use crate::asked::{Asked, unescaped};
use crate::parts::Parts;

/// All pages. Of two that fit an address, the first one is it.
pub(crate) const ALL: &[&dyn AnyPage] = &[
    &audit::Audit,
    &conversation::Conversation,
    &cost::Cost,
    &gates::Gates,
    &health::Health,
    &inbox::Inbox,
    &live_agents::LiveAgents,
    &projects::Add,
    &projects::Projects,
    &project::Project,
    &search::Search,
    &session::Session,
    &violations::Violations,
];

/// Something that can be given in a page's query.
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
}

/// A page.
pub(crate) trait Page: Sync {
    /// What it tells.
    type Told: Serialize;
    /// Its name among all, for programs.
    const NAME: &'static str;
    /// Its address; parts in braces have names.
    const PATH: &'static str;
    /// What it tells, in a sentence.
    const ABOUT: &'static str;
    /// What can be given in its query.
    const QUERY: &'static [Param];

    /// Looks.
    fn look(&self, desk: &Desk, asked: &Asked) -> Result<Self::Told, AppError>;

    /// Shows what was seen.
    fn show(&self, told: &Self::Told, asked: &Asked, parts: &Parts<'_>) -> Sheet;
}

/// What a page shows.
pub(crate) struct Sheet {
    /// Its title.
    pub(crate) title: String,
    /// What it belongs to, from the outermost: name and address.
    pub(crate) crumbs: Vec<(String, String)>,
    /// All below the title.
    pub(crate) body: Markup,
}

/// Any page.
pub(crate) trait AnyPage: Sync {
    fn name(&self) -> &'static str;
    fn path(&self) -> &'static str;
    fn about(&self) -> &'static str;
    fn query(&self) -> &'static [Param];
    fn sheet(&self, desk: &Desk, asked: &Asked, parts: &Parts<'_>) -> Result<Sheet, AppError>;
    fn value(&self, desk: &Desk, asked: &Asked) -> Result<Value, AppError>;
}

impl<P: Page> AnyPage for P {
    fn name(&self) -> &'static str {
        P::NAME
    }

    fn path(&self) -> &'static str {
        P::PATH
    }

    fn about(&self) -> &'static str {
        P::ABOUT
    }

    fn query(&self) -> &'static [Param] {
        P::QUERY
    }

    fn sheet(&self, desk: &Desk, asked: &Asked, parts: &Parts<'_>) -> Result<Sheet, AppError> {
        Ok(self.show(&self.look(desk, asked)?, asked, parts))
    }

    fn value(&self, desk: &Desk, asked: &Asked) -> Result<Value, AppError> {
        let told = self.look(desk, asked)?;
        serde_json::to_value(&told).map_err(|error| {
            AppError::refused(format!("what was found cannot be written as JSON: {error}"))
        })
    }
}

/// The page at an address, and what the address and its query ask of it.
pub(crate) fn find(path: &str, query: &str) -> Option<(&'static dyn AnyPage, Asked)> {
    ALL.iter().find_map(|page| {
        let mut asked = Asked::parse(query);
        for (name, value) in fits(page.path(), path)? {
            asked.with(name, value);
        }
        Some((*page, asked))
    })
}

/// The named parts of a path, where it is of this form.
fn fits(form: &'static str, path: &str) -> Option<Vec<(&'static str, String)>> {
    let (mut form, mut path) = (form.split('/'), path.split('/'));
    let mut found = Vec::new();
    loop {
        match (form.next(), path.next()) {
            (None, None) => return Some(found),
            (Some(wanted), Some(given)) => {
                let named = wanted.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
                match named {
                    Some(name) if !given.is_empty() => found.push((name, unescaped(given))),
                    None if wanted == given => {}
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_of_one_page_and_its_parts_have_names() {
        let found = fits("/projects/{project}/sessions/{session}", "/projects/a/sessions/b%20c");
        assert_eq!(found, Some(vec![("project", "a".to_owned()), ("session", "b c".to_owned())]));
        for path in
            ["/projects/a/sessions", "/projects//sessions/b", "/projects/a/sessions/b/c", "/"]
        {
            assert_eq!(fits("/projects/{project}/sessions/{session}", path), None, "{path}");
        }
        assert_eq!(fits("/", "/"), Some(Vec::new()));
        assert_eq!(fits("/", ""), None);
    }

    #[test]
    fn no_two_pages_have_a_name_or_an_address() {
        for (place, page) in ALL.iter().enumerate() {
            assert!(page.path().starts_with('/') && !page.about().is_empty(), "{}", page.name());
            let others = &ALL[place + 1..];
            assert!(
                others
                    .iter()
                    .all(|other| other.path() != page.path() && other.name() != page.name())
            );
        }
    }
}
