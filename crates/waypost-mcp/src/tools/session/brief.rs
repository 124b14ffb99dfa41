//! `session_brief`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use waypost_app::brief;
use waypost_app::error::AppError;

use crate::call::Call;
use crate::outcome::Answer;
use crate::tool::{Effect, Tool};
use crate::toolset::Toolset;

/// About how many characters a token has.
const CHARACTERS_PER_TOKEN: usize = 4;

pub(crate) struct SessionBrief;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// About how many tokens the text may have. The first line and the next step are always there.
    budget: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The session.
    session_id: String,
    /// Its last record: what `expected_version` is compared with.
    version: u64,
    /// The exact next step.
    next: String,
    /// The gates that are not met.
    open_gates: Vec<String>,
    /// The gates that are met.
    met_gates: Vec<String>,
    /// The brief, as an agent reads it.
    brief: String,
}

impl Tool for SessionBrief {
    const NAME: &'static str = "session_brief";
    const TITLE: &'static str = "Brief on the session";
    const DESCRIPTION: &'static str = "Where the session stands in few words, and the exact next \
        step. Call it first when you take work up, after a compaction, or whenever you have lost \
        your place. It changes nothing.";
    const TOOLSET: Toolset = Toolset::Session;
    const EFFECT: Effect = Effect::Reads;
    type Input = Input;
    type Output = Output;

    fn call(call: &Call<'_>, input: Input) -> Result<Answer<Output>, AppError> {
        let brief = brief::of(&call.workspace, call.session())?;
        let text = within(&brief.text(), input.budget);
        let output = Output {
            session_id: brief.session_id.to_string(),
            version: brief.version,
            open_gates: brief.open.iter().map(|open| open.finding.gate.clone()).collect(),
            met_gates: brief.met,
            next: brief.next,
            brief: text.clone(),
        };
        Ok(Answer::new(output, text))
    }
}

/// The text's first and last lines, and of those between as many as fit.
fn within(text: &str, budget: Option<u32>) -> String {
    let Some(budget) = budget.and_then(|budget| usize::try_from(budget).ok()) else {
        return text.to_owned();
    };
    let mut lines: Vec<&str> = text.lines().collect();
    let mut length = text.chars().count();
    let limit = budget.saturating_mul(CHARACTERS_PER_TOKEN);
    while length > limit && lines.len() > 2 {
        let dropped = lines.remove(lines.len() - 2);
        length -= dropped.chars().count() + 1;
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_budget_keeps_the_first_line_and_the_next_step() {
        let text = "session\ngate one\ngate two\nNext: go on";
        assert_eq!(within(text, None), text);
        assert_eq!(within(text, Some(8)), "session\ngate one\nNext: go on");
        assert_eq!(within(text, Some(0)), "session\nNext: go on");
    }
}
