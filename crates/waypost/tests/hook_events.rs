//! Every event of the hook through the real binary: what is told, what is recorded, what is left alone.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use waypost_testkit::{GATE, HookAnswer, TestEnv};

const SECRET: &str = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ";

fn under(config: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(config);
    env
}

fn gate(id: &str, before: &str, proof: &str) -> String {
    format!("[[gate]]\nid = \"{id}\"\nbefore = [{before}]\nproof = {{ {proof} }}\n")
}

fn context(answer: &HookAnswer) -> String {
    let context = &answer.json()["hookSpecificOutput"]["additionalContext"];
    context.as_str().unwrap_or_default().to_owned()
}

fn session_start(env: &TestEnv, source: &str) -> String {
    context(&env.hook("SessionStart", &json!({ "source": source })))
}

fn prompt(env: &TestEnv, text: &str) -> HookAnswer {
    env.hook("UserPromptSubmit", &json!({ "prompt": text }))
}

fn events(env: &TestEnv, kind: &str) -> Vec<Value> {
    let history = env.json(&["history", "--json"]);
    let all = history["events"].as_array().unwrap().iter().map(|entry| entry["event"].clone());
    all.filter(|event| event["type"] == kind).collect()
}

fn stop_state(env: &TestEnv) -> String {
    let status = env.json(&["status", "--json"]);
    status["conversations"][0]["stop"].as_str().unwrap().to_owned()
}

fn session(env: &TestEnv) -> String {
    env.json(&["status", "--json"])["session_id"].as_str().unwrap().to_owned()
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| {
            if entry.file_type().unwrap().is_dir() {
                files(&entry.path())
            } else {
                vec![entry.path()]
            }
        })
        .collect()
}

/// The files that tell what calls did; when they began and ended stands apart from that.
fn activity_files(env: &TestEnv) -> Vec<PathBuf> {
    let folder = env.home().join(".local/state/waypost/activity");
    let mut found = files(&folder);
    found.retain(|file| ["calls", "edits"].iter().all(|kind| !file.starts_with(folder.join(kind))));
    found
}

