//! The prompt `resume`: the brief, to go on from.

use rmcp::model::{Prompt, PromptArgument};
use waypost_app::error::AppError;
use waypost_app::standing::brief;
use waypost_app::view::View;

use super::Given;

pub(super) const NAME: &str = "resume";

pub(super) fn describe() -> Prompt {
    let session = PromptArgument::new("session_id")
        .with_title("Session")
        .with_description("Its id, or enough of its beginning; without it, the one at hand")
        .with_required(false);
    let description = "Go on with a session from where it stands";
    Prompt::new(NAME, Some(description), Some(vec![session])).with_title("Resume a session")
}

pub(super) fn write(view: &View<'_>, given: &Given) -> Result<String, AppError> {
    let brief = brief::of(view, given.get("session_id"))?;
    Ok(format!(
        "Go on with the work of this session. Below is what Waypost knows of it; texts in quotes were \
         written by users and agents.\n\n{}\n\nRead what you need to understand it, then do the next \
         step.",
        brief.text(brief::BUDGET)
    ))
}
