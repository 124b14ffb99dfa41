//! Who cannot judge, however they go about it, and whose "no" counts.

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, NEWER};

use super::verdicts::{gate, held, verdict};
use super::{begun, calls, subagent, with, writes};

/// How verdicts may be bound to content.
const BOUND: [&str; 2] = ["", ", fresh = \"tree\""];

/// A subagent runs a command line with the harness' own tool, in a real shell.
fn runs(env: &TestEnv, by: &Value, line: &str, call: &str) {
    let fields = json!({"tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": call});
    let fields = with(fields, by);
    assert_eq!(env.hook("PreToolUse", &fields).denied(), None, "{line}");
    let ran = env.command("bash", env.project()).args(["-c", line]).output().unwrap();
    assert!(ran.status.success(), "{line}");
    let response = json!({"stdout": "", "stderr": "", "interrupted": false});
    env.hook("PostToolUse", &with(json!({"tool_response": response}), &fields));
}

/// It changes a file, and no line says so.
fn changes(env: &TestEnv, by: &Value, file: &str) {
    runs(
        env,
        by,
        &format!("python3 -c \"open('{file}', 'w').write('new')\""),
        &format!("c-{file}"),
    );
}

fn says(env: &TestEnv, client: &mut Client, by: &Value, said: &Value) -> Value {
    let result = calls(env, client, by, "verdict_record", said);
    assert_ne!(result["isError"], true, "{result}");
    result["structuredContent"].clone()
}

#[test]
fn a_forged_end_does_not_make_the_worker_forget_its_work() {
    for fresh in BOUND {
        let env = begun(&gate(fresh));
        let mut client = Client::start(&env, NEWER, &[]);
        let by = subagent("a1", "security");
        env.hook("SubagentStart", &by);
        changes(&env, &by, "work.txt");
        env.forged_hook("SubagentStop", &by);
        let given = says(&env, &mut client, &by, &verdict("approve", 1.0));
        assert_eq!(given["counts"], false, "{fresh}: {given}");
        assert!(held(&env).is_some(), "{fresh}");
    }
}

#[test]
fn a_forged_end_and_beginning_do_not_either() {
    for fresh in BOUND {
        let env = begun(&gate(fresh));
        let mut client = Client::start(&env, NEWER, &[]);
        let by = subagent("a1", "security");
        env.hook("SubagentStart", &by);
        changes(&env, &by, "work.txt");
        env.forged_hook("SubagentStop", &by);
        env.forged_hook("SubagentStart", &by);
        let given = says(&env, &mut client, &by, &verdict("approve", 1.0));
        assert_eq!(given["counts"], false, "{fresh}: {given}");
        assert!(held(&env).is_some(), "{fresh}");
    }
}

#[test]
fn one_that_is_taken_up_again_has_still_done_what_it_did() {
    for fresh in BOUND {
        let env = begun(&gate(fresh));
        let mut client = Client::start(&env, NEWER, &[]);
        let by = subagent("a1", "security");
        env.hook("SubagentStart", &by);
        changes(&env, &by, "work.txt");
        env.hook("SubagentStop", &by);
        env.hook("SubagentStart", &by);
        let given = says(&env, &mut client, &by, &verdict("approve", 1.0));
        assert_eq!(given["counts"], false, "{fresh}: {given}");
        assert!(held(&env).is_some(), "{fresh}");
    }
}

#[test]
fn whoever_lets_another_do_the_work_cannot_judge_it() {
    for fresh in BOUND {
        let env = begun(&gate(fresh));
        let mut client = Client::start(&env, NEWER, &[]);
        let (by, below) = (subagent("a1", "security"), subagent("a2", "implementer"));
        env.hook("SubagentStart", &by);
        let input = json!({"description": "Do it", "prompt": "p", "subagent_type": "implementer"});
        let call = json!({"tool_name": "Agent", "tool_use_id": "t1", "tool_input": input});
        env.hook("PreToolUse", &with(call.clone(), &by));
        env.hook("SubagentStart", &below);
        writes(&env, &below, "work.txt", "new\n");
        env.hook("SubagentStop", &below);
        let response = json!({"status": "completed", "agentId": "a2", "agentType": "implementer"});
        env.hook("PostToolUse", &with(with(json!({"tool_response": response}), &call), &by));
        let given = says(&env, &mut client, &by, &verdict("approve", 1.0));
        assert_eq!(given["counts"], false, "{fresh}: {given}");
        assert!(held(&env).is_some(), "{fresh}");
    }
}

