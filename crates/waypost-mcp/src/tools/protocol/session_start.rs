//! `session_start`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::sessions::begin::Begin;
use waypost_app::sessions::note;
use waypost_app::sessions::start;
use waypost_app::standing::blocked;
use waypost_app::standing::brief;
use waypost_app::tracks::protocol;

use waypost_core::next_step::{NextStep, amid};

use super::checklist::Checklist;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

pub(crate) struct SessionStart;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What the session is for, in one sentence.
    objective: String,
    /// More about it, kept as a note.
    description: Option<String>,
    /// The branch that you believe to be on; another one is an error.
    branch: Option<String>,
    /// The commit that the work begins at. Without it: the one that is checked out.
    starting_commit: Option<String>,
    /// The workflow to follow: full, quick, research or none. Without it: the project's.
    workflow: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The session.
    session_id: String,
    /// Its last record now: what `expected_version` is compared with.
    version: u64,
    /// The phase that this conversation is in: of the protocol, else of the workflow.
    phase: String,
    /// The gates that have to hold before the work, in order.
    blocked_until: Vec<String>,
    /// What to do next, in order.
    next_steps: Vec<String>,
    /// What the protocol asks for.
    checklist: Checklist,
    /// Whether it was there already, without a name.
    adopted: bool,
    /// Other active sessions of this work tree.
    others: Vec<String>,
    /// What somebody should be told about how it is kept.
    warnings: Vec<String>,
    /// Where it stands, what the session before left, and the exact next step.
    brief: String,
}

impl Tool for SessionStart {
    const NAME: &'static str = "session_start";
    const TITLE: &'static str = "Begin a session";
    const DESCRIPTION: &'static str = "Begins this conversation's own session, or names the one that was \
        opened for it, and begins the project's protocol if it follows one. Call it first, once, with \
        what the user wants, unless your session has that objective already and there is no protocol; to \
        go on with what somebody else began, call session_resume with its session_id. Gives the session's id, the phase, the gates that have to hold before you work \
        (blocked_until) and the checklist with the exact next step of each item. A second call in \
        one conversation is refused: call session_end first.";
    const TOOLSET: Toolset = Toolset::Protocol;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let view = &call.view;
        if let Some(named) = call.session() {
            return Err(takes_no_session(named));
        }
        if let Some(branch) = &input.branch {
            start::check_branch(view, branch)?;
        }
        if let Some(description) = &input.description {
            note::check(description)?;
        }
        call.progress.tell(0, 2, "looking at the work tree");
        let started = start::start(
            view,
            &Begin {
                objective: Some(&input.objective),
                workflow: input.workflow.as_deref(),
                commit: input.starting_commit.as_deref(),
                numbered: false,
                ..Begin::default()
            },
        )?;
        let id = started.session.as_str();
        let mut warnings = started.warnings;
        if let Some(description) = &input.description {
            let (_, told) = note::add(view, Some(id), "description", description)?;
            warnings.extend(told);
        }
        call.progress.tell(1, 2, "looking at the gates");
        let blocked = blocked::reason(view, Some(id))?;
        let checklist = Checklist::from(protocol::checklist::of(view, Some(id))?);
        let state = view.glance(&started.session)?;
        let phase = match blocked.current_phase {
            phase if phase.is_empty() => state.phase().to_owned(),
            phase => phase,
        };
        let blocked_until: Vec<String> =
            blocked.blocked_phases.into_iter().map(|held| held.phase).collect();
        let mut lines = vec![format!("Session {id} is active, in phase {phase}.")];
        if !blocked_until.is_empty() {
            lines
                .push(format!("Before you work these have to hold: {}.", blocked_until.join(", ")));
        }
        lines.extend(blocked.suggested_actions.iter().map(|action| format!("Next: {action}")));
        lines.extend(checklist.lines());
        lines.extend(warnings.iter().map(|warning| format!("Warning: {warning}")));
        let brief = brief::of(view, Some(id))?.text(brief::BUDGET);
        let output = Output {
            session_id: id.to_owned(),
            version: state.version,
            phase,
            blocked_until,
            next_steps: blocked.suggested_actions,
            checklist,
            adopted: started.adopted,
            others: started.others.iter().map(ToString::to_string).collect(),
            warnings,
            brief,
        };
        Ok(Answer::new(output, lines.join("\n")))
    }
}

fn takes_no_session(named: &str) -> AppError {
    let error = AppError::refused("session_start takes no session_id: it begins one");
    match named.parse() {
        Ok(id) => {
            let resume = NextStep::Resume(id);
            error.hint(amid("leave session_id out, or ", resume, " takes that one up again"))
        }
        Err(_) => error.hint("leave session_id out"),
    }
}
