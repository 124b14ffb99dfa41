//! Workflows of praxis-os that lie in the project, with the oddities of real ones.

use serde_json::{Value, json};
use waypost_testkit::TestEnv;
use waypost_testkit::mcp::{Client, NEWER};

use crate::project::{checkpoints, current, phases, refused};

const FOLDER: &str = ".praxis-os/workflows/garden_v1";

const METADATA: &str = r#"{
  "workflow_type": "garden",
  "version": "1.0.0",
  "description": "Plan a garden, then dig it",
  "total_phases": "dynamic",
  "phases": [
    {"phase_number": 0, "phase_name": "Survey", "purpose": "Look at the ground", "tasks": [
      {"task_number": 0, "name": "measure", "file": "task-0-measure.md"},
      {"task_number": 1, "name": "draw", "file": "task-1-draw.md"}]},
    {"phase_number": "1-N", "phase_name": "Digging", "purpose": "Each bed"}
  ],
  "dynamic_phases": true,
  "dynamic_config": {"source_path_key": "garden_path", "parser": "spec_tasks_parser"}
}"#;

const GATE: &str = "\
checkpoint:
  strict: true
  allow_override: false

evidence_schema:
  measured:
    type: boolean
    required: true
    description: \"The ground was measured\"
  beds:
    type: integer
    required: true
    validator: positive
  trees:
    type: integer

validators:
  positive: \"lambda x: x > 0\"

cross_field_validation:
  - rule: \"lambda e: e.get('trees', 0) <= e['beds']\"
    error_message: \"A tree needs a bed\"
";

const TASKS: &str = "\
## Phase 1: Beds

**Objective:** Dig them.

- [ ] **Task 1.1**: Dig
  - **Acceptance Criteria**:
    - [ ] A hole

**Validation Gate:**
- [ ] All holes are deep

## Phase 2: Plants

- [ ] **Task 2.1**: Plant
";

fn garden() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    let file = |path: &str, text: &str| env.write(&format!("{FOLDER}/{path}"), text);
    file("metadata.json", METADATA);
    file("phases/0/phase.md", "# Survey\n\nWalk around it.\n");
    file("phases/0/task-0-measure.md", "Take a tape.\n");
    file("phases/0/task-1-draw.md", &format!("Draw it.\n{}THE END\n", "More.\n".repeat(200)));
    file("phases/0/gate-definition.yaml", GATE);
    file(
        "phases/dynamic/phase-template.md",
        "# Phase [PHASE_NUMBER]: [PHASE_NAME]\n[VALIDATION_GATE]\n",
    );
    file("phases/dynamic/task-template.md", "Task [TASK_ID]: [TASK_NAME]\n[ACCEPTANCE_CRITERIA]\n");
    env.write("specs/garden/tasks.md", TASKS);
    env.init_with("[project]\n");
    env
}

#[test]
fn an_agent_is_given_phases_and_tasks_with_their_texts() {
    let env = garden();
    let mut client = Client::start(&env, NEWER, &["--toolsets", "workflow"]);
    let listed = client.works("workflow_list", json!({}));
    let listed = &listed["workflows"][4];
    assert_eq!(listed["name"], "garden_v1", "{listed}");
    assert_eq!(
        (&listed["dynamic"], &listed["usable"], &listed["problems"]),
        (&json!(true), &json!(true), &json!([]))
    );

    let options = json!({"garden_path": "specs/garden"});
    let begun =
        client.works("workflow_start", json!({"workflow": "garden_v1", "options": options}));
    assert_eq!((&begun["phase"], &begun["phase_number"]), (&json!("Survey"), &json!(0)), "{begun}");
    assert_eq!(begun["text"], "# Survey\n\nWalk around it.");
    let long = begun["tasks"][1]["text"].as_str().unwrap();
    assert!(long.len() < 600 && long.contains("workflow_get_task"), "{long}");
    let message = begun["gates"][0]["message"].as_str().unwrap();
    assert!(message.contains("measured (The ground was measured)"), "{message}");

    let task = client.works("workflow_get_task", json!({"phase": 0, "task_number": 0}));
    assert_eq!(
        (&task["text"], &task["task_id"]),
        (&json!("Take a tape."), &json!("0.0")),
        "{task}"
    );
    let task = client.works("workflow_get_task", json!({"phase": 0, "task_number": 1}));
    assert!(task["text"].as_str().unwrap().ends_with("THE END"), "{task}");
    let said = client.refused("workflow_get_task", json!({"phase": 0, "task_number": 2}));
    assert!(said.contains("0 to 1"), "{said}");

    assert_eq!(current(&env), "Survey");
}

