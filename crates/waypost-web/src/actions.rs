//! What can be done from a page: each the same use case as its command, for whoever sits at the browser.

mod approve;
pub(crate) mod forms;
mod projects;
mod sessions;

use serde_json::Value;
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_app::view::registry::Registry;
use waypost_app::view::{View, human};

use crate::asked::Asked;

/// All of them.
pub(crate) const ALL: &[Action] = &[
    approve::APPROVE,
    projects::ONBOARD,
    projects::PUT_AWAY,
    projects::RENAME,
    projects::SCAN,
    projects::TAKE_OUT,
    sessions::ARCHIVE,
    sessions::NOTE,
    sessions::PAUSE,
    sessions::RESUME,
    sessions::SWITCH,
];

/// A field of an action.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) needed: bool,
    pub(crate) about: &'static str,
}

/// Something that can be done.
pub(crate) struct Action {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) fields: &'static [Field],
    act: fn(&Doing<'_>) -> Result<Done, AppError>,
}

/// What an action is done with.
pub(crate) struct Doing<'a> {
    pub(crate) desk: &'a Desk,
    /// The machine, with whoever asks for it as the caller.
    pub(crate) host: &'a Host,
    pub(crate) asked: &'a Asked,
}

/// What was done.
#[derive(Debug)]
pub(crate) struct Done {
    /// For programs.
    pub(crate) value: Value,
    /// Where a browser goes from there, if not back.
    pub(crate) go: Option<String>,
}

impl Done {
    /// What somebody should be told of it.
    pub(crate) fn warnings(&self) -> Vec<&str> {
        let told = self.value.get("warnings").and_then(Value::as_array);
        told.into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

impl Doing<'_> {
    /// The project that is named, seen from the work tree that is meant.
    pub(crate) fn view(&self) -> Result<View<'_>, AppError> {
        let listed = self.desk.project(self.asked.needed("project")?)?;
        let tree = self.asked.get("worktree").unwrap_or_default();
        let project = listed.project.work_tree(tree).unwrap_or(listed.project);
        Ok(View::with(self.host, project, self.desk.ring()?))
    }
}

/// Does what somebody asks to have done.
pub(crate) fn act(name: &str, desk: &Desk, host: &Host, asked: &Asked) -> Result<Done, AppError> {
    let action = ALL.iter().find(|action| action.name == name);
    let action = action.ok_or_else(|| {
        AppError::refused(format!("nothing is called `{name}` that could be done"))
    })?;
    // What is done from a page is recorded as a person's, so nobody else does it there.
    let ring = desk.ring()?;
    human::at_terminal(host, &Registry::new(&host.state_dir, &ring), "what pages offer")?;
    for field in action.fields.iter().filter(|field| field.needed) {
        asked.needed(field.name)?;
    }
    (action.act)(&Doing { desk, host, asked })
}
