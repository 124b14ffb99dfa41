//! Repositories of every kind: what an agent changes and commits is held and released alike in each of them, and whoever
//! does the right thing is never held.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod commits;
mod work;

use std::fs;

use serde_json::json;

use work::{START, Work};

#[test]
fn repositories_that_git_keeps_in_other_ways_are_like_any_other() {
    for (about, make) in [
        ("files", START),
        ("reftable", "git init -q -b main --ref-format=reftable; git add -A; git commit -qm start"),
        ("sha256", "git init -q -b main --object-format=sha256; git add -A; git commit -qm start"),
        (
            "reftable and sha256",
            "git init -q -b main --ref-format=reftable --object-format=sha256; git add -A; git commit -qm start",
        ),
        (
            "packed",
            "git init -q -b main; git add -A; git commit -qm start; git pack-refs --all --prune; git gc -q",
        ),
        (
            "a shallow clone",
            "git init -q -b main; git add -A; git commit -qm start; git commit -q --allow-empty -m more; \
             git clone -q --depth=1 file://$PWD ../copy; rm -rf .git; mv ../copy/.git .git",
        ),
    ] {
        Work::made(make).is_like_any_other(about);
    }
}

#[test]
fn a_repository_without_a_commit_is_like_any_other() {
    let work = Work::made("git init -q -b main");
    work.bash("echo two > src/lib.txt");
    work.held_and_released("an edit");
    assert_eq!(work.bash("git add -A && git commit -qm first").denied(), None);
    assert_eq!(work.stop(), None);
    let work = Work::made("git init -q -b main");
    work.script("echo two > src/lib.txt; git add -A; git commit -qm first");
    work.held_and_released("a first commit by a script");
    let work = Work::made("git init -q -b main");
    work.script("git add -A; git commit -qm first");
    work.held_and_released("a first commit of what was there");
}

#[test]
fn names_with_spaces_quotes_and_other_alphabets_are_no_matter() {
    for name in [
        "mit Leerzeichen",
        "ünïcödé 漢字",
        "it's $HOME `x` \"q\"",
        "-dash",
        "a;b&c:d",
        "back\\slash",
    ] {
        let work = Work::made_in(name, START, "");
        work.is_like_any_other(name);
        work.prompt();
        let tree = work.env.home().join(format!("{name} zwei"));
        work.env.git(&["worktree", "add", "-q", "-b", "two", &tree.to_string_lossy()]);
        let file = tree.join("src/lib.txt");
        let fields = json!({"tool_name": "Write", "tool_use_id": "w",
            "tool_input": {"file_path": file, "content": "x"}, "tool_response": {}});
        assert_eq!(work.hook("PreToolUse", &fields).denied(), None);
        fs::write(&file, "five\n").unwrap();
        work.hook("PostToolUse", &fields);
        work.held_and_released(name);
    }
}

#[test]
fn a_project_that_is_reached_through_a_link_is_the_same() {
    let make = format!("{START}; ln -s project ../link");
    let work = Work::made_in("", &make, "../link");
    work.is_like_any_other("through a link");
    work.prompt();
    let file = work.env.project().join("src/lib.txt");
    let fields = json!({"tool_name": "Write", "tool_use_id": "w",
        "tool_input": {"file_path": file, "content": "x"}, "tool_response": {}});
    work.hook("PreToolUse", &fields);
    fs::write(&file, "five\n").unwrap();
    work.hook("PostToolUse", &fields);
    work.held_and_released("by its real path");
}

