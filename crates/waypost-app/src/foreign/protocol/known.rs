//! Wordings that are recognised: what Waypost can see or look up of what a sentence asks for.

use waypost_core::track::known::KnownStep;
use waypost_core::track::{ANY_SESSION, ANY_SKILL_FOLDER, ANY_SKILLS, Part};

use super::naming::{
    asks_qa, before_log, begins, branches, mcp_tool, mcp_tools, memory_named, skill_named,
    slash_command, stays, writes_memory,
};
use super::paths::{self, Paths};
use super::wording::{Wording, codes};

/// No sentence is recognised as more than this.
const MAX_KNOWN: usize = 5;
/// Where plans lie whose folder nobody names.
const PLAN: &str = ".agents/planning/*PROJECT-PLAN.md";

/// A wording that was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recognised {
    /// The same for everything that asks for the same.
    pub(super) key: String,
    /// What the step is called.
    pub(super) name: String,
    pub(super) step: KnownStep,
}

impl Recognised {
    fn new(key: impl Into<String>, name: impl Into<String>, step: KnownStep) -> Self {
        Self { key: key.into(), name: name.into(), step }
    }
}

/// What is asked for, with all that it is recognised by.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub(super) wording: &'a Wording,
    /// Commands in code below it.
    pub(super) commands: &'a [String],
    /// What is listed below it.
    pub(super) details: &'a str,
    pub(super) part: Part,
    /// Where the session's log lies.
    pub(super) log: &'a str,
    pub(super) paths: &'a Paths,
}

