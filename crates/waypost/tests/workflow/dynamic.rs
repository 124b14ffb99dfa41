//! Workflows whose phases become known on the way.

use serde_json::json;

use crate::project::{checkpoints, current, following, phases, refused};

const DYNAMIC: &str = r#"first_phase = 0
phases_from = "tasks.md"

[[phase]]
name = "Analysis"
"#;

const TASKS: &str = "\
# Tasks

## Phase 1: Foundation

**Objective:** Lay it.

- [ ] **Task 1.1**: Create the module
  - **Acceptance Criteria**:
    - [ ] It exists

## Phase 2 - Analysis

### Task 2.1: Look again
";

#[test]
fn phases_are_unknown_until_they_are_reached_and_then_completed_to_the_end() {
    let env = following(DYNAMIC);
    let before = phases(&env);
    assert_eq!((&before["dynamic"], checkpoints(&env).len()), (&json!(true), 1));
    assert!(env.ok(&["phase", "list"]).contains("not known yet"));
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("specs/login/tasks.md") && said.contains("## Phase 1"), "{said}");
    assert_eq!(current(&env), "Analysis");
    env.write("specs/login/tasks.md", "# Nothing yet\n");
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("specs/login/tasks.md names no phases"), "{said}");

    env.write("specs/login/tasks.md", TASKS);
    env.ok(&["phase", "complete"]);
    let now = phases(&env);
    let all = now["phases"].as_array().unwrap();
    let names: Vec<&str> = all.iter().map(|phase| phase["phase"].as_str().unwrap()).collect();
    assert_eq!(names, ["Analysis", "Foundation", "Analysis (2)"]);
    assert_eq!((&now["dynamic"], current(&env).as_str()), (&json!(false), "Foundation"));
    let shown = env.json(&["phase", "show", "1", "--json"]);
    assert_eq!(shown["purpose"], "Lay it.");
    assert_eq!(shown["tasks"][0]["accept"], json!(["It exists"]));

    // Later changes of the file change nothing any more.
    std::fs::remove_file(env.project().join("specs/login/tasks.md")).unwrap();
    env.ok(&["phase", "complete"]);
    let done = env.json(&["phase", "complete", "2", "--json"]);
    assert_eq!(done["workflow_complete"], true, "{done}");
    assert_eq!(checkpoints(&env), ["passed", "passed", "passed"]);
}

#[test]
fn going_back_before_them_keeps_the_phases_that_became_known() {
    let env = following(DYNAMIC);
    env.write("specs/login/tasks.md", TASKS);
    env.ok(&["phase", "complete"]);
    env.ok(&["phase", "rollback", "0", "--reason", "Look again"]);
    assert_eq!(checkpoints(&env).len(), 3);
    env.ok(&["phase", "complete"]);
    assert_eq!(current(&env), "Foundation");
}

#[test]
fn the_last_known_phase_can_be_left_out_where_more_follow() {
    let env = following(&format!("{DYNAMIC}skip = true\n"));
    let said = refused(&env, &["phase", "skip", "--reason", "done before"]);
    assert!(said.contains("tasks.md"), "{said}");
    env.write("specs/login/tasks.md", TASKS);
    env.ok(&["phase", "skip", "--reason", "done before"]);
    assert_eq!(current(&env), "Foundation");
}

#[test]
fn a_workflow_does_not_end_before_phases_that_are_not_known() {
    let last = "\n[[phase]]\nname = \"Extra\"\nskip_when = \"true\"\n";
    let env = following(&format!("{DYNAMIC}{last}"));
    refused(&env, &["phase", "complete"]);
    env.write("specs/login/tasks.md", TASKS);
    env.ok(&["phase", "complete"]);
    assert_eq!(current(&env), "Foundation");
    assert_eq!(checkpoints(&env)[1], "skipped");
}

#[test]
fn a_target_that_is_a_file_is_read_itself_and_one_outside_is_not() {
    let env = crate::project::with(DYNAMIC);
    env.write("plan/work.md", "## Phase 7: Only\n");
    env.ok(&["start", "--workflow", "spec", "--target", "plan/work.md"]);
    env.ok(&["phase", "complete"]);
    assert_eq!(current(&env), "Only");
    env.ok(&["end", "--summary", "x"]);
    env.ok(&["start", "--workflow", "spec", "--target", "../elsewhere"]);
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("outside the project"), "{said}");
}