#[test]
fn a_bare_repository_with_linked_work_trees_is_like_any_other() {
    for (about, make) in [
        (
            "beside it",
            "git init -q -b main tmp; cp -r src check.sh tmp; cd tmp; git add -A; git commit -qm start; cd ..; \
             git clone -q --bare tmp one.git; git -C one.git worktree add -q ../one main; rm -rf tmp",
        ),
        (
            "around it",
            "git init -q -b main tmp; cp -r src check.sh tmp; cd tmp; git add -A; git commit -qm start; cd ..; \
             git clone -q --bare tmp .bare; echo 'gitdir: ./.bare' > .git; git worktree add -q one main; rm -rf tmp",
        ),
    ] {
        let work = Work::made_in("", make, "one");
        work.is_like_any_other(about);
        work.prompt();
        work.bash("git worktree add -q ../two -b two");
        work.bash("cd ../two && echo five > src/lib.txt");
        let held = work.held_and_released(about);
        assert!(held.contains("cd ") && held.contains("/two "), "{about}: {held}");
    }
}

#[test]
fn a_conversation_in_a_subfolder_is_told_what_works_there() {
    let work = Work::made_in("", START, "src");
    work.bash("echo two > lib.txt");
    work.held_and_released("an edit");
    work.prompt();
    work.script("echo three > lib.txt; git commit -qam three");
    work.held_and_released("a commit");
    let tree = work.env.home().join("second");
    work.prompt();
    work.bash(&format!("git worktree add -q {} -b second", tree.display()));
    work.bash(&format!("cd {}/src && echo two > lib.txt", tree.display()));
    work.held_and_released("elsewhere");
}

#[test]
fn a_linked_work_tree_as_home_answers_for_the_main_one() {
    let make = format!("{START}; git worktree add -q ../home2 -b two");
    let work = Work::made_in("", &make, "../home2");
    work.is_like_any_other("at home");
    work.prompt();
    let main = work.env.project().display().to_string();
    work.bash(&format!("echo five > {main}/src/lib.txt"));
    let held = work.held_and_released("in the main one");
    assert!(held.contains(&format!("cd {main} && ")), "{held}");
    work.prompt();
    work.script(&format!("cd {main}; echo six > src/lib.txt; git commit -qam six"));
    work.held_and_released("a commit in the main one");
}

#[test]
fn a_work_tree_that_is_moved_is_asked_where_it_is_now() {
    let work = Work::made(&format!("{START}; git worktree add -q ../second -b two"));
    work.bash("cd ../second && echo two > src/lib.txt");
    work.bash("git worktree move ../second ../third");
    let held = work.held_and_released("moved");
    assert!(held.contains("/third && "), "{held}");
}

#[test]
fn what_is_changed_in_a_work_tree_by_the_line_that_makes_it_is_found() {
    for line in [
        "git worktree add -q ../second -b two && cd ../second && echo two > src/lib.txt",
        "git worktree add -q ../second -b two && echo two > ../second/src/lib.txt",
    ] {
        let work = Work::made(START);
        work.bash(line);
        let held = work.held_and_released(line);
        assert!(held.contains("/second && "), "{line}: {held}");
    }
    let work = Work::made(START);
    work.bash("git worktree add -q ../second -b two && ls ../second");
    assert_eq!(work.stop(), None, "nothing was changed in it");
}

#[test]
fn gates_know_the_branch_wherever_refs_are_kept() {
    for format in ["files", "reftable"] {
        let work = Work::made(&format!(
            "git init -q -b main --ref-format={format}; git add -A; git commit -qm start"
        ));
        let gate = "[project]\n\n[[gate]]\nid = \"off-main\"\nbefore = [\"commit\"]\n\
            proof = { git = \"off main\" }\n";
        fs::write(work.cwd.join("waypost.toml"), gate).unwrap();
        work.prompt();
        assert!(work.bash("git commit -q --allow-empty -m x").denied().is_some(), "{format}");
        work.bash("git checkout -q -b side");
        assert_eq!(work.bash("git commit -q --allow-empty -m x").denied(), None, "{format}");
        assert_eq!(work.stop(), None, "{format}");
        work.prompt();
        let told = work.script("git checkout -q main; git commit -q --allow-empty -m other");
        assert!(told.stdout.contains("off-main"), "{format}: told at once: {told:?}");
        let held = work.stop().unwrap();
        assert!(held.contains("off-main"), "{format}: {held}");
    }
}
