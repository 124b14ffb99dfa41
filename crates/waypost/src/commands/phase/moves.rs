//! What changes where a workflow is.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};
use waypost_app::error::AppError;
use waypost_app::tracks::workflow::back::{self, Moved};
use waypost_app::tracks::workflow::complete::{self, Completed};
use waypost_app::view::View;

use crate::commands::CommandOutcome;
use crate::commands::evidence::fields_of;
use crate::commands::which::{WhichSession, WhichSessionLast};
use crate::ui::{self, BAD, BOLD, DIM, GOOD};

/// Complete the phase that the workflow is in
///
/// What the phase asks for is given as fields. If something that must hold does not, that is told
/// and recorded, the phase stays, and the exit status is 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost phase complete
  waypost phase complete Planning coverage=85 reviewed=true
  waypost phase complete --evidence '{\"files\": [\"a.rs\"]}'")]
pub(super) struct PhaseCompleteArgs {
    /// The phase, if it has to be this one, and fields; values are JSON where they are that
    #[arg(value_name = "PHASE|NAME=VALUE|ID")]
    given: Vec<String>,
    /// The fields as a JSON object
    #[arg(long, value_name = "JSON")]
    evidence: Option<String>,
    #[command(flatten)]
    session: WhichSessionLast,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

/// Complete the phase that the workflow is in, to enter this one
///
/// It is the next one, or `complete` after the last. Phases between them are left out where they may
/// be.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost phase enter build
  waypost phase enter complete --reason \"Nothing to document\"")]
pub(super) struct PhaseEnterArgs {
    /// The phase to enter
    phase: String,
    /// Why phases are left out, where some are
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    common: PhaseMoveArgs,
}

/// Begin a phase once more whose completion failed
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost phase retry
  waypost phase retry 2 --reset-evidence")]
pub(super) struct PhaseRetryArgs {
    /// The phase, if it has to be this one
    phase: Option<String>,
    /// What was given for it before counts no more
    #[arg(long)]
    reset_evidence: bool,
    #[command(flatten)]
    common: PhaseMoveArgs,
}

/// Go back to an earlier phase
///
/// What was completed since is to be done again; how it went is kept.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost phase rollback plan --reason \"The plan misses the migration\"")]
pub(super) struct PhaseRollbackArgs {
    /// The phase to go back to
    phase: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    common: PhaseMoveArgs,
}

/// Leave the phase out that the workflow is in, if it may be
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  waypost phase skip --reason \"Nothing to document\"")]
pub(super) struct PhaseSkipArgs {
    /// The phase, if it has to be this one
    phase: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    common: PhaseMoveArgs,
}

#[derive(Debug, Args)]
struct PhaseMoveArgs {
    #[command(flatten)]
    session: WhichSession,
    /// Give JSON
    #[arg(long)]
    json: bool,
}

impl PhaseCompleteArgs {
    pub(super) fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, given) = self.session.after(&self.given);
        let (phase, fields) = match given.split_first() {
            Some((phase, fields)) if !phase.contains('=') => (Some(phase.as_str()), fields),
            _ => (None, given),
        };
        let mut evidence = self.evidence.as_deref().map(object).transpose()?.unwrap_or_default();
        evidence.extend(fields_of(fields)?);
        let done = complete::complete(view, session, phase, evidence)?;
        tell(&done, self.json)
    }
}

fn object(text: &str) -> Result<Map<String, Value>, AppError> {
    serde_json::from_str(text).map_err(|error| {
        AppError::configuration(format!("--evidence is no JSON object: {error}"))
            .because(error)
            .hint("for example: --evidence '{\"coverage\": 85}'")
    })
}

/// What came of completing a phase.
fn tell(done: &Completed, as_json: bool) -> CommandOutcome {
    ui::warnings(&done.told);
    if as_json {
        ui::json(&json!({
            "session_id": done.session,
            "phase": done.phase,
            "checkpoint_passed": done.passed,
            "validation": {
                "errors": done.errors,
                "warnings": done.warnings,
                "next_steps": done.next_steps,
            },
            "current_phase": done.current_phase,
            "next_phase": done.next_phase,
            "workflow_complete": done.workflow_complete,
        }))?;
    } else {
        let (style, what) = if done.passed { (GOOD, "passed") } else { (BAD, "not complete") };
        ui::line(format!("{} {}", ui::paint(BOLD, &done.phase), ui::paint(style, what)));
        done.errors.iter().for_each(|error| ui::field_in(BAD, "error", error));
        done.warnings.iter().for_each(|warning| ui::field("warning", warning));
        done.next_steps.iter().for_each(|step| ui::field("next", step));
    }
    Ok(if done.passed { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl PhaseEnterArgs {
    pub(super) fn run(self, view: &View<'_>) -> CommandOutcome {
        let session = self.common.session.named();
        let done = complete::transition(view, session, &self.phase, self.reason.as_deref())?;
        tell(&done, self.common.json)
    }
}

impl PhaseRetryArgs {
    pub(super) fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, phase) = self.common.session.or_first(self.phase.as_deref());
        let moved = back::retry(view, session, phase, self.reset_evidence)?;
        self.common.tell(&moved, "begun once more")
    }
}

impl PhaseRollbackArgs {
    pub(super) fn run(self, view: &View<'_>) -> CommandOutcome {
        let session = self.common.session.named();
        let moved = back::roll_back(view, session, &self.phase, &self.reason)?;
        self.common.tell(&moved, "begun anew")
    }
}

impl PhaseSkipArgs {
    pub(super) fn run(self, view: &View<'_>) -> CommandOutcome {
        let (session, phase) = self.common.session.or_first(self.phase.as_deref());
        let moved = back::skip(view, session, phase, &self.reason)?;
        let what = if moved.to == moved.from {
            "skipped: the workflow is complete".to_owned()
        } else {
            format!("entered, {} skipped", moved.from)
        };
        self.common.tell(&moved, &what)
    }
}

impl PhaseMoveArgs {
    fn tell(&self, moved: &Moved, what: &str) -> CommandOutcome {
        ui::warnings(&moved.warnings);
        if self.json {
            ui::json(&json!({
                "session_id": moved.session,
                "previous_phase": moved.from,
                "current_phase": moved.to,
                "taken_back": moved.taken_back,
            }))?;
            return Ok(ExitCode::SUCCESS);
        }
        ui::line(format!("{} {}", ui::paint(BOLD, &moved.to), ui::paint(DIM, what)));
        if !moved.taken_back.is_empty() {
            ui::note(format!("to be done again: {}", moved.taken_back.join(", ")));
        }
        Ok(ExitCode::SUCCESS)
    }
}
