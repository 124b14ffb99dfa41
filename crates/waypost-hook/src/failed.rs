//! What a harness is told when something went wrong: harm is denied, reading goes on, and the user's
//! own prompts are never held up.

use waypost_app::error::AppError;
use waypost_app::harness::Answer;
use waypost_app::harness::{Does, Tool};
use waypost_app::harness::{Event, Harness, Input, Output};
use waypost_core::next_step::{Look, Voice, amid};
use waypost_core::shell;
use waypost_core::text::printable;

use crate::Otherwise;

/// Waypost's own commands that only look, and the one that leads out of damage.
const LOOKING: &[&str] = &["brief", "doctor", "list", "repair", "status", "verify"];

/// What is told when an event could not be decided.
pub(crate) fn failed(
    harness: &dyn Harness,
    event: Event,
    input: &Input<'_>,
    error: &AppError,
) -> Output {
    match event {
        Event::BeforeTool if is_harmless_command(harness, input) => Output::default(),
        _ => failed_unparsed(harness, event, input, error),
    }
}

/// The same for whoever has no time to read a command line: every one is taken for harmful.
fn failed_unparsed(
    harness: &dyn Harness,
    event: Event,
    input: &Input<'_>,
    error: &AppError,
) -> Output {
    let mut text = format!("Waypost cannot decide: {}", error.full_text(Voice::HOOKED));
    if error.hints.is_empty() {
        let doctor = amid("\nNext: run ", Look::Installation, ", which tests the hook.");
        text.push_str(&doctor.words(Voice::HOOKED));
    }
    let is_harmless = |tool: &str| harness.is_harmless(tool);
    match event {
        Event::BeforeTool if input.tool.as_deref().is_some_and(is_harmless) => Output::default(),
        Event::BeforeTool => {
            let still = "Until then, reading tools and `waypost status`, `doctor`, `verify`, `repair` work.";
            harness.render(event, input, &Answer::Deny(format!("{text}\n{still}")))
        }
        // Held once, so that it is seen; a second time would be for ever.
        Event::Stop if !input.held_before => harness.render(event, input, &Answer::Deny(text)),
        Event::AfterTool | Event::AfterFailure => {
            let text = format!("{text}\nWhat just ran is not recorded.");
            harness.render(event, input, &Answer::Context(text))
        }
        Event::End | Event::SubagentStop | Event::Compaction => {
            Output { stderr: format!("{}\n", printable(&text)), ..Output::default() }
        }
        Event::Start
        | Event::Prompt
        | Event::Expansion
        | Event::Stop
        | Event::SubagentStart
        | Event::Other => harness.render(event, input, &Answer::Message(text)),
    }
}

/// The same for whoever failed or took too long; only what it takes is kept.
pub(crate) fn too_late(
    harness: &'static dyn Harness,
    event: Event,
    input: &Input<'_>,
) -> Otherwise {
    let tool = input.tool.as_deref().map(|name| name.to_owned().into());
    let kept = Input { tool, held_before: input.held_before, ..Input::default() };
    Box::new(move || {
        let late = AppError::refused("it failed or took too long").hint(amid(
            "run ",
            Look::Installation,
            "",
        ));
        failed_unparsed(harness, event, &kept, &late)
    })
}

/// What is told when not even the event is known.
pub(crate) fn no_event(harness: &dyn Harness, problem: &str) -> Output {
    let facts = harness.facts();
    Output {
        stdout: String::new(),
        stderr: format!(
            "Waypost: the hook's input cannot be read: {}. Whatever it was, it is denied.\n\
             Next: `waypost hook {}` is called by {} with one JSON event on standard input; \
             `waypost doctor` tests it.\n",
            printable(problem),
            facts.name,
            facts.title
        ),
        status: 2,
    }
}

/// Whether it is a command line of Waypost's own that only looks, in the agent's own shell.
fn is_harmless_command(harness: &dyn Harness, input: &Input<'_>) -> bool {
    match harness.tool(input) {
        Ok(Tool { name, does: Does::Shell { command, .. }, .. }) => {
            !name.starts_with("mcp__") && only_looks(&command)
        }
        Ok(_) | Err(_) => false,
    }
}

fn only_looks(command: &str) -> bool {
    let analysis = shell::analyse(command);
    let [only] = analysis.commands.as_slice() else {
        return false;
    };
    let subcommand = only.words.get(1).filter(|word| word.literal).map(|word| word.text.as_str());
    analysis.opaque.is_none()
        && only.name() == Some("waypost")
        && only.words[0].text == "waypost"
        && subcommand.is_some_and(|subcommand| LOOKING.contains(&subcommand))
}
