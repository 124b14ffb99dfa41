//! The git that called a hook: what it was asked to do, and what asked it.
//!
//! A process may say what it likes of itself, so nothing is proven by this: it tells in which direction to be careful.

use crate::machine::process;

/// Options of git itself that take the next word as their value.
const WITH_VALUE: &[&str] = &[
    "-C",
    "-c",
    "--attr-source",
    "--config-env",
    "--git-dir",
    "--namespace",
    "--shallow-file",
    "--super-prefix",
    "--work-tree",
];
/// What git's own scripts, and commands of the user's for it, run through.
const SHELLS: &[&str] = &["ash", "bash", "busybox", "dash", "ksh", "sh", "zsh"];
/// How many processes are looked at: git starts itself a few times over, not dozens.
const MAX_ABOVE: usize = 12;

/// A git command that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitCommand {
    /// Its first word: `commit`, `fetch`, ….
    pub name: String,
    /// The words after that.
    pub arguments: Vec<String>,
}

impl GitCommand {
    /// Reads a command line; none if it is not git's.
    fn of(words: &[String]) -> Option<Self> {
        let (program, mut rest) = words.split_first()?;
        let program = program.rsplit('/').next()?;
        if let Some(name) = program.strip_prefix("git-") {
            return Some(Self { name: name.to_owned(), arguments: rest.to_vec() });
        }
        if program != "git" {
            return None;
        }
        while let Some((word, after)) = rest.split_first() {
            if !word.starts_with('-') {
                return Some(Self { name: word.clone(), arguments: after.to_vec() });
            }
            let skipped = usize::from(WITH_VALUE.contains(&word.as_str()));
            rest = after.get(skipped..).unwrap_or_default();
        }
        None
    }

    /// The first argument that is no option; of `fetch`, the repository that is fetched from.
    pub fn object(&self) -> Option<&str> {
        self.arguments.iter().map(String::as_str).find(|word| !word.starts_with('-'))
    }
}

/// The git commands that led to this process, the nearest first; none if git did not call it.
pub fn commands() -> Vec<GitCommand> {
    let mut found = Vec::new();
    for pid in process::ancestors().iter().take(MAX_ABOVE) {
        let Some(words) = process::arguments(*pid) else { break };
        match GitCommand::of(&words) {
            Some(command) => found.push(command),
            None if !found.is_empty() && is_shell(&words) => {}
            None => break,
        }
    }
    found
}

/// The git command that called this process.
pub fn nearest() -> Option<GitCommand> {
    GitCommand::of(&process::arguments(process::parent()?)?)
}

fn is_shell(words: &[String]) -> bool {
    let name = words.first().and_then(|word| word.rsplit('/').next()).unwrap_or_default();
    SHELLS.contains(&name.trim_start_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_found_behind_the_options_of_git_itself() {
        for (line, name, object) in [
            ("git commit -q -m x", "commit", Some("x")),
            ("/usr/lib/git-core/git -C /a --no-pager -c a.b=commit fetch -q .", "fetch", Some(".")),
            (
                "git --git-dir .git --work-tree=. update-ref refs/heads/x",
                "update-ref",
                Some("refs/heads/x"),
            ),
            ("git-receive-pack /tmp/a", "receive-pack", Some("/tmp/a")),
            ("git --exec-path=/x rebase", "rebase", None),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let found = GitCommand::of(&words).unwrap();
            assert_eq!((found.name.as_str(), found.object()), (name, object), "{line}");
        }
        for line in ["sh -c git", "git --version", "gitk", ""] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(GitCommand::of(&words), None, "{line}");
        }
    }
}
