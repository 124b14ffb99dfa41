//! Commits are found by facts, however they are made: recorded with their hash, held for at the stop while their
//! content was never proven, and released by proving it. What was fetched, and what others made, holds nobody.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;

use serde_json::{Value, json};
use waypost_testkit::TestEnv;

const GATE: &str = "[[gate]]\nid = \"checks\"\nbefore = [\"commit\"]\n\
    proof = { ran = \"./check.sh\", fresh = \"tree\" }\n";

/// A project whose commits are asked about by Waypost's hooks alone: git's own is declined, so that what it would have
/// refused gets as far as the stop.
struct Quietly {
    env: TestEnv,
}

impl Quietly {
    fn new() -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.init_with(GATE);
        env.ok(&["init", "--no-git-hooks"]);
        fs::remove_file(env.project().join(".git/hooks/reference-transaction")).ok();
        env.git(&["add", "-A"]);
        env.git(&["commit", "-q", "-m", "set up"]);
        env.begin();
        Self { env }
    }

    /// Runs a line with the hooks around it; the script hides from the hook what it does.
    fn script(&self, lines: &str) {
        let path = self.env.home().join("script.sh");
        fs::write(&path, format!("set -e\n{lines}\n")).unwrap();
        let line = format!("sh {}", path.display());
        let fields = json!({"tool_name": "Bash", "tool_use_id": "s", "tool_input": {"command": line},
            "tool_response": {"stdout": ""}});
        assert_eq!(self.env.hook("PreToolUse", &fields).denied(), None, "{lines}");
        let output = self.env.command("sh", self.env.project()).arg(&path).output().unwrap();
        assert!(output.status.success(), "{lines}: {output:?}");
        self.env.hook("PostToolUse", &fields);
    }

    fn commits(&self) -> Vec<Value> {
        let events = self.env.json(&["history", "--json"])["events"].as_array().unwrap().clone();
        let commits = events.into_iter().map(|entry| entry["event"].clone());
        commits.filter(|event| event["type"] == "commit_added").collect()
    }

    fn head(&self) -> String {
        self.env.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    fn held(&self) -> Option<String> {
        self.env.stop().held()
    }
}

#[test]
fn a_commit_is_recorded_and_held_for_however_it_was_made() {
    for (way, lines) in [
        ("a script", "echo 2 > src/lib.txt; git commit -qam x"),
        (
            "plumbing",
            "echo 2 > src/lib.txt; git add -A; t=$(git write-tree); \
             c=$(git commit-tree $t -p HEAD -m x); git update-ref refs/heads/main $c",
        ),
        (
            "a merge with a change of its own",
            "git checkout -q -b topic; echo t > src/t.txt; git add -A; git commit -qm t; \
             git checkout -q main; git merge -q --no-ff --no-commit topic; echo e > src/evil.txt; \
             git add -A; git commit -qm m",
        ),
        (
            "a cherry-pick",
            "git checkout -q -b topic; echo t > src/t.txt; git add -A; git commit -qm t; \
             git checkout -q main; git cherry-pick topic; git branch -qD topic",
        ),
        (
            "a revert",
            "echo 2 > src/lib.txt; git commit -qam x; git revert --no-edit HEAD; git reset -q --hard HEAD~1",
        ),
        (
            "am",
            "echo 2 > src/lib.txt; git commit -qam x; git format-patch -q -1 -o ../patches; \
             git reset -q --hard HEAD~1; git am -q ../patches/*.patch",
        ),
        (
            "fast-import",
            "printf 'blob\\nmark :1\\ndata 2\\n9\\ncommit refs/heads/imported\\ncommitter A <a@x> 1700000000 +0000\\ndata 1\\nx\\nfrom refs/heads/main\\nM 644 :1 src/lib.txt\\n' | git fast-import --quiet",
        ),
        (
            "another branch, left at once",
            "git checkout -q -b side; echo 2 > src/lib.txt; git commit -qam x; git checkout -q main",
        ),
        (
            "no hooks",
            "echo 2 > src/lib.txt; git -c core.hooksPath=/dev/null commit --no-verify -qam x",
        ),
        ("an amended commit", "echo 2 > src/lib.txt; git commit -qa --amend --no-edit"),
    ] {
        let quietly = Quietly::new();
        quietly.script(lines);
        let held = quietly.held();
        let held = held.unwrap_or_else(|| panic!("{way} is not held"));
        assert!(
            held.contains("has content on which `./check.sh` was not seen to pass"),
            "{way}: {held}"
        );
        let recorded = quietly.commits();
        assert!(
            recorded.iter().any(|commit| commit["unproven"][0].is_string()),
            "{way}: {recorded:?}"
        );
        assert_eq!(recorded.iter().filter(|one| one["unruled"] != true).count(), 0, "{way}");
    }
}