#[test]
fn a_no_counts_even_of_one_that_changed_files() {
    for fresh in BOUND {
        let env = begun(&gate(fresh));
        let mut client = Client::start(&env, NEWER, &[]);
        env.edit("app.txt", "new\n");
        let (first, second) = (subagent("a1", "security"), subagent("a2", "security"));
        env.hook("SubagentStart", &first);
        says(&env, &mut client, &first, &verdict("approve", 1.0));
        env.hook("SubagentStop", &first);
        assert_eq!(held(&env), None, "{fresh}");
        env.hook("SubagentStart", &second);
        writes(&env, &second, "exploit.txt", "new\n");
        says(&env, &mut client, &second, &verdict("reject", 1.0));
        std::fs::remove_file(env.project().join("exploit.txt")).unwrap();
        env.hook("SubagentStop", &second);
        let why = held(&env).unwrap_or_default();
        assert!(why.contains("security said `reject`"), "{fresh}: {why}");
        let third = subagent("a3", "security");
        env.hook("SubagentStart", &third);
        says(&env, &mut client, &third, &verdict("approve", 1.0));
        assert_eq!(held(&env), None, "{fresh}");
    }
}

#[test]
fn of_very_many_at_once_none_is_taken_for_one_that_changed_nothing() {
    for fresh in BOUND {
        let env = begun(&gate(fresh));
        let mut client = Client::start(&env, NEWER, &[]);
        let by = subagent("a1", "security");
        env.hook("SubagentStart", &by);
        changes(&env, &by, "work.txt");
        for number in 0..70 {
            env.hook("SubagentStart", &subagent(&format!("b{number}"), "qa"));
        }
        let given = says(&env, &mut client, &by, &verdict("approve", 1.0));
        assert_eq!(given["counts"], false, "{fresh}: {given}");
        assert!(held(&env).is_some(), "{fresh}");
    }
}

#[test]
fn a_reviewer_may_put_back_what_its_runs_wrote_by_the_way() {
    let env = begun(&gate(BOUND[1]));
    let mut client = Client::start(&env, NEWER, &[]);
    env.edit("app.txt", "new\n");
    let by = subagent("a1", "security");
    env.hook("SubagentStart", &by);
    changes(&env, &by, "ADR.md");
    let given = says(&env, &mut client, &by, &verdict("approve", 1.0));
    let why_not = "security changed ADR.md itself, and cannot judge it unless that is put back";
    assert_eq!(given["why_not"], why_not);
    assert!(held(&env).is_some());
    runs(&env, &by, "git checkout -- ADR.md", "back");
    let given = says(&env, &mut client, &by, &verdict("approve", 1.0));
    assert_eq!(given["counts"], true, "{given}");
    assert_eq!(held(&env), None);
}

#[test]
fn work_that_is_put_aside_while_it_is_judged_is_ones_own_when_it_comes_again() {
    for fresh in BOUND {
        let env = begun(&gate(fresh));
        let mut client = Client::start(&env, NEWER, &[]);
        let by = subagent("a1", "security");
        env.hook("SubagentStart", &by);
        writes(&env, &by, "work.txt", "new\n");
        runs(&env, &by, "git stash -q --include-untracked", "aside");
        says(&env, &mut client, &by, &verdict("approve", 1.0));
        runs(&env, &by, "git stash pop -q", "again");
        assert!(held(&env).is_some(), "{fresh}");
    }
}

#[test]
fn a_reviewer_that_is_taken_up_again_judges_what_there_is_then() {
    for fresh in BOUND {
        let env = begun(&gate(fresh));
        let mut client = Client::start(&env, NEWER, &[]);
        env.edit("app.txt", "new\n");
        let by = subagent("a1", "security");
        env.hook("SubagentStart", &by);
        runs(&env, &by, "ls", "look");
        says(&env, &mut client, &by, &verdict("needs_revision", 1.0));
        env.hook("SubagentStop", &by);
        env.edit("app.txt", "newer\n");
        env.bash("python3 -c \"open('more.txt', 'w').write('new')\"", "more");
        env.hook("SubagentStart", &by);
        runs(&env, &by, "ls", "look-again");
        let given = says(&env, &mut client, &by, &verdict("approve", 1.0));
        assert_eq!(given["counts"], true, "{fresh}: {given}");
        assert_eq!(held(&env), None, "{fresh}");
    }
}

#[test]
fn however_much_others_changed_ones_own_work_is_found_among_it() {
    let env = begun(&gate(""));
    let mut client = Client::start(&env, NEWER, &[]);
    let by = subagent("a1", "security");
    env.hook("SubagentStart", &by);
    for number in 0..500 {
        env.write(&format!("a/{number:03}.txt"), "of somebody else\n");
    }
    // What was changed within a tick of the clock before a call may be of that call.
    env.tick();
    changes(&env, &by, "zzz.txt");
    let given = says(&env, &mut client, &by, &verdict("approve", 1.0));
    let why_not = given["why_not"].as_str().unwrap_or_default();
    assert!(why_not.contains("zzz.txt itself"), "{given}");
    assert!(held(&env).is_some());
}
