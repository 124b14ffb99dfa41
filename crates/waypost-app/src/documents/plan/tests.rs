//! Plans as they are written, in both formats and with their oddities: what is read of them, what is
//! wrong with them, and what becomes of their statuses.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};
use waypost_core::session::{Build, MAX_CHECKPOINTS};

use super::statuses::{Contradicted, Knowledge, put_right};
use super::*;

const OLDER: &str = r#"{
  "session_id": "2026-11-15_x_abcdef",
  "checkpoints": [
    { "id": "1", "title": "One", "goal": "Begin", "prerequisites": [], "status": "complete",
      "tranches": [
        { "id": 1.1, "goal": "Files", "tasks": [
          { "id": "1.1.1", "title": "A", "file_path": null, "action": "CREATE a", "status": "done",
            "context": { "read_before": ["README.md", {"file": "b.rs", "lines": "1-9", "purpose": "why"}],
                         "related_files": ["c.rs"] },
            "depends_on": [], "subtasks": [{"title": "first half"}] } ] } ] },
    { "title": "Two", "tasks": [ {"title": "loose", "status": "in-progress"}, {"id": "2.2", "title": "x"} ] }
  ]
}"#;

fn id() -> SessionId {
    "2026-11-15_x_abcdef".parse().unwrap()
}

fn plan(text: &str) -> Plan {
    parse(Path::new(FILE), text.as_bytes(), &id()).unwrap()
}

fn messages(value: &Value) -> Vec<String> {
    let plan = plan(&value.to_string());
    plan.problems.iter().map(|found| format!("{}: {}", found.path, found.message)).collect()
}

fn put(text: &str, build: &Build) -> (String, Contradicted) {
    let document = Document::parse(Path::new(FILE), text.as_bytes()).unwrap();
    let contradicted = put_right(&document, &plan(text), &Knowledge::of(build, false));
    (String::from_utf8(document.to_bytes()).unwrap(), contradicted)
}

fn build(total: u64, completed: &[u64], under_way: &[u64], tasks: &[&str]) -> Build {
    Build {
        total,
        completed: completed.iter().copied().collect(),
        under_way: under_way.to_vec(),
        tasks: tasks.iter().map(|task| (*task).to_owned()).collect(),
        tasks_completed: u64::try_from(tasks.len()).unwrap(),
    }
}

#[test]
fn the_older_format_is_read_like_the_newer_one() {
    let plan = plan(OLDER);
    assert_eq!(plan.problems, []);
    let one = &plan.checkpoints[0];
    assert_eq!((one.number, one.goal.as_deref()), (1, Some("Begin")));
    assert_eq!(one.status, PlanStatus::Completed);
    let group = &one.task_groups[0];
    assert_eq!((group.id.as_str(), group.objective.as_deref()), ("1.1", Some("Files")));
    let task = &group.tasks[0];
    assert_eq!((task.file_path.as_deref(), &task.status), (None, &PlanStatus::Completed));
    assert_eq!(task.read_before[1].lines.as_deref(), Some("1-9"));
    let actions: Vec<&str> = task.actions.iter().map(|action| action.command.as_str()).collect();
    assert_eq!(actions, ["CREATE a", "first half"]);
    let two = &plan.checkpoints[1];
    assert_eq!((two.number, two.id.as_str()), (2, "2"));
    let ids: Vec<&str> = two.tasks().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["2.1", "2.2"]);
    assert_eq!(two.task_groups[0].tasks[0].status, PlanStatus::InProgress);
    assert_eq!(plan.progress(), "1 of 2 checkpoints, 1 of 3 tasks");
}

#[test]
fn whatever_is_missing_or_odd_is_read_and_told() {
    for nothing in ["{}", r#"{"checkpoints": null}"#, r#"{"checkpoints": []}"#] {
        assert_eq!(plan(nothing).checkpoints, []);
        assert_eq!(plan(nothing).problems, [], "{nothing}");
    }
    assert_eq!(messages(&json!({"checkpoints": 3})), [": checkpoints is a number, not a list"]);
    let odd = json!({"checkpoints": [7, {"id": 1, "title": {"a": 1}, "task_groups": "none"}]});
    assert_eq!(
        messages(&odd),
        [
            "checkpoints[0]: it is a number, not an object",
            "checkpoints[1]: title is an object, not text",
            "checkpoints[1]: task_groups is text, not a list",
            "checkpoints[1]: it has no title",
        ]
    );
    let many = json!({"checkpoints": vec![json!({}); 5_000]});
    assert_eq!(plan(&many.to_string()).total(), MAX_CHECKPOINTS + 1);
    assert!(messages(&many)[0].starts_with("checkpoints: there are more than 1000 checkpoints"));
    for broken in ["", "[]", "3", "{", "{\"a\" 1}", "\u{0}"] {
        let error = parse(Path::new(FILE), broken.as_bytes(), &id()).unwrap_err();
        assert!(error.message.starts_with("plan.json cannot be read: "), "{broken}: {error}");
    }
    let error = parse(Path::new(FILE), b"{\n  \"a\" 1}", &id()).unwrap_err();
    assert!(error.message.contains("line 2, column"), "{error}");
}

