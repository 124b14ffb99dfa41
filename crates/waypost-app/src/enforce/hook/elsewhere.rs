//! Git commands that work in another repository: what is committed there is no business of this project.

use waypost_core::shell::{Analysis, Simple, Word, Write};

use super::Call;
use super::readings::Reading;
use crate::machine::project;
use crate::view::View;

/// Git commands that begin a repository or go on in one.
const FOLLOWING: &[&str] = &[
    "add", "branch", "checkout", "clone", "commit", "config", "diff", "init", "log", "merge", "mv",
    "reset", "rm", "show", "status", "switch", "tag",
];

/// Whether the command works in this project's repository, or may.
pub(super) fn is_here(view: &View<'_>, call: &Call, line: &Analysis, simple: &Simple) -> bool {
    let Some(folders) = simple.git_folders().filter(|folders| !folders.is_empty()) else {
        return true;
    };
    let (home, values) = (view.host.home.as_path(), line.values());
    let reading = Reading { cwd: &call.cwd, home, values, prints_here: false };
    tells_where(&reading, line)
        || folders.iter().any(|folder| is_ours(view, &reading, line, folder))
}

/// Whether the line itself may change which repository lies in a folder.
fn tells_where(reading: &Reading<'_>, line: &Analysis) -> bool {
    let leads = |write: &Write| {
        let paths = reading.paths(&write.path, write.literal);
        paths.is_empty() || paths.iter().any(|path| path.spelt().contains(".git"))
    };
    line.values().iter().any(|(name, _)| name.starts_with("GIT_"))
        || line.writes().iter().any(|write| !write.unnamed && leads(write))
}

/// Whether the folder lies in this project's repository, or may when the command runs.
fn is_ours(view: &View<'_>, reading: &Reading<'_>, line: &Analysis, folder: &Word) -> bool {
    let possible = reading.paths(&folder.text, folder.literal);
    let mut targets = possible.iter().map(|spelt| spelt.target());
    possible.is_empty()
        || targets.any(|target| {
            let Some(target) = target else { return true };
            target.spellings().iter().any(|path| match project::find(path) {
                Ok(Some(found)) => found.store == view.project.store,
                Ok(None) => !begins_one(line),
                Err(_) => true,
            })
        })
}

/// Whether the line makes a repository of its own, and no other work tree of this one.
fn begins_one(line: &Analysis) -> bool {
    let commands: Vec<_> = line.commands.iter().filter_map(Simple::git_command).collect();
    let separate = |word: &Word| word.text.starts_with("--sep") || word.text.starts_with("--ref");
    let follows =
        |(name, args): &(&str, &[Word])| FOLLOWING.contains(name) && !args.iter().any(separate);
    commands.iter().any(|(name, _)| matches!(*name, "init" | "clone"))
        && commands.iter().all(follows)
}
