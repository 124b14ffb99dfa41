//! What agents claimed, and how often it was so: read from transcripts in the background, and again when they change.

mod shown;

use std::collections::BTreeMap;

use serde::Serialize;
use waypost_app::audit::{Audit as Figures, Counts};
use waypost_app::desk::Desk;
use waypost_app::error::AppError;
use waypost_core::time::Timestamp;

use super::{Page, Param, Sheet};
use crate::asked::{Asked, moment};
use crate::parts::Parts;

/// All that there is.
const EVER: &str = "all";
/// From when on, where nobody says.
const SINCE: &str = "90d";

pub(super) struct Audit;

/// What agents claimed, and what it was worth.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    since: String,
    /// The project that it is about; none: all of them.
    project: Option<String>,
    /// As of when; none before it was read once.
    as_of: Option<Timestamp>,
    /// Whether it is being read just now, and how far that has come.
    reading: bool,
    read: u64,
    to_read: u64,
    #[serde(flatten)]
    found: Option<Figures>,
    /// By the weeks of all projects together.
    #[serde(skip)]
    weeks: BTreeMap<String, Counts>,
    /// The id and the name of each project, and its folder.
    #[serde(skip)]
    projects: Vec<Listed>,
}

/// A project that can be chosen.
#[derive(Debug)]
struct Listed {
    id: String,
    name: String,
    root: std::path::PathBuf,
}

impl Page for Audit {
    type Told = Told;
    const NAME: &'static str = "audit";
    const PATH: &'static str = "/audit";
    const ABOUT: &'static str = "How often it was so when agents said that something was done";
    const QUERY: &'static [Param] = &[
        Param { name: "project", about: "The id of a project" },
        Param {
            name: "since",
            about: "From when on: a day, a time, how long ago (90d, as it is), or all",
        },
    ];

    fn look(&self, desk: &Desk, asked: &Asked) -> Result<Told, AppError> {
        let since = asked.get("since").unwrap_or(SINCE);
        let from = if since == EVER { None } else { Some(moment("since", since)?) };
        let listed = asked.get("project").map(|id| desk.project(id)).transpose()?;
        let root = listed.as_ref().map(|listed| listed.project.root.clone());
        let answer = desk.audit(root, from);
        let mut weeks: BTreeMap<String, Counts> = BTreeMap::new();
        for row in answer.value.iter().flat_map(|found| &found.weeks) {
            weeks.entry(row.week.clone()).or_default().sum(&row.counts);
        }
        let projects = desk.projects()?.into_iter().map(|listed| Listed {
            id: listed.id,
            name: listed.name,
            root: listed.project.root,
        });
        Ok(Told {
            since: since.to_owned(),
            project: listed.map(|listed| listed.id),
            as_of: answer.as_of,
            reading: answer.running,
            read: answer.done,
            to_read: answer.all,
            found: answer.value.as_deref().cloned(),
            weeks,
            projects: projects.collect(),
        })
    }

    fn show(&self, told: &Told, asked: &Asked, parts: &Parts<'_>) -> Sheet {
        Sheet {
            title: "Audit".to_owned(),
            crumbs: Vec::new(),
            body: shown::body(told, asked, parts),
        }
    }
}
