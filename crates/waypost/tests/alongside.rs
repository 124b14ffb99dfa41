//! Several agents in one work tree: who changed which file since when is told where somebody looks, before another one
//! changes the same file, and where a run fails by it. Whoever is alone hears nothing of it.

#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test that cannot be set up has failed; JSON is written where it is passed"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use waypost_testkit::{HookAnswer, TestEnv, everything};

const CHECKS: &str =
    "[[gate]]\nid = \"checks\"\nbefore = [\"stop\"]\nproof = { ran = \"./check.sh\" }\n";
/// Names the process that a test starts again to be a harness of its own.
const HARNESS: &str = "ALONGSIDE_HARNESS";

/// A project in which conversations are at work.
struct Tree {
    env: TestEnv,
}

impl Tree {
    fn new(config: &str) -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        env.write("a.txt", "a\n");
        env.write("b.txt", "b\n");
        env.init_with(config);
        Self { env }
    }

    /// Both in the same session.
    fn shared() -> Self {
        let tree = Self::new(CHECKS);
        tree.env.ok(&["start", "--objective", "work"]);
        tree.begin("one");
        tree.begin("two");
        tree
    }

    /// Each in a session of its own.
    fn apart() -> Self {
        let tree = Self::new(CHECKS);
        tree.begin("one");
        tree.begin("two");
        assert_eq!(tree.env.json(&["list", "--all", "--json"]).as_array().unwrap().len(), 2);
        tree
    }

    fn hook(&self, who: &str, event: &str, fields: Value) -> HookAnswer {
        let mut given = json!({"session_id": who});
        given.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.env.hook(event, &given)
    }

    fn begin(&self, who: &str) -> String {
        let begun = self.hook(who, "SessionStart", json!({"source": "startup"}));
        self.hook(who, "UserPromptSubmit", json!({"prompt": "go"}));
        context(&begun)
    }

    fn before(&self, who: &str, file: &Path) -> HookAnswer {
        self.hook(who, "PreToolUse", edit(file))
    }

    /// What it is told before it changes a file of the project.
    fn warned(&self, who: &str, file: &str) -> String {
        let answer = self.before(who, &self.env.project().join(file));
        assert_eq!(answer.denied(), None);
        context(&answer)
    }

    /// It changes a file of the project; gives what it was told before.
    fn edit(&self, who: &str, file: &str) -> String {
        let told = self.warned(who, file);
        self.edited(who, &self.env.project().join(file), json!({}));
        told
    }

    fn edited(&self, who: &str, file: &Path, more: Value) {
        fs::write(file, format!("changed by {who}\n")).unwrap();
        let mut fields = edit(file);
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.hook(who, "PostToolUse", fields);
    }

    fn clock(&mut self, minutes: u32) {
        self.env.time = format!("2026-11-15T{:02}:{:02}:00.000Z", 12 + minutes / 60, minutes % 60);
    }

    /// A check that fails and prints this.
    fn failing(&self, prints: &str) {
        let path = self.env.project().join("check.sh");
        fs::write(&path, format!("#!/bin/sh\ncat <<'END'\n{prints}\nEND\nexit 1\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What somebody is told after a check failed with this output, as the harness gives it.
    fn failed(&self, who: &str, line: &str, prints: &str) -> String {
        let mut fields =
            json!({"tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": "run"});
        self.hook(who, "PreToolUse", fields.clone());
        fields["error"] = json!(format!("Exit code 1\n{prints}"));
        fields["is_interrupt"] = json!(false);
        context(&self.hook(who, "PostToolUseFailure", fields))
    }
}

fn edit(file: &Path) -> Value {
    json!({"tool_name": "Write", "tool_use_id": "edit", "tool_response": {},
        "tool_input": {"file_path": file, "content": "new\n"}})
}

fn context(answer: &HookAnswer) -> String {
    let told = &answer.json()["hookSpecificOutput"]["additionalContext"];
    told.as_str().unwrap_or_default().to_owned()
}

#[test]
fn an_edit_of_what_another_changed_minutes_ago_is_told_once_until_that_one_changes_it_again() {
    for mut tree in [Tree::shared(), Tree::apart()] {
        assert_eq!(tree.edit("one", "a.txt"), "", "nobody was there before");
        assert_eq!(tree.edit("one", "a.txt"), "", "its own change");
        tree.clock(3);
        let told = tree.warned("two", "a.txt");
        assert!(told.contains("claude-code one changed a.txt (3 minutes ago)"), "{told}");
        assert_eq!(tree.warned("two", "a.txt"), "", "it knows");
        assert_eq!(tree.warned("two", "b.txt"), "", "another file");
        tree.clock(4);
        tree.edited("one", &tree.env.project().join("a.txt"), json!({}));
        let told = tree.warned("two", "a.txt");
        assert!(told.contains("claude-code one changed a.txt (just now)"), "{told}");
        tree.edited("two", &tree.env.project().join("a.txt"), json!({}));
        tree.clock(5);
        let told = tree.warned("one", "a.txt");
        assert!(told.contains("claude-code two changed a.txt (1 minute ago)"), "{told}");
        tree.clock(15);
        tree.begin("three");
        assert_eq!(tree.warned("three", "a.txt"), "", "long ago");
    }
}

#[test]
fn a_command_line_that_writes_a_file_is_a_change_of_it_for_both() {
    let tree = Tree::apart();
    let line = |text: &str| {
        json!({"tool_name": "Bash", "tool_use_id": "line", "tool_input": {"command": text},
            "tool_response": {"stdout": "", "stderr": "", "interrupted": false}})
    };
    tree.hook("one", "PreToolUse", line("echo x > a.txt"));
    tree.hook("one", "PostToolUse", line("echo x > a.txt"));
    assert!(tree.warned("two", "a.txt").contains("claude-code one changed a.txt (just now)"));
    tree.edit("one", "b.txt");
    let told = context(&tree.hook("two", "PreToolUse", line("sed -i s/b/c/ b.txt")));
    assert!(told.contains("claude-code one changed b.txt (just now)"), "{told}");
    assert_eq!(context(&tree.hook("two", "PreToolUse", line("cat a.txt b.txt"))), "");
}

#[test]
fn what_a_script_of_another_wrote_is_theirs_though_no_line_names_it() {
    let gate = "[[gate]]\nid = \"alone\"\nbefore = [\"edit\"]\nproof = { alone = \"paths\" }\n";
    for config in [CHECKS, gate] {
        let tree = Tree::new(config);
        let runs = |who: &str, call: &str, text: &str| {
            let mut line =
                json!({"tool_name": "Bash", "tool_use_id": call, "tool_input": {"command": text}});
            tree.hook(who, "PreToolUse", line.clone());
            let mut shell = tree.env.command("bash", tree.env.project());
            assert!(shell.args(["-c", text]).status().unwrap().success());
            line["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
            tree.hook(who, "PostToolUse", line);
            tree.env.tick();
        };
        let told = |who: &str, file: &str| {
            let answer = tree.before(who, &tree.env.project().join(file));
            answer.denied().unwrap_or_else(|| context(&answer))
        };
        tree.begin("one");
        let script = |file: &str| format!("python3 -c \"open('{file}', 'w').write('x')\"");
        runs("one", "w1", &script("a.txt"));
        assert_eq!(told("one", "a.txt"), "", "its own, and nobody else is there");
        tree.begin("two");
        assert!(told("two", "a.txt").contains("claude-code one changed a.txt (just now)"));
        assert_eq!(told("two", "b.txt"), "", "nobody changed it");
        assert_eq!(told("one", "a.txt"), "", "its own");
        // By one's own call, or by nobody's.
        runs("two", "w2", &script("a.txt"));
        assert_eq!(told("two", "a.txt"), "");
        tree.env.write("b.txt", "by a person\n");
        assert_eq!((told("two", "b.txt"), told("one", "b.txt")), (String::new(), String::new()));
        tree.hook("one", "SessionEnd", json!({"reason": "other"}));
    }
}

#[test]
fn a_subagent_of_another_conversation_is_named_and_ones_own_warns_nobody() {
    let tree = Tree::shared();
    let file = tree.env.project().join("a.txt");
    tree.edited("one", &file, json!({"agent_id": "a1", "agent_type": "Explore"}));
    assert_eq!(tree.warned("one", "a.txt"), "", "its own subagent");
    let told = tree.warned("two", "a.txt");
    assert!(told.contains("a.txt (just now, by its subagent Explore)"), "{told}");
    let mut by_subagent = edit(&file);
    by_subagent["agent_id"] = json!("b1");
    let told = context(&tree.hook("two", "PreToolUse", by_subagent));
    assert!(told.contains("claude-code one changed a.txt"), "a subagent knows nothing yet: {told}");
}

#[test]
fn whatever_a_file_is_called_it_is_the_same_one() {
    let tree = Tree::apart();
    tree.env.write("src/deep/c.txt", "c\n");
    symlink("src/deep", tree.env.project().join("short")).unwrap();
    let outside = tree.env.home().join("way-in");
    symlink(tree.env.project(), &outside).unwrap();
    for spelt in ["src/deep/c.txt", "short/c.txt", "./src/../src/deep/c.txt"] {
        tree.edited("one", &tree.env.project().join(spelt), json!({}));
        for named in ["short/c.txt", "src/deep/c.txt"].map(Path::new) {
            tree.env.tick();
            let anew = format!("who-{}-{}", spelt.len(), named.display().to_string().len());
            tree.begin(&anew);
            let told = context(&tree.before(&anew, named));
            assert!(
                told.contains("changed src/deep/c.txt (just now)"),
                "{spelt} {named:?}: {told}"
            );
        }
    }
    let told = context(&tree.before("two", &outside.join("short/c.txt")));
    assert!(told.contains("changed src/deep/c.txt"), "{told}");
}

#[test]
fn who_is_over_or_works_in_another_work_tree_warns_nobody() {
    let tree = Tree::apart();
    tree.edit("one", "a.txt");
    tree.hook("one", "SessionEnd", json!({"reason": "other"}));
    assert_eq!(tree.warned("two", "a.txt"), "", "it is over");
    assert_eq!(tree.env.json(&["status", "--json"])["others"], Value::Null);

    let elsewhere = tree.env.home().join("second");
    let path = elsewhere.display().to_string();
    tree.env.git_unasked(&["worktree", "add", "-q", &path, "-b", "second"]);
    let mut there = edit(&elsewhere.join("a.txt"));
    there["cwd"] = json!(elsewhere);
    tree.hook("three", "SessionStart", json!({"source": "startup", "cwd": elsewhere}));
    tree.hook("three", "PreToolUse", there.clone());
    fs::write(elsewhere.join("a.txt"), "there\n").unwrap();
    tree.hook("three", "PostToolUse", there);
    assert_eq!(tree.warned("two", "a.txt"), "", "another work tree");
    let told = context(&tree.before("two", &elsewhere.join("a.txt")));
    assert!(told.contains("claude-code three changed a.txt"), "what it does there is told: {told}");
}

#[test]
fn a_conversation_whose_process_is_gone_warns_nobody() {
    if let Some(given) = std::env::var_os(HARNESS) {
        let given = given.into_string().unwrap();
        let (home, project) = given.split_once(':').unwrap();
        let env = TestEnv::at(env!("CARGO_BIN_EXE_waypost"), home.into(), project.into());
        let tree = Tree { env };
        tree.begin("gone");
        tree.edit("gone", "a.txt");
        let seen = tree.env.json(&["status", "--json"]);
        assert_eq!(seen["conversations"][0]["running"], true, "{seen}");
        return;
    }
    let tree = Tree::new(CHECKS);
    let given = format!("{}:{}", tree.env.home().display(), tree.env.project().display());
    let mut again = Command::new(std::env::current_exe().unwrap());
    let name = "a_conversation_whose_process_is_gone_warns_nobody";
    let ran = again.args(["--exact", name]).env(HARNESS, given).output().unwrap();
    assert!(ran.status.success(), "{}", everything(&ran));
    // A conversation that no hook saw begin takes nobody for gone, and still is not warned.
    assert_eq!(tree.warned("two", "a.txt"), "");
    tree.begin("three");
    assert_eq!(tree.warned("three", "a.txt"), "");
}

#[test]
fn whoever_is_alone_is_told_nothing_and_reads_nothing_for_it() {
    let mut tree = Tree::new(CHECKS);
    tree.begin("one");
    tree.edit("one", "a.txt");
    assert_eq!(tree.edit("one", "a.txt"), "");
    let read = |tree: &Tree| tree.before("one", &tree.env.project().join("a.txt")).read;
    let few = read(&tree);
    let journals = |tree: &Tree| -> Vec<_> {
        let edits = tree.env.home().join(".local/state/waypost/activity/edits");
        let trees = fs::read_dir(edits).unwrap().map(|tree| tree.unwrap().path());
        let files = trees.flat_map(|tree| fs::read_dir(tree).unwrap());
        files.map(|file| file.unwrap().path()).collect()
    };
    let found = journals(&tree);
    assert_eq!(found.len(), 1, "{found:?}");
    let own = &found[0];
    // Lines of its own are as good as none, however many there are.
    let line = fs::read_to_string(own).unwrap().lines().next().unwrap().to_owned() + "\n";
    fs::write(own, line.repeat(200)).unwrap();
    assert_eq!(read(&tree), few, "its own journal is not read");
    tree.begin("two");
    tree.clock(1);
    tree.edit("two", "b.txt");
    assert!(read(&tree) > few, "with another one there it is");
}

#[test]
fn status_and_brief_tell_who_changed_what_and_when() {
    for mut tree in [Tree::shared(), Tree::apart()] {
        tree.edit("one", "a.txt");
        tree.clock(2);
        tree.edit("one", "src/lib.txt");
        tree.clock(5);
        let line = "claude-code one changed src/lib.txt (3 minutes ago), a.txt (5 minutes ago)";
        let session = tree.env.json(&["list", "--all", "--json"])[0]["session_id"].clone();
        let session = session.as_str().unwrap();
        let text = tree.env.ok(&["status", session]);
        assert!(text.contains(line), "{text}");
        let told = tree.env.json(&["status", session, "--json"])["others"].clone();
        assert_eq!(told.as_array().unwrap().len(), 1, "{told}");
        assert_eq!(told[0]["harness"], "claude-code");
        assert_eq!(told[0]["conversation"], "one");
        assert_eq!(told[0]["files"][0]["file"], "src/lib.txt");
        assert_eq!(told[0]["files"][0]["at"], "2026-11-15T12:02:00.000Z");

        let brief = tree.begin("three");
        let line = "which changed src/lib.txt (3 minutes ago), a.txt (5 minutes ago)";
        assert!(
            brief.contains("working here too: claude-code one") && brief.contains(line),
            "{brief}"
        );
        let brief = tree.env.json(&["brief", session, "--json"]);
        let others = brief["others"].as_array().unwrap();
        let one = others.iter().find(|other| other["conversation"] == "one").unwrap();
        assert_eq!(one["files"][1]["file"], "a.txt", "{brief}");
        tree.clock(90);
        let later = tree.env.ok(&["status", session]);
        assert!(!later.contains("changed in this work tree lately"), "{later}");
    }
}

#[test]
fn both_are_told_of_each_other_with_the_files() {
    let tree = Tree::new(CHECKS);
    tree.begin("one");
    tree.edit("one", "a.txt");
    let told = tree.begin("two");
    assert!(told.contains("claude-code one") && told.contains("changed a.txt"), "{told}");
    tree.edit("two", "b.txt");
    let prompt = tree.hook("one", "UserPromptSubmit", json!({"prompt": "go on"}));
    let told = context(&prompt);
    assert!(told.contains("claude-code two works in this work tree too"), "{told}");
    assert!(told.contains("and changed b.txt (just now)"), "{told}");
}

#[test]
fn with_a_gate_such_an_edit_is_denied_and_waiting_another_file_and_a_human_are_ways_out() {
    let gate = "[[gate]]\nid = \"alone\"\nbefore = [\"edit\"]\nproof = { alone = \"paths\" }\n\
                message = \"One at a time.\"\n";
    let mut tree = Tree::new(gate);
    tree.begin("one");
    tree.begin("two");
    tree.edit("one", "a.txt");
    tree.clock(3);
    let denied = tree.before("two", &tree.env.project().join("a.txt")).denied().unwrap();
    assert!(denied.contains("claude-code one changed a.txt (3 minutes ago)"), "{denied}");
    assert!(denied.contains("work on another file"), "{denied}");
    let ruling = denied.split("r-").nth(1).unwrap();
    let ruling = format!("r-{}", &ruling[..8]);
    let explained = tree.env.ok(&["explain", &ruling]);
    assert!(explained.contains("claude-code one changed a.txt (3 minutes ago)"), "{explained}");
    let listed = tree.env.ok(&["gate", "list"]);
    assert!(listed.contains("alone"), "{listed}");
    assert_eq!(tree.warned("two", "b.txt"), "");
    assert_eq!(tree.warned("one", "a.txt"), "");
    tree.clock(11);
    assert_eq!(tree.warned("two", "a.txt"), "", "nobody was at it for ten minutes");

    let tree = Tree::new(&gate.replace("before", "level = \"should\"\nbefore"));
    tree.begin("one");
    tree.begin("two");
    tree.edit("one", "a.txt");
    let told = tree.warned("two", "a.txt");
    assert!(told.contains("claude-code one changed a.txt"), "{told}");
    assert_eq!(told.matches("changed a.txt").count(), 1, "told once: {told}");
}

#[test]
fn a_human_frees_an_edit_that_the_gate_holds_and_the_warning_stays() {
    let gate = "[[gate]]\nid = \"alone\"\nbefore = [\"edit\"]\nproof = { alone = \"paths\" }\n";
    let tree = Tree::new(gate);
    tree.env.ok(&["start", "--objective", "work"]);
    tree.begin("one");
    tree.begin("two");
    tree.edit("one", "a.txt");
    let file = tree.env.project().join("a.txt");
    let denied = tree.before("two", &file).denied().unwrap();
    assert!(denied.contains("waypost gate approve alone"), "{denied}");
    let (done, said) = tree.env.as_person(&["gate", "approve", "alone"]);
    assert!(done, "{said}");
    let told = tree.warned("two", "a.txt");
    assert!(told.contains("claude-code one changed a.txt"), "{told}");
}

#[test]
fn what_alone_means_is_one_of_two_words() {
    for (word, problem) in [
        ("path", "did you mean `paths`?"),
        ("nobody else", "it is `paths`: nobody else changed that file minutes ago"),
    ] {
        let tree = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
        tree.init_with(&format!(
            "[[gate]]\nid = \"alone\"\nbefore = [\"edit\"]\nproof = {{ alone = \"{word}\" }}\n"
        ));
        let listed = everything(&tree.waypost(&["gate", "list"]));
        assert!(listed.contains(problem), "{listed}");
    }
    let gate = "[[gate]]\nid = \"alone\"\nbefore = [\"edit\"]\nproof = { alone = \"tree\" }\n";
    let tree = Tree::new(gate);
    tree.begin("one");
    assert_eq!(tree.warned("one", "a.txt"), "");
    tree.begin("two");
    let denied = tree.before("two", &tree.env.project().join("b.txt")).denied().unwrap();
    assert!(denied.contains("others are at work in this work tree: claude-code one"), "{denied}");
}

#[test]
fn a_run_that_fails_by_anothers_files_alone_is_told_so_and_stays_a_failure() {
    let mut tree = Tree::apart();
    tree.edit("one", "a.txt");
    tree.edit("two", "b.txt");
    tree.clock(3);
    let line = "./check.sh";
    let told = tree.failed("two", line, "error: expected `;`\n --> a.txt:3:5\n");
    let wanted = "the only file of the project that it names was changed by others: \
                  claude-code one changed a.txt (3 minutes ago)";
    assert!(told.contains(wanted), "{told}");
    let root = tree.env.project().display().to_string();
    let told = tree.failed("two", line, &format!("{root}/a.txt:1: bad, see /usr/include/x.h:3"));
    assert!(told.contains(wanted), "{told}");
    for (prints, why) in [
        ("a.txt:3:5: bad\nb.txt:1:1: bad", "its own file is named too"),
        ("a.txt:3:5: bad\ncheck.sh:1: bad", "so is one that nobody changed"),
        ("it is broken", "no file is named"),
        ("missing.txt:3: bad", "there is no such file"),
    ] {
        assert!(!tree.failed("two", line, prints).contains("the only file"), "{why}");
    }
    assert!(!tree.failed("one", line, "a.txt:3:5: bad").contains("the only file"), "its own");
    assert_eq!(tree.failed("two", "grep -n x a.txt", "a.txt:3:5"), "", "that is no run");
    tree.hook("two", "Stop", json!({"stop_hook_active": false, "background_tasks": []}))
        .held()
        .unwrap();

    tree.failing("a.txt:3:5: bad");
    let run = |who: &str| {
        let mut command = tree.env.command(tree.env.binary(), tree.env.project());
        command.args(["run", "--", "./check.sh"]).env("CLAUDE_CODE_SESSION_ID", who);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", everything(&output));
        String::from_utf8(output.stderr).unwrap()
    };
    let told = run("two");
    assert!(told.contains(wanted), "{told}");
    assert!(!run("one").contains("the only file"));
    tree.hook("one", "SessionEnd", json!({"reason": "other"}));
    assert!(!run("two").contains("the only file"), "nobody else is here");
}
