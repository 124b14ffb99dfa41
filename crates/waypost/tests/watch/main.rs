//! `waypost watch`: what goes on in all projects, as lines, as JSON and on a live screen.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod waiting;

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};
use waypost_testkit::{GATE, TestEnv, everything};

const APPROVAL: &str = "[[gate]]\nid = \"deploy\"\nbefore = [\"edit\"]\nproof = { approval = \"local\" }\n\
                        message = \"A person says when.\"\n";

fn env(config: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(config);
    env
}

fn watch(env: &TestEnv) -> Value {
    env.json(&["watch", "--json"])
}

/// State and text of each row.
fn rows(told: &Value) -> Vec<(&str, &str)> {
    let rows = told["rows"].as_array().unwrap().iter();
    rows.map(|row| (row["state"].as_str().unwrap(), row["text"].as_str().unwrap())).collect()
}

/// Another project of the same home, with a session.
fn other(env: &TestEnv, name: &str, objective: &str) -> (std::path::PathBuf, String) {
    let root = env.project().parent().unwrap().join(name);
    std::fs::create_dir_all(&root).unwrap();
    let git = |args: &[&str]| {
        let output = env.command("git", &root).args(args).output().unwrap();
        assert!(output.status.success(), "{}", everything(&output));
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    std::fs::write(root.join("waypost.toml"), "[project]\n").unwrap();
    env.ok_in(&root, &["init", "--harness", "claude-code"]);
    let started = env.ok_in(&root, &["start", "--objective", objective, "--json"]);
    let started: Value = serde_json::from_str(&started).unwrap();
    (root, started["session_id"].as_str().unwrap().to_owned())
}

#[test]
fn every_state_is_told_as_it_comes_and_goes() {
    let env = env(GATE);
    env.begin();
    let id = env.start("Add login");
    let told = watch(&env);
    assert_eq!(rows(&told), [("working", "claude-code is at work")]);
    let row = &told["rows"][0];
    assert_eq!(row["session_id"], id.as_str());
    assert_eq!((&row["group"], &row["project"]), (&"working".into(), &"project".into()));
    assert_eq!((&row["objective"], &row["branch"]), (&"Add login".into(), &"main".into()));
    assert_eq!(row["since"], "2026-11-15T12:00:00.000Z");
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some());
    let told = watch(&env);
    assert_eq!(rows(&told), [("held", "its stop is held by checks-pass")]);
    assert_eq!(told["rows"][0]["gates"], json!(["checks-pass"]));
    assert_eq!(told["totals"]["held"], 1);
    assert_eq!(told["totals"]["needs_you"], 1);
    let status = env.json(&["status", "--json"]);
    assert_eq!(status["conversations"][0]["stop"], "in_progress", "both tell the same");
    env.bash("./check.sh", "check");
    assert!(env.stop().held().is_none());
    assert_eq!(rows(&watch(&env)), [("waiting", "claude-code waits for the next prompt")]);
    env.ok(&["pause", "--reason", "lunch"]);
    assert_eq!(watch(&env)["rows"][0]["lifecycle"], "paused");
    env.ok(&["resume", &id]);
    env.ok(&["end"]);
    let told = watch(&env);
    assert_eq!(rows(&told), [("done", "completed")]);
    assert_eq!(told["totals"]["done"], 1);
}

#[test]
fn where_nothing_was_ever_set_up_that_is_said() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    let output = env.waypost(&["watch", "--once"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("is in no project that Waypost keeps"), "{said}");
    assert!(said.contains("waypost init"), "{said}");
}

#[test]
fn what_ended_on_another_day_is_not_told() {
    let mut env = env(GATE);
    env.start("Add login");
    env.ok(&["end"]);
    assert_eq!(rows(&watch(&env)), [("done", "completed")]);
    env.time = "2026-11-16T00:00:01.000Z".to_owned();
    assert_eq!(rows(&watch(&env)), []);
}

