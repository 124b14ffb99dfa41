//! Published copies and commits: what is staged is up to date, nothing is written between staging and
//! commit or because of the commit, and so the work tree is clean when a commit is done.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use waypost_testkit::{TestEnv, UNASKED, everything};

const BARE: &str = "[project]\n";

fn set_up(config: &str, init: &[&str]) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.write("waypost.toml", config);
    env.write(".gitignore", "result\n.claude/\n.mcp.json\n");
    env.ok(&[&["init", "--harness", "claude-code"], init].concat());
    env
}

/// A project with nothing to commit, and an agent in a session that follows a workflow.
struct Quiet {
    env: TestEnv,
    id: String,
}

impl Quiet {
    fn new() -> Self {
        Self::with(BARE, &[])
    }

    fn with(config: &str, init: &[&str]) -> Self {
        Self::begun(set_up(config, init))
    }

    fn begun(env: TestEnv) -> Self {
        env.begin();
        let started =
            env.json(&["start", "--objective", "Add login", "--workflow", "full", "--json"]);
        let id = started["session_id"].as_str().unwrap().to_owned();
        env.git(&["add", "-A"]);
        env.git(&[UNASKED, &["commit", "-q", "-m", "set up"]].concat());
        let quiet = Self { env, id };
        quiet.is_clean("at the beginning");
        quiet
    }

    fn records(&self) -> String {
        fs::read_to_string(self.env.log_of(&self.id)).unwrap()
    }

    fn copy(&self) -> PathBuf {
        self.env.copy_of(&self.id)
    }

    fn published(&self) -> String {
        fs::read_to_string(self.copy().join("events.jsonl")).unwrap()
    }

    /// What the last commit has of the session's records.
    fn committed(&self) -> String {
        let file = format!("HEAD:agents/sessions/{}/events.jsonl", self.id);
        self.env.git(&["show", &file])
    }

    /// The agent works: the session goes on, and no copy with it.
    fn work(&self, content: &str) {
        let before = self.published();
        self.env.edit("src/lib.txt", content);
        self.env.ok(&["note", "add", content, "--session", &self.id]);
        assert_eq!(self.published(), before, "work writes no copy");
        assert_ne!(self.records(), before);
    }

    /// The agent runs it with its hooks, and it succeeds.
    fn bash(&self, line: &str) {
        let answer = self.env.bash(line, line);
        assert_eq!((answer.status, answer.denied()), (0, None), "{line}: {}", answer.stdout);
        let before = self.env.before_bash("true", "next");
        assert_eq!(before.denied(), None, "{line}");
    }

    fn is_clean(&self, when: &str) {
        assert_eq!(self.env.git(&["status", "--porcelain"]), "", "{when}");
    }