impl Asked<'_> {
    /// What it is recognised as; nothing if it is not.
    pub(super) fn recognise(&self) -> Vec<Recognised> {
        let act = self.wording.act.to_lowercase();
        let mut found = if self.wording.forbids { self.forbidden(&act) } else { self.wanted(&act) };
        found.truncate(MAX_KNOWN);
        found
    }

    fn forbidden(&self, act: &str) -> Vec<Recognised> {
        let changes =
            begins(act, &["update", "modify", "edit", "change", "touch", "write", "overwrite"]);
        let files = self.listed();
        if changes && !files.names.is_empty() {
            return files.names.into_iter().map(keep).collect();
        }
        let on = act.contains(" on ") || begins(act, &["modify", "work"]);
        branches(act).filter(|_| on).map(off).into_iter().collect()
    }

    fn wanted(&self, act: &str) -> Vec<Recognised> {
        let rules = [
            Self::calls,
            Self::kept,
            Self::memories,
            Self::log,
            Self::checks,
            Self::git,
            Self::documents,
            Self::runs,
        ];
        rules.iter().map(|rule| rule(self, act)).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Tools of MCP servers, and Serena's first ones in plain words.
    fn calls(&self, lower: &str) -> Vec<Recognised> {
        let codes = codes(&self.wording.act);
        let own = codes.iter().copied().filter_map(mcp_tool).collect::<Vec<_>>();
        if !own.is_empty() {
            let other = |(_, tool): &(&str, &str)| !tool.contains("memor");
            return own
                .into_iter()
                .filter(other)
                .map(|(server, tool)| call(server, tool))
                .collect();
        }
        if !lower.contains("serena") && !lower.contains("initial instructions") {
            return Vec::new();
        }
        let mut found = Vec::new();
        if ["activate", "initialize", "initialise"].iter().any(|verb| lower.contains(verb)) {
            found.push(call("serena", "activate_project"));
        }
        if lower.contains("initial instructions") {
            found.push(call("serena", "initial_instructions"));
        }
        if lower.contains("complete serena initiali") { Vec::new() } else { found }
    }

    /// What is to stay as it is.
    fn kept(&self, act: &str) -> Vec<Recognised> {
        let keeps = begins(act, &["preserve", "keep", "leave"]) && stays(act);
        if keeps && !self.listed().names.is_empty() {
            return self.listed().names.into_iter().map(keep).collect();
        }
        let off_it = act.contains("not on ") || act.contains("not working on ");
        branches(act).filter(|_| off_it).map(off).into_iter().collect()
    }

    fn memories(&self, act: &str) -> Vec<Recognised> {
        let writes = mcp_tools(&self.wording.act, self.details).any(writes_memory);
        let serena = act.contains("serena") && act.contains("memor");
        if writes || (serena && begins(act, &["update", "write", "store", "save", "record"])) {
            let (key, name) = ("update_memory", "update_memory");
            return vec![Recognised::new(key, name, KnownStep::WriteMemory)];
        }
        let reads = begins(act, &["read", "load", "search", "retrieve", "list"]);
        if !reads || !act.contains("memor") || !self.files().is_empty() {
            return Vec::new();
        }
        match memory_named(&self.wording.act) {
            Some(name) => vec![read(format!(".serena/memories/{name}.md"))],
            None if serena || act.contains("relevant") => {
                let (key, name) = ("search_memories", "search_memories");
                vec![Recognised::new(key, name, KnownStep::SearchMemories)]
            }
            None => Vec::new(),
        }
    }

    fn log(&self, act: &str) -> Vec<Recognised> {
        if !act.contains("session log") && !act.contains("session's log") {
            return Vec::new();
        }
        let about = |verbs: &[&str]| begins(act, verbs) && before_log(act);
        if about(&["create", "open", "start", "write"]) {
            let step = KnownStep::CreateLog(self.log.to_owned());
            return vec![Recognised::new("create_log", "create_log", step)];
        }
        if about(&["complete", "finish", "finalize", "finalise", "fill"]) {
            let step = KnownStep::CompleteLog(self.log.to_owned());
            return vec![Recognised::new("complete_log", "complete_log", step)];
        }
        Vec::new()
    }

    /// Linting, somebody else's look, skills, looking back.
    fn checks(&self, act: &str) -> Vec<Recognised> {
        let runs = begins(act, &["run", "execute", "lint", "fix", "pass"]);
        let words: Vec<&str> = act.split(|c: char| !c.is_alphanumeric()).collect();
        if runs && act.contains("lint") && (act.contains("markdown") || act.contains(".md")) {
            let lints = |command: &&String| command.contains("lint");
            let own: Vec<String> = self.commands().iter().filter(lints).cloned().collect();
            let own = own.iter().map(|command| format!("{command}*")).collect();
            let step = KnownStep::LintMarkdown(own);
            return vec![Recognised::new("markdown_lint", "markdown_lint", step)];
        }
        let asks = begins(act, &["invoke", "route", "run", "request", "wait", "get", "obtain"]);
        if asks && asks_qa(&words) {
            return vec![Recognised::new("qa_report", "qa_report", KnownStep::Report)];
        }
        let looks = begins(act, &["list", "verify", "check", "validate", "enumerate"]);
        if looks && act.contains("skill") && !act.contains("session log") {
            let folder = paths::folder(&self.wording.act).map(|folder| format!("{folder}/**"));
            let step = KnownStep::ListFiles(folder.unwrap_or_else(|| ANY_SKILLS.to_owned()));
            return vec![Recognised::new("list_skills", "list_skills", step)];
        }
        if begins(act, &["use", "invoke", "run", "load"])
            && let Some(skill) = skill_named(&self.wording.act)
        {
            let files = format!("{ANY_SKILL_FOLDER}/{skill}/**");
            let step = KnownStep::UseSkill(skill.clone(), files);
            return vec![Recognised::new(format!("skill:{skill}"), format!("use {skill}"), step)];
        }
        if begins(act, &["invoke", "run", "conduct", "write", "hold"])
            && act.contains("retrospective")
        {
            let step = KnownStep::Retrospective;
            return vec![Recognised::new("retrospective", "retrospective", step)];
        }
        Vec::new()
    }

    fn git(&self, act: &str) -> Vec<Recognised> {
        if begins(act, &["commit", "stage all", "stage and commit", "stage every"]) {
            return vec![Recognised::new("commit", "commit", KnownStep::Commit)];
        }
        let verbs = [
            "run",
            "verify",
            "re-verify",
            "reverify",
            "check",
            "confirm",
            "declare",
            "note",
            "inspect",
        ];
        if !begins(act, &verbs) {
            return Vec::new();
        }
        let look = |key: &str, patterns: &[&str]| {
            let patterns = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            vec![Recognised::new(key, key, KnownStep::LookAtGit(patterns))]
        };
        if act.contains("clean") && act.contains("git status") && self.part == Part::End {
            return vec![Recognised::new("clean", "clean", KnownStep::Clean)];
        }
        if act.contains("branch") && !act.contains("commits") {
            return look("verify_branch", &["git branch*", "git status*"]);
        }
        if act.contains("git status") {
            return look("git_status", &["git status*"]);
        }
        if ["git log", "starting commit", "recent commits"].iter().any(|words| act.contains(words))
        {
            return look("git_log", &["git log*"]);
        }
        Vec::new()
    }

    /// Files that are to be read, changed or written.
    fn documents(&self, act: &str) -> Vec<Recognised> {
        let listed = self.listed();
        // Nobody can tell which of them whoever acts will choose.
        if listed.choice {
            return Vec::new();
        }
        if begins(act, &["read", "review", "load", "re-read", "consult", "study"]) {
            return self.files().into_iter().map(read).collect();
        }
        listed.names.iter().filter_map(|file| Self::document(act, file)).collect()
    }

    /// A file that is to be changed or written.
    fn document(act: &str, file: &str) -> Option<Recognised> {
        let named = |verb: &str| format!("{verb}_{}", stem(file));
        let key = base(file).to_lowercase();
        if begins(act, &["update", "revise", "append", "edit", "amend", "maintain"]) {
            let is_plan = key.ends_with("project-plan.md");
            let name = if is_plan { "update_plan".to_owned() } else { named("update") };
            let key = if is_plan { "change:plan".to_owned() } else { format!("change:{key}") };
            let bare = is_plan && !file.contains('/');
            let file = if bare { PLAN } else { file };
            return Some(Recognised::new(key, name, KnownStep::Change(file.to_owned())));
        }
        let writes = begins(act, &["create", "write", "add", "produce"]);
        writes.then(|| {
            let step = KnownStep::Write(file.to_owned());
            Recognised::new(format!("write:{key}"), named("write"), step)
        })
    }

    fn runs(&self, act: &str) -> Vec<Recognised> {
        let says_so = begins(act, &["run", "execute", "call", "pass", "check"]);
        // "Import shared memories: `command`"
        let names_it = self.wording.act.trim_end_matches(['.', ' ']).ends_with('`')
            && self.wording.act.contains(": `");
        if !says_so && !names_it && self.commands.is_empty() {
            return Vec::new();
        }
        if let Some(skill) = codes(&self.wording.act).into_iter().find_map(slash_command) {
            let files = format!("{ANY_SKILL_FOLDER}/{skill}/**");
            let (key, name) = (format!("skill:{skill}"), format!("use {skill}"));
            return vec![Recognised::new(key, name, KnownStep::UseSkill(skill, files))];
        }
        let verbs = ["run", "execute", "export", "import", "call", "pass"];
        if self.own_commands().is_empty() && !begins(act, &verbs) {
            return Vec::new();
        }
        let own = paths::listed_commands(&self.wording.act);
        if own.names.len() > 1 && !own.choice {
            return own.names.into_iter().map(|command| run(&[command])).collect();
        }
        let commands = if own.choice { own.names } else { self.one_of(self.commands()) };
        if commands.is_empty() { Vec::new() } else { vec![run(&commands)] }
    }

    /// Where code below shows several ways, any of them will do; what the sentence names itself is meant alone.
    fn one_of(&self, mut commands: Vec<String>) -> Vec<String> {
        if !self.own_commands().is_empty() {
            commands.truncate(1);
        }
        commands
    }

    fn own_commands(&self) -> Vec<String> {
        codes(&self.wording.act).into_iter().filter_map(paths::command).collect()
    }

    fn commands(&self) -> Vec<String> {
        let mut commands = self.own_commands();
        commands.extend(self.commands.iter().cloned());
        commands
    }

    fn files(&self) -> Vec<String> {
        paths::files(&self.wording.act).into_iter().map(|file| self.paths.whole(&file)).collect()
    }

    /// The first files that the sentence names side by side.
    fn listed(&self) -> paths::Listed {
        let mut listed = paths::listed_files(&self.wording.act);
        for file in &mut listed.names {
            *file = self.paths.whole(file);
        }
        listed
    }
}