fn activity(env: &TestEnv) -> Vec<Value> {
    let found = activity_files(env);
    let all: String = found.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    all.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_brief_is_there_whenever_the_agent_lost_what_it_knew() {
    let mut env = under(GATE);
    env.start("Add login");
    let told = |source: &str| {
        let brief = session_start(&env, source);
        for part in ["Add login", "checks-pass (must)", "How: waypost run -- ./check.sh"] {
            assert!(brief.contains(part), "{source}: {brief}");
        }
        brief
    };
    let (first, resumed, compacted) = (told("startup"), told("resume"), told("compact"));
    told("clear");
    assert_ne!(first, resumed, "the same text would not be given again");
    assert!(compacted.contains("after compact"), "{compacted}");
    env.time = "2026-11-15T12:05:00.000Z".to_owned();
    assert_ne!(resumed, session_start(&env, "resume"));
}

#[test]
fn the_first_prompt_stays_on_this_machine_and_holds_no_credential() {
    let env = under(GATE);
    session_start(&env, "startup");
    prompt(&env, &format!("Rewrite the parser with {SECRET}\nplease"));
    prompt(&env, "And something else.");
    let brief = session_start(&env, "compact");
    assert!(brief.contains("Rewrite the parser with"), "{brief}");
    assert!(!brief.contains("something else") && !brief.contains(SECRET), "{brief}");
    for file in files(&env.store()) {
        let content = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        assert!(!content.contains("Rewrite the parser"), "{}", file.display());
    }
    for file in files(env.home()) {
        let content = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        assert!(!content.contains(SECRET), "{}", file.display());
    }
}

#[test]
fn a_prompt_reminds_only_of_what_was_held_and_is_still_open() {
    let env = under(GATE);
    env.begin();
    assert_eq!(prompt(&env, "go on").stdout, "", "nothing was held");
    assert!(env.before_bash("git commit -am x", "c").denied().is_some());
    assert_eq!(env.stop().held(), None, "a turn without edits ends");
    let reminder = context(&prompt(&env, "go on"));
    assert!(reminder.contains("checks-pass is still open. Next: waypost run"), "{reminder}");
    assert_eq!(reminder.lines().count(), 1);
    assert!(env.before_bash("git commit -am x", "c").denied().is_some());
    env.bash("./check.sh", "r");
    assert_eq!(prompt(&env, "go on").stdout, "", "it was met");
}

#[test]
fn a_repeated_denial_is_shorter_and_another_one_is_told_in_full() {
    let env = under(&(GATE.to_owned() + &gate("adr", "\"edit\"", "read = \"ADR.md\"")));
    env.begin();
    let commit = || env.before_bash("git commit -am x", "c").denied().unwrap();
    let (first, again) = (commit(), commit());
    assert!(again.len() < first.len(), "{again}");
    assert!(first.contains("Why: ") && !again.contains("Why: "), "{again}");
    for kept in ["Run the checks after your last change.", "Next: waypost run -- ./check.sh"] {
        assert!(again.contains(kept), "{again}");
    }
    let other = env.before_edit(Path::new("src/lib.txt")).denied().unwrap();
    assert!(other.contains("Why: ") && other.contains("ADR.md"), "{other}");
    assert!(commit().contains("Why: "), "and the first one after it, too");
    assert!(!commit().contains("Why: "));
    env.bash("./check.sh", "r");
    env.write("src/lib.txt", "changed since\n");
    let other = commit();
    assert!(other.contains("Why: ") && other.contains("src/lib.txt"), "another reason: {other}");
}

#[test]
fn subagents_are_recorded_and_told_which_gates_are_open() {
    let env = under(GATE);
    env.begin();
    let agent = json!({"agent_id": "a1", "agent_type": "general-purpose"});
    let told = context(&env.hook("SubagentStart", &agent));
    assert!(told.contains("checks-pass (must) before stop, commit"), "{told}");
    assert!(told.contains("waypost run -- ./check.sh"), "{told}");
    assert_eq!(env.json(&["status", "--json"])["conversations"][0]["subagents"], 1);
    assert_eq!(env.hook("SubagentStop", &agent).stdout, "");
    assert_eq!(env.json(&["status", "--json"])["conversations"][0]["subagents"], 0);
    let compaction = json!({"agent_id": "c1", "agent_type": ""});
    assert_eq!(env.hook("SubagentStop", &compaction).stdout, "");
    assert_eq!(events(&env, "subagent_started").len(), 1);
    assert_eq!(events(&env, "subagent_ended").len(), 1, "compaction is no subagent");
}

#[test]
fn a_slash_command_counts_as_its_skill_if_the_harness_itself_tells_of_it() {
    let env = under(&gate("review", "\"edit\"", "skill = \"arch-review\""));
    env.begin();
    let expansion = json!({"command_name": "arch-review", "prompt": "/arch-review"});
    let is_held = || env.before_edit(Path::new("src/lib.txt")).denied().is_some();
    env.forged_hook("UserPromptExpansion", &expansion);
    assert_eq!(events(&env, "evidence_recorded")[0]["provenance"], "reported");
    assert!(is_held());
    env.hook("UserPromptExpansion", &expansion);
    assert_eq!(events(&env, "evidence_recorded")[1]["provenance"], "observed");
    assert!(!is_held());
}

#[test]
fn a_commit_through_the_shell_is_recorded_once_with_its_subject() {
    let env = under("[project]\n");
    env.begin();
    env.bash("echo two > src/lib.txt && git add . && git commit -qm 'Add two'", "c1");
    env.bash("git log --oneline", "l");
    env.bash("git commit -qm again || true", "c2");
    let commits = events(&env, "commit_added");
    assert_eq!(commits.len(), 1, "{commits:?}");
    assert_eq!(commits[0]["message"], "Add two");
    assert_eq!(commits[0]["sha"].as_str().unwrap(), env.git(&["rev-parse", "HEAD"]).trim());
}

#[test]
fn writes_through_the_shell_are_edits_that_were_seen() {
    for line in [
        "sed -i s/one/two/ src/lib.txt",
        "echo two > src/lib.txt",
        "cat <<E | tee src/lib.txt\nx\nE",
    ] {
        let env = under(GATE);
        env.begin();
        env.bash(line, "w");
        let seen = events(&env, "edit_observed");
        assert_eq!(seen.len(), 1, "{line}");
        assert_eq!(seen[0]["path"], "src/lib.txt", "{line}");
        assert!(env.stop().held().is_some(), "{line}");
        assert!(events(&env, "edits_found").is_empty(), "{line}");
    }
}

#[test]
fn a_conversation_that_ends_is_detached_and_compaction_is_only_activity() {
    let env = under(GATE);
    env.begin();
    let types = env.event_types();
    assert_eq!(env.hook("PreCompact", &json!({"trigger": "auto"})).stdout, "");
    assert_eq!(env.event_types(), types);
    let noted = activity(&env);
    assert!(
        noted.iter().any(|one| one["tool"] == "PreCompact" && one["what"] == "auto"),
        "{noted:?}"
    );
    assert_eq!(env.hook("SessionEnd", &json!({"reason": "prompt_input_exit"})).stdout, "");
    assert_eq!(events(&env, "conversation_detached")[0]["reason"], "prompt_input_exit");
    assert_eq!(env.json(&["status", "--json"])["conversations"][0]["attached"], false);
}

#[test]
fn every_tool_call_is_activity_without_credentials_and_within_a_limit() {
    let env = under(GATE);
    env.begin();
    env.bash(&format!("echo {SECRET} > /dev/null"), "b");
    env.bash("false", "f");
    for (name, input) in [
        ("Read", json!({"file_path": "ADR.md"})),
        ("Glob", json!({"pattern": "*"})),
        ("mcp__x__y", json!({})),
    ] {
        env.hook("PostToolUse", &json!({"tool_name": name, "tool_input": input}));
    }
    let noted = activity(&env);
    let told: Vec<_> =
        noted.iter().map(|one| (one["tool"].as_str().unwrap(), &one["status"])).collect();
    let zero = json!(0);
    assert_eq!(
        told,
        [
            ("Bash", &zero),
            ("Bash", &json!(1)),
            ("Read", &zero),
            ("Glob", &zero),
            ("mcp__x__y", &zero)
        ]
    );
    assert!(!format!("{noted:?}").contains(SECRET));
    let log = activity_files(&env).remove(0);
    fs::write(&log, "{}\n".repeat(1_500_000)).unwrap();
    env.bash("true", "t");
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), 1, "it was begun anew");
    assert_eq!(activity_files(&env).len(), 2, "the one before is kept");
    env.ok(&["verify", "--all"]);
}

