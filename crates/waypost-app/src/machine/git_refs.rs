//! A repository's branches, tags and remote branches, and what git's own logs tell of how they came to be what they
//! are. Nothing is ever written here.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use waypost_store::{files, look, os};

use crate::machine::git::{self, Deadline, GitError};
use crate::machine::project::{GitDirs, Project};

/// Of a log, no more than this is looked at, from its end.
const MAX_LOG: u64 = 256 * 1024;
/// How git tells of a log's lines, and of how many at most.
const TOLD: &str = "--format=%H%x09%gd%x09%gs";
const MAX_TOLD: &str = "--max-count=2000";
/// What is asked for.
const KINDS: [&str; 3] = ["refs/heads", "refs/remotes", "refs/tags"];
/// With a longer list of packed refs, git is asked.
const MAX_PACKED: u64 = 16 * 1024 * 1024;
/// A longer `FETCH_HEAD` is passed over.
const MAX_FETCHED: u64 = 1024 * 1024;

/// A branch, a tag or a remote branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ref {
    /// Its full name: `refs/heads/main`.
    pub name: String,
    /// What it names.
    pub id: String,
}

impl Ref {
    /// Whether it is a tag.
    pub fn is_tag(&self) -> bool {
        self.name.starts_with("refs/tags/")
    }

    /// The name of the branch of one's own that it is.
    pub fn branch(&self) -> Option<&str> {
        self.name.strip_prefix("refs/heads/")
    }
}

/// All of them. Read by hand where git keeps them in files: starting it takes as long as a small `git status`.
pub fn all(project: &Project, deadline: Deadline) -> Result<Vec<Ref>, GitError> {
    if !project.keeps_refs_in_tables()
        && let Some(found) = project.git.as_ref().and_then(|git| read_all(&git.common))
    {
        return Ok(found);
    }
    let format = "--format=%(objectname) %(refname)";
    let args = ["for-each-ref", format].into_iter().chain(KINDS);
    let listed = git::output(git::command(&project.root), args, deadline)?;
    let listed = String::from_utf8_lossy(&listed);
    let read = |line: &str| {
        let (id, name) = line.split_once(' ')?;
        Some(Ref { name: name.to_owned(), id: id.to_owned() })
    };
    Ok(listed.lines().filter_map(read).collect())
}

/// The branch that is checked out in a work tree, if one is. Git is asked only where nobody else can tell.
pub fn checked_out(project: &Project) -> Option<String> {
    if !project.keeps_refs_in_tables() {
        return project.branch();
    }
    let args = ["symbolic-ref", "--quiet", "HEAD"];
    let told = git::output(git::command(&project.root), args, Deadline::after(git::LIMIT)).ok()?;
    let told = String::from_utf8_lossy(&told);
    let name = told.trim_end();
    Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
}

/// The refs that lie in files; `None` where one of them cannot be read, and git is asked.
fn read_all(common: &Path) -> Option<Vec<Ref>> {
    let mut found = BTreeMap::new();
    match files::read(&common.join("packed-refs"), MAX_PACKED) {
        Ok(packed) => {
            let packed = String::from_utf8(packed.unwrap_or_default()).ok()?;
            for line in packed.lines().filter(|line| !line.starts_with(['#', '^'])) {
                let (id, name) = line.split_once(' ')?;
                found.insert(name.to_owned(), id.to_owned());
            }
        }
        Err(_) => return None,
    }
    for kind in KINDS {
        read_folder(&common.join(kind), kind, &mut found)?;
    }
    let is_asked = |name: &str| KINDS.iter().any(|kind| is_below(name, kind));
    let found = found.into_iter().filter(|(name, _)| is_asked(name));
    Some(found.map(|(name, id)| Ref { name, id }).collect())
}

fn is_below(name: &str, kind: &str) -> bool {
    name.strip_prefix(kind).is_some_and(|rest| rest.starts_with('/'))
}

fn read_folder(folder: &Path, name: &str, found: &mut BTreeMap<String, String>) -> Option<()> {
    let entries = match look::folder(folder) {
        Ok(entries) => entries,
        Err(error) if os::is_absent(&error) => return Some(()),
        Err(_) => return None,
    };
    for entry in entries {
        let entry = entry.ok()?;
        let name = format!("{name}/{}", entry.file_name().to_str()?);
        if entry.file_type().ok()?.is_dir() {
            read_folder(&entry.path(), &name, found)?;
        } else if entry.path().extension().is_none_or(|ending| ending != "lock") {
            // Where it was packed or removed this very moment, git is asked.
            let content = look::text(entry.path()).ok()?;
            let id = content.trim_end();
            // What names another ref is told by that one.
            if !id.starts_with("ref: ") {
                let is_id =
                    matches!(id.len(), 40 | 64) && id.bytes().all(|c| c.is_ascii_hexdigit());
                found.insert(name, is_id.then(|| id.to_owned())?);
            }
        }
    }
    Some(())
}

