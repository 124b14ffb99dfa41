//! What a tool call means for what was tested: by the same code that judges what hooks see.

use std::path::{Path, PathBuf};

use waypost_core::gate::policy::Policy;
use waypost_core::gate::proof::ran::WatchedRun;
use waypost_core::gate::{Before, Gate, Proof};
use waypost_core::runner::tally::Tally;
use waypost_core::shell::{self, Analysis};
use waypost_core::text::spoken::count;

use super::changes::{self, Change};
use crate::config;
use crate::enforce::counting::Terms;
use crate::harness::{Does, ToolEnd};
use crate::machine::project;
use crate::transcripts::{CallEnd, Returned};

/// What a call was, in the order in which it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed {
    /// Something was changed.
    Changed(Change),
    /// A run that could fail, and whether it did: then why.
    Ran { command: String, failed: Option<String> },
    /// Something that looks like a run and proves nothing, and why.
    Vain { command: String, why: String },
    /// Nobody can tell what it did.
    Unseen(String),
}

/// What decides what runs of a project are worth.
#[derive(Debug)]
pub(super) struct Judge {
    pub(super) root: PathBuf,
    /// The folder by which its project is known: all work trees of a repository are one.
    pub(super) project: PathBuf,
    policy: Policy,
    watched: Vec<(String, WatchedRun)>,
}

impl Judge {
    /// For the project that a folder belongs to, as far as it is still there.
    pub(super) fn of(folder: &Path) -> Self {
        let found = project::find(folder).ok().flatten();
        let main = found.as_ref().and_then(|project| project.work_tree(""));
        let root = found.map_or_else(|| folder.to_owned(), |project| project.root);
        let project = main.map_or_else(|| root.clone(), |main| main.root);
        let configured = config::read(&root.join("waypost.toml")).ok().flatten();
        let policy = configured.map(|config| config.policy).unwrap_or_default();
        let mut watched = Vec::new();
        for gate in &policy.gates {
            gate.proof.each(&mut |proof| {
                if let Proof::Ran(ran) = proof {
                    watched.push((gate.id.clone(), WatchedRun::of(gate, ran)));
                }
            });
        }
        Self { root, project, policy, watched }
    }

    /// The project's gates that wait for a run before a stop.
    pub(super) fn stop_gates(&self) -> Vec<String> {
        let holds = |gate: &&Gate| gate.before.contains(&Before::Stop);
        let gates = self.policy.gates.iter().filter(holds).map(|gate| gate.id.clone());
        gates.filter(|id| self.watched.iter().any(|(gate, _)| gate == id)).collect()
    }

    /// What a call did.
    pub(super) fn deeds(&self, cwd: &Path, returned: &Returned) -> Vec<Deed> {
        let CallEnd::Ran(end) = returned.end else { return Vec::new() };
        let Some(tool) = &returned.tool else {
            return vec![Deed::Unseen("a call's beginning is not in the transcript".to_owned())];
        };
        match &tool.does {
            Does::Edit(path) if end.is_success() => {
                let files = std::iter::once(path).chain(&tool.others);
                let names = files.filter_map(|path| changes::name_in(&self.root, cwd, path));
                names.take(1).map(|name| Deed::Changed(Change::Sure(name))).collect()
            }
            Does::EditUnnamed if end.is_success() => {
                vec![Deed::Changed(Change::Sure(format!("by {}", tool.name)))]
            }
            Does::Shell { command, background } => {
                let printed = returned.printed.as_deref();
                self.line(cwd, &Line { command, background: *background, end, printed })
            }
            Does::Other if !returned.understood => {
                vec![Deed::Unseen(format!("{} is a tool that is not known here", tool.name))]
            }
            _ => Vec::new(),
        }
    }

    fn line(&self, cwd: &Path, line: &Line<'_>) -> Vec<Deed> {
        let analysis = shell::analyse(line.command);
        if let Some(why) = &analysis.opaque {
            return vec![Deed::Unseen(format!("a command line cannot be read: {why}"))];
        }
        let run = self.run(cwd, line, &analysis);
        let at = run.as_ref().and_then(|(at, _)| *at);
        let changed = changes::of_line(&self.root, cwd, &analysis, at);
        // What failed may have stopped before.
        let told = |change: Change| match change {
            Change::Sure(name) if !line.end.is_success() => {
                Change::May(format!("writing `{name}`"))
            }
            change => change,
        };
        let before = changed.before.map(|change| Deed::Changed(told(change)));
        let after = changed.after.map(|change| Deed::Changed(told(change)));
        before.into_iter().chain(run.map(|(_, run)| run)).chain(after).collect()
    }

