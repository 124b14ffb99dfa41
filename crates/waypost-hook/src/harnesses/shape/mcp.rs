//! Tools of MCP servers: what they do, by what they are called and given. Whatever is not known to change anything
//! is taken to read; what it changed all the same is found when the turn ends.

mod rows;

use std::path::PathBuf;

use waypost_app::harness::{Does, Input, Repository};

use super::given::Given;
use rows::{DEEDS, Deed, HOSTED_EDIT, NOUNS, READING, RUNNING, SHELLS, SPEAKING, UNNAMED, WRITING};

/// What the tool does, and the other files that it changes.
pub(in crate::harnesses) fn does(name: &str, input: &Input<'_>) -> (Does, Vec<PathBuf>) {
    let (server, tool) = apart(name);
    let Some(given) = Given::of(input) else { return (Does::Other, Vec::new()) };
    let called = Called { server: server.to_ascii_lowercase(), words: words(tool) };
    if let Some(does) = called.git(&given) {
        return (does, Vec::new());
    }
    let is_patch = called.is_one_of(&["apply", "diff", "patch"]) && called.writes(&given);
    let mut patched = given.patched(is_patch).into_iter();
    if let Some(first) = patched.next() {
        return (Does::Edit(first), patched.collect());
    }
    if let Some(command) = called.line(&given) {
        // Such a tool succeeds when it has told how the command failed.
        return (Does::Shell { command, background: true }, Vec::new());
    }
    if let Some(name) = called.memory(&given) {
        return (Does::Read(name), Vec::new());
    }
    if UNNAMED.contains(&called.words.join("_").as_str()) {
        return (Does::EditUnnamed, Vec::new());
    }
    let mut files = given.files().into_iter();
    match files.next() {
        _ if called.hosted(&given).is_some() => (Does::Other, Vec::new()),
        None => (Does::Other, Vec::new()),
        Some(first) if called.writes(&given) => (Does::Edit(first), files.collect()),
        Some(first) => (Does::Look(first), Vec::new()),
    }
}

/// How a tool is called.
struct Called {
    server: String,
    words: Vec<String>,
}