#[test]
fn files_that_change_in_a_turn_without_hooks_are_told_as_unenforced() {
    let env = under(GATE);
    env.begin();
    env.write("src/lib.txt", "changed by a tool of which no hook was told\n");
    assert_eq!(env.stop().held(), None, "it may have been a person");
    assert_eq!(events(&env, "edits_found")[0]["unenforced"], true);
    assert_eq!(env.json(&["status", "--json"])["conversations"][0]["unenforced"], true);
    let brief = session_start(&env, "compact");
    assert!(brief.contains("gates may not have been enforced"), "{brief}");
    let seen = under(GATE);
    seen.begin();
    seen.bash("awk 'BEGIN { print > \"src/new.txt\" }'", "a");
    assert!(seen.stop().held().is_some());
    assert_eq!(seen.json(&["status", "--json"])["conversations"][0]["unenforced"], false);
}

#[test]
fn two_conversations_on_a_branch_have_their_own_and_share_what_is_the_branch_s() {
    let config = "[[gate]]\nid = \"adr\"\nbefore = [\"edit\"]\nscope = \"conversation\"\nproof = { read = \"ADR.md\" }\n\
                  [[gate]]\nid = \"checks\"\nbefore = [\"push\"]\nscope = \"branch\"\nproof = { ran = \"./check.sh*\" }\n";
    let env = under(config);
    env.begin();
    let other = |event: &str, fields: Value| {
        let mut all = json!({"session_id": "s2"});
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        env.hook(event, &all)
    };
    let told = context(&other("SessionStart", json!({"source": "startup"})));
    assert!(told.contains("Working in it: claude-code s1"), "{told}");
    other("UserPromptSubmit", json!({"prompt": "go"}));
    let told = context(&prompt(&env, "go on"));
    assert!(told.contains("claude-code s2 works in this work tree too"), "{told}");
    assert_eq!(prompt(&env, "go on").stdout, "", "told once");
    let read =
        json!({"tool_name": "Read", "tool_input": {"file_path": "ADR.md"}, "tool_use_id": "r"});
    env.hook("PreToolUse", &read);
    env.hook("PostToolUse", &read);
    let edit = json!({"tool_name": "Write", "tool_input": {"file_path": "src/lib.txt"}, "tool_use_id": "e"});
    assert_eq!(env.hook("PreToolUse", &edit).denied(), None);
    assert!(other("PreToolUse", edit).denied().is_some(), "the other one has not read it");
    let push =
        json!({"tool_name": "Bash", "tool_input": {"command": "git push"}, "tool_use_id": "p"});
    assert!(other("PreToolUse", push.clone()).denied().is_some());
    env.bash("./check.sh", "c");
    assert_eq!(other("PreToolUse", push).denied(), None, "the branch has it");
}

