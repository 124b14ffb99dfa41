//! What a git command takes out of the work tree into the index: `git add`, `git commit -a`,
//! `git commit PATH`. What asks hunk by hunk is left out, and so is whatever is not clear.

use super::args::{Arg, Args, OptionSpec, Spelt};
use super::git_call::{COMMIT, GitCall, is_idle};
use super::{Simple, Word};
use crate::glob;

/// Where a git command runs that somebody asks about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GitPlace {
    /// Whether its folders are seen from the work tree's top folder, not from where the line begins.
    pub from_top: bool,
    /// The folders that it may run in, an empty one where the line begins; `None` if nobody can tell.
    pub folders: Option<Vec<Word>>,
    /// The repository that it was told to use, in place of the one around it.
    pub repository: Option<Word>,
}

/// Where a git command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    from_top: bool,
    /// The folders that it may run in; `None` if nobody can tell.
    folders: Option<Vec<Word>>,
    /// The repository that it was told to use.
    repository: Option<Word>,
    /// Whether it was told where the work tree is, or could have been.
    is_told: bool,
}

impl Place {
    /// Where `command` of a line runs that began in the top folder, or anywhere.
    pub(super) fn of(command: &Simple, from_top: bool) -> Self {
        let folders = match command.folders.as_slice() {
            [] => vec![Word { text: String::new(), literal: true }],
            some => some.to_vec(),
        };
        let is_told = command.assigned.iter().any(|name| name.starts_with("GIT_"));
        Self { from_top, folders: Some(folders).filter(|_| !is_told), repository: None, is_told }
    }

    /// Goes where git's own options lead.
    pub(super) fn enter(&mut self, call: &GitCall<'_>) {
        self.is_told |= call.elsewhere;
        for folder in self.folders.iter_mut().flatten() {
            for into in &call.folders {
                folder.enter(*into);
            }
            if let Some(repository) = call.repository {
                let mut named = folder.clone();
                named.enter(repository);
                self.repository = Some(named);
            }
        }
    }

    /// The same for whoever asks where something is done.
    pub(super) fn told(self) -> GitPlace {
        let Self { from_top, folders, repository, .. } = self;
        GitPlace { from_top, folders, repository }
    }

    /// The folders in the work tree around them, as far as they are spelt out.
    fn plain(&self) -> Option<Vec<String>> {
        let folders = self.folders.as_ref().filter(|_| !self.is_told)?;
        let text = |folder: &Word| folder.literal.then(|| folder.text.clone());
        folders.iter().map(text).collect()
    }
}

impl Word {
    /// Goes on to another folder, as a shell would.
    fn enter(&mut self, into: Spelt<'_>) {
        let is_elsewhere = !into.literal && into.text.starts_with(['~', '$', '`']);
        self.literal = into.literal && (self.literal || into.text.starts_with('/'));
        self.text = if is_elsewhere { into.text.to_owned() } else { joined(&self.text, into.text) };
    }
}

/// What the git commands of a line stage, one after another.
#[derive(Debug, Default)]
pub(super) struct Stagings {
    pub(super) all: Vec<Staging>,
    /// Whether one of them goes to other content, and so refuses where something was changed.
    moved: bool,
}

impl Stagings {
    /// The line runs one more of git's own commands. What is staged after others went to other content
    /// is not told: whoever changes files for it would be in their way.
    pub(super) fn add(&mut self, sub: &str, args: &[Word], place: &Place) {
        self.moved |= moves(sub, args);
        if !self.moved {
            self.all.extend(Staging::of(sub, args, place));
        }
    }
}

/// Whether it puts other content into the work tree, in the place of what is recorded.
fn moves(sub: &str, args: &[Word]) -> bool {
    let stays = |create: &[&str]| {
        let is_created = |word: &Word| create.contains(&word.text.as_str());
        args.iter().any(is_created)
            && args.iter().filter(|word| !word.text.starts_with('-')).count() == 1
    };
    match sub {
        "checkout" => !stays(&["-b", "-B", "--orphan"]),
        "switch" => !stays(&["-c", "-C", "--create", "--force-create", "--orphan"]),
        "am" | "bisect" | "cherry-pick" | "merge" | "pull" | "read-tree" | "rebase" | "revert"
        | "stash" => true,
        _ => false,
    }
}

/// What one git command stages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staging {
    /// Whether its folders are seen from the work tree's top folder, not from where the line begins.
    pub from_top: bool,
    /// The folders that it may run in, all of which have to be of the work tree that is asked about.
    pub folders: Vec<String>,
    /// Whether it takes only files that git knows, and leaves new ones.
    pub only_known: bool,
    /// Whatever is named; everything where nothing is.
    paths: Vec<Pathspec>,
}

/// A path as git is told it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pathspec {
    path: String,
    from_top: bool,
    excludes: bool,
    is_pattern: bool,
}

