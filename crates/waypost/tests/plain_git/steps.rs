//! What people and agents do with git: lines for a shell, the same for both repositories.

use crate::random::Random;

/// One thing that is done. Either part may fail, as long as it fails in both repositories.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// What is done before a commit, or all of it.
    pub(crate) line: String,
    /// What puts a commit on the branch and does nothing else, if that is done.
    pub(crate) commit: Option<String>,
}

const BRANCHES: &[&str] = &["main", "b1", "b2", "b3"];
const FILES: &[&str] = &["a.txt", "b.txt", "dir/c.txt"];

/// What is done next. `midway` is what git is in the middle of.
pub(crate) fn next(random: &mut Random, midway: Option<&str>, number: usize) -> Step {
    let done = match midway {
        Some(what) if random.below(10) < 8 => going_on(random, what, number),
        _ => match random.below(10) {
            0..=3 => committing(random, number),
            4..=5 => with_others(random, number),
            6..=7 => on_top(random, number),
            _ => around(random, number),
        },
    };
    let (line, commit) = done;
    Step { line, commit }
}

type Lines = (String, Option<String>);

fn only(line: impl Into<String>) -> Lines {
    (line.into(), None)
}

/// Changes a line of a file: there are few, so that changes often meet.
fn edit(random: &mut Random, number: usize) -> String {
    let (file, line) = (random.of(FILES), 1 + random.below(4));
    format!("sed -i '{line}s/.*/step {number}  /' {file}")
}

fn committing(random: &mut Random, number: usize) -> Lines {
    let edit = edit(random, number);
    let message = format!("git commit -q -m 'step {number}'");
    match random.below(11) {
        0..=2 => (format!("{edit} && git add -A"), Some(message)),
        3 => (edit, Some(format!("{message} -a"))),
        4 => (edit, Some(format!("{message} -- a.txt"))),
        5 => (format!("{edit} && git add -A"), Some("git commit -q --amend --no-edit".into())),
        6 => (String::new(), Some(format!("{message} --allow-empty"))),
        7 => (format!("{edit} && git add -A"), Some(format!("{message} --no-verify"))),
        8 => (format!("{edit} && git add -A"), Some("git commit -q --fixup HEAD".into())),
        9 => (
            format!("echo {number} > new{number}.txt && git add -A && git mv b.txt moved.txt"),
            Some(message),
        ),
        _ => (
            format!("{edit} && git add -A"),
            Some(
                "git update-ref -m plumbing \"$(git symbolic-ref HEAD)\" \
                 \"$(git commit-tree -p HEAD -m plumbing \"$(git write-tree)\")\""
                    .into(),
            ),
        ),
    }
}

fn with_others(random: &mut Random, number: usize) -> Lines {
    let edit = edit(random, number);
    match random.below(9) {
        0..=2 => only(format!(
            "(cd ../other && git pull -q --rebase -X ours; {edit}; git commit -qam 'theirs {number}'; git push -q)"
        )),
        3 => only("git fetch -q --all"),
        4 => only("git pull -q --ff-only origin main"),
        5 => only("git pull -q --no-rebase --no-edit origin main"),
        6 => only("git pull -q --rebase --autostash origin main"),
        7 => only(format!("git push -q origin HEAD:refs/heads/pushed{}", random.below(2))),
        _ => only("git push -q origin main; git fetch -q . main:refs/heads/copied"),
    }
}