#[test]
fn proving_its_content_or_that_of_the_tip_releases_the_stop() {
    let quietly = Quietly::new();
    quietly.script(
        "echo 2 > src/lib.txt; git commit -qam one; echo 3 > src/lib.txt; git commit -qam two",
    );
    let held = quietly.held().unwrap();
    assert!(held.contains("and 1 more commit"), "{held}");
    assert_eq!(quietly.env.bash("./check.sh", "c").status, 0);
    assert_eq!(quietly.held(), None, "the tip is proven, and what it stands on with it");
    assert_eq!(quietly.held(), None);
}

#[test]
fn what_was_proven_before_it_was_committed_is_proven() {
    let quietly = Quietly::new();
    quietly.env.edit("src/lib.txt", "two\n");
    quietly.env.edit("src/other.txt", "other\n");
    assert_eq!(quietly.env.bash("./check.sh", "c").status, 0);
    // In parts, in a script, with the rest left for later: all of it stood in what passed.
    quietly.script("git add src/lib.txt; git commit -qm lib");
    quietly.script("git add -A; git commit -qm rest");
    assert_eq!(quietly.held(), None);
    assert!(quietly.commits().iter().all(|commit| commit.get("unproven").is_none()));
}

#[test]
fn staged_content_that_never_stood_in_a_proven_tree_is_named() {
    let quietly = Quietly::new();
    quietly.env.edit("src/lib.txt", "staged\n");
    quietly.env.git(&["add", "-A"]);
    quietly.env.edit("src/lib.txt", "tested\n");
    assert_eq!(quietly.env.bash("./check.sh", "c").status, 0);
    let fields = json!({"tool_name": "Bash", "tool_use_id": "g",
        "tool_input": {"command": "git commit -qm x"}, "tool_response": {"stdout": ""}});
    assert_eq!(quietly.env.hook("PreToolUse", &fields).denied(), None);
    quietly.env.git(&["commit", "-q", "-m", "x"]);
    let told = quietly.env.hook("PostToolUse", &fields);
    assert!(told.stdout.contains("src/lib.txt"), "{told:?}");
    let held = quietly.held().unwrap();
    assert!(held.contains("commit these files as they are now, then run"), "{held}");
    quietly.script("git commit -qam tested");
    assert_eq!(quietly.held(), None);
}

