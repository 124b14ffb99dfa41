//! Git's `reference-transaction` hook: how it comes and goes, what it notes, whom it refuses what, and that it stops
//! nobody else.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};
use waypost_testkit::picture::Picture;
use waypost_testkit::{TestEnv, everything};

const HOOK: &str = ".git/hooks/reference-transaction";

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_waypost"))
}

/// A project with a gate before commits that nothing has met, all of it committed.
fn set_up() -> TestEnv {
    let env = env();
    env.init_with(waypost_testkit::GATE);
    env
}

/// The same, with an agent that has changed something.
fn with_agent() -> TestEnv {
    let env = set_up();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env
}

fn git(env: &TestEnv, cwd: &Path, args: &[&str]) -> Output {
    env.command("git", cwd).args(args).output().unwrap()
}

fn executable(env: &TestEnv, path: &str, content: &str) {
    env.write(path, content);
    fs::set_permissions(env.project().join(path), fs::Permissions::from_mode(0o755)).unwrap();
}

/// What was noted of branches, the oldest first.
fn noted(env: &TestEnv) -> Vec<Value> {
    let folder = env.home().join(".local/state/waypost/activity/refs");
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let text: String =
        entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn link(env: &TestEnv) -> PathBuf {
    fs::read_link(env.project().join(HOOK)).unwrap()
}

#[test]
fn init_puts_a_link_there_once_and_remove_leaves_everything_as_it_was() {
    let env = env();
    let before = Picture::of(&[env.project()]);
    env.ok(&["init", "--test-command", "none"]);
    assert_eq!(link(&env), env.binary());
    let again = env.ok(&["init"]);
    assert!(again.contains("reference-transaction already there"), "{again}");
    assert!(!env.project().join(".git/hooks/pre-commit").exists(), "people are not asked");
    env.ok(&["init", "--remove"]);
    let changes = before.changes(&Picture::of(&[env.project()]));
    let ours = |change: &&String| !change.contains("/.git/waypost");
    assert_eq!(changes.iter().filter(ours).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn whoever_declines_it_is_not_asked_again_and_doctor_says_so() {
    let env = set_up();
    env.ok(&["init", "--git-hooks"]);
    env.ok(&["init", "--no-git-hooks"]);
    for name in ["reference-transaction", "pre-commit", "pre-push"] {
        assert!(!env.project().join(".git/hooks").join(name).exists(), "{name}");
    }
    let again = everything(&env.waypost(&["init"]));
    assert!(again.contains("as --no-git-hooks said"), "{again}");
    assert!(!env.project().join(HOOK).exists());
    let told = env.ok(&["doctor"]);
    assert!(told.contains("git does not call Waypost, as --no-git-hooks said"), "{told}");
    env.ok(&["init", "--git-hooks"]);
    assert_eq!(link(&env), env.binary());
    assert!(!env.waypost(&["init", "--git-hooks", "--no-git-hooks"]).status.success());
}

#[test]
fn folders_that_are_committed_or_serve_others_are_left_alone_and_an_ignored_one_is_not() {
    for (folder, ignored, says) in [
        (".githooks".to_owned(), None, Some("there to be committed")),
        (".husky".to_owned(), Some((".husky/.gitignore", "_\n")), Some("there to be committed")),
        (".husky/_".to_owned(), Some((".husky/_/.gitignore", "*\n")), None),
        ("/elsewhere".to_owned(), None, Some("outside of this repository")),
    ] {
        let env = env();
        let folder = match folder.strip_prefix('/') {
            Some(name) => env.home().join(name),
            None => env.project().join(&folder),
        };
        fs::create_dir_all(&folder).unwrap();
        if let Some((path, content)) = ignored {
            env.write(path, content);
        }
        env.git(&["config", "core.hooksPath", folder.to_str().unwrap()]);
        let before = Picture::of(&[&folder]);
        let output = env.waypost(&["init", "--test-command", "none"]);
        assert!(output.status.success(), "{}", everything(&output));
        let told = everything(&output);
        assert_eq!(folder.join("reference-transaction").exists(), says.is_none(), "{told}");
        let Some(says) = says else { continue };
        assert!(told.contains(says), "{told}");
        assert_eq!(before.changes(&Picture::of(&[&folder])), Vec::<String>::new());
        let doctor = everything(&env.waypost(&["doctor"]));
        assert!(doctor.contains(says), "{doctor}");
    }
}

#[test]
fn a_hook_that_was_there_and_does_not_say_who_reads_it_is_the_shells_as_with_git() {
    let env = env();
    executable(&env, HOOK, "echo \"$0 $1\" >> .git/heard\n[ ! -e .git/no ]\n");
    let commit = || git(&env, env.project(), &["commit", "-q", "--allow-empty", "-m", "x"]);
    assert!(commit().status.success());
    let plain = env.read(".git/heard").lines().count();
    assert!(plain > 0, "git itself runs it");
    env.ok(&["init", "--test-command", "none"]);
    fs::remove_file(env.project().join(".git/heard")).unwrap();
    assert!(commit().status.success());
    assert_eq!(env.read(".git/heard").lines().count(), plain);
    env.write(".git/no", "");
    assert!(everything(&commit()).contains("aborted by hook"));
}

#[test]
fn a_hook_that_was_there_runs_first_with_the_same_words_and_its_no_counts() {
    let env = env();
    let hook = "#!/bin/sh\n{ echo \"$1\"; cat; } >> .git/heard\n[ ! -e .git/no ]\n";
    executable(&env, HOOK, hook);
    env.ok(&["init", "--test-command", "none"]);
    env.git(&["commit", "-q", "--allow-empty", "-m", "heard"]);
    let heard = env.read(".git/heard");
    let commit = env.git(&["rev-parse", "HEAD"]);
    for line in ["prepared\n", "committed\n", &format!(" {} refs/heads/main\n", commit.trim())] {
        assert!(heard.contains(line), "{heard}");
    }
    assert_eq!(noted(&env).len(), 1);
    env.write(".git/no", "");
    let refused = git(&env, env.project(), &["commit", "-q", "--allow-empty", "-m", "no"]);
    assert!(everything(&refused).contains("aborted by hook"), "{}", everything(&refused));
    assert_eq!(env.git(&["rev-parse", "HEAD"]), commit);
    env.ok(&["init", "--remove"]);
    assert_eq!(env.read(HOOK), hook);
    assert!(!env.project().join(format!("{HOOK}.before-waypost")).exists());
}

#[test]
fn without_the_program_git_goes_on_and_doctor_tells_what_is_wrong_with_the_hook() {
    let env = set_up();
    let hook = env.project().join(HOOK);
    let says = |expected: &str| {
        let told = everything(&env.waypost(&["doctor"]));
        assert!(told.contains(expected), "{expected}: {told}");
    };
    says("git tells Waypost of commits");
    fs::remove_file(&hook).unwrap();
    says("reference-transaction is gone");
    symlink(env.home().join("gone/waypost"), &hook).unwrap();
    env.git(&["commit", "-q", "--allow-empty", "-m", "the program is gone"]);
    says("which is gone or no program");
    fs::remove_file(&hook).unwrap();
    executable(&env, HOOK, "#!/bin/sh\n");
    says("is not Waypost's");
    env.ok(&["init"]);
    says("git tells Waypost of commits");
    env.git(&["config", "core.hooksPath", "/dev/null"]);
    says("told to look for hooks elsewhere");
}

#[test]
fn what_happens_to_branches_is_noted_with_the_command_and_the_conversation() {
    let mut env = set_up();
    env.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    env.git(&["tag", "v1"]);
    env.git(&["clone", "-q", "--bare", ".", "../remote.git"]);
    env.git(&["remote", "add", "origin", "../remote.git"]);
    env.git(&["fetch", "-q", "origin"]);
    env.git(&["fetch", "-q", ".", "main:copied"]);
    env.vars.push(("CLAUDE_CODE_SESSION_ID".into(), "s9".into()));
    env.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    let side = env.project().join("../side");
    assert!(git(&env, &side, &["commit", "-q", "--allow-empty", "-m", "x"]).status.success());
    env.git(&["push", "-q", "origin", "side"]);
    env.git(&["branch", "-D", "copied"]);
    let told: Vec<Value> = noted(&env)
        .iter()
        .map(|one| {
            json!([one["ref"], one["by"], one["from_here"], one["worktree"], one["conversation"]])
        })
        .collect();
    let none = Value::Null;
    let expected = [
        json!(["refs/heads/main", "commit", none, none, none]),
        json!(["refs/remotes/origin/main", "fetch", none, none, none]),
        json!(["refs/heads/copied", "fetch", true, none, none]),
        json!(["refs/heads/side", "branch", none, none, "s9"]),
        json!(["refs/heads/side", "commit", none, "side", "s9"]),
        json!(["refs/remotes/origin/side", "push", none, none, "s9"]),
        json!(["refs/heads/copied", "branch", none, none, "s9"]),
    ];
    assert_eq!(told, expected);
    let (first, last) = (&noted(&env)[0], &noted(&env)[6]);
    assert_eq!(first["new"].as_str(), Some(env.git(&["rev-parse", "main"]).trim()));
    assert_eq!((first["old"].is_string(), last["new"].is_null()), (true, true));
}

#[test]
fn nothing_is_noted_where_waypost_was_taken_out_or_never_was() {
    let env = set_up();
    let hook = link(&env);
    env.ok(&["init", "--remove"]);
    symlink(&hook, env.project().join(HOOK)).unwrap();
    env.git(&["commit", "-q", "--allow-empty", "-m", "taken out"]);
    let clone = env.clone_as("other");
    symlink(&hook, clone.join(HOOK)).unwrap();
    assert!(git(&env, &clone, &["commit", "-q", "--allow-empty", "-m", "never"]).status.success());
    assert_eq!(noted(&env), Vec::<Value>::new());
}

#[test]
fn an_agents_unproven_commit_is_refused_however_it_is_made_and_changes_nothing() {
    let env = with_agent();
    executable(&env, "../release.sh", "#!/bin/sh\ngit commit -q --no-verify -am released\n");
    env.write("../Makefile", "release:\n\t@git commit -q -am made\n");
    env.git(&["config", "alias.ci", "commit -q"]);
    env.git(&["config", "alias.sci", "!git commit -q"]);
    let head = env.git(&["rev-parse", "HEAD"]);
    let plumbing = "git add -A && git update-ref refs/heads/main $(git commit-tree -p HEAD -m x $(git write-tree))";
    let elsewhere = "git add -A && git update-ref refs/heads/hidden $(git commit-tree -p HEAD -m x $(git write-tree))";
    let pushed = "git clone -q . ../c && cp src/lib.txt ../c/src && git -C ../c commit -qam x && git -C ../c push -q origin HEAD:late";
    for line in [
        "git commit -q -am x",
        "git commit -q --no-verify -am x",
        "git commit -q --amend --no-edit -a",
        "../release.sh",
        "make -f ../Makefile release",
        "git ci -am x",
        "git sci -am x",
        "python3 -c 'import subprocess,sys; sys.exit(subprocess.call([\"git\",\"commit\",\"-qam\",\"x\"]))'",
        plumbing,
        elsewhere,
        pushed,
    ] {
        env.git(&["reset", "-q"]);
        let output = env.command("sh", env.project()).args(["-c", line]).output().unwrap();
        let told = everything(&output);
        assert!(!output.status.success(), "{line}: {told}");
        assert!(told.contains("Waypost holds this commit"), "{line}: {told}");
        assert!(told.contains("Next: waypost run -- ./check.sh"), "{line}: {told}");
        assert_eq!(env.git(&["rev-parse", "HEAD"]), head, "{line}");
        assert_eq!(env.git(&["branch", "--list", "hidden", "late"]), "", "{line}");
    }
    env.git(&["reset", "-q"]);
    env.ok(&["run", "--", "./check.sh"]);
    env.git(&["commit", "-q", "-am", "proven"]);
    assert_ne!(env.git(&["rev-parse", "HEAD"]), head);
}

#[test]
fn what_git_does_in_several_steps_is_never_refused() {
    let env = with_agent();
    env.git(&["stash", "-q"]);
    for line in [
        "git checkout -q -b side HEAD~1 && git cherry-pick main && git switch -q main",
        "git revert --no-edit HEAD",
        "GIT_EDITOR=true git revert --edit HEAD",
        "git merge -q --no-ff -m x side",
        "git format-patch -q -1 --stdout side > ../p && git reset -q --hard HEAD~1 && git am -q -3 ../p || git am --skip",
        "git rebase -q --force-rebase HEAD~1",
        "git branch rescue ORIG_HEAD",
        "git stash branch taken",
    ] {
        let output = env.command("sh", env.project()).args(["-c", line]).output().unwrap();
        assert!(output.status.success(), "{line}: {}", everything(&output));
    }
}

#[test]
fn an_agent_that_came_from_the_main_work_tree_is_held_in_a_linked_one() {
    let env = set_up();
    env.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    env.begin();
    let side = env.project().join("../side");
    fs::write(side.join("src/lib.txt"), "two\n").unwrap();
    let output = git(&env, &side, &["commit", "-q", "-am", "x"]);
    assert!(everything(&output).contains("Waypost holds this commit"), "{}", everything(&output));
}

#[test]
fn people_and_other_repositories_are_not_held_and_doubt_holds_nobody() {
    let env = with_agent();
    let other = env.home().join("other");
    fs::create_dir(&other).unwrap();
    for args in [&["init", "-q"][..], &["commit", "-q", "--allow-empty", "-m", "x"]] {
        assert!(git(&env, &other, args).status.success());
    }
    let key = fs::read(env.key_file()).unwrap();
    fs::remove_file(env.key_file()).unwrap();
    env.git(&["commit", "-q", "-am", "who calls cannot be told"]);
    fs::write(env.key_file(), key).unwrap();
    fs::set_permissions(env.key_file(), fs::Permissions::from_mode(0o600)).unwrap();
    env.hook("SessionEnd", &json!({"reason": "exit"}));
    env.write("src/lib.txt", "a person's\n");
    env.git(&["commit", "-q", "-am", "nobody else is here"]);
}

#[test]
fn agents_may_not_take_the_hook_away() {
    let env = with_agent();
    let hook = env.project().join(HOOK);
    assert!(env.before_edit(&hook).denied().is_some());
    assert!(env.before_bash(&format!("rm {HOOK}"), "rm").denied().is_some());
    assert!(env.before_bash(&format!("mv {HOOK} /tmp/x"), "mv").denied().is_some());
    for line in ["rm -rf .git/hooks", "rm .git/hooks/*", "find .git/hooks -type l -delete"] {
        assert!(env.before_bash(line, "all").denied().is_some(), "{line}");
    }
    for line in ["ls .git/hooks", "cp check.sh .git/hooks/pre-push", "rm .git/hooks/pre-push"] {
        assert_eq!(env.before_bash(line, "own").denied(), None, "{line}");
    }
    env.ok(&["init", "--no-git-hooks"]);
    assert_eq!(env.before_bash("rm -rf .git/hooks", "none of ours").denied(), None);
}