/// One of these commands is run.
fn run(commands: &[String]) -> Recognised {
    let script = commands.first().and_then(|command| paths::script(command));
    let first = commands.first().map_or("", String::as_str);
    let what = script.as_deref().map_or(first, base);
    let what = what.split(' ').take(2).collect::<Vec<_>>().join(" ");
    // Where there is a choice, one script that is missing keeps nobody from the others.
    let script = script.filter(|_| commands.len() == 1);
    let key = format!("ran:{}", if script.is_some() { what.as_str() } else { first });
    let ways = |command: &String| spellings(command, paths::script(command).as_deref());
    let patterns = commands.iter().flat_map(ways).collect();
    let words = what.rsplit_once('.').map_or(what.as_str(), |(stem, _)| stem);
    Recognised::new(key, format!("run {words}"), KnownStep::Run(patterns, script))
}

/// The ways to call a command: whoever calls a script of Python may leave its runner out, or put it before.
fn spellings(command: &str, script: Option<&str>) -> Vec<String> {
    let mut ways = vec![format!("{command}*")];
    if let Some((before, after)) = script.and_then(|script| command.split_once(script)) {
        let script = script.unwrap_or_default();
        let python = ["python ", "python3 ", "uv run python ", "uv run python3 ", "uv run "];
        let is_python = script.rsplit_once('.').is_some_and(|(_, ending)| ending == "py");
        if is_python && python.contains(&before) {
            let others =
                ["python3 ", "uv run python "].into_iter().filter(|other| *other != before);
            ways.extend(others.map(|other| format!("{other}{script}{after}*")));
        }
    }
    ways
}

