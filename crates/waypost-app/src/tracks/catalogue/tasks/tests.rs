//! Files that name phases.

use super::read::phases as found;
use super::*;

fn phases(text: &str) -> Vec<Phase> {
    found(text).into_iter().map(|found| found.phase).collect()
}

const HEADINGS: &str = "\
# Tasks

## Overview
1. **Foundation** - first

## Phase 1: Foundation (Days 1-2)

**Objective:** Establish the core.

**Dependencies:** None

### Task 1.1: Create the module
**Priority:** Critical
**Estimated Time:** 2 hours

**Steps:**
1. Create `a.py`
2. Add imports

**Acceptance Criteria:**
- [ ] The module exists
- [ ] It can be imported

**Validation:**
```bash
# Phase 9: not a heading
## Phase 8: nor this
- [ ] Task 7.7: nor this
```

### Task 1.2: Register it
**Acceptance Criteria:**
- [x] It is registered

**Phase 1 Validation Gate:**

Before advancing:
- [ ] All tasks completed

## Phase 2 - Discovery

Find things.

### Task 2.1: Look

## Risks
- [ ] Not a task
";

#[test]
fn headings_name_phases_and_tasks_and_lists_below_them_what_is_accepted() {
    let found = phases(HEADINGS);
    let [foundation, discovery] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(foundation.name, "Foundation (Days 1-2)");
    assert_eq!(foundation.purpose, "Establish the core.");
    let [create, register] = &foundation.tasks[..] else { panic!("{foundation:#?}") };
    assert_eq!(create.name, "Create the module");
    assert_eq!(create.accept, ["The module exists", "It can be imported"]);
    assert!(create.text.contains("Priority: Critical\nEstimated Time: 2 hours\n- Create a.py"));
    assert_eq!(register.accept, ["It is registered"]);
    assert_eq!(
        (discovery.name.as_str(), discovery.purpose.as_str()),
        ("Discovery", "Find things.")
    );
    assert_eq!(discovery.tasks.len(), 1, "{discovery:#?}");
}

#[test]
fn lists_name_tasks_too_and_what_is_nested_below_belongs_to_them() {
    let found = phases(
        "### Phase 3: Build\n\n\
         - [ ] **Task 3.1**: Write it\n  \
           - Estimated: 2h\n  \
           - **Acceptance Criteria**:\n    \
             - [ ] It compiles\n    \
             - It is short\n\
         - [ ] **Task 3.2**: Test it\n  \
           - [ ] All green\n  \
           - Acceptance criteria: no warnings\n\
         - [x] Ship it\n\n\
         ### Notes\n- [ ] Not a task\n",
    );
    let tasks = &found[0].tasks;
    let names: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["Write it", "Test it", "Ship it"]);
    assert_eq!(tasks[0].text, "- Estimated: 2h");
    assert_eq!(tasks[0].accept, ["It compiles", "It is short"]);
    assert_eq!(tasks[1].accept, ["All green", "no warnings"]);
}

#[test]
fn a_heading_that_only_speaks_of_a_phase_names_none() {
    for text in ["# Phase", "## Phase one: x", "## Phase 1 Validation Gate", "Phase 1: x", "- x"] {
        assert_eq!(phases(text), [], "{text}");
    }
    assert_eq!(phases("## PHASE 12 — Ship")[0].name, "Ship");
    assert_eq!(phases("## Phase 2")[0].name, "2");
}

#[test]
fn names_that_are_taken_or_stand_for_something_else_are_made_others() {
    let phase = |name: &str| Phase { name: name.into(), ..Phase::default() };
    let mut definition = Definition::new("w", vec![phase("Build"), phase("Build (2)")]);
    assert_eq!(unique(&definition, "Ship"), "Ship");
    assert_eq!(unique(&definition, "Build"), "Build (3)");
    assert_eq!(unique(&definition, "complete"), "Phase complete");
    assert_eq!(unique(&definition, "2"), "Phase 2");
    definition.first = 1;
    assert_eq!(unique(&definition, "Build"), "Build (3)");
}

