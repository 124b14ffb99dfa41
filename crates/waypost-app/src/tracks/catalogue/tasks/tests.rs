//! Files that name phases.

use super::*;

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
