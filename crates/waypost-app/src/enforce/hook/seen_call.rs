//! A tool call as the gates see it: everything that it is, and what it is made of.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use waypost_core::gate::Before;
use waypost_core::gate::before::ActionParts;
use waypost_core::glob;
use waypost_core::next_step::NextStep;
use waypost_core::runner;
use waypost_core::shell::{self, Analysis, Staging, Word};
use waypost_store::look;

use super::Call;
use super::ground::{self, Ground};
use super::readings::Reading;
use super::target::Target;
use crate::harness::{Does, Repository, SERVER, SERVER_OF_PLUGIN, Tool, asks_who_calls};
use crate::machine::place;
use crate::machine::project::Project;
use crate::machine::{git_alias, hosted};
use crate::view::View;

/// No more words of a line than this are looked at for paths of other work trees.
const MAX_WORDS: usize = 64;

/// What a call does in a work tree that is not the one that the agent is in.
#[derive(Debug)]
pub(super) struct ElsewhereCall {
    /// The work tree.
    pub(super) project: Project,
    /// Everything that it is there.
    pub(super) kinds: Vec<Before>,
    /// The files that it changes there, as far as they can be told.
    pub(super) paths: Vec<String>,
}

/// A tool call as the gates see it.
#[derive(Debug)]
pub(super) struct SeenCall {
    /// Everything that it is.
    pub(super) kinds: Vec<Before>,
    /// The files that it changes, relative to the project; empty where they cannot all be told.
    pub(super) paths: Vec<String>,
    /// What it does in other work trees of the project.
    pub(super) elsewhere: Vec<ElsewhereCall>,
    /// The files themselves, as far as they can be told.
    pub(super) targets: Vec<Target>,
    /// What the command line was found to be, if it is one.
    pub(super) analysis: Option<Analysis>,
    /// What the command line stages, as far as that is clear.
    pub(super) stagings: Vec<Staging>,
    commands: Vec<String>,
    line: Option<String>,
    mcp: Option<(String, String)>,
    /// This program.
    exe: PathBuf,
}

