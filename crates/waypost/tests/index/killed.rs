//! Whoever is killed while it reads or makes an index, or meets another who does, leaves nothing that is wrong.

use std::fs;
use std::process::{Child, Stdio};

use waypost_core::tables::{Row, SessionRow};
use waypost_testkit::TestEnv;

use crate::transcripts::{line, place, write};
use crate::{count, folder, is_right, legacy, project, rows};

/// How many sessions there are.
const SESSIONS: usize = 400;

fn many() -> TestEnv {
    let (env, _) = project();
    for number in 1..SESSIONS {
        legacy(env.project(), &format!("2026-02-14_number-{number}"), &format!("Number {number}"));
    }
    // Every second message was said in the conversation before.
    for number in 0..40 {
        let said = |message| line(&env, "2026-11-10T10:00:00Z", message, "Well.", 5);
        let text = [said(&format!("m{}", number / 2)), said(&format!("own-{number}"))].concat();
        write(&place(&env, &format!("c{number}")), &text);
    }
    env
}

fn begin(env: &TestEnv, args: &[&str]) -> Child {
    let mut command = env.command(env.binary(), env.project());
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// How many bytes the files of the index have whose name ends like this.
fn bytes(env: &TestEnv, ending: &str) -> u64 {
    let entries = fs::read_dir(folder(env)).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.file_name().to_string_lossy().ends_with(ending));
    files.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
}

/// Runs it until the files have so many bytes, and kills it. Whether it was still at work.
fn kill_at(env: &TestEnv, args: &[&str], ending: &str, least: u64) -> bool {
    let mut child = begin(env, args);
    loop {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        if bytes(env, ending) >= least {
            child.kill().unwrap();
            child.wait().unwrap();
            return true;
        }
        std::hint::spin_loop();
    }
}

#[test]
fn an_index_whose_making_was_killed_is_made_by_the_next() {
    let env = many();
    let killed = [1, 30_000, 60_000, 90_000]
        .map(|least| kill_at(&env, &["index", "rebuild"], ".db.new", least));
    assert!(killed[0], "the first is killed as soon as there is a file");
    env.ok(&["index", "scan"]);
    assert_eq!(count(&env, SessionRow::TABLE), SESSIONS as u64);
    is_right(&env);
    // With one that is there: it stays as it is until the new one is whole.
    let whole = rows(&env);
    assert!(kill_at(&env, &["index", "rebuild"], ".db.new", 1));
    assert_eq!(rows(&env), whole);
    env.ok(&["index", "rebuild"]);
    assert_eq!(rows(&env), whole);
    assert_eq!(bytes(&env, ".new"), 0);
}

#[test]
fn a_scan_that_was_killed_is_finished_by_the_next() {
    let (env, _) = project();
    env.ok(&["index", "scan"]);
    for round in 0..4_u64 {
        for number in 0..60 {
            let id = format!("2026-02-14_number-{round}-{number}");
            legacy(env.project(), &id, &format!("Number {number} of {round}"));
        }
        kill_at(&env, &["index", "scan"], ".db-wal", round * 20_000);
    }
    env.ok(&["index", "scan"]);
    assert_eq!(count(&env, SessionRow::TABLE), 241);
    is_right(&env);
}

#[test]
fn several_that_scan_and_make_it_at_once_come_to_the_same() {
    let env = many();
    let all: [&[&str]; 6] = [
        &["index", "scan"],
        &["index", "rebuild"],
        &["onboard", "."],
        &["index", "scan"],
        &["index", "rename", "project", "shop"],
        &["index", "rebuild"],
    ];
    for round in 0..3 {
        legacy(env.project(), &format!("2026-02-14_round-{round}"), "Round");
        let children: Vec<Child> = all.iter().map(|args| begin(&env, args)).collect();
        for (mut child, args) in children.into_iter().zip(all) {
            let status = child.wait().unwrap();
            // Nobody can rename what is not known yet.
            assert!(status.success() || args.contains(&"rename"), "{args:?}");
        }
        env.ok(&["index", "scan"]);
        assert_eq!(count(&env, SessionRow::TABLE), (SESSIONS + round + 1) as u64);
    }
    is_right(&env);
}
