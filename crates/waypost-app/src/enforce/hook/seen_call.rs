//! A tool call as the gates see it: everything that it is, and what it is made of.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use waypost_core::gate::Before;
use waypost_core::gate::before::ActionParts;
use waypost_core::glob;
use waypost_core::next_step::NextStep;
use waypost_core::runner;
use waypost_core::shell::{self, Analysis, Staging};

use super::Call;
use super::readings::Reading;
use super::target::Target;
use crate::harness::{Does, Repository, Tool};
use crate::machine::place;
use crate::machine::project;
use crate::machine::{git_alias, hosted};
use crate::view::View;

/// A tool call as the gates see it.
#[derive(Debug)]
pub(super) struct SeenCall {
    /// Everything that it is.
    pub(super) kinds: Vec<Before>,
    /// The files that it changes, relative to the project; empty where they cannot all be told.
    pub(super) paths: Vec<String>,
    /// The files themselves, as far as they can be told.
    pub(super) targets: Vec<Target>,
    /// What the command line was found to be, if it is one.
    pub(super) analysis: Option<Analysis>,
    /// What the command line stages, as far as that is clear.
    pub(super) stagings: Vec<Staging>,
    commands: Vec<String>,
    mcp: Option<(String, String)>,
    /// This program.
    exe: PathBuf,
}

impl SeenCall {
    pub(super) fn of(view: &View<'_>, call: &Call, tool: &Tool) -> Self {
        let mut seen = Self {
            kinds: Vec::new(),
            paths: Vec::new(),
            targets: Vec::new(),
            analysis: None,
            stagings: Vec::new(),
            commands: Vec::new(),
            mcp: mcp(&tool.name),
            exe: view.host.exe.clone(),
        };
        match &tool.does {
            Does::Edit(path) => {
                for path in std::iter::once(path).chain(&tool.others) {
                    let target = Target::of(&call.cwd, path);
                    seen.paths.extend(names_here(view, &target));
                    seen.targets.push(target);
                }
                if !seen.paths.is_empty() {
                    seen.kinds.push(Before::Edit);
                }
            }
            Does::Shell { command, .. } => seen.shell(view, call, command),
            Does::EditUnnamed => seen.kinds.push(Before::Edit),
            Does::Git { commits, pushes, repository } if is_here(view, call, repository) => {
                seen.kinds.extend(commits.then_some(Before::Commit));
                seen.kinds.extend(pushes.then_some(Before::Push));
            }
            Does::Git { .. }
            | Does::Read(_)
            | Does::Look(_)
            | Does::Skill(_)
            | Does::Ask
            | Does::Other => {}
        }
        seen.kinds.push(Before::Tool(tool.name.clone()));
        seen
    }

    fn shell(&mut self, view: &View<'_>, call: &Call, command: &str) {
        let analysis = shell::analyse(command);
        self.commands = analysis.commands.iter().map(shell::Simple::text).collect();
        // Each is looked up once, whatever is asked about the line.
        let known: RefCell<BTreeMap<String, Option<String>>> = RefCell::default();
        let aliases = |name: &str| {
            let look_up = || git_alias::look_up(&view.project, view.host, name);
            known.borrow_mut().entry(name.to_owned()).or_insert_with(look_up).clone()
        };
        self.targets = analysis
            .writes()
            .iter()
            .filter(|write| write.literal)
            .map(|write| Target::of(&call.cwd, Path::new(&write.path)))
            .collect();
        if let Some(paths) = written(view, call, &self.targets, &analysis) {
            self.kinds.push(Before::Edit);
            self.paths = paths;
        }
        if analysis.commits_with(&aliases) {
            self.kinds.push(Before::Commit);
        }
        if analysis.pushes_with(&aliases) {
            self.kinds.push(Before::Push);
        }
        self.stagings = analysis.stagings(&aliases);
        self.analysis = Some(analysis);
    }