impl Called {
    fn is_one_of(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.contains(&word.as_str()))
    }

    /// Whether it says that it writes: `edit_file`, but not `get_edited_files` or `list_and_count`.
    fn writes(&self, given: &Given) -> bool {
        let used = given.uses().flat_map(words).collect::<Vec<_>>();
        let is = |verbs: &[&str], word: &String| verbs.iter().any(|verb| is_verb(word, verb));
        if let Some(verb) = used.iter().find(|word| is(WRITING, word) || is(READING, word)) {
            return is(WRITING, verb);
        }
        let has = |word: &str| self.words.iter().any(|known| known == word);
        if has("replace") && (has("search") || has("find")) {
            return true;
        }
        // A folder is no content.
        if has("create") && ["directory", "folder", "dir"].into_iter().any(has) {
            return false;
        }
        // What it begins with is what it does, and what comes after `and`.
        let parts = self.words.split(|word| matches!(word.as_str(), "and" | "or" | "then"));
        parts.into_iter().any(|part| {
            let mut verbs = part.iter().filter(|word| is(WRITING, word) || is(READING, word));
            verbs.next().is_some_and(|verb| is(WRITING, verb))
        })
    }

    /// The command line that it runs.
    fn line(&self, given: &Given) -> Option<String> {
        let speaks = self.words.first().is_some_and(|first| SPEAKING.contains(&first.as_str()));
        // A tool with several uses calls the one that is meant so, too: `{"command": "view", "path": …}`.
        let is_use = given.uses().any(|word| {
            [READING, WRITING]
                .iter()
                .any(|verbs| words(word).iter().any(|word| verbs.contains(&word.as_str())))
        }) && !given.files().is_empty();
        if (speaks && !self.is_one_of(RUNNING)) || is_use {
            return None;
        }
        let program = ["git", "gh", "glab"].into_iter().find(|program| {
            let rest = |word: &String| {
                word == program || word == "command" || RUNNING.contains(&word.as_str())
            };
            self.words.iter().any(|word| word == program) && self.words.iter().all(rest)
        });
        let line = given.lines(program.is_some() || self.is_shell());
        let Some(program) = program else { return line };
        let line = line.or_else(|| {
            let (sub, args) =
                (given.text(&["subcommand", "operation"])?, given.text(&["args", "options"]));
            Some(args.map_or_else(|| sub.to_owned(), |args| format!("{sub} {args}")))
        })?;
        // Its folder comes first, where it is told one.
        let folder = line.starts_with("cd ").then(|| line.split_once(" && ")).flatten();
        let (place, call) = folder
            .map_or((String::new(), line.as_str()), |(place, call)| (format!("{place} && "), call));
        let is_whole = call.split_whitespace().next() == Some(program);
        Some(if is_whole { format!("{place}{call}") } else { format!("{place}{program} {call}") })
    }

    /// Whether whatever text it is given goes to a shell, or to a program that runs.
    fn is_shell(&self) -> bool {
        let reads = self.words.first().is_some_and(|first| READING.contains(&first.as_str()));
        let of_shell = || self.server.split(['_', '-']).any(|word| SHELLS.contains(&word));
        let ends_in = |word: &str| self.words.last().is_some_and(|last| last == word);
        !reads && (self.is_one_of(SHELLS) || of_shell() || ends_in("process") || ends_in("stdin"))
    }

    /// Whether it commits or pushes by itself.
    fn git(&self, given: &Given) -> Option<Does> {
        let hosted = self.hosted(given);
        let name = self.words.join("_");
        let row = DEEDS.iter().find(|row| row.tool == name && (hosted.is_some() || !row.hosted));
        let Deed { commits, pushes, .. } = match row {
            Some(row) => *row,
            None => self.deed(given, hosted.is_some())?,
        };
        let at = || {
            given.text(&[
                "repopath",
                "repositorypath",
                "repodir",
                "path",
                "workdir",
                "cwd",
                "directory",
                "dir",
            ])
        };
        let repository = match (hosted, at()) {
            (Some(name), _) => Repository::Hosted(name),
            (None, Some(folder)) => Repository::At(PathBuf::from(folder)),
            (None, None) => Repository::Here,
        };
        Some(Does::Git { commits, pushes, repository })
    }

    /// The same by what its name says: `git_commit`, `commit_changes`, `stage_and_push`.
    fn deed(&self, given: &Given, is_hosted: bool) -> Option<Deed> {
        let has_content = || given.text(&["content"]).is_some() || !given.files().is_empty();
        if is_hosted && self.writes(given) && given.text(HOSTED_EDIT).is_some() && has_content() {
            return Some(Deed { tool: "", hosted: true, commits: true, pushes: true });
        }
        let of_git = self.is_of_git();
        let named = self.words.first().is_some_and(|first| is_about_git(first));
        let rest = if named { &self.words[1..] } else { &self.words[..] };
        let (mut commits, mut pushes) = (false, false);
        for part in rest.split(|word| matches!(word.as_str(), "and" | "then")) {
            let Some(verb) = part.first() else { continue };
            let object = part.get(1).map(String::as_str);
            let is_clear = named
                || of_git
                || matches!(object, Some("changes" | "files" | "all" | "staged" | "branch"));
            let is_verb = is_clear && !object.is_some_and(|object| NOUNS.contains(&object));
            commits |= is_verb && matches!(verb.as_str(), "commit" | "amend");
            pushes |= is_verb && verb == "push";
        }
        (commits || pushes).then_some(Deed {
            tool: "",
            hosted: false,
            commits,
            pushes: pushes || (commits && is_hosted),
        })
    }

    /// Whether its server is about repositories.
    fn is_of_git(&self) -> bool {
        self.server.split(['_', '-']).any(is_about_git)
    }

    /// The repository elsewhere that it is about, as that place names it.
    fn hosted(&self, given: &Given) -> Option<String> {
        let name = given.named(&["repo", "reposlug", "repository", "reponame"]);
        let owner = given.named(&["owner", "org", "organization", "workspace", "namespace"]);
        let is_whole =
            |name: &String| name.matches('/').count() == 1 && !name.starts_with(['/', '.', '~']);
        match (owner, name) {
            (Some(owner), Some(name)) => Some(format!("{owner}/{name}")),
            (None, Some(name)) if is_whole(&name) => Some(name),
            _ => given
                .named(&["projectid"])
                .filter(|_| self.is_of_git() || given.text(HOSTED_EDIT).is_some()),
        }
    }

    /// The file that Serena keeps a memory in: whoever reads the memory reads the file.
    fn memory(&self, given: &Given) -> Option<PathBuf> {
        if self.words != ["read", "memory"] {
            return None;
        }
        let name = given.text(&["memoryname", "memoryfilename"])?;
        let name = name.strip_suffix(".md").unwrap_or(name);
        Some(PathBuf::from(format!(".serena/memories/{name}.md")))
    }
}

fn is_about_git(word: &str) -> bool {
    matches!(word, "repo" | "repository" | "vcs" | "bitbucket") || word.starts_with("git")
}

/// Whether a word is a verb, or that and what it is done to in one: `writefile`.
fn is_verb(word: &str, verb: &str) -> bool {
    let rest = word.strip_prefix(verb);
    rest.is_some_and(|rest| {
        matches!(rest, "" | "file" | "files" | "text" | "lines" | "content" | "contents")
    })
}

/// The server and the tool of a name such as `mcp__serena__find_symbol`.
fn apart(name: &str) -> (&str, &str) {
    let name = name.strip_prefix("mcp__").unwrap_or(name);
    name.rsplit_once("__").unwrap_or(("", name))
}

/// The words of a name, whether they are joined by `_`, `-`, `.` or by capitals.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let begins = c.is_uppercase() && was_lower;
        if begins || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}