/// The commits that `from` leads to and `without` does not, the newest first.
pub fn commits(
    project: &Project,
    from: &[&str],
    without: &[&str],
    most: usize,
    deadline: Deadline,
) -> Result<Vec<String>, GitError> {
    let most = format!("--max-count={most}");
    let args = ["rev-list", "--topo-order", "--ignore-missing", &most, "--stdin"];
    let mut input = String::new();
    for id in from {
        input.push_str(&format!("{id}\n"));
    }
    for id in without {
        input.push_str(&format!("^{id}\n"));
    }
    let listed = git::output_of(git::command(&project.root), args, input.into_bytes(), deadline)?;
    Ok(String::from_utf8_lossy(&listed).lines().map(str::to_owned).collect())
}

/// A line of one of git's logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// What it became.
    pub new: String,
    /// When, in seconds since 1970.
    pub at: u64,
    /// What git says that it was.
    pub message: String,
}

impl LogEntry {
    fn read(line: &str) -> Option<Self> {
        let (head, message) = line.split_once('\t').unwrap_or((line, ""));
        let new = head.split(' ').nth(1)?.to_owned();
        let at = head.rsplit(' ').nth(1)?.parse().ok()?;
        Some(Self { new, at, message: message.to_owned() })
    }

    /// Reads what git tells in [`TOLD`].
    fn told(line: &str) -> Option<Self> {
        let mut parts = line.splitn(3, '\t');
        let (new, place) = (parts.next()?.to_owned(), parts.next()?);
        let at = place.rsplit_once("@{")?.1.strip_suffix('}')?.parse().ok()?;
        Some(Self { new, at, message: parts.next().unwrap_or_default().to_owned() })
    }

    /// Whether it tells of something that came from another repository.
    pub fn is_fetch(&self) -> bool {
        let is_pulled = self.message.starts_with("pull") && self.message.ends_with("Fast-forward");
        is_pulled || ["fetch", "clone"].iter().any(|word| self.message.starts_with(word))
    }

    /// Whether it tells of a commit that was made here, however.
    pub fn is_made(&self) -> bool {
        const MAKING: &[&str] =
            &["am", "cherry-pick", "commit", "merge", "pull", "rebase", "revert"];
        // Steps that only go to what is there already.
        const GOING: &[&str] = &["(start)", "(finish)", "(abort)", "Fast-forward", "fast-forward"];
        let word = self.message.split([' ', ':']).next().unwrap_or_default();
        MAKING.contains(&word) && !GOING.iter().any(|step| self.message.contains(step))
    }
}

/// What git's log of a ref tells, the oldest first; `None` if it keeps none.
pub fn log(project: &Project, name: &str) -> Option<Vec<LogEntry>> {
    if project.keeps_refs_in_tables() {
        return ask_log(project, name);
    }
    read_log(&project.git.as_ref()?.common.join("logs").join(name))
}

/// What git's log of what is checked out tells.
pub fn head_log(project: &Project) -> Vec<LogEntry> {
    if project.keeps_refs_in_tables() {
        return ask_log(project, "HEAD").unwrap_or_default();
    }
    let log = project.git.as_ref().and_then(|git| read_log(&git.own.join("logs/HEAD")));
    log.unwrap_or_default()
}

/// The same where git keeps its logs in tables.
fn ask_log(project: &Project, name: &str) -> Option<Vec<LogEntry>> {
    let args = ["log", "--walk-reflogs", "--date=unix", TOLD, MAX_TOLD, name, "--"];
    let told = git::output(git::command(&project.root), args, Deadline::after(git::LIMIT)).ok()?;
    let mut log: Vec<LogEntry> =
        String::from_utf8_lossy(&told).lines().filter_map(LogEntry::told).collect();
    log.reverse();
    (!log.is_empty()).then_some(log)
}

fn read_log(path: &Path) -> Option<Vec<LogEntry>> {
    let mut file = look::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let from = length.saturating_sub(MAX_LOG);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut end = Vec::new();
    file.take(MAX_LOG).read_to_end(&mut end).ok()?;
    let text = String::from_utf8_lossy(&end);
    // The first line may be cut.
    Some(text.lines().skip(usize::from(from > 0)).filter_map(LogEntry::read).collect())
}

