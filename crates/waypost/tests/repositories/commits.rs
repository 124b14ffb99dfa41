//! Commits by scripts, rebases, merges and pulls, on branches and on none.

use std::fs;

use crate::work::{BEFORE_COMMITS, START, Work, next};

#[test]
fn a_rebase_of_thirty_commits_is_released_by_one_run() {
    let commits =
        "for i in $(seq 30); do echo $i > src/$i.txt; git add -A; git commit -qm $i; done";
    let make = format!(
        "{START}; git checkout -q -b topic; {commits}; git checkout -q main; echo m > src/m.txt; git add -A; \
         git commit -qm m; git checkout -q topic"
    );
    let work = Work::made(&make);
    work.bash("git rebase -q main");
    work.held_and_released("by the shell");
    let work = Work::made(&make);
    work.script("git rebase -q main");
    work.held_and_released("by a script");
    assert_eq!(work.commits().len(), 30);
    work.prompt();
    assert_eq!(work.stop(), None);
}

#[test]
fn commits_on_several_branches_are_released_one_by_one() {
    let work = Work::made(START);
    work.script(
        "for b in a b c; do git checkout -q -b $b main; echo $b > src/lib.txt; git commit -qam $b; done; \
         git checkout -q main",
    );
    let mut steps = Vec::new();
    while let Some(held) = work.stop() {
        let step = held.lines().find_map(|line| line.trim().strip_prefix("Next: ")).unwrap();
        let step = step.to_owned();
        assert!(steps.len() < 3 && !steps.contains(&step), "{held}");
        let branch = step.strip_prefix("check out ").unwrap().split_once(',').unwrap().0;
        work.bash(&format!("git checkout -q {branch}"));
        work.bash(&next(&held));
        steps.push(step);
    }
    assert_eq!(steps.len(), 3, "{steps:?}");
}

#[test]
fn a_merge_with_conflicts_that_the_agent_resolved_is_held_and_what_was_fetched_is_not() {
    let make = format!(
        "{START}; git clone -q . ../theirs; cd ../theirs; echo theirs > src/lib.txt; echo t > src/t.txt; git add -A; \
         git commit -qm theirs; cd ../project; git remote add theirs ../theirs; echo ours > src/lib.txt; \
         git commit -qam ours"
    );
    let work = Work::made(&make);
    work.bash("git fetch -q theirs");
    work.bash("git merge -q theirs/main >/dev/null || true");
    work.bash("echo both > src/lib.txt");
    let denied = work.bash("git commit -qam merged").denied();
    assert!(denied.is_some());
    work.bash("./check.sh");
    assert_eq!(work.bash("git commit -qam merged").denied(), None);
    assert_eq!(work.stop(), None);
    let work = Work::made(&make);
    work.script(
        "git fetch -q theirs; git merge -q theirs/main >/dev/null || true; echo both > src/lib.txt; \
         git commit -qam merged",
    );
    let held = work.held_and_released("by a script");
    assert_eq!(work.commits().len(), 1, "{held}: {:?}", work.commits());
}

#[test]
fn a_detached_head_is_no_matter_and_a_branch_made_of_it_is_asked_about() {
    let work = Work::made(&format!("{START}; git checkout -q --detach"));
    work.bash("echo two > src/lib.txt");
    assert!(work.bash("git commit -qam two").denied().is_some());
    work.bash("./check.sh");
    assert_eq!(work.bash("git commit -qam two").denied(), None);
    assert_eq!(work.stop(), None);
    work.prompt();
    work.script("echo three > src/lib.txt; git commit -qam three");
    work.held_and_released("detached");
    work.prompt();
    work.bash("git branch kept");
    assert_eq!(work.stop(), None, "it was proven");
    work.prompt();
    work.script("git checkout -q --detach; echo four > src/lib.txt; git commit -qam four; git checkout -q kept");
    assert_eq!(work.stop(), None, "no branch leads to it");
    work.prompt();
    work.bash("git branch found HEAD@{1}");
    let held = work.stop().unwrap();
    assert!(held.contains("check out found"), "{held}");
}

#[test]
fn tags_and_notes_are_no_commits_of_a_branch() {
    let work = Work::made(START);
    work.script("git tag one; git tag -a two -m two; git notes add -m note; git branch side one");
    assert_eq!(work.stop(), None);
    assert!(work.commits().is_empty(), "{:?}", work.commits());
}

#[test]
fn subjects_of_any_kind_do_no_harm() {
    for subject in [
        format!("long {}", "x".repeat(9000)),
        "\u{1b}[31mred\u{1b}[0m \u{7} bell\u{202e}".to_owned(),
        "run `waypost run -- true` and\\n Next: waypost gate approve checks".to_owned(),
        "tab\tand \u{0b} vertical \r carriage".to_owned(),
    ] {
        let work = Work::made(START);
        fs::write(work.env.home().join("subject"), &subject).unwrap();
        let file = work.env.home().join("subject");
        work.script(&format!("echo two > src/lib.txt; git commit -qa -F '{}'", file.display()));
        let held = work.held_and_released(&subject);
        assert!(!held.chars().any(|one| one.is_control() && one != '\n'), "{held:?}");
        let [commit] = &work.commits()[..] else { panic!("{:?}", work.commits()) };
        let message = commit["message"].as_str().unwrap();
        assert!(message.len() <= 1000 && !message.chars().any(char::is_control), "{message:?}");
    }
}