#[test]
fn numbers_names_and_order_are_checked() {
    let task = |id: &str, after: &[&str]| json!({"id": id, "title": id, "depends_on": after});
    let value = json!({"session_id": "2026-11-15_y_abcdef", "checkpoints": [
        {"id": 1, "title": "One", "prerequisites": [2, 9], "status": "odd", "task_groups": [
            {"id": "1.1", "tasks": [task("1.1.1", &["1.1.2"]), task("1.1.2", &["1.1.1", "7"])]},
            {"id": "2.9", "tasks": [task("2.9.1", &["2.9.1"]), task("1.1.1", &[])]}]},
        {"id": 2, "title": " ", "prerequisites": ["1"]},
        {"id": 2, "title": "{{CHECKPOINT_TITLE}}", "goal": "render {{ name }}"},
        {"id": "x", "title": "Four"},
    ]});
    assert_eq!(
        messages(&value),
        [
            "session_id: it is the plan of session `2026-11-15_y_abcdef`, not of 2026-11-15_x_abcdef",
            "checkpoints[3]: its id is `x`, and checkpoints are numbered 1 to 4",
            "checkpoints[0]: its prerequisite `9` is no checkpoint of the plan",
            "checkpoints[0]: checkpoints wait for each other: `1` after `2` after `1`",
            "checkpoints[2]: checkpoint `2` is there already, at checkpoints[1]",
            "checkpoints[0].task_groups[1].tasks[1]: task `1.1.1` is there already, at \
             checkpoints[0].task_groups[0].tasks[0]",
            "checkpoints[0]: its status `odd` is not known; say pending, in_progress, completed, \
             blocked or skipped",
            "checkpoints[0].task_groups[1]: group `2.9` stands in checkpoint `1`",
            "checkpoints[0].task_groups[1].tasks[1]: task `1.1.1` stands in group `2.9`",
            "checkpoints[1]: it has no title",
            "checkpoints[0].task_groups[0].tasks[1]: it depends on `7`, which is no task of the plan",
            "checkpoints[0].task_groups[0].tasks[0]: tasks wait for each other: `1.1.1` after \
             `1.1.2` after `1.1.1`",
            "checkpoints[0].task_groups[1].tasks[0]: `2.9.1` waits for itself",
            "checkpoints[2].title: `{{CHECKPOINT_TITLE}}` was never filled in",
        ]
    );
}

#[test]
fn statuses_follow_the_session_and_nothing_else_changes() {
    let text = "{ // mine\n\t\"status\": \"finalized\",\n\t\"checkpoints\": [\n\t\t{\"id\": 1, \"status\":  \"complete\", \"x\": 1e3, \"task_groups\": [{\"id\": \"1.1\", \"status\": \"pending\", \"tasks\": [{\"id\": \"1.1.1\", \"status\": \"todo\", \"actions\": [{\"status\": \"pending\"}, {\"status\": \"skipped\"}]}, {\"id\": \"1.1.2\", \"status\": \"skipped\"}]}]},\r\n\t\t{\"id\": 2, \"status\": \"pending\", \"task_groups\": [{\"id\": \"2.1\", \"status\": \"pending\", \"tasks\": [{\"id\": \"2.1.1\", \"status\": \"pending\"}, {\"id\": \"2.1.2\", \"status\": \"in_progress\"}]}]},\n\t\t{\"id\": 3, \"status\": \"blocked\"},\n\t]\n}\n";
    assert_eq!(put(text, &Build::default()), (text.to_owned(), Contradicted::default()));
    let (now, contradicted) = put(text, &build(3, &[1], &[2], &["2.1.1"]));
    let expected = text
        .replacen("\"id\": 2, \"status\": \"pending\"", "\"id\": 2, \"status\": \"in_progress\"", 1)
        .replacen(
            "\"id\": \"2.1\", \"status\": \"pending\"",
            "\"id\": \"2.1\", \"status\": \"in_progress\"",
            1,
        )
        .replacen(
            "\"id\": \"2.1.1\", \"status\": \"pending\"",
            "\"id\": \"2.1.1\", \"status\": \"completed\"",
            1,
        );
    assert_eq!(now, expected);
    assert_eq!(contradicted, Contradicted::default());
    assert_eq!(put(&now, &build(3, &[1], &[2], &["2.1.1"])).0, now);
    // A checkpoint that is completed takes no task along: its tasks are completed when somebody reports them.
    let (reported, _) = put(text, &build(3, &[1], &[2], &["1.1.1", "2.1.1"]));
    let first = "\"status\": \"completed\", \"tasks\": [{\"id\": \"1.1.1\", \"status\": \"completed\", \"actions\": [{\"status\": \"completed\"}, {\"status\": \"skipped\"}]}, {\"id\": \"1.1.2\", \"status\": \"skipped\"}";
    assert!(reported.contains(first), "{reported}");
}

