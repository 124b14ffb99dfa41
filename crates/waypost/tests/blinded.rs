//! Edits that git was told not to see: evidence of before them is stale and the file is named. And what only looks
//! like an edit: evidence stays as fresh as it was.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs::{self, FileTimes};
use std::os::unix::fs::PermissionsExt;

use waypost_testkit::{TestEnv, everything};

const GATE: &str = "[[gate]]\nid = \"checks\"\nbefore = [\"stop\", \"commit\"]\n\
                    proof = { ran = \"./check.sh\", fresh = \"tree\" }\n";

/// A project whose check passed on what `prepare` made of it.
fn proven(prepare: impl FnOnce(&TestEnv)) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write("check.sh", "#!/bin/sh\necho 3 checks passed\n");
    let check = env.project().join("check.sh");
    fs::set_permissions(check, fs::Permissions::from_mode(0o755)).unwrap();
    env.write("src/a.txt", "one\n");
    env.write("left/b.txt", "one\n");
    env.init_with(GATE);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "set up"]);
    prepare(&env);
    env.ok_at_terminal(&["trust", "config"]);
    env.ok(&["start", "--objective", "work"]);
    env.begin();
    env.edit("src/own.txt", "mine\n");
    let ran = env.waypost(&["run", "--gate", "checks"]);
    assert!(ran.status.success(), "{}", everything(&ran));
    env
}

/// Changes a file and leaves its length and its time as they were.
fn change(env: &TestEnv, name: &str) {
    let path = env.project().join(name);
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let text = env.read(name).replace("one", "two");
    fs::write(&path, text).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_times(FileTimes::new().set_modified(modified)).unwrap();
}

/// Why a commit would be denied now, if it would.
fn denied(env: &TestEnv) -> Option<String> {
    env.before_bash("git commit -m x", "commit").denied()
}

#[track_caller]
fn is_stale(env: &TestEnv, named: &str, way: &str) {
    let held = denied(env).unwrap_or_default();
    assert!(held.contains("the work tree changed since the run"), "{way}: {held}");
    assert!(held.contains(named), "{way}: {held}");
    // The step that is named is the way out.
    assert!(held.contains("waypost run --gate checks"), "{way}: {held}");
    let ran = env.waypost(&["run", "--gate", "checks"]);
    assert!(ran.status.success(), "{way}: {}", everything(&ran));
    assert_eq!(denied(env), None, "{way}");
}

#[track_caller]
fn is_fresh(env: &TestEnv, way: &str) {
    assert_eq!(denied(env), None, "{way}");
}

