//! The brief of a session, as its next agent would get it.

use maud::{Markup, html};
use serde::Serialize;
use waypost_app::error::AppError;
use waypost_app::standing::brief::{self, BUDGET};

use super::seen::Seen;
use crate::asked::Asked;
use crate::parts::{nothing, text};

/// The largest budget, in tokens.
const MOST: u64 = 20_000;

#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// The words, unless the session cannot be briefed.
    text: Option<String>,
    budget: usize,
    problem: Option<String>,
}

pub(super) fn look(seen: &Seen<'_>, asked: &Asked) -> Result<Told, AppError> {
    let wanted = asked.number("budget")?.map(|budget| budget.clamp(100, MOST));
    let budget = wanted.and_then(|budget| usize::try_from(budget).ok()).unwrap_or(BUDGET);
    if !seen.glance.is_live() {
        let problem = "No agent is briefed on it before its records are here as a whole.";
        return Ok(Told { text: None, budget, problem: Some(problem.to_owned()) });
    }
    let stand = seen.glance.stand_for_agent(&seen.view)?;
    let conversation = seen.state().latest_conversation();
    let brief = brief::tell(&seen.view, &stand, &conversation)?;
    Ok(Told { text: Some(brief.text(budget)), budget, problem: None })
}

pub(super) fn show(told: &Told) -> Markup {
    match (&told.text, &told.problem) {
        (Some(brief), _) => html! {
            p.dim { "What an agent is told when it begins, resumes or was compacted, in at most " (told.budget) " tokens." }
            pre id="brief" tabindex="0" { (text(brief)) }
        },
        (None, problem) => nothing(
            "There is no brief.",
            html! { p { (text(problem.as_deref().unwrap_or_default())) } },
        ),
    }
}