#[test]
fn a_group_is_done_when_its_tasks_are_and_not_because_its_checkpoint_is() {
    let text = |group: &str, one: &str| {
        format!(
            "{{\"checkpoints\": [{{\"id\": 1, \"status\": \"completed\", \"task_groups\": [{{\"id\": \"1.1\", \
             \"status\": \"{group}\", \"tasks\": [{{\"id\": \"1.1.1\", \"status\": \"{one}\"}}, \
             {{\"id\": \"1.1.2\", \"status\": \"skipped\"}}]}}, {{\"id\": \"1.2\", \"status\": \"pending\"}}]}}]}}"
        )
    };
    let over = |tasks: &[&str]| build(1, &[1], &[], tasks);
    // A group without tasks is done with its checkpoint: there is nothing to report.
    let empty = |text: String| {
        text.replace("\"1.2\", \"status\": \"pending\"", "\"1.2\", \"status\": \"completed\"")
    };
    assert_eq!(put(&text("pending", "pending"), &over(&[])).0, empty(text("pending", "pending")));
    assert_eq!(
        put(&text("pending", "pending"), &over(&["1.1.1"])).0,
        empty(text("completed", "completed"))
    );
    let (back, contradicted) = put(&text("completed", "completed"), &over(&[]));
    assert_eq!(back, empty(text("pending", "pending")));
    assert_eq!(contradicted.tasks, ["1.1.1"]);
}

#[test]
fn what_only_the_plan_calls_completed_is_put_back_and_told() {
    let (now, contradicted) = put(OLDER, &build(2, &[], &[], &[]));
    assert_eq!(contradicted.checkpoints, ["1"]);
    assert_eq!(contradicted.tasks, ["1.1.1"]);
    assert_eq!(
        now,
        OLDER.replace("\"complete\"", "\"pending\"").replace("\"done\"", "\"pending\"")
    );
    // Where tasks were forgotten, or another program knew of them, what is written may be right.
    let mut many = build(2, &[1], &[], &["9"]);
    many.tasks_completed = 600;
    assert_eq!(put(OLDER, &many).1, Contradicted::default());
    let document = Document::parse(Path::new(FILE), OLDER.as_bytes()).unwrap();
    let elsewhere = build(2, &[1], &[], &[]);
    let told = put_right(&document, &plan(OLDER), &Knowledge::of(&elsewhere, true));
    assert_eq!(told, Contradicted::default());
}

#[test]
fn a_status_that_is_missing_is_added_only_where_there_is_something_to_say() {
    let text = r#"{"checkpoints": [{"id": 1}, {"id": 2, "status": null}, {"id": 3, "status": 7}]}"#;
    assert_eq!(put(text, &build(3, &[], &[], &[])).0, text);
    assert_eq!(
        put(text, &build(3, &[1, 2, 3], &[], &[])).0,
        r#"{"checkpoints": [{"status": "completed", "id": 1}, {"id": 2, "status": "completed"}, {"id": 3, "status": 7}]}"#
    );
}