#[test]
fn an_approval_is_asked_for_until_it_is_given() {
    let env = env(APPROVAL);
    env.begin();
    env.start("Add login");
    assert!(env.before_edit(&env.project().join("src/lib.txt")).denied().is_some());
    let told = watch(&env);
    let asked = ("approval", "deploy asks for your approval: A person says when.");
    assert_eq!(rows(&told), [asked]);
    assert_eq!(told["rows"][0]["gates"], json!(["deploy"]));
    let (approved, said) = env.as_person(&["gate", "approve", "deploy"]);
    assert!(approved, "{said}");
    assert_eq!(rows(&watch(&env)), [("working", "claude-code is at work")]);
}

#[test]
fn a_question_a_handoff_and_damage_need_somebody() {
    let env = env(GATE);
    env.begin();
    let id = env.start("Add login");
    let question = json!({"tool_name": "AskUserQuestion", "tool_input": {}, "tool_use_id": "ask"});
    env.hook("PreToolUse", &question);
    assert_eq!(rows(&watch(&env)), [("question", "claude-code asks you a question")]);
    env.ok(&[
        "handoff",
        "create",
        "--from",
        "coder",
        "--to",
        "qa",
        "--reason",
        "Done",
        "--context",
        "all",
    ]);
    let told = watch(&env);
    let also = told["rows"][0]["also"][0].as_str().unwrap();
    assert!(also.ends_with("from coder to qa waits to be accepted"), "{told:#}");
    env.hook("SessionEnd", &json!({"reason": "exit"}));
    assert_eq!(watch(&env)["rows"][0]["state"], "handoff", "also when nobody is attached");
    let log = env.log_of(&id);
    let mut records = std::fs::read(&log).unwrap();
    let half = records.len() / 2;
    records[half] ^= 1;
    std::fs::write(&log, records).unwrap();
    let told = watch(&env);
    assert_eq!(told["rows"][0]["state"], "damaged", "{told:#}");
    let text = told["rows"][0]["text"].as_str().unwrap();
    assert!(text.contains("waypost repair"), "{text}");
}

