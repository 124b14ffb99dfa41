//! Whether it all works: what the doctor says of each project, whose hooks call, the index, what waits to be sent.

mod shown;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use waypost_app::desk::{Desk, Disk, ProjectHealth};
use waypost_app::error::AppError;
use waypost_app::index::Failed;
use waypost_app::watch::{WatchRow, WatchState};
use waypost_core::time::Timestamp;

use super::{Page, Param, Sheet};
use crate::asked::Asked;
use crate::parts::Parts;

pub(super) struct Health;

/// Whether it all works.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    version: &'static str,
    projects: Vec<Looked>,
    index: Scan,
    #[serde(serialize_with = "shared")]
    disk: Option<Arc<Disk>>,
    /// Work trees and sessions in which hooks do not see what happens.
    unenforced: Vec<WatchRow>,
}

/// How a project is doing.
#[derive(Debug, Serialize)]
struct Looked {
    id: String,
    name: String,
    root: PathBuf,
    /// As of when; none before it was looked once.
    as_of: Option<Timestamp>,
    /// Whether it is looked just now.
    looking: bool,
    #[serde(serialize_with = "shared")]
    health: Option<Arc<ProjectHealth>>,
}

/// What came of the last scan of the index.
#[derive(Debug, Serialize)]
struct Scan {
    scans: u64,
    error: Option<String>,
    failed: Vec<Failed>,
    warnings: Vec<String>,
}

#[expect(clippy::ref_option, reason = "serde calls it so")]
fn shared<T: Serialize, S: Serializer>(
    value: &Option<Arc<T>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.as_deref().serialize(serializer)
}

impl Page for Health {
    type Told = Told;
    const NAME: &'static str = "health";
    const PATH: &'static str = "/health-report";
    const ABOUT: &'static str = "Whether it all works: set-up, hooks, index, what waits to be sent";
    const QUERY: &'static [Param] = &[Param { name: "project", about: "The id of a project" }];

    fn look(&self, desk: &Desk, asked: &Asked) -> Result<Told, AppError> {
        let listed = match asked.get("project") {
            Some(id) => vec![desk.project(id)?],
            None => desk.projects()?,
        };
        let (answers, room) = desk.health(&listed);
        let projects = listed.into_iter().zip(answers).map(|(listed, answer)| Looked {
            id: listed.id,
            name: listed.name,
            root: listed.project.root,
            as_of: answer.as_of,
            looking: answer.running,
            health: answer.value,
        });
        let scanned = desk.scanned();
        let board = desk.board().unwrap_or_default();
        let unenforced = board.rows.iter().filter(|row| row.state == WatchState::Unenforced);
        Ok(Told {
            version: env!("CARGO_PKG_VERSION"),
            projects: projects.collect(),
            index: Scan {
                scans: scanned.scans,
                error: scanned.error,
                failed: scanned.failed,
                warnings: scanned.warnings,
            },
            disk: room.value,
            unenforced: unenforced.cloned().collect(),
        })
    }

    fn show(&self, told: &Told, asked: &Asked, parts: &Parts<'_>) -> Sheet {
        let (title, crumbs) = match (asked.get("project"), told.projects.first()) {
            (Some(_), Some(of)) => (
                format!("Health of {}", of.name),
                vec![("Health".to_owned(), "/health-report".to_owned())],
            ),
            _ => ("Health".to_owned(), Vec::new()),
        };
        Sheet { title, crumbs, body: shown::body(told, parts) }
    }
}