fn on_top(random: &mut Random, number: usize) -> Lines {
    let (branch, edit) = (random.of(BRANCHES), edit(random, number));
    match random.below(17) {
        0 => only(format!("git rebase -q {branch}")),
        1 => only("GIT_SEQUENCE_EDITOR=\"sed -i '2s/^pick/squash/'\" git rebase -q -i HEAD~2"),
        2 => only("GIT_SEQUENCE_EDITOR=\"sed -i '1s/^pick/edit/'\" git rebase -q -i HEAD~2"),
        3 => only("git rebase -q --autosquash HEAD~2"),
        4 => only(format!("git rebase -q --exec true {branch}")),
        5 => only(format!("git merge -q --no-edit {branch}")),
        6 => only(format!("git merge -q --no-ff -m 'merge {number}' {branch}")),
        7 => (
            format!("git merge -q --squash {branch}"),
            Some(format!("git commit -q -m 'squashed {number}'")),
        ),
        8 => only(format!("git merge -q --no-ff --no-commit {branch}")),
        9 => only(format!("git cherry-pick {branch}")),
        10 => only(format!("git cherry-pick -n {branch}")),
        11 => only(format!("git cherry-pick -x {branch}~2..{branch}")),
        12 => only("git revert --no-edit HEAD"),
        13 => only("GIT_EDITOR=true git revert --edit HEAD~1"),
        14 => only(format!(
            "git format-patch -q -1 {branch} --stdout > ../p.patch; git am -q ../p.patch"
        )),
        15 => only(format!(
            "git format-patch -q -2 {branch} --stdout > ../p.patch; git am -q -3 ../p.patch"
        )),
        _ => only(format!(
            "{edit}; git stash push -q; git rebase -q --onto {branch} HEAD~1; git stash pop -q"
        )),
    }
}

fn around(random: &mut Random, number: usize) -> Lines {
    let (branch, edit) = (random.of(BRANCHES), edit(random, number));
    match random.below(24) {
        0 | 1 => only(format!("git switch -q {branch}")),
        2 => only(format!("git checkout -q {branch} -- a.txt")),
        3 => only(format!("git switch -q -c n{number}")),
        4 => only(format!("git checkout -q -B b3 {branch}")),
        5 => only(format!("git branch -f b3 {branch}")),
        6 => only("git branch -m b3 renamed; git branch -m renamed b3"),
        7 => only(format!("git branch -D {branch}; git branch {branch} main")),
        8 => only(format!("{edit}; git stash push -q")),
        9 => only(format!("{edit}; echo x > loose.txt; git stash push -q -u; git stash pop -q")),
        10 => only("git stash pop -q"),
        11 => only("git stash apply -q; git stash drop -q"),
        12 => only(
            "git bisect start HEAD HEAD~2 >/dev/null; git bisect run true >/dev/null; git bisect reset",
        ),
        13 => only("git bisect start HEAD HEAD~2 >/dev/null"),
        14 => only(format!(
            "git worktree add -q -b w{number} ../wt{number} && (cd ../wt{number}; {edit}; git stash -q; git stash pop -q); \
             git worktree remove -f ../wt{number}"
        )),
        15 => (
            "git switch -q --detach".into(),
            Some(format!("git commit -q --allow-empty -m 'detached {number}'")),
        ),
        16 => only("git reset -q --hard HEAD~1"),
        17 => only("git reset -q --soft HEAD~1"),
        18 => only("git reset -q HEAD~1"),
        19 => only("git reset -q --hard ORIG_HEAD"),
        20 => only(format!(
            "git tag t{number}; git tag -a -m x u{number}; git tag -d t{number}; git notes add -f -m {number}"
        )),
        21 => only("git gc -q; git pack-refs --all"),
        22 => only("git reflog expire --expire=now --all; git prune"),
        _ => only("git restore -q . ; git clean -qfd; git rm -q --ignore-unmatch moved.txt"),
    }
}

/// In the middle of something: on with it, or back.
fn going_on(random: &mut Random, what: &str, number: usize) -> Lines {
    if what == "bisect" {
        return only(random.of(&["git bisect good", "git bisect bad", "git bisect reset"]));
    }
    let settle = random.of(&["--ours", "--theirs"]);
    let settle = format!("git checkout -q {settle} . ; git add -A");
    match (what, random.below(6)) {
        ("merge", 0..=3) => (settle, Some(format!("git commit -q -m 'merged {number}'"))),
        ("merge", _) => only("git merge --abort"),
        (_, 0..=2) => only(format!("{settle}; GIT_EDITOR=true git {what} --continue")),
        (_, 3) => (settle, Some(format!("git commit -q --allow-empty -m 'by hand {number}'"))),
        (_, 4) => only(format!("git {what} --skip")),
        _ => only(format!("git {what} --abort")),
    }
}
