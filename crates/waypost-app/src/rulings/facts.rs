//! Finding out what gates need to know of the world. Only what was asked for is looked at.

mod dynamic;
mod logs;
mod others;
mod plans;
mod reports;
mod size;
mod unproven;
mod work;

use std::collections::BTreeMap;

use waypost_core::alongside::AT_IT;
use waypost_core::evidence::Tree;
use waypost_core::gate::facts::{Facts, Needs};
use waypost_core::glob;
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::session::SessionState;
use waypost_core::text::{one_line, shortened};

use crate::machine::git::{self, Deadline};
use crate::machine::matching;
use crate::view::{View, edits};

pub use unproven::leave_out_own;

/// No more of the files that are looked for are named.
const MAX_LOOKED_FOR: usize = 20;

/// The files that differ from an older work tree, all of them, or why that cannot be told.
pub fn changes_since(view: &View<'_>, then: &str) -> Result<Vec<String>, String> {
    match view.tree() {
        Tree::Id(now) if now == then => Ok(Vec::new()),
        Tree::Id(now) => Ok(view.differing_up_to(then, &now, usize::MAX)),
        Tree::Unknown(why) => Err(why),
    }
}

/// The first files that differ from an older work tree; none where that cannot be told.
pub fn changed_since(view: &View<'_>, then: &str) -> Vec<String> {
    match view.tree() {
        Tree::Id(now) if now != then => view.differing(then, &now),
        Tree::Id(_) | Tree::Unknown(_) => Vec::new(),
    }
}

/// The first files that differ from an older work tree, and those that are looked for among the others.
fn differing(view: &View<'_>, then: &str, now: &str, needs: &Needs) -> Vec<String> {
    let mut named = view.differing(then, now);
    if !needs.looked_for.is_empty() {
        let wanted = |file: &String| needs.looked_for.iter().any(|p| glob::matches_path(p, file));
        let all = view.differing_up_to(then, now, usize::MAX).into_iter().skip(named.len());
        named.extend(all.filter(wanted).take(MAX_LOOKED_FOR));
    }
    named
}

/// The files that differ from a commit, new ones included and Waypost's own left out; `None` where
/// git cannot tell.
pub fn files_since(view: &View<'_>, commit: &str) -> Option<Vec<String>> {
    (view.host.expect_longer)();
    let own = format!(":(exclude,top){}", view.sessions_dir());
    let deadline = Deadline::after(git::LIMIT);
    let root = &view.place().project.root;
    let changed = ["diff", "--name-only", "-z", "--no-renames", commit, "--", ".", &own];
    let changed = git::output(git::command(root), changed, deadline).ok()?;
    let new = ["ls-files", "--others", "--exclude-standard", "-z", "--", ".", &own];
    let new = git::output(git::command(root), new, deadline).ok()?;
    let names = [changed, new].concat();
    let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let mut files: Vec<String> =
        names.map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    files.sort();
    files.dedup();
    Some(files)
}

/// The files that commits changed, as far as git knows them, without Waypost's own.
pub fn files_in(view: &View<'_>, commits: &[&str]) -> Vec<String> {
    if commits.is_empty() {
        return Vec::new();
    }
    (view.host.expect_longer)();
    let own = format!(":(exclude,top){}", view.sessions_dir());
    let mut args =
        vec!["show", "--name-only", "-z", "--no-renames", "--format=", "--ignore-missing"];
    args.extend(commits);
    args.extend(["--", ".", &own]);
    let command = git::command(&view.place().project.root);
    let names = git::output(command, args, Deadline::after(git::LIMIT)).unwrap_or_default();
    let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).trim_start().to_owned()).collect()
}

