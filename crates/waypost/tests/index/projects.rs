//! Which projects are found, known again after they were moved, renamed and put away.

use std::fs;

use waypost_core::tables::{ProjectRow, Row, SessionRow};

use crate::{copied, count, is_right, legacy, project, report, rows, sessions};

#[test]
fn projects_of_every_sort_are_found_below_a_folder_and_nothing_in_what_tools_make() {
    let (env, session) = project();
    let base = env.project().parent().unwrap().to_owned();
    let plain = base.join("work/deep/plain");
    fs::create_dir_all(&plain).unwrap();
    fs::write(plain.join("waypost.toml"), "[project]\n").unwrap();
    legacy(&base.join("work/old"), "2026-02-14_dark-mode_a1b2c3", "Dark mode");
    for hidden in ["work/node_modules/x", "work/.cache/x", "work/target/x", "work/old/inside"] {
        legacy(&base.join(hidden), "2026-02-14_hidden_a1b2c3", "Hidden");
    }
    std::os::unix::fs::symlink(base.join("work/old"), base.join("work/link")).unwrap();
    let onboarded = report(&env, &["onboard", base.to_str().unwrap()]);
    let projects = onboarded["projects"].as_array().unwrap();
    let mut names: Vec<&str> = projects.iter().map(|one| one["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["old", "plain", "project"], "{onboarded:#}");
    assert_eq!((&onboarded["synced"], &onboarded["failed"]), (&2.into(), &serde_json::json!([])));
    let found = sessions(&env);
    assert_eq!(found[0], ("2026-02-14_dark-mode_a1b2c3".to_owned(), "legacy".to_owned()));
    assert_eq!(found[1], (session, "live".to_owned()));
    let again = report(&env, &["onboard", base.to_str().unwrap()]);
    assert_eq!((&again["synced"], &again["unchanged"]), (&0.into(), &2.into()));
    is_right(&env);
}

#[test]
fn what_cannot_be_read_is_counted_with_its_reason_and_keeps_nobody_else_out() {
    let (env, _) = project();
    let root = env.project();
    legacy(root, "2026-02-14_good_a1b2c3", "Good");
    fs::create_dir_all(root.join("agents/sessions/2026-02-14_bad_a1b2c3")).unwrap();
    env.write("agents/sessions/2026-02-14_bad_a1b2c3/state.json", "{\"topic\":");
    env.write("agents/sessions/.. odd name/state.json", "{}");
    let told = report(&env, &["onboard", ".", "/nowhere/at/all"]);
    let failed: Vec<String> =
        told["failed"].as_array().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(failed.len(), 3, "{told:#}");
    for part in ["/nowhere/at/all", ".. odd name", "2026-02-14_bad_a1b2c3"] {
        assert!(failed.iter().any(|one| one.contains(part)), "{part}: {told:#}");
    }
    assert_eq!(told["sessions"], 3);
    assert_eq!(env.waypost(&["onboard", ".", "/nowhere/at/all"]).status.code(), Some(1));
    is_right(&env);
}

#[test]
fn a_project_that_was_moved_keeps_its_id_its_name_and_its_sessions() {
    let (env, _) = project();
    env.ok(&["index", "scan"]);
    let id = report(&env, &["index", "status"])["projects"][0]["id"].as_str().unwrap().to_owned();
    env.ok(&["index", "rename", &id, "the shop"]);
    let before = rows(&env);
    let moved = env.home().join("elsewhere");
    fs::rename(env.project(), &moved).unwrap();
    let home = env.home().to_owned();
    let scan = env.ok_in(&home, &["index", "scan"]);
    assert!(scan.contains("not there"), "{scan}");
    assert_eq!(count(&env, SessionRow::TABLE), 0);
    let told = env.ok_in(&home, &["onboard", moved.to_str().unwrap()]);
    assert!(told.contains("the shop") && told.contains("moved from"), "{told}");
    let after = rows(&env);
    assert_eq!(before["sessions"], after["sessions"]);
    assert_eq!(after["projects"].len(), 1);
    assert_eq!(after["projects"][0][0], before["projects"][0][0]);
    env.ok_in(&home, &["index", "rebuild"]);
    assert_eq!(rows(&env), after);
    fs::rename(&moved, env.project()).unwrap();
}

#[test]
fn a_copy_of_a_project_is_another_project() {
    let (env, _) = project();
    env.ok(&["index", "scan"]);
    copied(env.project(), &env.home().join("copy"));
    let told = report(&env, &["onboard", env.home().join("copy").to_str().unwrap()]);
    assert_eq!(told["projects"].as_array().unwrap().len(), 2, "{told:#}");
    assert_eq!((count(&env, ProjectRow::TABLE), count(&env, SessionRow::TABLE)), (2, 2));
    is_right(&env);
}

#[test]
fn a_linked_work_tree_belongs_to_its_repository() {
    let (env, _) = project();
    let linked = env.home().join("linked");
    env.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    env.ok(&["onboard", linked.to_str().unwrap(), "."]);
    assert_eq!(count(&env, ProjectRow::TABLE), 1);
    is_right(&env);
}

#[test]
fn a_name_and_that_a_project_was_put_away_survive_the_database() {
    let (env, _) = project();
    env.ok(&["index", "scan"]);
    env.ok(&["index", "rename", "project", "shop"]);
    env.ok(&["index", "archive", "shop"]);
    fs::remove_dir_all(crate::folder(&env)).unwrap();
    env.ok(&["index", "scan"]);
    let status = report(&env, &["index", "status"]);
    assert_eq!(status["projects"][0]["name"], "shop");
    assert_eq!(status["projects"][0]["archived"], true);
    env.ok(&["index", "archive", "shop", "--undo"]);
    env.ok(&["index", "rename", "shop", ""]);
    let status = report(&env, &["index", "status"]);
    assert_eq!(status["projects"][0]["name"], "project");
    assert_eq!(status["projects"][0]["archived"], false);
    assert_eq!(env.waypost(&["index", "rename", "nobody", "x"]).status.code(), Some(1));
}
