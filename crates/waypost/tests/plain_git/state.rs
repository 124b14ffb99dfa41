//! All that git knows of a repository and its work trees, to compare two of them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Below `.git`, what is compared in another way, or is Waypost's.
const LEFT_OUT: &[&str] = &["config", "hooks", "index", "info", "objects", "waypost"];
/// In the work tree, what `waypost init` makes and leaves out of commits; git itself lies beside it.
const NOT_COMMITTED: &[&str] = &[".claude", ".git", ".husky", ".mcp.json"];

/// Names and contents, with the folder that the repository lies in left out of them.
pub(crate) type State = BTreeMap<String, String>;

/// What git knows of the repository in `base`: refs, logs, what is under way, the work trees.
pub(crate) fn of(base: &Path) -> State {
    let index = staged(&base.join("project/.git/index"));
    let mut state = State::from([("index".to_owned(), index)]);
    let mut left = vec![base.join("project/.git"), base.join("project")];
    let beside = fs::read_dir(base).unwrap().map(|entry| entry.unwrap().path());
    left.extend(
        beside.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("wt")),
    );
    let left_out = |folder: &Path, name: &str| {
        (folder.ends_with("project/.git") && LEFT_OUT.contains(&name))
            || (folder.ends_with("project") && NOT_COMMITTED.contains(&name))
            || (name == "index"
                && folder.parent().is_some_and(|above| above.ends_with("worktrees")))
    };
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name());
            if left_out(&folder, &name.to_string_lossy()) {
                continue;
            }
            let metadata = fs::symlink_metadata(&path).unwrap();
            if metadata.is_dir() {
                left.push(path);
                continue;
            }
            let content = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            let content = content.replace(&*base.to_string_lossy(), "BASE");
            let content = if name == "BISECT_LOG" { without_commits(&content) } else { content };
            let executable = metadata.permissions().mode() & 0o100 != 0;
            let name = path.strip_prefix(base).unwrap().display().to_string();
            state.insert(name, format!("{executable} {content}"));
        }
    }
    state
}

/// What is staged: mode, blob, stage and name of each file. Times are left out.
fn staged(index: &Path) -> String {
    let bytes = fs::read(index).unwrap();
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!((&bytes[..4], number(4)), (&b"DIRC"[..], 2), "another version of the index");
    let (mut at, mut listed) = (12, String::new());
    for _ in 0..number(8) {
        let (mode, flags) =
            (number(at + 24), u32::from(u16::from_be_bytes([bytes[at + 60], bytes[at + 61]])));
        let name = &bytes[at + 62..];
        let length = name.iter().position(|byte| *byte == 0).unwrap();
        let name = String::from_utf8_lossy(&name[..length]);
        let blob: Vec<u32> = (0..5).map(|word| number(at + 40 + 4 * word)).collect();
        listed.push_str(&format!("{mode:o} {blob:x?} {} {name}\n", flags >> 12));
        at += (62 + length) / 8 * 8 + 8;
    }
    listed
}

/// With any `reference-transaction` hook, `/bin/true` too, git 2.47 writes zeros for commits in this log.
fn without_commits(log: &str) -> String {
    let lines = log.lines().map(|line| match line.strip_prefix("git bisect ") {
        Some(rest) => rest.split(' ').next().unwrap_or_default(),
        None => line,
    });
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// How two states differ, in a few lines.
pub(crate) fn difference(ours: &State, plain: &State) -> Option<String> {
    let names = ours.keys().chain(plain.keys().filter(|name| !ours.contains_key(*name)));
    let other = names.filter(|name| ours.get(*name) != plain.get(*name));
    let told: Vec<String> = other
        .map(|name| {
            let (ours, plain) = (ours.get(name), plain.get(name));
            format!("{name}\n  with Waypost: {ours:?}\n  plain: {plain:?}")
        })
        .collect();
    (!told.is_empty()).then(|| told.join("\n"))
}

/// What git is in the middle of.
pub(crate) fn midway(git: &Path) -> Option<&'static str> {
    let has = |name: &str| git.join(name).exists();
    let is_picking = || has("sequencer") || has("CHERRY_PICK_HEAD");
    let kinds: [(&'static str, bool); 6] = [
        ("am", has("rebase-apply/applying")),
        ("rebase", has("rebase-merge") || has("rebase-apply")),
        ("merge", has("MERGE_HEAD")),
        ("revert", has("REVERT_HEAD")),
        ("cherry-pick", is_picking()),
        ("bisect", has("BISECT_LOG")),
    ];
    kinds.into_iter().find(|(_, is)| *is).map(|(name, _)| name)
}