impl SeenCall {
    pub(super) fn of(view: &View<'_>, call: &Call, tool: &Tool) -> Self {
        let mut seen = Self {
            kinds: Vec::new(),
            paths: Vec::new(),
            elsewhere: Vec::new(),
            targets: Vec::new(),
            analysis: None,
            stagings: Vec::new(),
            commands: Vec::new(),
            line: None,
            mcp: mcp(&tool.name),
            exe: view.host.exe.clone(),
        };
        match &tool.does {
            Does::Edit(path) => {
                for path in std::iter::once(path).chain(&tool.others) {
                    let target = Target::of(&call.cwd, path);
                    let names = seen.names(view, &target);
                    seen.paths.extend(names);
                    seen.targets.push(target);
                }
                if !seen.paths.is_empty() {
                    seen.kinds.push(Before::Edit);
                }
            }
            Does::Shell { command, .. } => {
                seen.line = Some(command.clone());
                seen.shell(view, call, command);
            }
            Does::EditUnnamed => seen.kinds.push(Before::Edit),
            Does::Git { commits, pushes, repository } => {
                let ground = || match repository {
                    Repository::Here => Ground::Here,
                    Repository::At(folder) => ground::of_folder(view, &call.cwd.join(folder)),
                    Repository::Hosted(name) if hosted::may_be_ours(&view.project, name) => {
                        Ground::Here
                    }
                    Repository::Hosted(_) => Ground::Nobody,
                };
                let done = [(commits, Before::Commit), (pushes, Before::Push)];
                for (_, what) in done.into_iter().filter(|(is_done, _)| **is_done) {
                    seen.add(ground(), &what);
                }
            }
            Does::Read(_) | Does::Look(_) | Does::Skill(_) | Does::Ask | Does::Other => {}
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
        if let Some(paths) = self.written(view, call, &analysis) {
            self.kinds.push(Before::Edit);
            self.paths = paths;
        }
        let (home, values) = (view.host.home.as_path(), analysis.values());
        let reading = Reading { cwd: &call.cwd, home, values, prints_here: false };
        let commits = analysis.commit_places(&aliases);
        let pushes = analysis.push_places(&aliases);
        for (places, what) in [(commits, Before::Commit), (pushes, Before::Push)] {
            for place in &places {
                for ground in ground::of_git(view, &reading, &analysis, place) {
                    self.add(ground, &what);
                }
            }
        }
        self.note_touched(view, &reading, &analysis);
        self.stagings = analysis.stagings(&aliases);
        self.analysis = Some(analysis);
    }

    /// Notes the other work trees that a line goes to or names: it may change something there.
    fn note_touched(&mut self, view: &View<'_>, reading: &Reading<'_>, line: &Analysis) {
        let git = view.project.git.as_ref();
        if !git.is_some_and(|git| look::is_folder(git.common.join("worktrees"))) {
            return;
        }
        let names_path = |word: &&Word| word.text.contains('/') || word.text == "..";
        let words = line.commands.iter().flat_map(|command| {
            command.folders.iter().chain(command.words.iter().skip(1).filter(names_path))
        });
        for word in words.take(MAX_WORDS) {
            let spelt = Word { text: option_value(&word.text).to_owned(), literal: word.literal };
            for path in reading.paths(&spelt.text, spelt.literal) {
                let Some(target) = path.target() else { continue };
                if let Ground::Other(other) = ground::of_folder(view, target.spellings()[1]) {
                    self.in_other(other);
                }
            }
        }
    }

    /// It does something in a work tree.
    fn add(&mut self, ground: Ground, what: &Before) {
        let kinds = match ground {
            Ground::Here => &mut self.kinds,
            Ground::Other(project) => &mut self.in_other(project).kinds,
            Ground::Nobody => return,
        };
        if !kinds.contains(what) {
            kinds.push(what.clone());
        }
    }

    fn in_other(&mut self, project: Project) -> &mut ElsewhereCall {
        let known = self.elsewhere.iter().position(|one| one.project.root == project.root);
        let at = known.unwrap_or_else(|| {
            let (kinds, paths) = (Vec::new(), Vec::new());
            self.elsewhere.push(ElsewhereCall { project, kinds, paths });
            self.elsewhere.len() - 1
        });
        &mut self.elsewhere[at]
    }

    /// The names of a file in the work tree that the agent is in. One of another work tree is noted there; what
    /// lies elsewhere is no business of the project's gates.
    fn names(&mut self, view: &View<'_>, target: &Target) -> Vec<String> {
        let here = view.place();
        let mut names = target.names(&here.project);
        names.retain(|name| !name.starts_with('/'));
        for path in target.spellings() {
            let Ground::Other(other) = ground::of_file(view, path) else { continue };
            let file = other.relative(&place::resolved(path));
            let there = self.in_other(other);
            if !there.kinds.contains(&Before::Edit) {
                there.kinds.push(Before::Edit);
            }
            if !there.paths.contains(&file) {
                there.paths.push(file);
            }
            names.clear();
        }
        names
    }

    /// The files that a command line writes in the work tree that the agent is in: `None` if none, empty if they
    /// cannot all be told.
    fn written(
        &mut self,
        view: &View<'_>,
        call: &Call,
        analysis: &Analysis,
    ) -> Option<Vec<String>> {
        if analysis.opaque.is_some() || analysis.writes_unknown() {
            return Some(Vec::new());
        }
        let here = view.place();
        let root = here.project.root.as_path();
        let targets = std::mem::take(&mut self.targets);
        // What is written in a folder of the project, and what is in it, cannot all be told.
        let literal = analysis.writes().iter().filter(|write| write.literal);
        let is_here = |target: &Target| {
            target.spellings().iter().any(|path| path.starts_with(root) || root.starts_with(path))
        };
        let is_unnamed =
            literal.zip(&targets).any(|(write, target)| write.unnamed && is_here(target));
        let mut paths: Vec<String> =
            targets.iter().flat_map(|target| self.names(view, target)).collect();
        self.targets = targets;
        if is_unnamed {
            return Some(Vec::new());
        }
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
                    Some(target) => paths.extend(self.names(view, target)),
                    None if spelt.is_in(root) || spelt.holds(root) => return Some(Vec::new()),
                    None => {}
                }
            }
        }
        (!paths.is_empty()).then_some(paths)
    }

    /// What it is made of, for gates that name a pattern.
    pub(super) fn details(&self) -> ActionParts<'_> {
        let mcp = self.mcp.as_ref().map(|(server, tool)| (server.as_str(), tool.as_str()));
        ActionParts { commands: &self.commands, line: self.line.as_deref(), mcp }
    }

    /// Whether it is Waypost's own command and nothing else.
    pub(super) fn is_waypost(&self) -> bool {
        let own = |program: &str| program == "waypost" || Path::new(program) == self.exe;
        self.analysis.as_ref().is_some_and(|analysis| analysis.is_alone(own))
            || self.mcp.as_ref().is_some_and(|(server, _)| server == "waypost")
    }

    /// Whether it is a tool of Waypost's own server that asks who called it.
    pub(super) fn is_own_tool(&self) -> bool {
        let is_own = |server: &str| [SERVER, SERVER_OF_PLUGIN].contains(&server);
        let own = self.mcp.as_ref().filter(|(server, _)| is_own(server));
        own.is_some_and(|(_, tool)| asks_who_calls(tool))
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
    view.place().project.relative(&place::without_dots(path))
}

/// What an option is given in the same word.
fn option_value(word: &str) -> &str {
    match word.split_once('=') {
        Some((name, value)) if name.starts_with('-') => value,
        _ => word,
    }
}

/// The server and the tool of a name such as `mcp__serena__find_symbol`.
fn mcp(name: &str) -> Option<(String, String)> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some((server.to_owned(), tool.to_owned()))
}