fn complete(client: &mut Client, phase: &Value, evidence: &Value) -> Value {
    client.works("workflow_complete_phase", json!({"phase": phase, "evidence": evidence}))
}

#[test]
fn an_agent_follows_a_dynamic_workflow_to_its_end() {
    let env = garden();
    let mut client = Client::start(&env, NEWER, &["--toolsets", "workflow"]);
    let options = json!({"garden_path": "specs/garden"});
    client.works("workflow_start", json!({"workflow": "garden_v1", "options": options}));
    let failed = complete(&mut client, &json!(0), &json!({"beds": 1, "trees": 2, "measurd": true}));
    assert_eq!(failed["checkpoint_passed"], false, "{failed}");
    assert_eq!(
        failed["validation"]["errors"],
        json!([
            "Survey/checkpoint: `measured` is missing (The ground was measured); A tree needs a bed"
        ])
    );
    assert_eq!(
        failed["validation"]["warnings"],
        json!(["`measurd` is not asked for; did you mean `measured`?"])
    );
    let next = failed["validation"]["next_steps"][0].as_str().unwrap();
    assert!(next.contains("measured=true or false, beds, trees"), "{next}");

    // `false` is given, too.
    let passed = complete(&mut client, &json!("Survey"), &json!({"measured": false, "beds": 3}));
    assert_eq!(
        (&passed["checkpoint_passed"], &passed["next_phase"]),
        (&json!(true), &json!("Beds")),
        "{passed}"
    );
    let phase = client.works("workflow_get_phase", json!({}));
    assert_eq!(phase["text"], "# Phase 1: Beds\n- [ ] All holes are deep\n".trim_end(), "{phase}");
    let task = client.works("workflow_get_task", json!({"phase": 1, "task_number": 1}));
    assert_eq!(task["text"], "Task 1.1: Dig\n- [ ] A hole", "{task}");
    let failed = complete(&mut client, &json!(1), &json!({}));
    assert_eq!(failed["checkpoint_passed"], false, "{failed}");
    complete(&mut client, &json!(1), &json!({"all_holes_are_deep": true}));
    let done = complete(&mut client, &json!(2), &json!({}));
    assert_eq!(
        (&done["workflow_complete"], &done["current_phase"]),
        (&json!(true), &json!("Plants")),
        "{done}"
    );
    assert_eq!(checkpoints(&env), ["passed", "passed", "passed"]);
}

#[test]
fn a_session_keeps_to_the_files_as_they_were_when_it_began() {
    let env = garden();
    env.ok(&["start", "--workflow", "garden", "--target", "specs/garden"]);
    assert_eq!(phases(&env)["workflow"], "garden_v1");
    std::fs::remove_dir_all(env.project().join(".praxis-os")).unwrap();
    assert_eq!(env.json(&["phase", "show", "--json"])["tasks"][0]["text"], "Take a tape.");
    let said = refused(&env, &["phase", "complete"]);
    assert!(said.contains("Survey/checkpoint"), "{said}");
    env.ok(&["phase", "complete", "measured=true", "beds=2"]);
    assert_eq!(current(&env), "Beds");
    let told = env.ok(&["phase", "show", "--json"]);
    assert!(told.contains("# Phase 1: Beds"), "{told}");
}

#[test]
fn nobodys_word_stands_in_for_evidence_where_overriding_is_not_allowed() {
    let env = garden();
    env.ok(&["start", "--workflow", "garden_v1", "--target", "specs/garden"]);
    let said = refused(&env, &["gate", "satisfy", "Survey/checkpoint"]);
    assert!(said.contains("nothing stands in for it"), "{said}");
    assert!(said.contains("gate-definition.yaml:5"), "{said}");
    assert!(refused(&env, &["phase", "complete"]).contains("nothing has been recorded"));
    env.ok(&["evidence", "record", "Survey/checkpoint", "measured=true", "beds=1"]);
    env.ok(&["phase", "complete"]);
}

