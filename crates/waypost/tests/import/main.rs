//! Sessions of other programs, brought in and taken out again: nothing of them is lost, nothing is reopened, the
//! originals stay as they are, and whoever is killed in between goes on.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod beside;
mod brain;
mod documented;
mod everything;
mod fixtures;
mod folders;
mod kept;
mod killed;
mod leaves;
mod manifests;
mod mutated;
mod ordinary;
mod own;
mod praxis;
mod protocol;
mod requirements;
mod resumed;
mod round_trips;
mod trusted;

use std::path::Path;

use serde_json::Value;
use waypost_testkit::TestEnv;

/// A project that was set up and has no session.
fn project() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init();
    env
}

/// What an import says of a path, whatever came of it.
fn import(env: &TestEnv, path: &Path) -> Value {
    let output = env.waypost(&["import", "--json", path.to_str().unwrap()]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The sessions of an import with what became of each.
fn outcomes(report: &Value) -> Vec<(String, String)> {
    let text = |session: &Value, key: &str| session[key].as_str().unwrap().to_owned();
    let sessions = report["sessions"].as_array().unwrap().iter();
    sessions.map(|one| (text(one, "session_id"), text(one, "outcome"))).collect()
}