impl Staging {
    pub(super) fn of(sub: &str, args: &[Word], place: &Place) -> Option<Self> {
        let (from_top, folders) = (place.from_top, place.plain());
        let (paths, only_known) = match sub {
            "add" | "stage" => added(args)?,
            "commit" if !is_idle(sub, args) => (committed(args)?, true),
            _ => return None,
        };
        Some(Self { from_top, folders: folders?, only_known, paths })
    }

    /// Whether everything below the folder `path` is staged by it in `folder`, in the work tree below
    /// `top`. All of them are whole paths without `.` and `..`.
    pub fn takes(&self, top: &str, folder: &str, path: &str) -> bool {
        let covers = |spec: &&Pathspec| spec.covers(top, folder, path);
        let (without, with): (Vec<_>, Vec<_>) = self.paths.iter().partition(|spec| spec.excludes);
        (with.is_empty() || with.iter().any(covers)) && !without.iter().any(covers)
    }
}

impl Pathspec {
    /// `None` if nobody can tell what it stands for.
    fn read(word: Spelt<'_>) -> Option<Self> {
        let text = word.text;
        let is_read_by_shell = text.contains(['$', '`', '{']) || text.starts_with('~');
        if text.contains(['[', '\\']) || (!word.literal && is_read_by_shell) {
            return None;
        }
        let mut spec =
            Self { path: text.to_owned(), from_top: false, excludes: false, is_pattern: false };
        if let Some(long) = text.strip_prefix(":(") {
            let (magic, path) = long.split_once(')')?;
            for one in magic.split(',') {
                match one {
                    "top" => spec.from_top = true,
                    "exclude" => spec.excludes = true,
                    _ => return None,
                }
            }
            path.clone_into(&mut spec.path);
        } else if let Some(short) = text.strip_prefix(':') {
            let path = short.trim_start_matches(['/', '!', '^']);
            let magic = &short[..short.len() - path.len()];
            spec.from_top = magic.contains('/');
            spec.excludes = magic.contains(['!', '^']);
            path.strip_prefix(':').unwrap_or(path).clone_into(&mut spec.path);
        }
        spec.is_pattern = spec.path.contains(['*', '?']);
        Some(spec)
    }

    fn covers(&self, top: &str, folder: &str, path: &str) -> bool {
        let base = if self.from_top { top } else { folder };
        let own = plain(&joined(base, &self.path));
        let mut above = path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]);
        above.any(
            |above| {
                if self.is_pattern { glob::matches_path(&own, above) } else { own == above }
            },
        )
    }
}

/// What `git add` names, and whether it leaves new files; `None` if it stages nothing, or nobody can
/// tell what.
fn added(args: &[Word]) -> Option<(Vec<Pathspec>, bool)> {
    const ADD: OptionSpec =
        OptionSpec { valued: "U", attached: "", long: &["chmod", "pathspec-from-file"] };
    let (mut paths, mut all, mut only_known) = (Vec::new(), false, false);
    for arg in Args::new(args, &ADD) {
        match arg {
            Arg::Operand(path) => paths.push(path),
            Arg::Short('A', _) | Arg::Long("all" | "no-ignore-removal", _) => all = true,
            Arg::Short('u', _) | Arg::Long("update", _) => only_known = true,
            Arg::Short('f' | 'v' | 'U', _)
            | Arg::Long(
                "force" | "verbose" | "sparse" | "chmod" | "ignore-errors" | "ignore-removal"
                | "no-all" | "renormalize",
                _,
            ) => {}
            // Dry runs, hunks, names out of files, and what is not known here.
            Arg::Short(..) | Arg::Long(..) => return None,
        }
    }
    if paths.is_empty() && !all && !only_known {
        return None;
    }
    Some((read(paths)?, only_known))
}

/// What `git commit` takes that was not staged before.
fn committed(args: &[Word]) -> Option<Vec<Pathspec>> {
    let (mut paths, mut all) = (Vec::new(), false);
    for arg in Args::new(args, &COMMIT) {
        match arg {
            Arg::Operand(path) => paths.push(path),
            Arg::Short('a', _) | Arg::Long("all", _) => all = true,
            Arg::Short('p', _) => return None,
            Arg::Long("patch" | "interactive" | "pathspec-from-file" | "dry-run", _) => {
                return None;
            }
            Arg::Short(..) | Arg::Long(..) => {}
        }
    }
    if all { Some(Vec::new()) } else { read(paths).filter(|paths| !paths.is_empty()) }
}

/// The paths that can be told. Where none of several can, or one that may leave something out cannot,
/// nothing is known to be staged.
fn read(words: Vec<Spelt<'_>>) -> Option<Vec<Pathspec>> {
    let named = !words.is_empty();
    let mut paths = Vec::new();
    for word in words {
        match Pathspec::read(word) {
            Some(path) => paths.push(path),
            None if word.text.starts_with([':', '$']) => return None,
            None => {}
        }
    }
    (!named || !paths.is_empty()).then_some(paths)
}