#[test]
fn errors_of_a_file_that_is_not_strict_only_warn_and_one_that_is_missing_asks_for_nothing() {
    let env = garden();
    let six: Vec<Value> = (0..6)
        .map(|number| json!({"phase_number": number, "phase_name": format!("P{number}")}))
        .collect();
    // It says fewer phases than there are: counting is by those that are there.
    let metadata =
        json!({"workflow_type": "x", "total_phases": 4, "start_phase": 0, "phases": six});
    env.write(".agent-os/workflows/six_v1/metadata.json", &metadata.to_string());
    let lenient = GATE
        .replace("strict: true", "strict: false")
        .replace("allow_override: false", "enabled: true");
    env.write(".agent-os/workflows/six_v1/phases/0/gate-definition.yaml", &lenient);
    env.ok(&["start", "--workflow", "six_v1", "--objective", "Count"]);
    let done = env.json(&["phase", "complete", "--json"]);
    assert_eq!(done["checkpoint_passed"], true, "{done}");
    assert_eq!(
        done["validation"]["warnings"],
        json!(["P0/checkpoint: nothing has been recorded for it"]),
        "{done}"
    );
    for number in 1..6 {
        let done = env.json(&["phase", "complete", &number.to_string(), "anything=1", "--json"]);
        assert_eq!(done["workflow_complete"], number == 5, "{done}");
        assert_eq!(done["validation"]["warnings"], json!([]), "{done}");
    }
    assert_eq!((current(&env).as_str(), checkpoints(&env).len()), ("P5", 6));
    assert_eq!(phases(&env)["workflow_complete"], true);
}

#[test]
fn one_that_cannot_be_followed_is_told_with_file_and_line_and_leaves_the_others_alone() {
    let env = garden();
    let file = |path: &str, text: &str| env.write(&format!("universal/workflows/{path}"), text);
    file("broken_v1/metadata.json", "{\n  \"phases\": oops\n}");
    file("hex_v1/metadata.json", "{\"phases\": [{\"phase_number\": 1, \"phase_name\": \"A\"}]}");
    let lambda = GATE.replace("x > 0", "all(c in 'ab' for c in x)");
    file("hex_v1/phases/1/gate-definition.yaml", &lambda);
    file("quick/metadata.json", METADATA);
    file("garden_v1/metadata.json", "also broken, and never looked at");
    let listed = env.json(&["workflow", "list", "--json"]);
    let listed = listed["workflows"].as_array().unwrap();
    let usable = |name: &str| {
        let found = listed.iter().filter(|one| one["name"] == name);
        found.map(|one| one["usable"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(
        (usable("garden_v1"), usable("broken_v1"), usable("hex_v1")),
        (vec![true], vec![false], vec![false])
    );
    assert_eq!(usable("quick"), [true, false]);

    let said = refused(&env, &["workflow", "check"]);
    for told in [
        "universal/workflows/broken_v1/metadata.json:2: it is no JSON",
        "universal/workflows/hex_v1/phases/1/gate-definition.yaml:18: the validator `positive` is a Python lambda that \
         cannot be translated: it calls `all`; write it as an expression (CEL) over `value`",
        "universal/workflows/quick/metadata.json:1: the built-in workflow `quick` is followed",
    ] {
        assert!(said.contains(told), "{told} in {said}");
        let doctor = String::from_utf8_lossy(&env.waypost(&["doctor"]).stdout).into_owned();
        assert!(doctor.contains(told), "{told} in {doctor}");
    }
    let said = refused(&env, &["start", "--workflow", "hex_v1", "--objective", "x"]);
    assert!(said.contains("gate-definition.yaml:18"), "{said}");
    env.ok(&["start", "--workflow", "quick", "--objective", "built in"]);
    assert_eq!(phases(&env)["phases"][0]["phase"], "plan");
}

#[test]
fn a_projects_own_workflow_wins_over_one_of_the_same_name() {
    let env = garden();
    env.write(".waypost/workflows/garden_v1.toml", "[[phase]]\nname = \"Own\"\n");
    let listed = env.json(&["workflow", "list", "--json"]);
    let problem = listed["workflows"][5]["problems"][0].as_str().unwrap();
    assert!(problem.contains("the project's own workflow `garden_v1` is followed"), "{problem}");
    env.ok(&["start", "--workflow", "garden_v1", "--objective", "x"]);
    assert_eq!(current(&env), "Own");
}
