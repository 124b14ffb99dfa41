//! The index of this machine: which projects are found, what is read of them, and that whatever happens to its files
//! it is the same again afterwards.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod broken;
mod kept;
mod killed;
mod projects;
mod transcripts;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use waypost_core::tables::{Cell, SessionRow, TABLES};
use waypost_store::index::{Asked, IndexPlace, rows_of};
use waypost_testkit::TestEnv;

/// A project that was set up, with a session in which something happened.
fn project() -> (TestEnv, String) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    let session = env.start("Add login");
    env.ok(&["note", "add", "a note"]);
    (env, session)
}

fn folder(env: &TestEnv) -> PathBuf {
    env.home().join(".local/state/waypost/index")
}

/// Everything that is in the index.
fn rows(env: &TestEnv) -> BTreeMap<&'static str, Vec<Vec<Cell>>> {
    let index = IndexPlace::new(folder(env)).open().unwrap().unwrap();
    let all = TABLES.iter().map(|table| (table.name, index.rows(&Asked::all(table)).unwrap()));
    all.collect()
}

/// The sessions of the index and how each is kept, in order.
fn sessions(env: &TestEnv) -> Vec<(String, String)> {
    let index = IndexPlace::new(folder(env)).open().unwrap().unwrap();
    let rows = rows_of::<SessionRow>(&*index, &[]).unwrap();
    let mut told: Vec<_> = rows.into_iter().map(|row| (row.id, row.kept)).collect();
    told.sort();
    told
}

fn count(env: &TestEnv, row: &'static waypost_core::tables::Table) -> u64 {
    IndexPlace::new(folder(env)).open().unwrap().unwrap().count(row).unwrap()
}

/// That the index holds what one holds that is made anew now.
fn is_right(env: &TestEnv) {
    let kept_up = rows(env);
    assert_eq!(report(env, &["index", "rebuild"])["rebuilt"], true);
    assert_eq!(rows(env), kept_up);
}

/// What a command about the index reports, whether or not something failed.
fn report(env: &TestEnv, args: &[&str]) -> Value {
    let output = env.waypost(&[args, &["--json"]].concat());
    let is_told = matches!(output.status.code(), Some(0 | 1)) && !output.stdout.is_empty();
    assert!(is_told, "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A session folder of another program.
fn legacy(root: &Path, id: &str, topic: &str) {
    let folder = root.join("agents/sessions").join(id);
    fs::create_dir_all(&folder).unwrap();
    let manifest = serde_json::json!({
        "session_id": id, "topic": topic, "session_type": "full", "status": "active",
        "created_at": "2026-02-14T10:00:00Z", "updated_at": "2026-02-14T14:30:00Z",
        "current_phase": "build", "git": {"branch": "main"},
        "commits": [{"sha": "abc1234", "message": "feat: x", "checkpoint": 1}],
    });
    fs::write(folder.join("state.json"), manifest.to_string()).unwrap();
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copied(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