#[test]
fn an_edit_is_seen_and_named_whatever_git_was_told() {
    type Way = (&'static str, fn(&TestEnv));
    let ways: &[Way] = &[
        ("assume-unchanged", |env| {
            drop(env.git(&["update-index", "--assume-unchanged", "src/a.txt"]));
        }),
        ("skip-worktree", |env| drop(env.git(&["update-index", "--skip-worktree", "src/a.txt"]))),
        ("times", |env| {
            env.git(&["config", "core.trustctime", "false"]);
            env.git(&["config", "core.checkStat", "minimal"]);
        }),
        ("a filter of the user's own", |env| {
            env.git(&["config", "filter.old.clean", "git show HEAD:%f"]);
            env.write(".git/info/attributes", "src/** filter=old\n");
        }),
        ("attributes elsewhere", |env| {
            env.git(&["config", "filter.old.clean", "git show HEAD:%f"]);
            env.write(".git/rules", "a.txt filter=old\n");
            env.git(&["config", "core.attributesFile", ".git/rules"]);
        }),
        ("another work tree", |env| {
            env.write(".git/other/src/a.txt", "one\n");
            let other = env.project().join(".git/other");
            env.git(&["config", "core.worktree", other.to_str().unwrap()]);
        }),
    ];
    for (way, hide) in ways {
        let env = proven(|_| {});
        hide(&env);
        change(&env, "src/a.txt");
        is_stale(&env, "src/a.txt", way);
    }
}

#[test]
fn an_edit_is_seen_that_a_filter_hides_which_was_there_before() {
    let env = proven(|env| {
        env.git(&["config", "filter.old.clean", "git show HEAD:%f"]);
        env.write(".git/info/attributes", "src/a.txt filter=old\n");
    });
    is_fresh(&env, "nothing was edited");
    change(&env, "src/a.txt");
    assert!(!env.git(&["status", "--short", "src/a.txt"]).contains("a.txt"), "git sees nothing");
    is_stale(&env, "src/a.txt", "a filter");
}

#[test]
fn what_a_sparse_checkout_leaves_out_is_no_edit_until_it_is_there() {
    for mode in ["--cone", "--no-cone"] {
        let env = proven(|_| {});
        env.git(&["sparse-checkout", "set", mode, "src"]);
        env.write("check.sh", "#!/bin/sh\necho 3 checks passed\n");
        let check = env.project().join("check.sh");
        fs::set_permissions(check, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(!env.project().join("left/b.txt").exists());
        is_fresh(&env, mode);
        env.write("left/b.txt", "two\n");
        is_stale(&env, "left/b.txt", mode);
    }
}

#[test]
fn rules_of_the_users_own_that_changed_are_named() {
    let env = proven(|env| env.write("seen.txt", "x"));
    env.write(".git/info/exclude", "seen.txt\n");
    is_stale(&env, ".git/info/exclude (private ignore rules)", "a file of before");
    env.write(".git/rules", "hidden.txt\n");
    let rules = env.project().join(".git/rules");
    env.git(&["config", "core.excludesFile", rules.to_str().unwrap()]);
    env.write("hidden.txt", "x");
    is_stale(&env, "/rules (private ignore rules)", "a new file");
}

#[test]
fn rules_of_the_users_own_that_stay_are_no_matter() {
    let env = proven(|env| {
        let rules = env.home().join(".config/git/ignore");
        fs::create_dir_all(rules.parent().unwrap()).unwrap();
        fs::write(rules, "*.swp\n.DS_Store\n").unwrap();
        env.write(".git/info/exclude", "notes/\n");
    });
    env.write("src/.a.swp", "x");
    env.write("notes/today", "x");
    is_fresh(&env, "ignored as before");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "work"]);
    is_fresh(&env, "committed");
    // What keeps the client's own settings out of commits leaves out nothing else.
    env.write(".git/info/exclude", "notes/\n**/.claude/settings.local.json\n");
    is_fresh(&env, "a line that Waypost might have written");
}

#[test]
fn a_submodule_counts_by_what_is_in_it() {
    let env = proven(|env| {
        let library = env.home().join("library");
        fs::create_dir_all(&library).unwrap();
        fs::write(library.join("lib.c"), "one\n").unwrap();
        let from = library.to_str().unwrap();
        let who = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-C", from];
        for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-q", "-m", "x"]] {
            env.git(&[&who[..], args].concat());
        }
        let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q", from, "lib"];
        env.git(&add);
        env.git(&["commit", "-q", "-m", "library"]);
    });
    change(&env, "lib/lib.c");
    is_stale(&env, "lib/lib.c", "an edit");
    env.git(&["-C", "lib", "-c", "user.name=n", "-c", "user.email=n@x.y", "commit", "-qam", "two"]);
    is_fresh(&env, "committed in the submodule");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "moved"]);
    is_fresh(&env, "committed around it");
}

#[test]
fn a_repository_without_commits_is_no_dead_end() {
    let env = proven(|env| {
        env.write("tools/new/file", "one\n");
        env.git(&["init", "-q", "tools/new"]);
    });
    is_fresh(&env, "it is there");
    change(&env, "tools/new/file");
    is_stale(&env, "tools/new/file", "an edit");
}

#[test]
fn a_work_tree_in_the_work_tree_is_another_content() {
    let env = proven(|_| {});
    env.git(&["worktree", "add", "-q", ".claude/worktrees/x", "-b", "x"]);
    is_fresh(&env, "it was made");
    env.write(".claude/worktrees/x/src/a.txt", "two\n");
    is_fresh(&env, "something was edited there");
}

#[test]
fn filters_and_line_ends_that_everyone_has_leave_evidence_fresh() {
    let env = proven(|env| {
        env.write(".gitattributes", "*.bin filter=big\n*.txt text eol=lf\n");
        env.git(&["config", "filter.big.clean", "sha1sum"]);
        env.git(&["config", "filter.big.required", "true"]);
        env.write("data.bin", "one\n");
    });
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "data"]);
    is_fresh(&env, "committed");
    env.write("src/a.txt", "one\r\n");
    is_fresh(&env, "the line ends are not what is stored");
    change(&env, "data.bin");
    is_stale(&env, "data.bin", "an edit");
}
