//! What stands before the first phase is asked when the workflow begins.

use serde_json::json;

use crate::project::{client, current, following, refused, with};

const ENTRY: &str = r#"[[phase]]
name = "Planning"

[[phase.entry]]
id = "spec-there"
proof = { file = "specs/*.md" }
message = "Write the spec."

[[phase.entry]]
id = "agreed"
accept = "claimed"
proof = { fields = { agreed = { type = "boolean" } } }
message = "Agree on the goal."

[[phase]]
name = "Building"
"#;

#[test]
fn a_workflow_does_not_begin_before_its_first_phase_may_be_entered() {
    let env = with(ENTRY);
    let begin = ["start", "--workflow", "spec", "--target", "specs/login"];
    let said = refused(&env, &begin);
    assert!(said.contains("the workflow spec cannot begin with phase Planning yet"), "{said}");
    assert!(said.contains("Planning/spec-there") && said.contains("write specs/*.md"), "{said}");
    assert_eq!(env.json(&["list", "--all", "--json"]), json!([]), "nothing was made");
    let mut tools = client(&env);
    let said = tools.refused("workflow_start", json!({"workflow": "spec"}));
    assert!(said.contains("Planning/spec-there"), "{said}");
    let said = tools.refused("session_start", json!({"objective": "A", "workflow": "spec"}));
    assert!(said.contains("Planning/spec-there"), "{said}");

    // What a session has to have begun for is told, and asked for when the phase is to be completed.
    env.write("specs/login.md", "Passkeys\n");
    let output = env.waypost(&begin);
    let said = waypost_testkit::everything(&output);
    assert!(
        output.status.success()
            && said.contains("before phase Planning is complete: Agree on the goal"),
        "{said}"
    );
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("Planning/agreed"), "{said}");
    std::fs::remove_file(env.project().join("specs/login.md")).unwrap();
    env.ok(&["phase", "complete", "agreed=true"]);
    assert_eq!(current(&env), "Building");
}

#[test]
fn a_session_that_takes_a_workflow_up_is_asked_the_same() {
    let env = with(ENTRY);
    let mut tools = client(&env);
    tools.works("session_start", json!({"objective": "Login"}));
    let before = env.event_types();
    let said = tools.refused("workflow_start", json!({"workflow": "spec"}));
    assert!(said.contains("Planning/spec-there"), "{said}");
    assert_eq!(env.event_types(), before);
    env.write("specs/login.md", "Passkeys\n");
    let begun = tools.works("workflow_start", json!({"workflow": "spec"}));
    assert_eq!(begun["new_session"], false, "{begun}");
}

#[test]
fn gates_of_the_project_before_the_first_phase_are_asked_too() {
    let env = with("[[phase]]\nname = \"Planning\"\n");
    env.init_with("[project]\n\n[[gate]]\nid = \"ready\"\nbefore = [\"phase:Planning\"]\nproof = { file = \"READY\" }\n");
    let said = refused(&env, &["start", "--workflow", "spec"]);
    assert!(said.contains("ready: "), "{said}");
    env.write("READY", "");
    env.ok(&["start", "--workflow", "spec"]);
    assert_eq!(current(&env), "Planning");
}

#[test]
fn phases_of_a_tasks_file_ask_for_what_it_wants_at_their_end() {
    let env = following(
        "first_phase = 0\nphases_from = \"tasks.md\"\n\n[[phase]]\nname = \"Analysis\"\n",
    );
    env.write(
        "specs/login/tasks.md",
        "## Phase 1: Core\n\n- [ ] **Task 1.1**: Write\n\n**Validation Gate:**\n- [x] All tests pass\n- [ ] No linter errors ✅/❌\n\n\
         ## Phase 2: Ship\n\n### Task 2.1: Ship it\n\n## Acceptance Criteria Summary\n\n### Phase 1: Core\n- [ ] Works\n",
    );
    env.ok(&["phase", "complete"]);
    let listed = env.json(&["phase", "list", "--json"]);
    assert_eq!(listed["phases"].as_array().unwrap().len(), 3, "{listed}");
    let mut tools = client(&env);
    let shown = tools.works("workflow_get_phase", json!({}));
    assert!(shown.to_string().contains("All tests pass; No linter errors"), "{shown}");
    let said = refused(&env, &["phase", "complete"]);
    for part in
        ["Core/validation", "specs/login/tasks.md asks", "all_tests_pass", "no_linter_errors"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    let no =
        json!({"phase": "Core", "evidence": {"all_tests_pass": true, "no_linter_errors": false}});
    assert_eq!(tools.works("workflow_complete_phase", no)["checkpoint_passed"], false);
    let yes =
        json!({"phase": "Core", "evidence": {"All tests pass": true, "no_linter_errors": true}});
    let done = tools.works("workflow_complete_phase", yes);
    assert_eq!(
        (&done["checkpoint_passed"], &done["next_phase"]),
        (&json!(true), &json!("Ship")),
        "{done}"
    );
    env.ok(&["phase", "complete"]);
}