/// What was fetched last into a work tree, if that was after `since`, in nanoseconds since 1970.
pub fn fetched_last(project: &Project, since: u64) -> Vec<String> {
    let Some(git) = &project.git else { return Vec::new() };
    let path = git.own.join("FETCH_HEAD");
    let is_newer = look::at(&path).and_then(|found| found.modified()).is_ok_and(|changed| {
        let at = changed.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        at.as_nanos() >= u128::from(since)
    });
    if !is_newer {
        return Vec::new();
    }
    let content = files::read(&path, MAX_FETCHED).ok().flatten().unwrap_or_default();
    let content = String::from_utf8_lossy(&content);
    let elsewhere = content.lines().filter(|line| !comes_from(project, git, line));
    elsewhere.filter_map(|line| Some(line.split_once('\t')?.0.to_owned())).collect()
}

/// Whether a line of `FETCH_HEAD` tells of something that lay in the repository itself.
fn comes_from(project: &Project, git: &GitDirs, line: &str) -> bool {
    let source = line.rsplit_once(" of ").or_else(|| line.rsplit_once('\t')).map(|(_, from)| from);
    let Some(source) = source else { return true };
    let source = source.strip_prefix("file://").unwrap_or(source);
    let Ok(source) = look::real(project.root.join(source)) else { return false };
    let own = project.work_trees().into_iter().map(|tree| tree.root);
    let mut own = own.chain([git.common.clone(), git.own.clone()]);
    own.any(|own| look::real(own).is_ok_and(|own| own == source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_in_files_are_those_that_git_tells() {
        let folder = tempfile::tempdir().unwrap();
        let git = |line: &str| {
            let mut command = std::process::Command::new("sh");
            let output = output_in(folder.path(), command.args(["-c", line]));
            assert!(output.status.success(), "{line}: {output:?}");
        };
        git(
            "git init -q -b main . && git -c user.name=a -c user.email=a@x commit -q --allow-empty -m a",
        );
        git(
            "git branch feature/x && git tag v1 && git -c user.name=a -c user.email=a@x tag -a v2 -m v2",
        );
        git(
            "git pack-refs --all && git -c user.name=a -c user.email=a@x commit -q --allow-empty -m b",
        );
        git(
            "git branch later && git update-ref refs/remotes/origin/main HEAD && git branch -D -q feature/x",
        );
        git("git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main");
        let project = crate::machine::project::find(folder.path()).unwrap().unwrap();
        let read = read_all(&project.git.as_ref().unwrap().common).unwrap();
        let format = "--format=%(objectname) %(refname)";
        let args = ["for-each-ref", format].into_iter().chain(KINDS);
        let told = git::output(git::command(&project.root), args, Deadline::after(git::LIMIT));
        let told = String::from_utf8(told.unwrap()).unwrap();
        let told = told.lines().filter(|line| !line.ends_with("origin/HEAD")).map(str::to_owned);
        let read = read.iter().map(|one| format!("{} {}", one.id, one.name));
        assert_eq!(read.collect::<Vec<_>>(), told.collect::<Vec<_>>());
    }

    fn output_in(folder: &Path, command: &mut std::process::Command) -> std::process::Output {
        command.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap()
    }

    #[test]
    fn a_line_of_a_log_is_taken_apart() {
        let line = "aaa bbb A U Thor <a@x> 1700000000 +0100\tcommit (amend): Say so";
        let entry = LogEntry::read(line).unwrap();
        assert_eq!((entry.new.as_str(), entry.at), ("bbb", 1_700_000_000));
        for (message, is_made, is_fetch) in [
            ("commit: x", true, false),
            ("commit (initial): x", true, false),
            ("cherry-pick: x", true, false),
            ("merge topic: Merge made by the 'ort' strategy.", true, false),
            ("merge topic: Fast-forward", false, false),
            ("pull: Fast-forward", false, true),
            ("pull: Merge made by the 'ort' strategy.", true, false),
            ("pull --rebase (pick): x", true, false),
            ("pull --rebase (start): checkout 1234", false, false),
            ("rebase (start): checkout origin/main", false, false),
            ("rebase (finish): returning to refs/heads/main", false, false),
            ("fetch origin: fast-forward", false, true),
            ("update by push", false, false),
            ("reset: moving to HEAD~1", false, false),
            ("", false, false),
        ] {
            let entry = LogEntry { message: message.to_owned(), ..entry.clone() };
            assert_eq!((entry.is_made(), entry.is_fetch()), (is_made, is_fetch), "{message}");
        }
        assert_eq!(LogEntry::read("nonsense"), None);
        let told = "bbb\tHEAD@{1700000000}\tcommit (amend): Say so";
        assert_eq!(LogEntry::told(told), LogEntry::read(line));
        assert_eq!(LogEntry::told("nonsense"), None);
    }
}
