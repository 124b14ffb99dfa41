//! What a harness is told when something went wrong: harm is denied, reading goes on, and the user's
//! own prompts are never held up.

use waypost_app::error::AppError;
use waypost_app::harness::Answer;
use waypost_app::harness::{Does, Tool};
use waypost_app::harness::{Event, Harness, Input, Output};
use waypost_core::next_step::{Look, Voice, amid};
use waypost_core::shell::{self, Simple};
use waypost_core::text::printable;

use crate::Otherwise;

/// Waypost's own commands that only look, and the one that leads out of damage.
const LOOKING: &[&[&str]] = &[
    &["brief"],
    &["doctor"],
    &["list"],
    &["repair"],
    &["session", "get-state"],
    &["status"],
    &["verify"],
];

/// What is told when an event could not be decided.
pub(crate) fn failed(
    harness: &dyn Harness,
    event: Event,
    input: &Input<'_>,
    error: &AppError,
) -> Output {
    match event {
        Event::BeforeTool if is_harmless_command(harness, input, error.is_read_only()) => {
            harness.render(event, input, &Answer::Silence)
        }
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
        Event::BeforeTool if input.harmless || input.tool.as_deref().is_some_and(is_harmless) => {
            harness.render(event, input, &Answer::Silence)
        }
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
            let silence = harness.render(event, input, &Answer::Silence);
            Output { stderr: format!("{}\n", printable(&text)), ..silence }
        }
        Event::Start
        | Event::Prompt
        | Event::Expansion
        | Event::Stop
        | Event::SubagentStart
        // Nothing tells there whether it was held before: it could be for ever.
        | Event::TaskDone
        | Event::TeammateIdle
        | Event::ConfigChanged
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
    let (held_before, harmless) = (input.held_before, input.harmless);
    let kept = Input { tool, held_before, harmless, ..Input::default() };
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

/// Whether it is a command line of Waypost's own that only looks, in the agent's own shell. Where nothing is wrong
/// but that nothing can be written, any line that only reads will do.
fn is_harmless_command(harness: &dyn Harness, input: &Input<'_>, read_only: bool) -> bool {
    match harness.tool(input) {
        Ok(Tool { name, does: Does::Shell { command, .. }, .. }) => {
            !name.starts_with("mcp__") && only_looks(&command, read_only)
        }
        Ok(_) | Err(_) => false,
    }
}

fn only_looks(command: &str, read_only: bool) -> bool {
    let line = shell::analyse(command);
    if line.opaque.is_some() || !line.writes().is_empty() || line.writes_unknown() {
        return false;
    }
    let is_own = |only: &Simple| {
        let words = only.words.iter().skip(1).take_while(|word| word.literal);
        let words: Vec<&str> = words.map(|word| word.text.as_str()).collect();
        only.name() == Some("waypost")
            && only.words[0].text == "waypost"
            && LOOKING.iter().any(|looking| words.starts_with(looking))
    };
    match line.commands.as_slice() {
        [] => false,
        [only] if is_own(only) => true,
        // What Waypost keeps to itself, nobody reads meanwhile.
        all => read_only && !command.contains("waypost") && all.iter().all(reads),
    }
}

/// Whether a command only reads, and nothing is set that could make it another.
fn reads(command: &Simple) -> bool {
    command.assigned.is_empty() && command.only_reads()
}

#[cfg(test)]
mod tests {
    use super::only_looks;

    #[test]
    fn a_line_that_only_reads_goes_on_where_nothing_can_be_written() {
        for line in [
            "ls -la",
            "git log --oneline && cat app.txt",
            "rg -n foo src | head -20",
            "cd src; git diff HEAD~1",
            "waypost status",
            "waypost session get-state",
        ] {
            assert!(only_looks(line, true), "{line}");
            assert_eq!(only_looks(line, false), line.starts_with("waypost"), "{line}");
        }
        for line in [
            "",
            "rm -r src",
            "cat a > b",
            "cat ~/.config/waypost/key",
            "ls .git/waypost",
            "PATH=/tmp cat a",
            "git commit -m x",
            "cat a | sh",
            "ls $(rm x)",
            "waypost status; rm x",
            "waypost gate approve x",
            "waypost session set-state '{}'",
            "waypost session delete x",
            "find . -delete",
        ] {
            assert!(!only_looks(line, true), "{line}");
        }
    }
}
