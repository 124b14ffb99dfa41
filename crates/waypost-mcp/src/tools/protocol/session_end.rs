//! `session_end`

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::tracks::protocol::end::{self, Completion, Ending};

use super::checklist::Checklist;
use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;
use crate::words;

pub(crate) struct SessionEnd;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What came of it.
    summary: String,
    /// What whoever comes next should know.
    next_session_notes: Option<String>,
    /// Nobody else has to look at it, because only documentation or notes changed. Checked against
    /// the changes.
    skip_qa: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The session.
    session_id: String,
    /// Whether it is over.
    #[schemars(schema_with = "completion")]
    status: Completion,
    /// Both checklists.
    checklist: Checklist,
    /// What was missed on the way.
    violations: Vec<Violation>,
    /// Whether the hand-over document was changed.
    handoff_updated: bool,
    /// The commit that is checked out.
    commit_sha: Option<String>,
    /// What to do next.
    next_steps: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Violation {
    /// When.
    timestamp: String,
    /// The phase in which it was missed.
    phase: String,
    /// What was required.
    requirement: String,
    /// How grave it is.
    severity: String,
    /// How it came to hold after all; none while it does not.
    recovery: Option<String>,
}

fn completion(_: &mut SchemaGenerator) -> Schema {
    words::one_of(&Completion::ALL)
}

impl Tool for SessionEnd {
    const NAME: &'static str = "session_end";
    const TITLE: &'static str = "End the session";
    const DESCRIPTION: &'static str = "Ends this conversation's part in the session, and the session \
        itself where its workflow is done. Call it when the work is done and committed. COMPLETE only \
        if every MUST that applies holds; INCOMPLETE changes nothing and says what is missing. skip_qa \
        counts only if nothing but documentation or notes changed.";
    const TOOLSET: Toolset = Toolset::Protocol;
    const EFFECT: Effect = Effect::Adds;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        call.progress.tell(0, 1, "looking at every gate");
        let ending = Ending {
            session: call.session(),
            summary: &input.summary,
            next_notes: input.next_session_notes.as_deref(),
            skip_qa: input.skip_qa.unwrap_or(false),
        };
        let ended = end::end(&call.view, &ending)?;
        call.progress.tell(1, 1, "done");
        let violations = ended.violations.into_iter().map(|missed| Violation {
            timestamp: missed.time.to_string(),
            phase: missed.violation.phase.unwrap_or(missed.violation.gate),
            requirement: missed.violation.requirement,
            severity: missed.violation.severity,
            recovery: missed.recovery,
        });
        let output = Output {
            session_id: ended.session_id.to_string(),
            status: ended.status,
            checklist: ended.checklist.into(),
            violations: violations.collect(),
            handoff_updated: ended.handoff_updated,
            commit_sha: ended.commit_sha,
            next_steps: ended.next_steps,
        };
        let mut lines =
            vec![format!("{}: session {}.", words::word(&output.status), output.session_id)];
        lines.extend(output.next_steps.iter().map(|step| format!("Next: {step}")));
        if output.status == Completion::Incomplete {
            lines.extend(output.checklist.lines());
        }
        Ok(Answer::new(output, lines.join("\n")))
    }
}