/// What commits are about, in their own words.
pub fn subjects_of(view: &View<'_>, commits: &[&str]) -> BTreeMap<String, String> {
    if commits.is_empty() {
        return BTreeMap::new();
    }
    (view.host.expect_longer)();
    let command = git::command(&view.place().project.root);
    let args = ["log", "--no-walk=unsorted", "--format=%H %s", "--end-of-options"];
    let args = args.into_iter().chain(commits.iter().copied());
    let listed = git::output(command, args, Deadline::after(git::LIMIT)).unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed);
    let read = |line: &str| {
        let (sha, subject) = line.split_once(' ').unwrap_or((line, ""));
        let subject = match subject.trim() {
            "" => "(no subject)".to_owned(),
            subject => shortened(&one_line(subject), 200),
        };
        (sha.to_owned(), subject)
    };
    listed.lines().map(read).collect()
}

/// What a commit is about, in its own words.
pub fn subject_of(view: &View<'_>, commit: &str) -> String {
    let found = subjects_of(view, &[commit]).remove(commit);
    found.unwrap_or_else(|| "(no subject)".to_owned())
}

/// What is known without looking far.
pub fn at_hand(view: &View<'_>) -> Facts {
    let worktree = view.place().project.worktree();
    let imported_off = view.host.imported_off;
    Facts { worktree, imported_off, ..Facts::at(view.host.moment(), view.branch()) }
}

/// Everything that was asked for, on top of what is at hand.
pub fn gather(
    view: &View<'_>,
    (id, state): (&SessionId, &SessionState),
    needs: &Needs,
    at_hand: Facts,
) -> Facts {
    let mut facts = at_hand;
    if *needs != Needs::default() {
        (view.host.expect_longer)();
    }
    let place = view.place();
    let root = &place.project.root;
    if needs.tree {
        let now = view.tree();
        if let Some(now) = now.id() {
            for before in needs.compare.iter().filter(|before| *before != now) {
                facts.changed.insert(before.clone(), differing(view, before, now, needs));
            }
        }
        facts.tree = Some(now);
    }
    if !needs.contents.is_empty() {
        facts.unproven = unproven::unproven(view, needs);
    }
    if needs.clean {
        facts.clean = Some(uncommitted(view));
    }
    if needs.head {
        facts.head = view.commit();
    }
    for pattern in &needs.files {
        let mut found = logs::files(root, pattern);
        if needs.hashed.contains(pattern) {
            matching::hash(root, &mut found);
        }
        facts.files.insert(pattern.clone(), found);
    }
    for (pattern, asked) in &needs.reports {
        facts.reports.insert(pattern.clone(), reports::fitting(root, pattern, asked));
    }
    for pattern in &needs.ticked {
        facts.ticked.insert(pattern.clone(), logs::fitting(root, pattern));
    }
    for plan in &needs.plans {
        facts.plans.insert(plan.key(), plans::find(root, plan, facts.now));
    }
    if !needs.dynamic.is_empty() {
        facts.dynamic = dynamic::facts(view, state, &needs.dynamic);
    }
    if needs.others {
        facts.others = others::at_work(view);
    }
    if needs.alongside {
        facts.alongside = Some(edits::of_others(view, &ConversationId::nobody(), AT_IT));
    }
    if !needs.work.is_empty() {
        facts.work = work::facts(view, id, state, &needs.work);
    }
    facts
}

/// The files that are not committed as they are, without Waypost's own.
pub fn uncommitted(view: &View<'_>) -> Result<Vec<String>, String> {
    let place = view.place();
    let Some(_) = &place.project.git else {
        return Err("this is not a git repository".to_owned());
    };
    let own = format!(":(exclude,top){}", view.sessions_dir());
    let args = [
        "status",
        "--porcelain=v1",
        "-z",
        "--untracked-files=all",
        "--no-renames",
        "--",
        ".",
        &own,
    ];
    let command = git::command(&place.project.root);
    let listed = git::output(command, args, Deadline::after(git::LIMIT));
    let listed = listed.map_err(|error| error.to_string())?;
    let names = listed.split(|byte| *byte == 0).filter(|entry| entry.len() > 3);
    Ok(names.take(200).map(|entry| String::from_utf8_lossy(&entry[3..]).into_owned()).collect())
}
