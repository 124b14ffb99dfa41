//! Built-in workflows look at the work: what is written, planned, built and documented.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use serde_json::json;
use waypost_testkit::{TestEnv, everything};

use crate::project::{checkpoints, client, current, refused};

const GATES: &str = r#"[project]

[[gate]]
id = "checks-pass"
before = ["stop", "commit"]
proof = { ran = "./check.sh", fresh = "tree" }
message = "Run ./check.sh after your last change."

[[gate]]
id = "seen"
before = ["commit"]
scope = "single-use"
proof = { approval = true }
message = "Have each commit looked at."
"#;

/// A project in which a session follows a built-in workflow.
fn following(config: &str, workflow: &str) -> (TestEnv, String) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with(config);
    let begin = ["start", "--objective", "Login", "--workflow", workflow, "--json"];
    let id = env.json(&begin)["session_id"].as_str().unwrap().to_owned();
    (env, id)
}

fn spec(env: &TestEnv, id: &str, text: &str) {
    env.write(&format!("agents/sessions/{id}/spec.md"), text);
}

/// Goes to `build`, with everything that is asked for before.
fn building(config: &str) -> (TestEnv, String) {
    let (env, id) = following(config, "full");
    env.write_spec(&id);
    env.ok(&["phase", "complete"]);
    env.write_plan(&id, 2);
    env.ok(&["phase", "complete"]);
    (env, id)
}

fn built(config: &str) -> (TestEnv, String) {
    let (env, id) = building(config);
    env.ok(&["checkpoint", "init"]);
    env.ok(&["checkpoint", "complete", "1"]);
    env.ok(&["checkpoint", "complete", "2"]);
    (env, id)
}

#[test]
fn an_empty_session_gets_nowhere_and_is_told_how_to_go_on() {
    for workflow in ["full", "research", "quick"] {
        let (env, id) = following("[project]\n", workflow);
        let (phase, why, step) = match workflow {
            "quick" => {
                ("plan", "plan.json has no checkpoints", "divide the work into checkpoints in")
            }
            _ => ("spec", "spec.md is still its template", "write what is to be built into"),
        };
        let file = if phase == "plan" { "plan.json" } else { "spec.md" };
        let step = format!("{step} agents/sessions/{id}/{file}");
        let again = format!("then complete the phase: waypost phase complete {phase}");
        let next = if workflow == "research" { "complete" } else { "build" };
        let to = if workflow == "full" { "plan" } else { next };
        for args in [&["phase", "complete"][..], &["phase", "enter", to]] {
            let said = refused(&env, args);
            for part in [why, &step, &again] {
                assert!(said.contains(part), "{args:?} {part}: {said}");
            }
        }
        assert_eq!(current(&env), phase);
        let status = env.ok(&["status"]);
        assert!(status.contains(why) && status.contains(&step), "{status}");
        let mut tools = client(&env);
        let failed = tools.works(
            "workflow_complete_phase",
            json!({"phase": phase, "evidence": {}, "session_id": id}),
        );
        assert_eq!(failed["checkpoint_passed"], false, "{failed}");
        assert!(failed["validation"]["errors"][0].as_str().unwrap().contains(why), "{failed}");
    }
}

#[test]
fn a_spec_holds_while_a_question_blocks_it_and_not_for_others() {
    let (env, id) = following("[project]\n", "full");
    spec(
        &env,
        &id,
        "# Login\n\n## Goals\n\n- Passkeys\n\n## Open Questions\n\n- [ ] (blocking) Which store?\n- [ ] Which colour?\n",
    );
    let said = refused(&env, &["phase", "complete"]);
    assert!(
        said.contains("a question marked as blocking") && said.contains("Which store?"),
        "{said}"
    );
    assert!(!said.contains("Which colour"), "{said}");
    spec(
        &env,
        &id,
        "# Login\n\n- Passkeys\n\n## Open Questions\n\n- [x] (blocking) Which store? → SQLite\n- [ ] Which colour?\n",
    );
    let status = env.ok(&["status"]);
    assert!(status.contains("✓ spec/written"), "{status}");
    assert!(!status.contains("retry Phase 1"), "nothing is left to mend: {status}");
    env.ok(&["phase", "complete"]);
    assert_eq!(current(&env), "plan");
}