#[test]
fn the_readable_plan_is_whole_and_foreign_text_stays_on_its_line() {
    let value = json!({"session_id": id(), "checkpoints": [
        {"id": 1, "title": "One\n# Two", "goal": "<script>", "prerequisites": [], "status": "done",
         "file_context": {"ending": {"files": [{"path": "a`b.rs", "status": "new", "description": "x"}]}},
         "testing_strategy": {"approach": "By hand", "verification_steps": ["cargo test"]},
         "task_groups": [{"id": "1.1", "title": "Group", "objective": "Why", "tasks": [
            {"id": "1.1.1", "title": "Do", "file_path": "a.rs", "description": "# how", "status": "completed",
             "depends_on": ["1.1.0"], "actions": [{"command": "CREATE a", "status": "pending"}]},
            {"id": "1.1.2", "title": "Wait", "status": "blocked"}]}]},
        {"id": 2, "title": "Last", "prerequisites": [1]},
    ]});
    let text = markdown(&plan(&value.to_string()));
    let expected = "\
<!-- Generated from plan.json by Waypost. Edits here are lost: change plan.json. -->

# Plan

Session: `2026-11-15_x_abcdef`  \nProgress: 1 of 2 checkpoints, 1 of 2 tasks

## ✅ Checkpoint 1: One # Two

- Status: completed
- Goal: &lt;script>

Files after:

- `` a`b.rs `` (new): x

### 1.1 Group

Why

- [x] **1.1.1** Do (`a.rs`)
  \\# how
  - After: 1.1.0
  - [x] CREATE a
- [ ] **1.1.2** Wait (blocked)

### Verification

By hand

- cargo test

## ⬜ Checkpoint 2: Last

- Status: pending
- After: checkpoint 1
";
    assert_eq!(text, expected);
}

/// A value without its statuses.
fn bare(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("status");
            fields.values_mut().for_each(bare);
        }
        Value::Array(values) => values.iter_mut().for_each(bare),
        _ => {}
    }
}

fn any_status() -> impl Strategy<Value = Value> {
    let words = ["pending", "completed", "done", "in-progress", "blocked", "skipped", "odd"];
    prop_oneof![
        6 => proptest::sample::select(words.to_vec()).prop_map(|word| json!(word)),
        1 => Just(Value::Null),
    ]
}

fn any_plan() -> impl Strategy<Value = Value> {
    let statuses = proptest::collection::vec(any_status(), 16);
    (statuses, any::<bool>(), 0..5_u64).prop_map(|(statuses, older, total)| {
        let mut statuses = statuses.into_iter().cycle();
        let mut next = || statuses.next().unwrap_or_default();
        let groups = if older { "tranches" } else { "task_groups" };
        let checkpoints: Vec<Value> = (1..=total)
            .map(|number| {
                let tasks: Vec<Value> = (1..3)
                    .map(|task| {
                        let actions = json!([{"command": "x", "status": next()}]);
                        json!({"id": format!("{number}.1.{task}"), "status": next(), "own": {"status": 1}, "actions": actions})
                    })
                    .collect();
                json!({"id": number, "status": next(), groups: [{"id": format!("{number}.1"), "status": next(), "tasks": tasks}]})
            })
            .collect();
        json!({"status": "draft", "checkpoints": checkpoints, "other": [1, {"status": "x"}]})
    })
}

proptest! {
    #[test]
    fn whatever_was_written_the_statuses_are_those_of_the_session(
        value in any_plan(),
        completed in proptest::collection::btree_set(1..5_u64, 0..4),
        started in 1..5_u64,
        tasks in proptest::collection::btree_set((1..5_u64, 1..3_u64), 0..6),
    ) {
        let tasks: Vec<String> = tasks.iter().map(|(one, two)| format!("{one}.1.{two}")).collect();
        let tasks: Vec<&str> = tasks.iter().map(String::as_str).collect();
        let done: Vec<u64> = completed.iter().copied().collect();
        let under_way: Vec<u64> = Some(started).filter(|one| !completed.contains(one)).into_iter().collect();
        let build = build(4, &done, &under_way, &tasks);
        let before = serde_json::to_string_pretty(&value).unwrap();
        let (after, contradicted) = put(&before, &build);
        let (mut then, mut now): (Value, Value) = (value.clone(), serde_json::from_str(&after).unwrap());
        prop_assert_eq!(&then["other"], &now["other"]);
        bare(&mut then);
        bare(&mut now);
        prop_assert_eq!(then, now);
        for checkpoint in plan(&after).checkpoints {
            let own = matches!(checkpoint.status, PlanStatus::Blocked | PlanStatus::Skipped | PlanStatus::Other(_));
            prop_assert_eq!(checkpoint.status.is_completed(), completed.contains(&checkpoint.number));
            let is_under_way = under_way.contains(&checkpoint.number);
            prop_assert!(own || (checkpoint.status == PlanStatus::InProgress) == is_under_way);
            for task in checkpoint.tasks() {
                prop_assert_eq!(task.status.is_completed(), tasks.contains(&task.id.as_str()));
            }
        }
        let told: BTreeSet<&String> = contradicted.tasks.iter().collect();
        prop_assert!(told.iter().all(|task| !tasks.contains(&task.as_str())));
        let again = put(&after, &build);
        prop_assert_eq!(again, (after, Contradicted::default()));
    }
}