#[test]
fn status_tells_what_stands_between_a_conversation_and_its_stop() {
    let env = under(GATE);
    env.begin();
    assert_eq!(stop_state(&env), "idle");
    env.edit("src/lib.txt", "two\n");
    assert_eq!(stop_state(&env), "pending");
    for _ in 0..3 {
        assert!(env.stop().held().is_some());
        assert_eq!(stop_state(&env), "in_progress");
    }
    assert_eq!(env.stop().held(), None);
    assert_eq!(stop_state(&env), "given_up");
    prompt(&env, "go on");
    env.edit("src/lib.txt", "three\n");
    env.bash("./check.sh", "c");
    assert_eq!(env.stop().held(), None);
    assert_eq!(stop_state(&env), "satisfied");
}

#[test]
fn a_long_session_leaves_nothing_behind_and_makes_no_call_read_more() {
    let mut env = under(GATE);
    env.begin();
    let mut read = Vec::new();
    for number in 0..500 {
        let (name, input) = match number % 4 {
            0 => ("Read", json!({"file_path": "src/lib.txt"})),
            1 => ("Edit", json!({"file_path": format!("src/{number}.txt")})),
            2 => ("Bash", json!({"command": format!("cat src/lib.txt # {number}")})),
            // One that a gate waits for, and that never ends.
            _ if number % 100 == 99 => ("Bash", json!({"command": "./check.sh"})),
            _ => ("Grep", json!({"pattern": "x", "path": "src"})),
        };
        let fields =
            json!({"tool_name": name, "tool_input": input, "tool_use_id": format!("t{number}")});
        let before = env.hook("PreToolUse", &fields);
        assert_eq!(before.denied(), None);
        read.push(before.read);
        if number % 100 != 99 {
            assert_eq!(env.hook("PostToolUse", &fields).status, 0);
        }
    }
    let most = |part: &[u64]| part.iter().copied().max().unwrap();
    // Each has one call among them that looks at the work tree.
    let (first, last) = (most(&read[50..100]), most(&read[450..]));
    assert!(last < first * 2, "the first calls read {first} bytes, the last {last}");
    env.time = "2026-11-15T12:30:00.000Z".to_owned();
    prompt(&env, "go on");
    let state = env.home().join(".local/state/waypost");
    assert_eq!(files(&state.join("pending")), Vec::<PathBuf>::new());
    let folders: BTreeSet<_> =
        fs::read_dir(&state).unwrap().map(|one| one.unwrap().file_name()).collect();
    let known = ["activity", "conversations", "pending", "processes", "swept"].map(Into::into);
    assert!(folders.is_subset(&known.into()), "{folders:?}");
    assert_eq!(files(&state.join("conversations")).len(), 1);
    let sizes: u64 =
        files(&state.join("activity")).iter().map(|file| file.metadata().unwrap().len()).sum();
    assert!(sizes < 8 * 1024 * 1024, "{sizes}");
    let stream = env.store().join("sessions").join(session(&env));
    let largest = files(&stream)
        .iter()
        .filter(|file| !file.ends_with("events.jsonl"))
        .map(|file| file.metadata().unwrap().len())
        .max();
    assert!(largest.unwrap() < 16 * 1024, "a snapshot is bounded: {largest:?}");
    env.ok(&["verify", "--all"]);
}