    fn version(&self) -> u64 {
        let text = fs::read(self.copy().join("state.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&text).unwrap();
        manifest["waypost"]["version"].as_u64().unwrap()
    }
}

#[test]
fn what_is_staged_is_up_to_date_and_nothing_is_left_to_commit() {
    let quiet = Quiet::new();
    quiet.env.git(&["config", "alias.aa", "add --all"]);
    quiet.env.git(&["config", "alias.save", "!git add -A && git commit -q -m saved"]);
    let copies = format!("git add src {} && git commit -qm x", "agents");
    for (number, lines) in [
        &["git add -A && git commit -qm x"][..],
        &["git add -A", "git commit -qm x"],
        &["git add .", "git status", "git commit -qm x"],
        &["git commit -qam x"],
        &["git add -u && git commit -qm x"],
        &["git commit -qm x ."],
        &["git add *", "git commit -qm x"],
        &["cd src && git add -A && cd .. && git commit -qm x"],
        &["git -C src add :/ && git commit -qm x"],
        &["git stage -A; git commit -qm x"],
        &["git aa && git commit -qm x"],
        &["git save"],
        &[&copies],
    ]
    .iter()
    .enumerate()
    {
        quiet.work(&format!("change {number}\n"));
        let known = quiet.records();
        for line in *lines {
            quiet.bash(line);
        }
        quiet.is_clean(&format!("{lines:?}"));
        assert!(quiet.committed().starts_with(&known), "{lines:?} commits what was known by then");
        assert!(
            quiet.records().len() > quiet.published().len(),
            "{lines:?}: the commit is recorded"
        );
    }
    quiet.env.ok(&["verify", "--all"]);
}

#[test]
fn a_commit_of_something_else_leaves_the_copy_alone() {
    let quiet = Quiet::new();
    for (number, line) in [
        "git add src && git commit -qm x",
        "git add src/lib.txt; git commit -qm x",
        "git commit -qm x src/lib.txt",
        "git add -A ':!agents' && git commit -qm x",
        "git add -p < /dev/null; git commit -qm x -- src",
        "git commit -q --allow-empty -m x && git checkout -q -- src",
    ]
    .iter()
    .enumerate()
    {
        quiet.work(&format!("change {number}\n"));
        let before = quiet.published();
        quiet.bash(line);
        assert_eq!(quiet.published(), before, "{line}");
        quiet.is_clean(line);
    }
}

#[test]
fn an_amended_commit_leaves_nothing_behind() {
    let quiet = Quiet::new();
    quiet.work("two\n");
    quiet.bash("git add -A && git commit -qm x");
    quiet.bash("git commit -q --amend -m y");
    quiet.is_clean("another message");
    quiet.work("three\n");
    quiet.bash("git commit -qa --amend --no-edit");
    quiet.is_clean("another content");
}

#[test]
fn nothing_is_written_between_staging_and_commit_whatever_happens_to_the_session() {
    let quiet = Quiet::new();
    let env = &quiet.env;
    quiet.work("two\n");
    quiet.bash("git add -A");
    let staged = quiet.published();
    for args in [
        &["phase", "skip", "spec", "--reason", "small"][..],
        &["checkpoint", "init", "2"],
        &["checkpoint", "start", "1"],
        &["checkpoint", "complete", "1"],
        &["task", "complete", "1.1"],
        &["note", "add", "one"],
    ] {
        let done = env.waypost(args);
        assert!(!everything(&done).contains("published copy"), "{args:?}: {}", everything(&done));
        assert_eq!(quiet.published(), staged, "{args:?}");
    }
    let paused = env.waypost(&["pause", &quiet.id, "--reason", "lunch"]);
    assert!(paused.status.success(), "{}", everything(&paused));
    let told = format!("after the commit, `waypost publish {}` writes it", quiet.id);
    assert!(everything(&paused).contains(&told), "{}", everything(&paused));
    quiet.bash("git commit -qm x");
    quiet.is_clean("after all of it");
    env.ok(&["resume", &quiet.id]);
    assert_eq!(quiet.published(), quiet.records(), "the next change takes all of it along");
}

#[test]
fn a_commit_of_known_files_leaves_no_new_ones_beside_them() {
    let quiet = Quiet::new();
    for (number, line) in
        ["git commit -qam x", "git add -u && git commit -qm x", "git commit -qm x ."]
            .iter()
            .enumerate()
    {
        quiet.work(&format!("change {number}\n"));
        // Each would be in a file of its own, and the first of them makes it.
        quiet.env.ok(&["note", "add", "--kind", "decision", "passkeys only", &quiet.id]);
        let plan = r#"{"checkpoints": [{"id": 1, "title": "Form"}]}"#;
        fs::write(quiet.copy().join("plan.json"), format!("{plan}{}", "\n".repeat(number)))
            .unwrap();
        let known = quiet.records();
        quiet.bash(line);
        quiet.is_clean(line);
        assert!(quiet.committed().starts_with(&known), "{line}");
    }
    quiet.bash("git add -A && git commit -qm x");
    quiet.is_clean("all of it");
    for name in ["plan.md", "dev-notes.json"] {
        assert!(quiet.copy().join(name).exists(), "{name}");
    }
}

#[test]
fn the_next_change_publishes_the_commit() {
    let quiet = Quiet::new();
    quiet.work("two\n");
    quiet.bash("git add -A && git commit -qm x");
    assert!(!quiet.published().contains("commit_added"));
    quiet.env.ok(&["pause", &quiet.id, "--reason", "lunch"]);
    assert!(quiet.published().contains("commit_added"));
    assert_eq!(quiet.version(), quiet.env.event_types_of(&quiet.id).len() as u64);
}

#[test]
fn a_person_without_any_hook_finds_the_work_tree_clean_too() {
    let quiet = Quiet::new();
    quiet.work("two\n");
    quiet.env.git(&["add", "-A"]);
    quiet.env.ok(&["note", "add", "between", "--session", &quiet.id]);
    quiet.env.git(&["commit", "-qm", "x"]);
    quiet.is_clean("a person's commit");
    quiet.env.hook("UserPromptSubmit", &json!({"prompt": "go on"}));
    quiet.env.stop();
    quiet.is_clean("the agent goes on");
}

#[test]
fn a_person_whose_commits_git_itself_asks_about_finds_it_clean_too() {
    let config = "[[gate]]\nid = \"checks\"\nbefore = [\"commit\"]\n\
                  proof = { ran = \"./check.sh\", fresh = \"tree\" }\n";
    let quiet = Quiet::with(config, &["--git-hooks"]);
    let env = &quiet.env;
    env.write("src/lib.txt", "two\n");
    env.git(&["add", "-A"]);
    let held = env.command("git", env.project()).args(["commit", "-qm", "x"]).output().unwrap();
    assert!(everything(&held).contains("Waypost holds this commit"), "{}", everything(&held));
    env.ok(&["run", "--", "./check.sh"]);
    for args in [&["commit", "-qm", "x"][..], &["commit", "-q", "--amend", "--no-edit"]] {
        env.git(args);
        quiet.is_clean("a person's commit");
    }
    env.write("src/lib.txt", "three\n");
    env.ok(&["run", "--", "./check.sh"]);
    env.git(&["commit", "-qam", "y"]);
    quiet.is_clean("one that stages");
}

#[test]
fn a_commit_stays_clean_while_another_conversation_changes_its_own_session() {
    let env = set_up(BARE, &[]);
    let args = ["start", "--objective", "Other", "--workflow", "quick", "--json"];
    let other = env.json(&args)["session_id"].as_str().unwrap().to_owned();
    let quiet = Quiet::begun(env);
    let env = &quiet.env;
    assert_ne!(other, quiet.id);
    quiet.bash("git add -A && git commit -qm both");
    let copy = || fs::read(env.copy_of(&other).join("events.jsonl")).unwrap();
    // Git asks its hook while it holds the index: the other conversation goes on just then.
    let hook = env.project().join(".git/hooks/pre-commit");
    let goes_on = format!("#!/bin/sh\nwaypost checkpoint init 2 --session {other}\n");
    fs::write(&hook, goes_on).unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let before = copy();
    quiet.work("two\n");
    quiet.bash("git commit -qam x");
    assert!(env.event_types_of(&other).contains(&"build_started".to_owned()));
    assert_eq!(copy(), before);
    quiet.is_clean("a commit that stages by itself");
    fs::remove_file(&hook).unwrap();
    quiet.work("three\n");
    quiet.bash("git add -A");
    env.ok(&["checkpoint", "start", "1", "--session", &other]);
    quiet.bash("git commit -qm y");
    quiet.is_clean("staged before");
    env.ok(&["checkpoint", "complete", "1", "--session", &other]);
    assert_eq!(copy(), fs::read(env.log_of(&other)).unwrap(), "then it is written again");
}

#[test]
fn a_merge_and_a_rebase_go_through_while_the_session_goes_on() {
    let quiet = Quiet::new();
    let env = &quiet.env;
    env.git(&["checkout", "-q", "-b", "other"]);
    env.write("src/lib.txt", "theirs\n");
    env.git(&["commit", "-qam", "theirs"]);
    env.git(&["checkout", "-q", "main"]);
    quiet.work("ours\n");
    quiet.bash("git add -A && git commit -qm ours");
    for (number, begin, go_on) in [
        (0, "git merge -q other || true", "git commit -qm merged"),
        (1, "git rebase -q other || true", "GIT_EDITOR=true git rebase --continue"),
    ] {
        env.git(&["checkout", "-q", "-B", "trial", "main"]);
        quiet.bash(begin);
        let midway = quiet.published();
        env.ok(&["checkpoint", if number == 0 { "init" } else { "start" }, "1"]);
        assert_eq!(quiet.published(), midway, "{begin}");
        env.write("src/lib.txt", "both\n");
        quiet.bash("git add -A");
        quiet.bash(go_on);
        quiet.is_clean(go_on);
        assert_eq!(env.git(&["log", "-1", "--format=%s", "other"]).trim(), "theirs");
        env.ok(&["verify", "--all"]);
    }
}

#[test]
fn commits_that_are_put_on_top_of_others_keep_the_copies_that_they_have() {
    let quiet = Quiet::new();
    let env = &quiet.env;
    env.git(&["checkout", "-q", "-b", "other"]);
    env.write("src/lib.txt", "theirs\n");
    env.git(&["commit", "-qam", "theirs"]);
    env.git(&["checkout", "-q", "main"]);
    quiet.work("ours\n");
    quiet.bash("git add -A && git commit -qm one");
    env.edit("src/more.txt", "more\n");
    quiet.bash("git add -A && git commit -qm two");
    quiet.bash("git rebase -q other || true");
    env.write("src/lib.txt", "both\n");
    env.ok(&["note", "add", "in the middle", "--session", &quiet.id]);
    // A newer copy here would be in the way of the second commit's.
    quiet.bash("git add -A && GIT_EDITOR=true git rebase --continue");
    quiet.is_clean("a rebase of two commits");
    assert_eq!(env.git(&["log", "--format=%s", "other.."]), "two\none\n");
    quiet.bash("git rebase -q --exec false HEAD~1 || true");
    let before = quiet.published();
    env.ok(&["checkpoint", "init", "1", &quiet.id]);
    assert_eq!(quiet.published(), before, "nothing is staged, and yet it goes on");
    quiet.bash("git rebase --continue");
    quiet.is_clean("a rebase that stopped for a command");
    env.ok(&["verify", "--all"]);
}

#[test]
fn no_copy_is_in_the_way_of_a_line_that_goes_elsewhere_first() {
    let quiet = Quiet::new();
    quiet.env.git(&["branch", "other"]);
    quiet.work("two\n");
    quiet.bash("git add -A && git commit -qm two");
    quiet.env.ok(&["note", "add", "more", &quiet.id]);
    for line in ["git checkout -q other && git add -A", "git merge -q --no-edit main && git add -A"]
    {
        quiet.bash(line);
        quiet.is_clean(line);
    }
    assert_eq!(quiet.env.git(&["branch", "--show-current"]).trim(), "other");
    assert_eq!(quiet.env.git(&["log", "-1", "--format=%s"]).trim(), "two");
    quiet.env.ok(&["verify", "--all"]);
}

#[test]
fn lines_for_another_repository_write_nothing_here() {
    let quiet = Quiet::new();
    let env = &quiet.env;
    env.write(".gitignore", "result\n.claude/\n.mcp.json\ninner/\n");
    quiet.bash("git commit -qam ignore");
    env.git(&["init", "-q", "inner"]);
    env.write("inner/x", "x\n");
    let before = quiet.published();
    for line in ["git -C inner add -A", "cd inner && git add -A", "cd /tmp && git add -A || true"] {
        quiet.bash(line);
        assert_eq!(quiet.published(), before, "{line}");
    }
    quiet.is_clean("the project itself");
}

#[test]
fn what_no_workflow_asks_for_stays_out_of_the_work_tree_altogether() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(BARE);
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "--allow-empty", "-m", "set up"]);
    let known = env.git(&["status", "--porcelain", "--ignored"]);
    env.begin();
    env.start("Add login");
    env.edit("src/lib.txt", "two\n");
    for line in ["git add -A && git commit -qm x", "git commit -q --amend --no-edit"] {
        assert_eq!(env.bash(line, line).denied(), None, "{line}");
    }
    env.stop();
    env.ok(&["end", "--summary", "done"]);
    assert_eq!(env.git(&["status", "--porcelain", "--ignored"]), known);
}