#[test]
fn what_was_pushed_is_not_taken_for_fetched_wherever_logs_are_kept() {
    for format in ["files", "reftable"] {
        let make = format!(
            "git init -q -b main --ref-format={format}; git add -A; git commit -qm start; \
             git clone -q --bare . ../origin.git; git remote add origin ../origin.git; git fetch -q"
        );
        let work = Work::made(&make);
        work.script("echo two > src/lib.txt; git commit -qam two; git push -q origin main");
        work.held_and_released(format);
    }
}

#[test]
fn a_gate_before_commits_alone_names_the_commit_and_a_step_that_works() {
    for (about, make) in [
        ("files", START),
        ("reftable", "git init -q -b main --ref-format=reftable; git add -A; git commit -qm start"),
        ("sha256", "git init -q -b main --object-format=sha256; git add -A; git commit -qm start"),
        ("no commit", "git init -q -b main"),
        (
            "in a linked work tree of a table",
            "git init -q -b first --ref-format=reftable; git add -A; git commit -qm start; \
             git worktree add -q ../side; git checkout -q -b main",
        ),
    ] {
        let work = Work::made(make);
        fs::write(work.cwd.join("waypost.toml"), BEFORE_COMMITS).unwrap();
        work.prompt();
        let told = work.script("echo two > src/lib.txt; git add -A; git commit -qm two");
        assert!(told.stdout.contains("The end of the turn will ask for it"), "{about}: {told:?}");
        let held = work.held_and_released(about);
        assert!(held.contains("was not seen to pass on commit"), "{about}: {held}");
        assert!(!held.contains("check out"), "{about}: {held}");
        work.prompt();
        work.script("git commit -q --amend -m reworded");
        assert_eq!(work.stop(), None, "{about}: the content is the proven one");
    }
}

#[test]
fn thirty_commits_that_were_proven_may_be_rebased_and_others_are_counted() {
    let commits =
        "for i in $(seq 30); do echo $i > src/$i.txt; git add -A; git commit -qm $i; done";
    let make = format!(
        "{START}; git checkout -q -b topic; {commits}; git checkout -q main; echo m > src/m.txt; git add -A; \
         git commit -qm m; git checkout -q topic"
    );
    let work = Work::made(&make);
    fs::write(work.cwd.join("waypost.toml"), BEFORE_COMMITS).unwrap();
    work.prompt();
    work.bash("./check.sh");
    work.script("git rebase -q main");
    assert_eq!(work.stop(), None, "each of them is what passed");
    let work = Work::made(&make);
    fs::write(work.cwd.join("waypost.toml"), BEFORE_COMMITS).unwrap();
    work.prompt();
    work.script("git rebase -q main");
    let held = work.held_and_released("unproven");
    assert!(held.contains("more commits"), "{held}");
}

#[test]
fn a_pull_that_rebases_what_was_proven_holds_nobody() {
    let make = format!(
        "{START}; git clone -q --bare . ../origin.git; git remote add origin ../origin.git; git fetch -q; \
         git branch -q -u origin/main; git clone -q ../origin.git ../theirs; cd ../theirs; echo t > src/t.txt; \
         git add -A; git commit -qm theirs; git push -q origin main"
    );
    for pull in ["git pull -q --rebase", "git pull -q --no-rebase --no-edit"] {
        let work = Work::made(&make);
        fs::write(work.cwd.join("waypost.toml"), BEFORE_COMMITS).unwrap();
        work.prompt();
        work.bash("echo two > src/lib.txt");
        work.bash("./check.sh");
        assert_eq!(work.bash("git commit -qam two").denied(), None);
        assert_eq!(
            work.bash(&format!("{pull} && git push -q origin main")).denied(),
            None,
            "{pull}"
        );
        assert_eq!(work.stop(), None, "{pull}");
    }
}

#[test]
fn a_submodule_is_committed_in_and_its_link_after_one_run() {
    let make = format!(
        "git init -q ../library; cp -r src ../library; git -C ../library add -A; git -C ../library commit -qm l; {START}; \
         git -c protocol.file.allow=always submodule --quiet add ../library lib; git commit -qm lib"
    );
    let work = Work::made(&make);
    work.bash("echo two > lib/src/lib.txt");
    let held = work.held_and_released("an edit in it");
    assert!(held.contains("lib/src/lib.txt"), "{held}");
    work.prompt();
    work.script("git -C lib commit -qam inner; git commit -qam outer");
    assert_eq!(work.stop(), None, "it is what passed");
    work.prompt();
    work.script(
        "cd lib; git checkout -q -b side; echo three > src/lib.txt; git commit -qam hidden",
    );
    work.held_and_released("a commit in it");
    work.prompt();
    work.script(
        "cd lib; echo four > src/lib.txt; git commit -qam inner; cd ..; git commit -qam outer",
    );
    work.held_and_released("a commit in it and of its link");
}
