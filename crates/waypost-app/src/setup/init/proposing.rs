//! What is proposed where nobody chooses, and what a person should know about it.

use std::path::Path;

use super::{Found, InitOutcome, Proposal, test_commands};

/// How many other commands are named.
const MAX_NAMED: usize = 4;

/// The commands that the project's files propose, one or one for each package.
pub(super) fn proposed(root: &Path, outcome: &mut InitOutcome) -> Vec<Proposal> {
    let found = test_commands(root);
    if found.is_too_much() {
        let count = found.packages.len();
        outcome.note(format!(
            "{count} packages have tests and nothing runs all of them, so the gate in waypost.toml is commented out: \
             put the command there that does, or write a gate for each package that matters"
        ));
    } else if found.best().is_empty() {
        outcome.note(
            "no test command was found, so the gate in waypost.toml is commented out: fill yours in there",
        );
    }
    mention_others(&found, outcome);
    found.best().to_vec()
}

fn mention_others(found: &Found, outcome: &mut InitOutcome) {
    let others = found.top.iter().skip(1).chain(&found.beside).take(MAX_NAMED);
    let named: Vec<String> = others.map(shown).collect();
    if !named.is_empty() {
        outcome.note(format!("found as well, and not asked for: {}", named.join("; ")));
    }
}

/// A command with its folder and why it was found.
fn shown(proposal: &Proposal) -> String {
    let Proposal { command, folder, because } = proposal;
    match folder {
        Some(folder) => format!("`{command}` in {folder} ({because})"),
        None => format!("`{command}` ({because})"),
    }
}
