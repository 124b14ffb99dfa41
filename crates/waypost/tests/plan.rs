//! Plans: their statuses follow the session, builds follow them, and what people wrote stays theirs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};
use waypost_testkit::mcp::{Client, NEWER};
use waypost_testkit::{TestEnv, everything};

/// A project with a session, whose plan has this many checkpoints with two tasks each.
fn planned(checkpoints: u64) -> (TestEnv, PathBuf) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_publishing();
    let id = env.start("Add login");
    let folder = env.copy_of(&id);
    env.write(&format!("agents/sessions/{id}/plan.json"), &text_of(checkpoints));
    (env, folder)
}

fn text_of(checkpoints: u64) -> String {
    let each = (1..=checkpoints).map(|number| {
        let tasks = (1..=2).map(|task| {
            let id = format!("{number}.1.{task}");
            format!(
                "{{\"id\": \"{id}\", \"title\": \"Task {id}\",  \"file_path\": null, \"status\": \"pending\",\n\
                 \t\"own\": [1.0, {{\"status\": \"theirs\"}}], \"actions\": [{{\"command\": \"do\", \"status\": \"pending\"}}]}}"
            )
        });
        let before = if number == 1 { String::new() } else { (number - 1).to_string() };
        format!(
            "  {{ \"id\": {number}, \"title\": \"Part {number}\", \"prerequisites\": [{before}], \"status\": \"pending\",\n\
             \"task_groups\": [{{\"id\": \"{number}.1\", \"status\": \"pending\", \"tasks\": [{}]}}] }}",
            tasks.collect::<Vec<_>>().join(", ")
        )
    });
    let each: Vec<String> = each.collect();
    format!(
        "{{\n\"status\": \"finalized\", \"mine\": 1e2,\n\"checkpoints\": [\n{}\n]}}\n",
        each.join(",\n")
    )
}