#[test]
fn projects_are_those_of_the_index_those_with_conversations_and_the_one_here() {
    let env = env(GATE);
    let (known, _) = other(&env, "known", "In the index");
    let (away, _) = other(&env, "away", "Nobody would find this one");
    env.ok(&["onboard", known.to_str().unwrap()]);
    env.start("Here");
    let projects = |told: &Value| {
        let rows = told["rows"].as_array().unwrap().iter();
        let mut names: Vec<String> =
            rows.map(|row| row["project"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(projects(&watch(&env)), ["known", "project"]);
    let elsewhere: Value = serde_json::from_str(&env.ok_in(&away, &["watch", "--json"])).unwrap();
    assert_eq!(projects(&elsewhere), ["away", "known"]);
    env.ok(&["index", "rename", known.to_str().unwrap(), "shop"]);
    env.begin();
    let outside: Value =
        serde_json::from_str(&env.ok_in(env.home(), &["watch", "--json"])).unwrap();
    assert_eq!(projects(&outside), ["project", "shop"], "a conversation began in one");
    env.ok(&["index", "archive", "shop"]);
    assert_eq!(projects(&watch(&env)), ["project"]);
}

#[test]
fn sessions_of_other_work_trees_are_told_with_theirs() {
    let env = env(GATE);
    let tree = env.home().join("tree");
    env.git(&["worktree", "add", "-q", "-b", "side", tree.to_str().unwrap()]);
    env.ok_in(&tree, &["start", "--objective", "Elsewhere"]);
    let told = watch(&env);
    assert_eq!(told["rows"][0]["objective"], "Elsewhere");
    assert_eq!(told["rows"][0]["root"], tree.to_str().unwrap());
    env.ok_in(&tree, &["end"]);
    assert_eq!(rows(&watch(&env)), [("done", "completed")]);
}

#[test]
fn it_is_plain_lines_where_nobody_sits_at_a_terminal_and_with_once() {
    let env = env(GATE);
    let id = env.start("Add \u{1b}[2Jlogin");
    let expected = format!(
        "0 need you, 0 at work, 0 held, 0 done today, 0 unenforced, 0.00 USD today\n\
         resting    project  {id}  Add [2Jlogin: nobody works in it (on main, now)\n"
    );
    assert_eq!(env.ok(&["watch"]), expected);
    assert_eq!(env.ok(&["watch", "--once"]), expected);
    let at_terminal = env.ok_at_terminal(&["watch", "--once"]);
    assert!(at_terminal.contains("nobody works in it"), "{at_terminal}");
    assert!(!at_terminal.contains("\u{1b}[?1049h"), "it is no screen: {at_terminal}");
}

#[test]
fn todays_cost_is_that_of_waypost_cost() {
    let env = env(GATE);
    let name: String =
        env.project().to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let folder = env.home().join(".claude/projects").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let line = |time: &str, id: &str| {
        let usage = json!({"input_tokens": 1_000_000, "output_tokens": 0});
        json!({"type": "assistant", "timestamp": time, "cwd": env.project(), "sessionId": "s9",
            "message": {"id": id, "model": "claude-opus-5-5", "role": "assistant", "content": [], "usage": usage}})
        .to_string()
    };
    let lines = [line("2026-11-14T23:59:59.000Z", "m1"), line("2026-11-15T00:00:00.000Z", "m2")];
    std::fs::write(folder.join("s9.jsonl"), lines.join("\n") + "\n").unwrap();
    let cost = env.json(&["cost", "--all", "--since", "2026-11-15", "--json"]);
    let told = watch(&env);
    assert_eq!(told["cost_today"]["usd"], cost["total_usd"]);
    assert_eq!(told["cost_today"]["tokens"], 1_000_000);
    assert_eq!(told["cost_today"]["since"], "2026-11-15T00:00:00.000Z");
}

#[test]
fn a_work_tree_that_waypost_was_taken_out_of_is_unenforced() {
    let env = env(GATE);
    let (away, _) = other(&env, "away", "Not here any more");
    env.start("Add login");
    env.ok(&["onboard", away.to_str().unwrap()]);
    env.ok_in(&away, &["init", "--remove"]);
    let told = watch(&env);
    let row = &told["rows"][0];
    assert_eq!((&row["state"], &row["project"]), (&"unenforced".into(), &"away".into()));
    let text = row["text"].as_str().unwrap();
    assert!(text.starts_with("Waypost was taken out of this work tree on"), "{text}");
    assert_eq!(told["totals"]["unenforced"], 1);
}

/// A screen on a terminal of its own, for somebody who is below no conversation.
struct Screen {
    child: Child,
    keys: Option<ChildStdin>,
    terminal: ChildStdout,
    shown: String,
}

impl Screen {
    fn of(env: &TestEnv, cwd: &Path, then: &str) -> Self {
        // The shell's own number is that of the program that it becomes.
        let watch = "sh -c 'echo $$ > ~/pid; exec waypost watch'";
        let line = format!("stty rows 30 cols 100; {watch}; {then}");
        let mut command = env.command("setsid", cwd);
        command.args(["--wait", "script", "-qec", &line, "/dev/null"]).env("TERM", "xterm");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (keys, terminal) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, keys, terminal, shown: String::new() }
    }

    /// Waits until something stands there, and forgets what was shown before.
    #[track_caller]
    fn sees(&mut self, text: &str) -> String {
        let mut buffer = [0; 4096];
        loop {
            if let Some(at) = self.shown.find(text) {
                let rest = self.shown.split_off(at + text.len());
                return std::mem::replace(&mut self.shown, rest);
            }
            let read = self.terminal.read(&mut buffer).unwrap();
            assert!(read > 0, "it ended without {text:?}: {}", self.shown);
            self.shown.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
    }

    fn press(&mut self, keys: &str) {
        let to = self.keys.as_mut().unwrap();
        to.write_all(keys.as_bytes()).unwrap();
        to.flush().unwrap();
    }

    fn end(mut self) -> bool {
        drop(self.keys.take());
        self.child.wait().unwrap().success()
    }
}

#[test]
fn a_screen_shows_rows_a_session_and_its_brief_and_gives_the_terminal_back() {
    let env = env(GATE);
    env.start("Second thing");
    env.start("Add login");
    let mut screen =
        Screen::of(&env, env.project(), "stty -a | tr ' ' '\\n' | grep -x 'icanon\\|echo'");
    screen.sees("\u{1b}[?1049h");
    screen.sees("OPEN");
    screen.sees("Add login");
    screen.press("j");
    screen.sees("▸");
    screen.press("b");
    screen.sees("Brief of ");
    screen.sees("Esc back");
    screen.press("\u{1b}");
    screen.sees("a approve");
    screen.press("o");
    screen.sees("status");
    screen.press("n");
    screen.sees("a approve");
    screen.press("?");
    screen.sees("Ctrl-Z");
    screen.press("q");
    screen.sees("\u{1b}[?25h");
    screen.sees("\u{1b}[?1049l");
    screen.sees("icanon");
    screen.sees("echo");
    assert!(screen.end());
}

#[test]
fn a_gate_is_approved_from_the_screen_once_it_was_shown_and_asked_about() {
    let env = env(APPROVAL);
    env.begin();
    env.start("Add login");
    env.hook("SessionEnd", &json!({"reason": "exit"}));
    let mut screen = Screen::of(&env, env.project(), "true");
    screen.sees("Add login");
    screen.press("a");
    screen.sees("Approve this gate?");
    screen.sees("deploy (must), before edit");
    screen.sees("A person says when.");
    screen.sees("y approve it");
    screen.press("n");
    screen.sees("a approve");
    assert!(!env.ok(&["history"]).contains("gate deploy satisfied"), "no means no");
    screen.press("a");
    screen.sees("y approve it");
    screen.press("y");
    screen.sees("deploy approved");
    screen.press("q");
    assert!(screen.end());
    assert!(env.ok(&["history"]).contains("gate deploy satisfied (approved)"));
}

#[test]
fn an_agent_cannot_approve_from_a_screen() {
    let env = env(APPROVAL);
    env.begin();
    env.start("Add login");
    let mut screen = Screen::of(&env, env.project(), "true");
    screen.sees("Add login");
    screen.press("a");
    screen.sees("y approve it");
    screen.press("y");
    screen.sees("approving is for people");
    screen.press("q");
    assert!(screen.end());
    assert!(!env.ok(&["history"]).contains("gate deploy satisfied"));
}

#[test]
fn a_screen_follows_what_happens_without_a_key() {
    let env = env(GATE);
    let (root, _) = other(&env, "other", "Nothing to see");
    env.begin();
    let mut screen = Screen::of(&env, &root, "true");
    screen.sees("Nothing to see");
    env.start("Add login");
    screen.sees("Add login");
    env.edit("src/lib.txt", "two\n");
    assert!(env.stop().held().is_some());
    screen.sees("its stop is held by checks-pass");
    screen.press("q");
    assert!(screen.end());
}

#[test]
fn a_signal_ends_it_and_gives_the_terminal_back() {
    let env = env(GATE);
    env.start("Add login");
    let then = "echo \"ended with $?\"; stty -a | tr ' ' '\\n' | grep -x icanon";
    let mut screen = Screen::of(&env, env.project(), then);
    screen.sees("Add login");
    let pid = std::fs::read_to_string(env.home().join("pid")).unwrap();
    let killed = env.command("kill", env.project()).args(["-TERM", pid.trim()]).status().unwrap();
    assert!(killed.success());
    screen.sees("\u{1b}[?1049l");
    screen.sees("ended with 143");
    screen.sees("icanon");
    assert!(screen.end());
}
