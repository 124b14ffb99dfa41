//! What is done to the list of projects: adding some, reading them again, calling one otherwise, putting one away.

use serde_json::json;
use waypost_app::error::AppError;
use waypost_app::index::{self, Report};

use super::{Action, Doing, Done, Field};
use crate::asked::query;

const PROJECT: Field = Field { name: "project", needed: true, about: "The project's id" };

pub(super) const ONBOARD: Action = Action {
    name: "onboard",
    about: "Add the projects below a folder, and read what happened in them",
    fields: &[Field { name: "path", needed: true, about: "The folder" }],
    act: |doing| {
        let place = index::place(&doing.desk.host, Some(doing.asked.needed("path")?))?;
        let path = place.path.display().to_string();
        if let Some(why) = place.unreadable {
            return Err(AppError::refused(format!("{path} cannot be read: {why}"))
                .hint("name a folder that you may read"));
        }
        let onboarded = doing.desk.onboard(place.path)?;
        let go = Some(format!("/projects/add{}", query(&[("path", &path)])));
        Ok(Done { value: json!(onboarded), go })
    },
};

pub(super) const SCAN: Action = Action {
    name: "scan",
    about: "Read what happened since in all projects",
    fields: &[],
    act: |doing| told(&doing.desk.scan()?),
};

pub(super) const RENAME: Action = Action {
    name: "rename",
    about: "Call a project otherwise; without a name, as its folder",
    fields: &[
        PROJECT,
        Field { name: "name", needed: false, about: "What people call it from now on" },
    ],
    act: |doing| {
        let name = doing.asked.get("name").unwrap_or_default();
        let kept = doing.desk.transcripts();
        told(&index::rename(&doing.desk.host, &kept, doing.asked.needed("project")?, name)?)
    },
};

pub(super) const PUT_AWAY: Action = Action {
    name: "put_away",
    about: "Put a project away: it is looked at no more, and nothing of it is lost",
    fields: &[PROJECT],
    act: |doing| archive(doing, true),
};

pub(super) const TAKE_OUT: Action = Action {
    name: "take_out",
    about: "Take a project out again that was put away",
    fields: &[PROJECT],
    act: |doing| archive(doing, false),
};

fn archive(doing: &Doing<'_>, archived: bool) -> Result<Done, AppError> {
    let kept = doing.desk.transcripts();
    let project = doing.asked.needed("project")?;
    told(&index::archive(&doing.desk.host, &kept, project, archived)?)
}

fn told(report: &Report) -> Result<Done, AppError> {
    let value = serde_json::to_value(report).map_err(|error| {
        AppError::refused(format!("what was found cannot be written as JSON: {error}"))
    })?;
    Ok(Done { value, go: None })
}