#[test]
fn what_was_fetched_holds_nobody_and_what_was_pushed_still_does() {
    let quietly = Quietly::new();
    let env = &quietly.env;
    env.git(&["clone", "-q", "--bare", ".", "../origin.git"]);
    env.git(&["remote", "add", "origin", "../origin.git"]);
    env.git(&["fetch", "-q"]);
    env.git(&["branch", "-q", "--set-upstream-to=origin/main", "main"]);
    let others = env.home().join("others");
    let mut clone = env.command("git", env.project());
    let cloned = clone.args(["clone", "-q", "../origin.git"]).arg(&others).output().unwrap();
    assert!(cloned.status.success(), "{cloned:?}");
    let push = |name: &str| {
        let line = format!(
            "echo {name} > {name}.txt && git add -A && git -c user.name=O -c user.email=o@x \
             commit -qm {name} && git push -q origin HEAD:main"
        );
        let output = env.command("sh", &others).args(["-c", &line]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    push("theirs");
    quietly.script("git pull -q --ff-only");
    assert_eq!(quietly.held(), None, "a pull");
    push("more");
    quietly.script("git pull -q --ff-only ../origin.git main");
    assert_eq!(quietly.held(), None, "a pull by path");
    push("again");
    quietly.script("git fetch -q; git merge -q --ff-only origin/main");
    assert_eq!(quietly.held(), None, "a fetch, and a fast-forward");
    quietly.script("echo 2 > src/lib.txt; git commit -qam own; git push -q origin main");
    let tip = quietly.head();
    let held = quietly.held().unwrap();
    assert!(held.contains(&tip[..10]), "{held}");
    quietly.script("git fetch -q");
    assert!(quietly.held().is_some(), "it was not fetched, it was made here");
}

#[test]
fn a_ref_that_only_looks_fetched_is_not() {
    let quietly = Quietly::new();
    quietly.script(
        "echo 2 > src/lib.txt; git add -A; c=$(git commit-tree $(git write-tree) -p HEAD -m x); \
         git update-ref refs/remotes/origin/main $c; git reset -q --hard origin/main",
    );
    assert!(quietly.held().is_some());
}

#[test]
fn a_persons_commit_while_nothing_of_the_agent_runs_is_the_persons() {
    let quietly = Quietly::new();
    quietly.env.bash("true", "t");
    // The clock of git's log counts seconds: the person commits in another one than the agent's call ran in.
    let project = quietly.env.project();
    fs::write(project.join("src/lib.txt"), "by a person\n").unwrap();
    let later = "2033-05-18T03:33:20Z";
    let mut commit = quietly.env.command("git", project);
    commit.env("GIT_COMMITTER_DATE", later).args(["commit", "-qam", "by a person"]);
    assert!(commit.output().unwrap().status.success());
    assert_eq!(quietly.held(), None);
    assert!(quietly.commits().is_empty());
}

#[test]
fn switching_branches_resetting_and_stashing_make_no_commit() {
    let quietly = Quietly::new();
    quietly.env.git(&["branch", "-q", "old", "HEAD~1"]);
    quietly.script(
        "git checkout -q old; git checkout -q main; git branch -q new; git tag v1; \
         echo 2 > src/lib.txt; git stash -q; git stash drop -q; git reset -q --hard HEAD",
    );
    assert_eq!(quietly.held(), None);
    assert!(quietly.commits().is_empty());
}

#[test]
fn a_commit_that_no_branch_leads_to_any_more_is_not_asked_about() {
    let quietly = Quietly::new();
    quietly.script("echo 2 > src/lib.txt; git commit -qam x");
    assert!(quietly.held().is_some());
    quietly.script("git reset -q --hard HEAD~1");
    assert_eq!(quietly.held(), None);
}

#[test]
fn a_gate_of_another_kind_is_asked_about_commits_that_no_call_was_seen_to_make() {
    let quietly = Quietly::new();
    quietly.env.write(
        "waypost.toml",
        "[[gate]]\nid = \"off-main\"\nbefore = [\"commit\"]\nproof = { git = \"off main\" }\n",
    );
    quietly.env.git(&["commit", "-qam", "gates"]);
    quietly.env.hook("UserPromptSubmit", &json!({"prompt": "go"}));
    quietly.script("echo 2 > src/lib.txt; git commit -qam x");
    let held = quietly.held();
    assert!(held.is_some_and(|held| held.contains("off-main")));
}

#[test]
fn with_only_an_edit_gate_what_a_script_edits_is_found() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(
        "[[gate]]\nid = \"read-first\"\nbefore = [\"edit\"]\nproof = { read = \"README.md\" }\n",
    );
    env.write("README.md", "read me\n");
    env.begin();
    let fields = json!({"tool_name": "Bash", "tool_use_id": "s",
        "tool_input": {"command": "sh ../script"}, "tool_response": {"stdout": ""}});
    assert_eq!(env.hook("PreToolUse", &fields).denied(), None);
    env.write("src/lib.txt", "by a script\n");
    env.hook("PostToolUse", &fields);
    assert_eq!(env.stop().held(), None, "no gate stands before the stop");
    assert!(env.event_types().contains(&"edits_found".to_owned()));
}
