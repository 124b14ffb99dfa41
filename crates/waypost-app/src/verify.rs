//! Checking streams from the first byte to the last.

use serde::Serialize;
use waypost_core::id::StreamId;
use waypost_core::project::ProjectState;
use waypost_core::session::SessionState;
use waypost_store::verify::{self, Report};

use crate::error::AppError;
use crate::workspace::Workspace;

/// What checking a stream found.
#[derive(Debug, Serialize)]
pub struct Verified {
    /// The stream.
    pub stream: String,
    /// How many records are good.
    pub records: u64,
    /// What is wrong, the first fault first.
    pub faults: Vec<String>,
    /// What is worth knowing and no fault.
    pub notes: Vec<String>,
}

/// Checks one session, or every stream of the project.
pub fn verify(workspace: &Workspace<'_>, session: Option<&str>) -> Result<Vec<Verified>, AppError> {
    let ids = workspace.log.sessions()?;
    let chosen = match session {
        Some(prefix) => {
            let fits = |id: &&waypost_core::id::SessionId| id.as_str().starts_with(prefix);
            let mut fitting = ids.iter().filter(fits);
            match (fitting.next(), fitting.next()) {
                (Some(only), None) => vec![only.clone()],
                (None, _) => {
                    return Err(AppError::refused(format!("no session begins with `{prefix}`")));
                }
                (Some(_), Some(_)) => {
                    return Err(AppError::refused(format!("`{prefix}` fits several sessions"))
                        .hint("give more of the id"));
                }
            }
        }
        None => ids,
    };
    let mut found = Vec::new();
    if session.is_none() && workspace.log.exists(&StreamId::Project) {
        found.push(verify::verify::<ProjectState, _>(&workspace.log, &StreamId::Project)?);
    }
    for id in chosen {
        let stream = StreamId::Session(id);
        found.push(verify::verify::<SessionState, _>(&workspace.log, &stream)?);
    }
    Ok(found.into_iter().map(described).collect())
}

fn described(report: Report) -> Verified {
    Verified {
        stream: report.stream.to_string(),
        records: report.records,
        faults: report.faults,
        notes: report.notes,
    }
}