fn joined(folder: &str, path: &str) -> String {
    match (folder, path) {
        (_, absolute) if absolute.starts_with('/') => absolute.to_owned(),
        ("", path) => path.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, path) => format!("{folder}/{path}"),
    }
}

/// The path without `.`, `..` and doubled slashes.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.iter().flat_map(|part| ["/", part]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::analyse;

    /// Whether the line stages `/p/agents/sessions/x` when it runs in `cwd`.
    fn stages(cwd: &str, line: &str) -> bool {
        let aliases = |name: &str| match name {
            "aa" => Some("add -A".to_owned()),
            "save" => Some("!git add -A && git commit".to_owned()),
            "ci" => Some("commit -a".to_owned()),
            "st" => Some("status".to_owned()),
            _ => None,
        };
        analyse(line).stagings(&aliases).iter().any(|staging| {
            let start = if staging.from_top { "/p" } else { cwd };
            staging.folders.iter().all(|at| {
                let folder = super::plain(&super::joined(start, at));
                folder.starts_with("/p") && staging.takes("/p", &folder, "/p/agents/sessions/x")
            })
        })
    }

    #[test]
    fn what_takes_the_whole_folder_stages_it() {
        for line in [
            "git add -A",
            "git add --all",
            "git add .",
            "git add -A .",
            "git add -u",
            "git add -- .",
            "git add *",
            "git add ./",
            "git add :/",
            "git add ':(top)'",
            "git add -vA",
            "git add src agents",
            "git add agents/",
            "git add agents/*",
            "git add agents/sessions/x",
            "git add /p/agents",
            "git add -A ':!target'",
            "git add -A -- ':(exclude)*.log' .",
            "git stage -A",
            "git -C . add -A",
            "git -C /p/src add -A",
            "git add . $MORE_FILES_HERE && true || git add .",
            "cd src && git add -A",
            "cd src && git add ../agents",
            "cd src; git add -A",
            "git add -A && git commit -m x",
            "cargo test && git add -A && git commit -m 'one two'",
            "git add -A && GIT_EDITOR=true git rebase --continue",
            "git add -A && git commit -m x && git checkout main",
            "git checkout -b work && git add -A",
            "git switch -c work && git add -A && git commit -m x",
            "git reset -q && git add -A",
            "git fetch && git status && git add -A",
            "git commit -am x",
            "git commit -a -m x",
            "git commit --all --amend --no-edit",
            "git commit -m x agents",
            "git commit -m x -- .",
            "git aa",
            "git save -m x",
            "git ci -m x",
            "git -c alias.z='add -A' z",
            "(git add -A)",
            "bash -c 'git add -A'",
            "sudo -u me git add -A",
            "if true; then git add .; fi",
        ] {
            assert!(stages("/p", line), "{line}");
        }
        assert!(stages("/p/src", "git add -A"));
        assert!(stages("/p/src", "git add :/"));
        assert!(stages("/p/src", "git save"));
        assert!(stages("/p/agents/sessions", "git add x"));
    }

    #[test]
    fn what_leaves_it_out_or_is_not_clear_does_not() {
        for line in [
            "git add src",
            "git add src/lib.rs README.md",
            "git add agents/sessions/x/spec.md",
            "git add agents/sessions/y",
            "git add agentsx",
            "git add '*.rs'",
            "git add",
            "git add -p",
            "git add -p .",
            "git add -i",
            "git add -n .",
            "git add -A --dry-run",
            "git add -N .",
            "git add --refresh .",
            "git add --pathspec-from-file=list",
            "git add -A ':!agents'",
            "git add . ':(exclude)agents/sessions'",
            "git add -A \":^$X\"",
            "git add -A ':(attr:x).'",
            "git add $FILES",
            "git add \"$(git diff --name-only)\"",
            "git commit -m x",
            "git commit --amend --no-edit",
            "git commit -m -a",
            "git commit -m x src",
            "git commit -p",
            "git commit --dry-run -a",
            "git commit --interactive -a",
            "git -C /other add -A",
            "git -C \"$X\" add -A",
            "git --git-dir=/x/.git add -A",
            "GIT_DIR=/x git add -A",
            "cd /other && git add -A",
            "cd /other; git add -A",
            "cd \"$X\" && git add -A",
            "echo git add -A",
            "git st",
            "git unknown -A",
            "git stash -u",
            "git checkout main && git add -A",
            "git checkout -b work origin/main && git add -A",
            "git switch -q other; git add -A",
            "git pull && git add -A && git commit -m x",
            "git stash pop && git add -A",
            "git merge --squash other && git add -A",
            "git rm -r x",
            "git push",
            "git merge other",
            "git rebase main",
            "git \"$SUB\" -A",
            "(git add -A",
        ] {
            assert!(!stages("/p", line), "{line}");
        }
        assert!(!stages("/p/src", "git add ."));
        assert!(!stages("/p/src", "git add -A ."));
    }
}
