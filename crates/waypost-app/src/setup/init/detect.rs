//! Proposes the commands that run a project's tests, from the files that it has.
//!
//! What is known of layouts is data (`detect/layouts.toml`). It only looks: it runs nothing, and a file that cannot be
//! read counts as not there. A command that no gate would count is never proposed.

mod ci;
mod folder;
mod layout;
mod members;
mod packages;
mod tasks;
mod words;

use std::path::Path;

use waypost_core::runner::Awaited;

use folder::Folder;
use layout::Table;

/// A command that would run the tests, and why it looks so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The command.
    pub command: String,
    /// The folder of the project that it has to run in; none is its top folder.
    pub folder: Option<String>,
    /// What speaks for it.
    pub because: String,
}

/// What was found in a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// What would run the tests of all of it, the best first.
    pub top: Vec<Proposal>,
    /// Where nothing does: what would run those of each package.
    pub packages: Vec<Proposal>,
    /// Packages beside what runs at the top, which that may not test.
    pub beside: Vec<Proposal>,
}

/// Up to how many packages get a gate each.
const MAX_PACKAGES: usize = 10;

impl Found {
    /// What gates are made of where nobody chooses.
    pub fn best(&self) -> &[Proposal] {
        match self.top.first() {
            Some(best) => std::slice::from_ref(best),
            None if self.packages.len() <= MAX_PACKAGES => &self.packages,
            None => &[],
        }
    }

    /// Whether there are more packages than gates would make sense for.
    pub fn is_too_much(&self) -> bool {
        self.top.is_empty() && self.packages.len() > MAX_PACKAGES
    }
}

/// The commands that would run the tests of the project in `root`.
pub fn test_commands(root: &Path) -> Found {
    let table = Table::built_in();
    let top = in_folder(&table, Folder { root, path: root }, false);
    let below = packages::below(root, |folder| in_folder(&table, folder, true).into_iter().next());
    if !top.is_empty() {
        let beside_it = |package: &Proposal| top.iter().all(|known| !is_alike(known, package));
        let beside = below.into_iter().filter(beside_it).collect();
        return Found { top, beside, ..Found::default() };
    }
    if below.is_empty() {
        return Found { top: ci::test_steps(root), ..Found::default() };
    }
    Found { packages: below, ..Found::default() }
}

/// Whether two commands call the same program, or the same runner: then the one at the top may well test the package.
fn is_alike(one: &Proposal, other: &Proposal) -> bool {
    let program = |proposal: &Proposal| proposal.command.split(' ').next().map(str::to_owned);
    let runner =
        |proposal: &Proposal| Awaited::by(&proposal.command, &[]).runner().map(str::to_owned);
    program(one) == program(other) || (runner(one).is_some() && runner(one) == runner(other))
}

/// The commands for one folder, the best first.
fn in_folder(table: &Table, folder: Folder<'_>, is_package: bool) -> Vec<Proposal> {
    let mut found: Vec<Proposal> = Vec::new();
    for layout in table.layout.iter().filter(|layout| !(is_package && layout.only_at_top)) {
        let Some(because) = layout.found(table, folder) else { continue };
        let Some(command) = words::filled(table, folder, layout) else { continue };
        if !found.iter().any(|known| known.command == command) {
            found.push(Proposal { command, folder: None, because });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_can_be_read() {
        let read: Result<Table, _> = toml::from_str(include_str!("detect/layouts.toml"));
        let table = read.unwrap_or_else(|error| panic!("{error}"));
        assert!(table.layout.len() > 80, "{}", table.layout.len());
    }
}
