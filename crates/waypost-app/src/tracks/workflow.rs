//! The workflow that a session follows: how it went, what is to be done now, what has to hold.

pub mod back;
pub mod complete;
pub mod enter;
pub mod look;
mod project;
mod validation;

use waypost_core::command::{Refusal, TrackRefusal};
use waypost_core::course::Course;
use waypost_core::gate::policy::Policy;
use waypost_core::gate::{Before, Gate};
use waypost_core::id::SessionId;
use waypost_core::next_step::{Look, NextStep, does, to};
use waypost_core::session::SessionState;
use waypost_core::text::{did_you_mean, one_line, shortened};
use waypost_core::track::{Definition, Phase, Track};

use crate::config::workflow::COMPLETE;
use crate::error::AppError;
use crate::view::definitions;
use crate::view::{Session, View};

/// A session and the workflow that it follows.
#[derive(Debug)]
pub struct Workflow {
    /// The session.
    pub session: Session,
    /// How it went so far.
    pub course: Course,
    /// What it follows, with all phases that are known.
    pub definition: Definition,
}

impl Workflow {
    /// That of the session that is named, else of the caller's.
    pub fn of(view: &View<'_>, named: Option<&str>) -> Result<Self, AppError> {
        Self::in_session(view, view.session(named)?)
    }

    /// That of a session that is known already.
    pub fn in_session(view: &View<'_>, session: Session) -> Result<Self, AppError> {
        let course = course(view, &session.id)?;
        match course.definition().cloned() {
            Some(definition) => Ok(Self { session, course, definition }),
            None => Err(none_in(&session.id)),
        }
    }

    /// The track, while it goes on.
    pub fn running(&self) -> Result<&Track, AppError> {
        let track = self.session.state.track.as_deref().ok_or_else(|| none_in(&self.session.id))?;
        if track.is_running() {
            return Ok(track);
        }
        let id = &self.session.id;
        Err(AppError::refused(format!("the workflow {} of session {id} is complete", track.name))
            .hint(to("end the session", NextStep::End))
            .hint(to("or begin another one", NextStep::BeginWorkflow("NAME".to_owned()))))
    }

    /// The phase that somebody means by its name or number; none is the one that it is in.
    pub fn phase(&self, named: Option<&str>) -> Result<&Phase, AppError> {
        let current = self.course.current().map(|current| current.phase.as_str());
        let Some(meant) = named.or(current) else { return Err(none_in(&self.session.id)) };
        self.definition.meant(meant).ok_or_else(|| {
            let known: Vec<&str> =
                self.definition.phases.iter().map(|phase| phase.name.as_str()).collect();
            let listed: Vec<String> = (self.definition.first..)
                .zip(&known)
                .map(|(n, name)| format!("{n} {name}"))
                .collect();
            let meant = shortened(&one_line(meant), 80);
            let error = AppError::refused(format!("the workflow has no phase `{meant}`"));
            match did_you_mean(&meant, &known) {
                Some(close) => error.hint(format!("did you mean `{close}`?")),
                None => error.hint(format!("its phases are {}", listed.join(", "))),
            }
        })
    }

    /// The same, where it has to be the one that the workflow is in.
    fn current(&self, named: Option<&str>) -> Result<&Phase, AppError> {
        let track = self.running()?;
        let phase = self.phase(named.or(Some(&track.phase)))?;
        if phase.name == track.phase {
            return Ok(phase);
        }
        let (phase, current) = (phase.name.clone(), track.phase.clone());
        Err(AppError::of_session(
            &self.session.id,
            &TrackRefusal::NotCurrent { phase, current }.into(),
        )
        .hint(does(Look::Phase(None), "tells what is to be done in it")))
    }

    /// What stands between the phase that it is in and the one that follows.
    pub fn open_gates(&self) -> Vec<Gate> {
        let Ok(track) = self.running() else { return Vec::new() };
        let next = self.definition.next_after(
            Some(&track.phase),
            track.target.as_deref(),
            &self.course.options,
        );
        self.gates_between(&track.phase, next.to.as_deref())
    }

    /// What has to hold before `from` is complete and `to` is entered; none is the end.
    fn gates_between(&self, from: &str, to: Option<&str>) -> Vec<Gate> {
        between(&self.definition, from, to)
    }
}

/// What has to hold before `from` is complete and `to` is entered.
fn between(definition: &Definition, from: &str, to: Option<&str>) -> Vec<Gate> {
    let complete = definition.phase(from).into_iter().flat_map(|phase| &phase.gates);
    let first = definition.phases.first().filter(|first| first.name == from);
    let begin = first.into_iter().flat_map(Phase::entering_later);
    let enter = to.and_then(|to| definition.phase(to)).into_iter().flat_map(Phase::entering);
    let before = Before::Phase(to.unwrap_or(COMPLETE).to_owned());
    begin
        .chain(complete)
        .chain(enter)
        .map(|gate| Gate { before: vec![before.clone()], ..gate.clone() })
        .collect()
}

/// How the workflow of a session went, up to now.
pub fn course(view: &View<'_>, session: &SessionId) -> Result<Course, AppError> {
    Ok(view.story(session)?.course.at(view.host.now()))
}

/// The gates that a session's workflow adds to those of the project.
pub fn gates(view: &View<'_>, session: &SessionId, state: &SessionState) -> Vec<Gate> {
    let Some(track) = state.track.as_deref().filter(|track| track.is_running()) else {
        return Vec::new();
    };
    let Ok(definition) = definitions::of(view, session, &track.definition) else {
        return Vec::new();
    };
    // What was chosen when it began is in the records alone: they are read where it matters.
    if definition.phases.iter().all(|phase| phase.skip.is_none()) {
        let next = definition.after(&track.phase).map(|next| next.name.as_str());
        return between(&definition, &track.phase, next);
    }
    let session = Session { id: session.clone(), state: state.clone().into() };
    Workflow::in_session(view, session).map(|found| found.open_gates()).unwrap_or_default()
}

/// The policy that holds for whoever asks, with the gates of the workflow that the session follows.
pub fn policy_in(view: &View<'_>, session: &Session) -> Result<Policy, AppError> {
    let mut policy = Policy::clone(&view.policy_for_caller()?.policy);
    policy.gates.extend(gates(view, &session.id, &session.state));
    Ok(policy)
}

fn none_in(session: &SessionId) -> AppError {
    AppError::of_session(session, &Refusal::NoTrack("workflow")).hint(
        does(NextStep::BeginWorkflow("full".to_owned()), "begins one; ")
            .and(does(Look::Workflows, "shows which there are")),
    )
}
