//! Which git subcommand a simple command runs.

use super::Simple;

/// Global options of git that take the next word as their value.
const WITH_VALUE: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--config-env",
    "--super-prefix",
    "--attr-source",
];

/// Whether `command` runs `git <subcommand>`, or could because words of it are not spelt out.
pub(super) fn does(command: &Simple, subcommand: &str) -> bool {
    match command.name() {
        Some("git") => {}
        Some(_) => return false,
        // A command out of a variable: taken for git when it is told to do what git does.
        None => {
            return command.words.iter().skip(1).any(|word| word.text == subcommand);
        }
    }
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        if !word.literal {
            return true;
        }
        if WITH_VALUE.contains(&word.text.as_str()) {
            words.next();
        } else if !word.text.starts_with('-') {
            return word.text == subcommand;
        }
    }
    false
}
