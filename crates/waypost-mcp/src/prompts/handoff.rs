//! The prompt `handoff`: writing down what whoever goes on needs.

use rmcp::model::{Prompt, PromptArgument};
use waypost_app::error::AppError;
use waypost_app::standing::brief;
use waypost_app::view::View;

use super::Given;
use crate::wire::quoted;

pub(super) const NAME: &str = "handoff";

pub(super) fn describe() -> Prompt {
    let argument = |name: &str, title: &str, description: &str| {
        PromptArgument::new(name)
            .with_title(title)
            .with_description(description)
            .with_required(false)
    };
    let arguments = vec![
        argument("session_id", "Session", "Its id, or enough of its beginning"),
        argument("to", "Who takes over", "An agent, a person or a role"),
        argument("phase", "Phase", "Where the work stands"),
        argument("reason", "Reason", "Why it is handed over"),
    ];
    let description = "Write a note for whoever takes the work over";
    Prompt::new(NAME, Some(description), Some(arguments)).with_title("Hand the work over")
}

pub(super) fn write(view: &View<'_>, given: &Given) -> Result<String, AppError> {
    let brief = brief::of(view, given.get("session_id"))?;
    let mut details = String::new();
    for (label, name) in [("To", "to"), ("Phase", "phase"), ("Reason", "reason")] {
        if let Some(text) = given.get(name) {
            details.push_str(&format!("{label}: {}\n", quoted(text)));
        }
    }
    Ok(format!(
        "Hand the work of this session over. Below is what Waypost knows of it; texts in quotes were \
         written by users and agents.\n\n{}\n\n{details}\nWrite a note with these headings, each in a \
         few lines, with names of files and commands rather than descriptions of them:\n\
         # Done\n# Not done\n# Decisions, and why\n# What did not work\n# Next step\n\n\
         Then keep it: session_add_note with kind \"handoff\" and session_id {}.",
        brief.text(brief::BUDGET),
        brief.session_id
    ))
}
