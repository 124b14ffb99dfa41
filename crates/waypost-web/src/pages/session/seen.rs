//! What every part of a session's page is made of: the project, the session at a glance, the rows of the index.

use std::sync::Arc;

use waypost_app::desk::{Desk, Lent};
use waypost_app::documents::plan::{self, Plan};
use waypost_app::error::AppError;
use waypost_app::index::{Ask, ListedProject};
use waypost_app::share::verify::Verified;
use waypost_app::standing::glance::{self, Glance, Stood};
use waypost_app::view::View;
use waypost_core::id::SessionId;
use waypost_core::session::SessionState;
use waypost_core::tables::{Cell, Row, session_key};

use crate::asked::{Asked, segment};

/// A session that somebody looks at.
#[derive(Debug)]
pub(super) struct Seen<'d> {
    desk: &'d Desk,
    pub(super) listed: ListedProject,
    pub(super) view: View<'d>,
    pub(super) glance: Glance,
    /// The index; none where it is not made yet.
    pub(super) rows: Option<Lent>,
    /// The session's number in the index.
    pub(super) key: i64,
}

impl<'d> Seen<'d> {
    pub(super) fn of(desk: &'d Desk, asked: &Asked) -> Result<Self, AppError> {
        Self::named(desk, asked.needed("project")?, asked.needed("session")?)
    }

    /// The session of that name, from the work tree that it belongs to.
    pub(super) fn named(desk: &'d Desk, project: &str, session: &str) -> Result<Self, AppError> {
        let listed = desk.project(project)?;
        let mut view = desk.view(&listed)?;
        let glance = glance::of(&view, session)?;
        // What was written for it lies in the work tree that it belongs to.
        let tree = glance.session.state.worktree.clone().unwrap_or_default();
        if let Some(project) = listed.project.work_tree(&tree)
            && project.root != view.project.root
        {
            view = View::with(&desk.host, project, desk.ring()?);
        }
        let key = session_key(&listed.id, &glance.session.id);
        Ok(Self { desk, view, rows: desk.rows()?, key, listed, glance })
    }

    /// Where it stands: none where its gates cannot be asked, because its records are not here as a whole.
    pub(super) fn stood(&self) -> Option<Result<Arc<Stood>, AppError>> {
        self.glance.is_live().then(|| self.desk.stood(&self.view, &self.glance))
    }

    /// What checking all of its records finds.
    pub(super) fn verified(&self) -> Result<Arc<Vec<Verified>>, AppError> {
        self.desk.verified(&self.view, self.id())
    }

    pub(super) fn id(&self) -> &SessionId {
        &self.glance.session.id
    }

    pub(super) fn state(&self) -> &SessionState {
        &self.glance.session.state
    }

    /// Its plan, with the statuses that its records know.
    pub(super) fn plan(&self) -> Result<Option<Plan>, AppError> {
        let began_elsewhere = self.glance.story.began_elsewhere;
        plan::known(&self.view, &self.glance.session, || Ok(began_elsewhere))
    }

    /// Its page.
    pub(super) fn address(&self) -> String {
        let (project, session) = (segment(&self.listed.id), segment(self.id().as_str()));
        format!("/projects/{project}/sessions/{session}")
    }

    /// Its latest rows of one type, the latest first; without an index none.
    pub(super) fn latest<R: Row>(
        &self,
        by: &'static str,
        before: Option<u64>,
        most: u32,
    ) -> Result<Vec<R>, AppError> {
        let Some(rows) = &self.rows else { return Ok(Vec::new()) };
        let (from, to) = (Cell::Int(0), Cell::Int(number(before.unwrap_or(u64::MAX))));
        rows.of(Ask {
            with: &[("session", Cell::Int(self.key))],
            within: Some((by, &from, &to)),
            by: Some((by, true)),
            most: Some(most),
            ..Ask::default()
        })
    }

    /// All of its rows of one type, as many as are shown, in the order of their keys.
    pub(super) fn all<R: Row>(&self, most: u32) -> Result<Vec<R>, AppError> {
        let Some(rows) = &self.rows else { return Ok(Vec::new()) };
        let with = [("session", Cell::Int(self.key))];
        rows.of(Ask { with: &with, most: Some(most), ..Ask::default() })
    }
}

/// A number as the index keeps it.
pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Where a conversation is shown.
pub(super) fn conversation_address(project: &str, session: &SessionId, id: &str) -> String {
    let (id, project, session) = (segment(id), segment(project), segment(session.as_str()));
    format!("/conversations/{id}?project={project}&session={session}")
}
