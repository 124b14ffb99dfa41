//! `session_list`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::error::AppError;
use waypost_app::sessions::list::{self, Filter};
use waypost_core::session::Lifecycle;
use waypost_core::text::spoken::count;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;
use crate::wire::{Summary, quoted};

/// How many sessions are given, the newest of them.
const MAX_SESSIONS: usize = 200;
/// How many of them are also told in words.
const MAX_LINES: usize = 20;

pub(crate) struct SessionList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Only sessions that are here in their life.
    status: Option<LifecycleFilter>,
    /// Only sessions that began on this branch.
    branch: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LifecycleFilter {
    Active,
    Paused,
    Completed,
    Failed,
    Abandoned,
    Archived,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The sessions, the newest last.
    sessions: Vec<Summary>,
    /// How many older ones were left out.
    left_out: usize,
}

impl Tool for SessionList {
    const NAME: &'static str = "session_list";
    const TITLE: &'static str = "List sessions";
    const DESCRIPTION: &'static str = "The sessions of this project, also those of other work trees \
        and those that are only folders in the work tree, the newest last. Call it to find the \
        session to resume or to look at. It changes nothing.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let filter = Filter {
            lifecycle: input.status.map(Lifecycle::from),
            branch: input.branch,
            all: true,
        };
        let mut found = list::list(&call.view, &filter)?.sessions;
        let left_out = found.len().saturating_sub(MAX_SESSIONS);
        found.drain(..left_out);
        let output = Output { sessions: found.into_iter().map(Summary::from).collect(), left_out };
        let text = output.text();
        Ok(Answer::new(output, text))
    }
}

impl Output {
    fn text(&self) -> String {
        let shown = self.sessions.len();
        if shown == 0 {
            return "No session fits.".to_owned();
        }
        let mut lines =
            vec![format!("{}, the newest last:", count(shown + self.left_out, "session"))];
        lines.extend(self.sessions.iter().skip(shown.saturating_sub(MAX_LINES)).map(|session| {
            let objective = session.objective.as_deref().map_or("(no name yet)".into(), quoted);
            format!("- {} {}: {objective}", session.session_id, session.lifecycle)
        }));
        lines.join("\n")
    }
}

impl From<LifecycleFilter> for Lifecycle {
    fn from(status: LifecycleFilter) -> Self {
        match status {
            LifecycleFilter::Active => Self::Active,
            LifecycleFilter::Paused => Self::Paused,
            LifecycleFilter::Completed => Self::Completed,
            LifecycleFilter::Failed => Self::Failed,
            LifecycleFilter::Abandoned => Self::Abandoned,
            LifecycleFilter::Archived => Self::Archived,
        }
    }
}