fn plan(folder: &std::path::Path) -> Value {
    let text = fs::read(folder.join("plan.json")).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// The statuses of the checkpoints, by their first letters.
fn statuses(folder: &std::path::Path) -> String {
    let plan = plan(folder);
    let each = plan["checkpoints"].as_array().into_iter().flatten();
    each.filter_map(|one| one["status"].as_str()?.chars().next()).collect()
}

/// A plan's text with every status that Waypost writes taken out.
fn rest(text: &str) -> String {
    let words = ["pending", "in_progress", "completed"];
    words.iter().fold(text.to_owned(), |text, word| text.replace(&format!("\"{word}\""), "_"))
}

fn refused(env: &TestEnv, args: &[&str], why: &str) -> Output {
    let output = env.waypost(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", everything(&output));
    assert!(everything(&output).contains(why), "{args:?}: {}", everything(&output));
    output
}

fn warns(env: &TestEnv, args: &[&str], what: &str) {
    let output = env.waypost(args);
    assert!(output.status.success(), "{args:?}: {}", everything(&output));
    assert!(everything(&output).contains(what), "{args:?}: {}", everything(&output));
}

#[test]
fn statuses_follow_events_in_whatever_order_and_nothing_else_changes() {
    let (env, folder) = planned(3);
    let before = fs::read_to_string(folder.join("plan.json")).unwrap();
    env.ok(&["publish"]);
    assert_eq!(fs::read_to_string(folder.join("plan.json")).unwrap(), before);
    fs::set_permissions(folder.join("plan.json"), fs::Permissions::from_mode(0o640)).unwrap();
    env.ok(&["checkpoint", "init"]);
    env.ok(&["checkpoint", "start", "1"]);
    assert_eq!(statuses(&folder), "ipp");
    let mode = fs::metadata(folder.join("plan.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    env.ok(&["checkpoint", "complete", "3"]);
    assert_eq!(statuses(&folder), "ipc");
    env.ok(&["task", "complete", "1.1.2"]);
    let now = plan(&folder);
    let group = &now["checkpoints"][0]["task_groups"][0];
    assert_eq!(group["status"], "in_progress");
    assert_eq!(group["tasks"][0]["status"], "pending");
    assert_eq!(group["tasks"][1]["status"], "completed");
    assert_eq!(group["tasks"][1]["actions"][0]["status"], "completed");
    let of_last = &now["checkpoints"][2]["task_groups"][0];
    assert_eq!(of_last["tasks"][0]["status"], "pending", "nobody reported it");
    assert_eq!(of_last["status"], "pending");
    assert_eq!(rest(&fs::read_to_string(folder.join("plan.json")).unwrap()), rest(&before));
    let readable = fs::read_to_string(folder.join("plan.md")).unwrap();
    assert!(readable.contains("Progress: 1 of 3 checkpoints, 1 of 6 tasks"), "{readable}");
    assert!(readable.contains("- [x] **1.1.2** Task 1.1.2"), "{readable}");
    assert_eq!(env.ok(&["plan", "show"]), readable);
    env.ok(&["verify", "--all"]);
}

#[test]
fn a_build_has_the_checkpoints_and_tasks_of_its_plan() {
    let (env, folder) = planned(2);
    refused(&env, &["checkpoint", "init", "3"], "plan.json has 2 checkpoints, not 3");
    refused(&env, &["checkpoint", "start", "1"], "no build has begun");
    env.ok(&["checkpoint", "init", "2"]);
    for number in ["0", "3"] {
        refused(&env, &["checkpoint", "start", number], "the build has 1 to 2");
        refused(&env, &["checkpoint", "complete", number], "the build has 1 to 2");
    }
    warns(
        &env,
        &["checkpoint", "start", "2"],
        "checkpoint 2 comes after checkpoint 1, which is not",
    );
    refused(&env, &["checkpoint", "start", "2"], "under way already");
    refused(&env, &["task", "complete", "1.1.11"], "did you mean 1.1.1?");
    refused(&env, &["task", "complete", "something else"], "waypost task list");
    env.ok(&["task", "complete", "2.1.2"]);
    refused(&env, &["task", "complete", "2.1.2"], "completed already");
    warns(
        &env,
        &["checkpoint", "complete", "2"],
        "nobody reported task 2.1.1 of checkpoint 2: it stays open",
    );
    refused(&env, &["checkpoint", "complete", "2"], "completed already");
    assert_eq!(statuses(&folder), "pc");
    // The whole build again, from the beginning.
    env.ok(&["checkpoint", "complete", "1"]);
    refused(&env, &["checkpoint", "init", "1"], "not 1");
    env.ok(&["checkpoint", "init"]);
    assert_eq!(statuses(&folder), "pp");
    let without = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    without.init();
    without.start("Nothing planned");
    refused(&without, &["checkpoint", "init"], "there is no plan with checkpoints");
    without.ok(&["checkpoint", "init", "2"]);
    without.ok(&["task", "complete", "whatever"]);
}

#[test]
fn a_plan_that_grows_lets_its_build_grow() {
    let (env, folder) = planned(2);
    env.ok(&["checkpoint", "init"]);
    env.ok(&["checkpoint", "complete", "1"]);
    fs::write(folder.join("plan.json"), text_of(4)).unwrap();
    warns(
        &env,
        &["checkpoint", "start", "4"],
        "the plan has grown: the build has 4 checkpoints now",
    );
    assert_eq!(statuses(&folder), "cppi");
    assert!(env.event_types().contains(&"build_extended".to_owned()));
    let listed = env.json(&["checkpoint", "--json"]);
    assert_eq!(listed["build_progress"]["checkpoints_total"], 4);
    assert_eq!(listed["build_progress"]["current_checkpoint"], 4);
    // One that is not numbered soundly lets nothing grow, and one that shrinks takes nothing away.
    fs::write(folder.join("plan.json"), text_of(5).replace("\"id\": 5,", "\"id\": 7,")).unwrap();
    refused(&env, &["checkpoint", "start", "5"], "the build has 1 to 4");
    fs::write(folder.join("plan.json"), text_of(1)).unwrap();
    env.ok(&["checkpoint", "complete", "3"]);
    let listed = env.json(&["checkpoint", "list", "--json"]);
    assert_eq!(listed["checkpoints"].as_array().unwrap().len(), 4);
    assert_eq!(listed["checkpoints"][2]["status"], "completed");
}

#[test]
fn a_plan_that_cannot_be_read_holds_nothing_up_and_is_left_alone() {
    let (env, folder) = planned(2);
    env.ok(&["checkpoint", "init"]);
    let path = folder.join("plan.json");
    for damaged in ["{\n  \"checkpoints\": [}", "", "[]", "null"] {
        fs::write(&path, damaged).unwrap();
        warns(&env, &["publish"], "plan.json cannot be read");
        assert_eq!(fs::read_to_string(&path).unwrap(), damaged);
        let problems = refused(&env, &["plan", "check"], "cannot be read");
        assert!(!everything(&problems).contains("nothing is wrong"));
    }
    fs::write(&path, "{\n  \"checkpoints\": [}").unwrap();
    warns(&env, &["checkpoint", "complete", "1"], "line 2, column 19");
    warns(&env, &["task", "complete", "anything"], "it was left as it is");
    fs::remove_file(&path).unwrap();
    let elsewhere = env.home().join("theirs.json");
    fs::write(&elsewhere, text_of(2)).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    warns(&env, &["publish"], "symbolic link");
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), text_of(2));
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    // Put right once it can be read again, whatever was missed.
    fs::remove_file(&path).unwrap();
    fs::write(&path, text_of(2)).unwrap();
    env.ok(&["publish"]);
    assert_eq!(statuses(&folder), "cp");
    env.ok(&["verify", "--all"]);
}

#[test]
fn what_was_missed_or_claimed_is_put_right_at_the_next_occasion() {
    let (env, folder) = planned(3);
    let early = fs::read(folder.join("plan.json")).unwrap();
    env.ok(&["checkpoint", "init"]);
    env.ok(&["checkpoint", "complete", "2"]);
    let latest = fs::read(folder.join("plan.json")).unwrap();
    // As after a crash between the records and the plan.
    fs::write(folder.join("plan.json"), &early).unwrap();
    fs::remove_file(folder.join("plan.md")).unwrap();
    env.ok(&["publish"]);
    assert_eq!(fs::read(folder.join("plan.json")).unwrap(), latest);
    assert!(folder.join("plan.md").exists());
    let claimed = String::from_utf8(latest).unwrap().replace("\"pending\"", "\"done\"");
    fs::write(folder.join("plan.json"), claimed).unwrap();
    let told =
        "plan.json said that checkpoints 1, 3 are completed; the session does not know of it";
    warns(&env, &["publish"], told);
    assert_eq!(statuses(&folder), "pcp");
}

#[test]
fn a_plan_for_people_that_people_wrote_is_kept() {
    let (env, folder) = planned(1);
    fs::write(folder.join("plan.md"), "# My own\n").unwrap();
    warns(&env, &["publish"], "plan.md was written by hand, so it is kept");
    assert_eq!(fs::read_to_string(folder.join("plan.md")).unwrap(), "# My own\n");
    fs::remove_file(folder.join("plan.md")).unwrap();
    env.ok(&["publish"]);
    let made = fs::read_to_string(folder.join("plan.md")).unwrap();
    fs::write(folder.join("plan.md"), format!("{made}edited\n")).unwrap();
    env.ok(&["publish"]);
    assert_eq!(fs::read_to_string(folder.join("plan.md")).unwrap(), made);
}

#[test]
fn what_was_learnt_is_kept_once_beside_what_others_wrote() {
    let (env, folder) = planned(2);
    let path = folder.join("dev-notes.json");
    env.ok(&["publish"]);
    assert!(!path.exists());
    let spec = fs::read(folder.join("spec.md")).unwrap();
    let by_hand = "{\"notes\": [\n  {\"id\": \"dn-007\", \"content\": \"by hand\"}\n]}\n";
    fs::write(&path, by_hand).unwrap();
    env.ok(&["checkpoint", "init"]);
    env.ok(&["checkpoint", "start", "2"]);
    env.ok(&["note", "add", "--kind", "discovery", "The \"lock\" is shared"]);
    env.ok(&["note", "add", "of no category"]);
    env.ok(&["focus", "--task", "2.1.1"]);
    env.ok(&["note", "add", "--kind", "blocker", "No rights"]);
    for _ in 0..3 {
        env.ok(&["publish"]);
    }
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(by_hand.strip_suffix("\n]}\n").unwrap()), "{text}");
    let notes: Value = serde_json::from_str(&text).unwrap();
    let notes = notes["notes"].as_array().unwrap();
    let told: Vec<String> =
        notes.iter().map(|note| format!("{} {}", note["id"], note["scope"])).collect();
    assert_eq!(
        told,
        [
            r#""dn-007" null"#,
            r#""dn-008" {"ref":"2","type":"checkpoint"}"#,
            r#""dn-009" {"ref":"2.1.1","type":"task"}"#,
        ]
    );
    fs::write(&path, "{\"notes\": ").unwrap();
    warns(&env, &["publish"], "dev-notes.json cannot be read");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"notes\": ");
    assert_eq!(fs::read(folder.join("spec.md")).unwrap(), spec, "spec.md is never written");
}