#[test]
fn a_plan_is_valid_and_a_build_is_begun_and_finished() {
    let (env, id) = following("[project]\n", "quick");
    env.write(&format!("agents/sessions/{id}/plan.json"), "{ nonsense");
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("plan.json cannot be read"), "{said}");
    env.write(
        &format!("agents/sessions/{id}/plan.json"),
        r#"{"checkpoints": [{"id": 1, "title": "A"}, {"id": 1, "title": "B"}]}"#,
    );
    let said = refused(&env, &["phase", "complete"]);
    assert!(
        said.contains("plan.json is not valid") && said.contains("waypost plan check"),
        "{said}"
    );
    env.write_plan(&id, 2);
    env.ok(&["phase", "complete"]);
    let said = refused(&env, &["phase", "complete"]);
    assert!(
        said.contains("no build was begun") && said.contains("waypost checkpoint init 2"),
        "{said}"
    );
    env.ok(&["checkpoint", "init"]);
    env.ok(&["checkpoint", "complete", "1"]);
    env.ok(&["task", "complete", "2.1"]);
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("checkpoint 2 \"Part 2\" is open"), "{said}");
    assert!(
        said.contains("finish 2.2, then complete checkpoint 2: waypost checkpoint complete 2"),
        "{said}"
    );
    // A plan that grew is built whole.
    env.write_plan(&id, 3);
    env.ok(&["checkpoint", "complete", "2"]);
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("checkpoint 3 \"Part 3\" is open"), "{said}");
    env.ok(&["checkpoint", "complete", "3"]);
    env.ok(&["phase", "complete"]);
    assert_eq!(checkpoints(&env), ["passed", "passed"]);
}

#[test]
fn what_was_built_holds_what_the_project_asks_of_commits_and_turns() {
    let (env, _) = built(GATES);
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("checks-pass") && said.contains("waypost run -- ./check.sh"), "{said}");
    assert!(!said.contains("seen:"), "what counts for one commit is asked at the commit: {said}");
    let shown = env.ok(&["phase", "show"]);
    assert!(shown.contains("✗ checks-pass must"), "{shown}");
    env.write("check.sh", "#!/bin/sh\nexit 0\n");
    env.ok(&["run", "--", "sh", "-c", "chmod +x check.sh"]);
    env.ok(&["run", "--", "./check.sh"]);
    env.write("late.rs", "x\n");
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("checks-pass"), "{said}");
    env.ok(&["run", "--", "./check.sh"]);
    env.ok(&["phase", "complete"]);
    assert_eq!(current(&env), "docs");
}

#[test]
fn where_gates_only_report_a_build_is_complete_with_a_warning() {
    let (env, _) = built(&GATES.replace("[project]", "[project]\nenforcement = \"report\""));
    let done = env.json(&["phase", "complete", "--json"]);
    assert_eq!(done["checkpoint_passed"], true, "{done}");
    assert!(done["validation"]["warnings"].to_string().contains("checks-pass"), "{done}");
}

#[test]
fn documentation_is_changed_since_the_workflow_began_or_left_out_with_a_reason() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[project]\n");
    env.write("NOTES.md", "written before\n");
    let begin = ["start", "--objective", "Login", "--workflow", "full", "--json"];
    let id = env.json(&begin)["session_id"].as_str().unwrap().to_owned();
    env.write_spec(&id);
    env.ok(&["phase", "complete"]);
    env.write_plan(&id, 1);
    env.ok(&["phase", "complete"]);
    env.ok(&["checkpoint", "init"]);
    env.ok(&["checkpoint", "complete", "1"]);
    env.write("src.rs", "fn main() {}\n");
    env.ok(&["phase", "complete"]);
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("no documentation was changed since the workflow began"), "{said}");
    assert!(said.contains("waypost phase skip --reason"), "{said}");
    // Written and committed, it counts as well.
    env.write("docs/login.md", "How to log in.\n");
    env.git(&["add", "-A"]);
    env.git(&["commit", "-q", "-m", "docs"]);
    env.ok(&["phase", "complete"]);
    assert_eq!(checkpoints(&env), ["passed", "passed", "passed", "passed"]);

    let (env, _) = built("[project]\n");
    env.ok(&["phase", "complete"]);
    let said = everything(&env.waypost(&["phase", "skip", "--reason", "Nothing to document"]));
    assert!(said.contains("docs skipped: the workflow is complete"), "{said}");
    assert_eq!(checkpoints(&env), ["passed", "passed", "passed", "skipped"]);

    let (env, _) = built("[project]\n");
    env.ok(&["phase", "enter", "complete", "--reason", "Nothing to document"]);
    assert_eq!(checkpoints(&env), ["passed", "passed", "passed", "skipped"]);
    let listed = env.json(&["phase", "list", "--json"]).to_string();
    assert!(listed.contains("Nothing to document"), "{listed}");
    let (env, _) = following("[project]\n", "full");
    let said = refused(&env, &["phase", "enter", "complete"]);
    assert!(said.contains("plan does"), "only documentation is left out: {said}");
}

#[test]
fn nobody_is_told_an_expression() {
    let (env, _) = building("[project]\n");
    for args in [&["status"][..], &["brief"], &["phase", "show"], &["gate", "check", "--all"]] {
        let said = everything(&env.waypost(args));
        assert!(said.contains("waypost checkpoint init 2"), "{args:?}: {said}");
        assert!(!said.contains("=="), "{args:?}: {said}");
    }
}