#[test]
fn a_target_outside_the_project_is_not_looked_at() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path();
    std::fs::write(root.join("plan.md"), "x").unwrap();
    for outside in ["../x", "/etc", "specs/../../x"] {
        assert!(place(root, "tasks.md", Some(outside)).is_err(), "{outside}");
    }
    assert_eq!(place(root, "tasks.md", None).unwrap(), root.join("tasks.md"));
    assert_eq!(place(root, "tasks.md", Some("./s/")).unwrap(), root.join("s/tasks.md"));
    assert_eq!(place(root, "tasks.md", Some("plan.md")).unwrap(), root.join("plan.md"));
    let whole = root.join("s").display().to_string();
    assert_eq!(place(root, "tasks.md", Some(&whole)).unwrap(), root.join("s/tasks.md"));
}

#[test]
fn credentials_do_not_get_into_what_is_recorded() {
    let token = ["ghp", "_", &"a1B2c3D4e5".repeat(4)[..36]].concat();
    let found = phases(&format!("## Phase 1: A\n### Task 1.1: Use {token}\nwith {token}\n"));
    assert!(!format!("{found:?}").contains(&token), "{found:?}");
}

fn criteria(text: &str) -> Vec<(String, Vec<String>)> {
    found(text).into_iter().map(|found| (found.phase.name, found.criteria)).collect()
}

#[test]
fn the_gate_of_a_phase_is_read_in_every_form_that_authors_give_it() {
    for (form, gate) in [
        ("a label", "**Validation Gate:**\n- [x] Tests pass\n- [ ] No lint ✅/❌\n"),
        ("without boxes", "**Validation Gate:**\n- Tests pass\n- No lint\n"),
        (
            "with its phase",
            "**Phase 1 Validation Gate**:\n\nBefore advancing:\n- [ ] Tests pass\n- [ ] No lint\n",
        ),
        (
            "a heading",
            "### Phase 1 Validation Gate\n\n🛑 **GATE:** Done\n\n**Checkpoint Evidence Required:**\n- [ ] Tests pass ✅/❌\n- [ ] No lint ✅/❌\n\n**Validation Method:**\n- By hand\n",
        ),
        (
            "a section",
            "## 🛑 VALIDATION GATE: Phase 1 Checkpoint\n\n**Before advancing to Phase 2:**\n- [ ] Tests pass\n- [ ] No lint\n",
        ),
        (
            "evidence below",
            "**Validation Gate:**\n- [ ] Tests pass\n- [ ] No lint\n\n**Evidence Required:**\n- A screenshot\n- [ ] And a report\n",
        ),
        (
            "details below",
            "### Phase 1 Validation Gate: Foundation Complete\n- [ ] **Tests pass**\n  - [ ] Task 1.1: all of them\n- [ ] **No lint**\n\n**Exit Criteria:** All boxes.\n",
        ),
        ("exit criteria", "**Exit Criteria:**\n- Tests pass\n- No lint\n"),
    ] {
        let text = format!(
            "## Phase 1: A\n\n- [ ] **Task 1.1**: Do\n  - [ ] Done\n\n{gate}\n## Phase 2: B\n### Task 2.1: More\n"
        );
        let all = criteria(&text);
        let mut wanted = vec!["Tests pass".to_owned(), "No lint".to_owned()];
        // What is said in one line is a criterion as well.
        wanted.extend((form == "details below").then(|| "All boxes".to_owned()));
        assert_eq!(all[0].1, wanted, "{form}: {all:?}");
        assert_eq!(all[1], ("B".to_owned(), vec![]), "{form}");
        let tasks: Vec<usize> = phases(&text).iter().map(|phase| phase.tasks.len()).collect();
        assert_eq!(tasks, [1, 1], "{form}");
    }
}

#[test]
fn gates_in_a_section_of_their_own_belong_to_the_phases_that_they_name() {
    for section in [
        "## Validation Gates\n\n### Phase 1 Validation Gate\n\n**Before Phase 2:**\n- [ ] One\n\n---\n\n### Phase 2 Validation Gate (Final)\n\nBefore release:\n- [ ] Two\n",
        "## Phase Validation Gates\n\n### Phase 1: A\n- [ ] One\n\n### Phase 2: B\n- [ ] Two\n",
        "## Success Criteria\n\n**Phase 1 Success:**\n- [ ] One\n\n**Phase 2 Success:**\n- [ ] Two\n\n**Overall Success:**\n- [ ] All\n",
    ] {
        let text =
            format!("## Phase 1: A\n### Task 1.1: x\n## Phase 2: B\n### Task 2.1: y\n{section}");
        let wanted = [("A", "One"), ("B", "Two")].map(|(a, b)| (a.to_owned(), vec![b.to_owned()]));
        assert_eq!(criteria(&text), wanted, "{section}");
    }
}