    /// The run in a line that counts, with the command that it is; else one that does not.
    fn run(
        &self,
        cwd: &Path,
        line: &Line<'_>,
        analysis: &Analysis,
    ) -> Option<(Option<usize>, Deed)> {
        let terms = Terms { root: &self.root, own: &self.policy.runners };
        let mut vain = None;
        for watched in self.meant(analysis) {
            let Some(found) = shell::ran(analysis, &terms.awaited(&watched)) else { continue };
            let counts = terms.counts(cwd, analysis, &watched)?;
            let counts = counts.and_then(|()| {
                if line.background {
                    return Err("it ran in the background, so its end was not seen".to_owned());
                }
                line.ended(&terms, &watched)
            });
            let command = waypost_core::text::shortened(line.command, 80);
            match counts {
                Ok(failed) => return Some((Some(found.at), Deed::Ran { command, failed })),
                Err(why) => vain = vain.or(Some((Some(found.at), Deed::Vain { command, why }))),
            }
        }
        self.own_run(cwd, line, analysis, &terms).or(vain)
    }

    /// What a line may be a run of: what gates wait for, and every test runner that it calls.
    fn meant(&self, analysis: &Analysis) -> Vec<WatchedRun> {
        let mut meant: Vec<WatchedRun> =
            self.watched.iter().map(|(_, watched)| watched.clone()).collect();
        for command in &analysis.commands {
            let known = Terms { root: &self.root, own: &self.policy.runners }.runner_of(command);
            let is_new = |name: &&str| !meant.iter().any(|watched| watched.pattern == *name);
            if let Some(name) = known.as_deref().filter(is_new) {
                let named = WatchedRun::new(name);
                meant.push(named);
            }
        }
        meant
    }

    /// A run that Waypost itself was told to do by the line.
    fn own_run(
        &self,
        cwd: &Path,
        line: &Line<'_>,
        analysis: &Analysis,
        terms: &Terms<'_>,
    ) -> Option<(Option<usize>, Deed)> {
        let command = analysis.remedy().filter(|command| command.name() == Some("waypost"))?;
        let words: Vec<String> = command.words.iter().map(|word| word.text.clone()).collect();
        let rest: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let counts = match rest.as_slice() {
            ["run", "--gate", gate, ..] => {
                self.watched.iter().any(|(id, _)| id == gate).then_some(Ok(()))
            }
            ["run", "--", run @ ..] => {
                let run: Vec<String> = run.iter().map(|word| (*word).to_owned()).collect();
                let inner = shell::analyse(&run.join(" "));
                let meant = self.meant(&inner);
                meant.iter().find_map(|watched| terms.counts_alone(cwd, &run, &[], watched))
            }
            _ => None,
        }?;
        let shown = waypost_core::text::shortened(line.command, 80);
        let failed = line.failure().filter(|_| counts.is_ok());
        Some((
            None,
            match counts {
                Ok(()) => Deed::Ran { command: shown, failed },
                Err(why) => Deed::Vain { command: shown, why },
            },
        ))
    }
}

/// A command line that was run.
struct Line<'a> {
    command: &'a str,
    background: bool,
    end: ToolEnd,
    printed: Option<&'a str>,
}

impl Line<'_> {
    /// How a run ended: whether it failed, or why it proves nothing.
    fn ended(&self, terms: &Terms<'_>, watched: &WatchedRun) -> Result<Option<String>, String> {
        let mut tally = Tally::new(&terms.awaited(watched));
        tally.feed(self.printed.unwrap_or_default().as_bytes());
        let tests = tally.finish().tests;
        if let Some(failure) = self.failure() {
            return Ok(Some(failure));
        }
        match tests {
            Some(tests) if tests.failed > 0 => {
                Ok(Some(format!("{} failed", count(tests.failed, "test"))))
            }
            _ if self.end == ToolEnd::Unclear => Err("how it ended is not told".to_owned()),
            Some(tests) if tests.executed() == 0 => Err("it executed no test".to_owned()),
            _ => Ok(None),
        }
    }

    fn failure(&self) -> Option<String> {
        match self.end {
            ToolEnd::Failed(status) => Some(format!("it ended with status {status}")),
            ToolEnd::Succeeded | ToolEnd::Empty | ToolEnd::Unclear => None,
        }
    }
}
