//! What `init --remove` leaves, says and, with `--all`, deletes.

use std::fs;

use waypost_testkit::{TestEnv, everything};

#[test]
fn records_stay_unless_somebody_wants_them_gone() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    let session = env.start("Add login");
    env.ok(&["publish"]);
    let copy = env.copy_of(&session);
    assert!(copy.join("state.json").is_file());
    fs::write(copy.join("spec.md"), "# Mine\n").unwrap();
    let told = everything(&env.waypost(&["init", "--remove"]));
    assert!(told.contains("the records of 1 session in "), "{told}");
    assert!(told.contains("the published copies in agents/sessions stay"), "{told}");
    assert!(env.log_of(&session).is_file() && copy.join("state.json").is_file());

    env.ok(&["init"]);
    assert!(everything(&env.waypost(&["list"])).contains("Add login"));
    let told = everything(&env.waypost(&["init", "--remove", "--all"]));
    assert!(told.contains("agents/sessions deleted"), "{told}");
    assert!(!env.log_of(&session).exists() && !copy.join("state.json").exists());
    assert_eq!(
        fs::read_to_string(copy.join("spec.md")).unwrap(),
        "# Mine\n",
        "what people wrote stays"
    );
    let project = env.store().join("project/events.jsonl");
    assert!(project.is_file(), "the project's own records stay");

    // Whoever comes back begins anew, and nothing is missed.
    env.ok(&["init"]);
    env.ok(&["verify", "--all"]);
    env.ok(&["doctor"]);
    let again = env.start("Add logout");
    assert!(everything(&env.waypost(&["status"])).contains("Add logout"));
    assert!(env.log_of(&again).is_file());
}

#[test]
fn nothing_is_said_of_records_where_there_are_none() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.ok(&["init"]);
    let told = everything(&env.waypost(&["init", "--remove", "--all"]));
    assert!(!told.contains("the records of"), "{told}");
    assert!(told.contains("so does the key"), "{told}");
    assert_eq!(env.git(&["status", "--short"]), "");
}

#[test]
fn init_says_where_sessions_go() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    let told = everything(&env.waypost(&["init"]));
    assert!(
        told.contains("recorded in .git/waypost") && told.contains("lie in agents/sessions"),
        "{told}"
    );
    // Once is enough.
    assert!(!everything(&env.waypost(&["init"])).contains("agents/sessions"));
}