    /// What it is made of, for gates that name a pattern.
    pub(super) fn details(&self) -> ActionParts<'_> {
        let mcp = self.mcp.as_ref().map(|(server, tool)| (server.as_str(), tool.as_str()));
        ActionParts { commands: &self.commands, mcp }
    }

    /// Whether it is Waypost's own command and nothing else.
    pub(super) fn is_waypost(&self) -> bool {
        let own = |program: &str| program == "waypost" || Path::new(program) == self.exe;
        self.analysis.as_ref().is_some_and(|analysis| analysis.is_alone(own))
            || self.mcp.as_ref().is_some_and(|(server, _)| server == "waypost")
    }

    /// Whether it is a tool of some server other than Waypost.
    pub(super) fn is_served(&self) -> bool {
        self.mcp.as_ref().is_some_and(|(server, _)| server != "waypost")
    }

    /// Whether it is exactly what would satisfy a gate.
    pub(super) fn is(&self, view: &View<'_>, call: &Call, tool: &Tool, step: &NextStep) -> bool {
        let names = |pattern: &str| !pattern.starts_with(['*', '?']);
        match (step, &tool.does) {
            (NextStep::Run(running), Does::Shell { background: false, .. }) => {
                let exact = runner::spelt_out(&running.pattern);
                let one = self.analysis.as_ref().and_then(Analysis::remedy);
                exact.is_some_and(|exact| one.is_some_and(|simple| simple.text() == exact))
            }
            (NextStep::Switch(branch), Does::Shell { background: false, .. }) => {
                let one = self.analysis.as_ref().and_then(Analysis::remedy);
                let exact = format!("git switch {branch}");
                !branch.contains(['*', '?']) && one.is_some_and(|simple| simple.text() == exact)
            }
            (NextStep::Read(file), Does::Read(path)) => {
                relative(view, &call.cwd.join(path)) == *file
            }
            (NextStep::UseSkill(name), Does::Skill(used)) => {
                used == name || used.rsplit(':').next() == Some(name)
            }
            (
                NextStep::Write { file: pattern, .. }
                | NextStep::Change(pattern)
                | NextStep::Tick(pattern),
                Does::Edit(path),
            ) => {
                let path = relative(view, &call.cwd.join(path));
                names(pattern) && glob::matches_path(pattern, &path)
            }
            (NextStep::Call(pattern), _) => names(pattern) && glob::matches(pattern, &tool.name),
            _ => false,
        }
    }
}

/// A file as records name it, whatever way it is spelt.
pub(super) fn relative(view: &View<'_>, path: &Path) -> String {
    view.project.relative(&place::without_dots(path))
}

/// Whether a repository is the project's. Any other is nobody's business.
fn is_here(view: &View<'_>, call: &Call, repository: &Repository) -> bool {
    match repository {
        Repository::Here => true,
        Repository::Hosted(name) => hosted::may_be_ours(&view.project, name),
        Repository::At(folder) => {
            let found = project::find(&call.cwd.join(folder)).ok().flatten();
            let (there, here) = (found.and_then(|found| found.git), view.project.git.as_ref());
            there.map(|git| git.common) == here.map(|git| git.common.clone())
        }
    }
}

/// The names of a file of the project; none for what lies elsewhere, which is no business of its gates.
fn names_here(view: &View<'_>, target: &Target) -> Vec<String> {
    let mut names = target.names(&view.project);
    names.retain(|name| !name.starts_with('/'));
    names
}

/// The files of the project that a command line writes: `None` if none, empty if they cannot all be
/// told.
fn written(
    view: &View<'_>,
    call: &Call,
    targets: &[Target],
    analysis: &Analysis,
) -> Option<Vec<String>> {
    if analysis.opaque.is_some() || analysis.writes_unknown() {
        return Some(Vec::new());
    }
    let root = view.project.root.as_path();
    // What is written in a folder of the project, and what is in it, cannot all be told.
    let literal = analysis.writes().iter().filter(|write| write.literal);
    let is_here = |target: &Target| {
        target.spellings().iter().any(|path| path.starts_with(root) || root.starts_with(path))
    };
    if literal.zip(targets).any(|(write, target)| write.unnamed && is_here(target)) {
        return Some(Vec::new());
    }
    let mut paths: Vec<String> =
        targets.iter().flat_map(|target| names_here(view, target)).collect();
    let (cwd, home, values) = (call.cwd.as_path(), view.host.home.as_path(), analysis.values());
    let reading = Reading { cwd, home, values, prints_here: false };
    for write in analysis.writes().iter().filter(|write| !write.literal) {
        let possible = reading.paths(&write.path, false);
        if possible.is_empty() {
            return Some(Vec::new());
        }
        for spelt in possible {
            match spelt.target() {
                Some(target) if write.unnamed && is_here(target) => return Some(Vec::new()),
                Some(target) => paths.extend(names_here(view, target)),
                None if spelt.is_in(root) || spelt.holds(root) => return Some(Vec::new()),
                None => {}
            }
        }
    }
    (!paths.is_empty()).then_some(paths)
}

/// The server and the tool of a name such as `mcp__serena__find_symbol`.
fn mcp(name: &str) -> Option<(String, String)> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some((server.to_owned(), tool.to_owned()))
}