/// Where the session's log is to be created, if a sentence says so.
pub(super) fn log_place(wording: &Wording) -> Option<String> {
    let act = wording.act.to_lowercase();
    if wording.forbids
        || !act.contains("session log")
        || !begins(&act, &["create", "open", "write"])
    {
        return None;
    }
    let code =
        codes(&wording.act).into_iter().find(|code| code.contains('/') && !code.contains(' '))?;
    let folder = code.rsplit_once('/')?.0.trim_start_matches("./");
    paths::is_inside(folder).then(|| format!("{folder}/{ANY_SESSION}*"))
}

fn keep(file: String) -> Recognised {
    let key = format!("keep:{}", base(&file).to_lowercase());
    Recognised::new(key, format!("keep_{}", stem(&file)), KnownStep::Keep(file))
}

fn read(file: String) -> Recognised {
    let key = format!("read:{}", base(&file).to_lowercase());
    let stem = stem(&file);
    let name = stem.strip_prefix("project_").unwrap_or(&stem);
    Recognised::new(key, format!("read_{name}"), KnownStep::Read(file))
}

fn call(server: &str, tool: &str) -> Recognised {
    let (key, name) = (format!("call:{server}__{tool}"), tool.to_owned());
    let step = KnownStep::Call { server: server.to_owned(), tool: tool.to_owned() };
    Recognised::new(key, name, step)
}

fn off(branches: Vec<String>) -> Recognised {
    Recognised::new(
        "off_branches",
        format!("not_on_{}", branches.first().map_or("it", |one| one)),
        KnownStep::OffBranches(branches),
    )
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn stem(path: &str) -> String {
    let base = base(path);
    let stem = base.split_once('.').map_or(base, |(stem, _)| stem);
    let stem = if stem.is_empty() { base } else { stem };
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    stem.chars().map(plain).collect::<String>().trim_matches('_').to_owned()
}