#[test]
fn what_is_told_once_more_is_no_second_phase() {
    let work = "## Phase 1: Core (Week 1)\n- [ ] **Task 1.1**: x\n## Phase 2: Docs\n- [ ] **Task 2.1**: y\n";
    let summaries = [
        "## Overview\n### Phase 1: Core\nFirst.\n### Phase 2: Docs\nThen.\n",
        "## Acceptance Criteria Summary\n### Phase 1: Core\n- [ ] Works\n### Phase 2: Docs\n- [ ] Read\n",
        "## Dependencies\n### Phase 1 → Phase 2\nx\n### Task-Level\n#### Phase 1: Core (parallel)\n- **Task 1.1**: first\n",
        "## Time\n### Phase 1: Core\n2 hours\n",
        "## Future Enhancements\n### Phase 3: Later\n- Something\n",
    ];
    for summary in summaries {
        for text in [format!("{work}{summary}"), format!("{summary}{work}")] {
            let names: Vec<String> = phases(&text).into_iter().map(|phase| phase.name).collect();
            assert_eq!(names, ["Core (Week 1)", "Docs"], "{text}");
        }
    }
}

#[test]
fn work_is_never_passed_over_because_its_number_was_seen_before() {
    for text in [
        "## Phase 1: A\n- [ ] x\n## Phase 1: B\n- [ ] y\n",
        "# Part one\n## Phase 1: A\n- [ ] x\n# Part two\n## Phase 1: B\n- [ ] y\n",
        "# Part one\n## Phase 1: A\n### Task 1.1: x\n# Part two\n## Phase 1: B\n### Task 1.1: y\n",
        "## Overview\n### Phase 1: A\nx\n### Phase 2: B\ny\n",
        "## Phase 1 (Week 1): A\n## Phase 2 [optional] - B\n",
        "## 🚀 Phase 1: A\n## Phase 2 | B\n",
    ] {
        let names: Vec<String> = phases(text).into_iter().map(|phase| phase.name).collect();
        assert_eq!(names, ["A", "B"], "{text}");
    }
    assert_eq!(phases("## Phases 1-2: both\n## Phase 1-2: both\n"), []);
}

#[test]
fn tasks_are_found_below_a_label_a_number_and_a_fence_that_was_closed_wrongly() {
    let text = "## Phase 1: A\n\n**Tasks:**\n\n- [ ] One\n- [ ] Two\n\n## Phase 2: B\n\n### 2.1 Three\n\n\
                ```markdown\n# Task 9: not a task\n```bash\nrun\n```\n```\n\n**Acceptance Criteria:**\n- [ ] It runs\n\n\
                ### 2.2: Four\n\n## Phase 3: C\n- [x] **Task 3.1**: Five ✅\n\n**Status**: Complete\n\n**Acceptance Criteria:**\n- [x] Seen\n\n\
                - [ ] **Task 3.2**: Six\n";
    let found = phases(text);
    let names = |phase: &Phase| -> Vec<String> {
        phase.tasks.iter().map(|task| task.name.clone()).collect()
    };
    assert_eq!(names(&found[0]), ["One", "Two"]);
    assert_eq!(names(&found[1]), ["Three", "Four"]);
    assert_eq!(found[1].tasks[0].accept, ["It runs"]);
    assert_eq!(names(&found[2]), ["Five ✅", "Six"]);
    assert_eq!(found[2].tasks[0].accept, ["Seen"]);
}

#[test]
fn a_gate_asks_for_each_criterion_by_a_name_of_its_own() {
    let asked =
        ["All tests pass (>= 15 tests)", "All tests pass (≥ 15 tests)", "✅"].map(str::to_owned);
    let gate = criteria::gate("specs/tasks.md", "Core & more", &asked).unwrap();
    assert_eq!(gate.id, "Core & more/validation");
    assert!(
        gate.accept_claimed && gate.message.contains("All tests pass (>= 15 tests)"),
        "{gate:?}"
    );
    let waypost_core::gate::Proof::Fields(proof) = gate.proof else { panic!("no fields") };
    let names: Vec<&str> = proof.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["all_tests_pass_15_tests", "all_tests_pass_15_tests_2", "criterion"]);
    assert!(criteria::gate("x", "y", &[]).is_none());
}
