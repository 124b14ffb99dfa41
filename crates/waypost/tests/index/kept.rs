//! How sessions are kept, told apart: live ones, copies of other clones, folders of other programs, damage.

use std::fs;

use waypost_core::tables::{LogRow, Row};

use crate::{count, folder, is_right, legacy, project, report, sessions};

#[test]
fn sessions_of_other_clones_are_marked() {
    let (env, session) = project();
    env.ok(&["publish"]);
    let clone = env.clone_as("clone");
    env.ok_in(&clone, &["onboard", "."]);
    assert_eq!(sessions(&env), [(session.clone(), "copy".to_owned())]);
    // With another key nobody here can vouch for it.
    let key = fs::read(env.key_file()).unwrap();
    fs::remove_file(env.key_file()).unwrap();
    let fresh = waypost_testkit::TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    fresh.init();
    fs::copy(fresh.key_file(), env.key_file()).unwrap();
    env.ok_in(&clone, &["index", "scan"]);
    assert_eq!(sessions(&env), [(session.clone(), "unverified".to_owned())]);
    fs::write(env.key_file(), key).unwrap();
    env.ok_in(&clone, &["index", "scan"]);
    assert_eq!(sessions(&env), [(session.clone(), "copy".to_owned())]);
    env.ok_in(&clone, &["resume", &session]);
    env.ok_in(&clone, &["index", "scan"]);
    assert_eq!(sessions(&env), [(session, "live".to_owned())]);
    is_right_in(&env, &clone);
}

fn is_right_in(env: &waypost_testkit::TestEnv, place: &std::path::Path) {
    let before = crate::rows(env);
    env.ok_in(place, &["index", "rebuild"]);
    assert_eq!(crate::rows(env), before);
}

#[test]
fn a_folder_that_is_taken_over_is_no_longer_legacy() {
    let (env, session) = project();
    let id = "2026-02-14_dark-mode_a1b2c3";
    legacy(env.project(), id, "Dark mode");
    env.ok(&["index", "scan"]);
    let named = |kept: &str| (id.to_owned(), kept.to_owned());
    assert_eq!(sessions(&env)[0], named("legacy"));
    legacy(env.project(), id, "Another name that is longer");
    env.ok(&["index", "scan"]);
    is_right(&env);
    env.ok(&["resume", id]);
    env.ok(&["index", "scan"]);
    assert_eq!(sessions(&env), [named("live"), (session, "live".to_owned())]);
    is_right(&env);
}

#[test]
fn what_hooks_append_is_found_by_the_next_scan_and_no_hook_opens_the_index() {
    let (env, _) = project();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env.bash("./check.sh", "b1");
    assert!(!folder(&env).exists());
    env.ok(&["index", "scan"]);
    let before = count(&env, LogRow::TABLE);
    let untouched = fs::metadata(folder(&env)).unwrap().modified().unwrap();
    env.edit("src/lib.txt", "three\n");
    env.stop();
    assert_eq!(fs::metadata(folder(&env)).unwrap().modified().unwrap(), untouched);
    env.ok(&["index", "scan"]);
    assert!(count(&env, LogRow::TABLE) > before);
    is_right(&env);
}

#[test]
fn a_session_whose_folder_is_gone_leaves_nothing_behind() {
    let (env, session) = project();
    legacy(env.project(), "2026-02-14_dark-mode_a1b2c3", "Dark mode");
    env.ok(&["index", "scan"]);
    fs::remove_dir_all(env.copy_of("2026-02-14_dark-mode_a1b2c3")).unwrap();
    fs::remove_dir_all(env.log_of(&session).parent().unwrap()).unwrap();
    let told = report(&env, &["index", "scan"]);
    assert_eq!(told["removed"], 1, "{told:#}");
    // The head remains and proves that there was one.
    assert_eq!(sessions(&env), [(session, "damaged".to_owned())]);
    fs::remove_dir_all(env.store().join("heads")).unwrap();
    assert_eq!(report(&env, &["index", "scan"])["removed"], 1);
    assert_eq!(sessions(&env), []);
    assert_eq!(count(&env, LogRow::TABLE), 0);
    is_right(&env);
}

#[test]
fn a_damaged_stream_is_shown_as_far_as_it_can_be_read_and_is_whole_once_it_is_repaired() {
    let (env, session) = project();
    env.ok(&["index", "scan"]);
    let whole = fs::read(env.log_of(&session)).unwrap();
    let mut bytes = whole.clone();
    let last = bytes.len() - 20;
    bytes[last] ^= 1;
    fs::write(env.log_of(&session), &bytes).unwrap();
    let told = report(&env, &["index", "scan"]);
    assert_eq!(told["failed"].as_array().unwrap().len(), 1, "{told:#}");
    assert_eq!(sessions(&env), [(session.clone(), "damaged".to_owned())]);
    let before = crate::rows(&env);
    env.waypost(&["index", "rebuild"]);
    assert_eq!(crate::rows(&env), before);
    fs::write(env.log_of(&session), &whole).unwrap();
    env.ok(&["index", "scan"]);
    assert_eq!(sessions(&env), [(session, "live".to_owned())]);
    is_right(&env);
}

#[test]
fn activity_that_was_begun_anew_is_read_as_its_files_are() {
    let (env, session) = project();
    env.begin();
    env.edit("src/lib.txt", "two\n");
    env.ok(&["index", "scan"]);
    let activity = env.home().join(".local/state/waypost/activity");
    let project = fs::read_dir(&activity).unwrap().map(|entry| entry.unwrap().path());
    let file =
        project.map(|folder| folder.join(format!("{session}.jsonl"))).find(|it| it.is_file());
    let file = file.unwrap();
    let line = fs::read_to_string(&file).unwrap().lines().next().unwrap().to_owned();
    let text = format!("{line}\nno JSON\n{line}\n{{\"torn");
    fs::write(&file, &text).unwrap();
    env.ok(&["index", "scan"]);
    is_right(&env);
    fs::rename(&file, file.with_extension("1.jsonl")).unwrap();
    fs::write(&file, format!("{line}\n")).unwrap();
    env.ok(&["index", "scan"]);
    is_right(&env);
    fs::write(&file, format!("{line}\n{line}\n")).unwrap();
    env.ok(&["index", "scan"]);
    is_right(&env);
}