#[test]
fn plans_tasks_and_the_focus_are_shown() {
    let (env, folder) = planned(2);
    assert!(env.ok(&["plan", "check"]).contains("nothing is wrong: 2 checkpoints, 4 tasks"));
    let task = env.json(&["task", "show", "1.1.2", "--json"]);
    assert_eq!(
        (&task["id"], &task["checkpoint"], &task["group"]),
        (&json!("1.1.2"), &json!(1), &json!("1.1"))
    );
    assert!(env.ok(&["task", "list"]).contains("2.1.1  pending"));
    assert!(env.ok(&["checkpoint"]).contains("Part 2, 0 of 2 tasks"));
    let broken = text_of(2).replace("\"id\": 2,", "\"id\": 1,");
    fs::write(folder.join("plan.json"), broken).unwrap();
    refused(&env, &["plan", "check"], "checkpoints[1]: checkpoint `1` is there already");
    let checked = env.waypost(&["plan", "check", "--json"]);
    let checked: Value = serde_json::from_slice(&checked.stdout).unwrap();
    assert_eq!(
        (&checked["pass"], &checked["problems"][0]["path"]),
        (&json!(false), &json!("checkpoints[1]"))
    );
    fs::remove_file(folder.join("plan.json")).unwrap();
    refused(&env, &["plan", "check"], "has no plan here");
    assert_eq!(env.ok(&["focus"]), "none\n");
    env.ok(&["focus", "--feature", "login", "--task", "1.1.2", "--phase", "validation"]);
    assert_eq!(env.ok(&["focus"]), "feature login, task 1.1.2, validation\n");
    assert_eq!(env.json(&["focus", "--json"])["task"], "1.1.2");
    refused(&env, &["focus", "--phase", "sleeping"], "not a workflow phase");
    assert_eq!(env.ok(&["focus", "--clear"]), "none\n");
    assert_eq!(env.waypost(&["focus", "--clear", "--task", "x"]).status.code(), Some(2));
    assert_eq!(env.waypost(&["checkpoint", "start", "one"]).status.code(), Some(2));
}

#[test]
fn agents_are_told_what_the_plan_has_to_say() {
    let (env, folder) = planned(2);
    let mut client = Client::start(&env, NEWER, &[]);
    let refusal = client.refused("session_init_build", json!({"checkpoints_total": 9}));
    assert!(refusal.contains("plan.json has 2 checkpoints, not 9"), "{refusal}");
    client.works("session_init_build", json!({"checkpoints_total": 2}));
    let started = client.works("session_start_checkpoint", json!({"checkpoint_id": 2}));
    assert!(started.to_string().contains("comes after checkpoint 1"), "{started}");
    client.works("session_complete_task", json!({"task_id": "2.1.1"}));
    let now = plan(&folder);
    assert_eq!(now["checkpoints"][1]["task_groups"][0]["tasks"][0]["status"], "completed");
    let completed = client.works("session_complete_checkpoint", json!({"checkpoint_id": 2}));
    assert!(completed.to_string().contains("nobody reported task 2.1.2"), "{completed}");
    assert_eq!(statuses(&folder), "pc");
}

#[test]
fn whatever_is_said_the_plan_is_what_the_session_knows() {
    let (env, folder) = planned(4);
    let before = fs::read_to_string(folder.join("plan.json")).unwrap();
    env.ok(&["checkpoint", "init"]);
    let mut seed = 7_u64;
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    for _ in 0..60 {
        let number = next(6).to_string();
        let task = format!("{}.1.{}", next(5), next(3));
        let args: &[&str] = match next(8) {
            0..=2 => &["checkpoint", "start", &number],
            3 => &["checkpoint", "complete", &number],
            4..=6 => &["task", "complete", &task],
            _ => &["checkpoint", "init"],
        };
        let code = env.waypost(args).status.code();
        assert!(matches!(code, Some(0 | 1)), "{args:?}: {code:?}");
        let text = fs::read_to_string(folder.join("plan.json")).unwrap();
        assert_eq!(rest(&text), rest(&before), "{args:?}");
        let known = env.json(&["checkpoint", "--json"]);
        let done = known["build_progress"]["checkpoints_completed"].as_array().unwrap();
        let now = plan(&folder);
        for (one, seen) in now["checkpoints"]
            .as_array()
            .unwrap()
            .iter()
            .zip(known["checkpoints"].as_array().unwrap())
        {
            assert_eq!(one["status"] == "completed", done.contains(&one["id"]), "{args:?}");
            assert_eq!(one["status"], seen["status"], "{args:?}");
        }
    }
    assert_eq!(env.ok(&["plan", "show"]), fs::read_to_string(folder.join("plan.md")).unwrap());
    env.ok(&["verify", "--all"]);
}
