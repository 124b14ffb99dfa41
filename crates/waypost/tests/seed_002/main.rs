//! The second seed: the state of orchestrated sessions, read and written with the real binary.
//!
//! What it names under its strategy of testing, and the test that does it:
//!
//! | named there | here |
//! |---|---|
//! | unit: the schema of the state | `compatibility`: `every_field_of_the_shapes_that_other_tools_read_is_there_or_listed` |
//! | unit: signing and verifying | `tampering`: `seed_002_a_signed_state_verifies_on_import_with_what_that_does_not_cover`; in the app `whatever_javascript_signs_is_judged_rightly` |
//! | unit: optimistic locking | `strategy`: `seed_002_of_writers_with_the_same_version_one_is_taken_and_the_others_are_told`; `state`: `a_version_that_is_given_is_the_one_that_was_decided_on`; trying again, in the store: `whoever_is_overtaken_decides_again_up_to_three_times` |
//! | unit: compaction keeps the last three and stores the rest | `strategy`: `seed_002_history_leaves_the_state_above_ten_and_nothing_of_it_is_lost` |
//! | unit: reading and writing what is persisted | `state`: `a_whole_state_that_is_given_back_changes_nothing`; `tampering`: `an_imported_state_keeps_what_it_brought_with_what_was_added_here_behind_it` |
//! | integration: the start hook, the command, the state | `strategy`: `seed_002_a_session_that_its_start_hook_began_is_read_by_the_command` |
//! | integration: the tool hook, the command, the gates, with and without state | `matrix`: `seed_002_every_cell_of_the_matrix_comes_out_as_stated` |
//! | integration: an agent's invocation from end to end | `strategy`: `seed_002_an_agents_work_is_followed_from_its_beginning_to_its_end` |
//! | integration: concurrent updates | `strategy`: `seed_002_writers_without_a_version_lose_nothing`, and the one with the same version |
//! | integration: a restart of the server | `strategy`: `seed_002_a_server_that_is_started_again_gives_the_same_state` |
//! | security: a tampered state | `tampering`: `seed_002_nested_tampering_is_found_where_the_states_own_signature_accepts_it` |
//! | security: a missing secret | `strategy`: `seed_002_without_its_secret_the_server_does_not_start` |
//! | security: no state, and a signature that does not fit | `matrix`; `fail_closed` walks each file and each damage |
//! | performance: compaction at 10, 20 and 50 invocations | what it does, in `strategy`; what it costs, in `./scripts/bench --growth` |
//! | performance: reading and writing | `./scripts/bench --store` and `--mcp` |
//! | performance: how often a cache is hit | there is none to miss: the app's `once` counts that each call looks at everything at most once |

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod matrix;
mod state;
mod strategy;
mod tampering;

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::Value;
use waypost_testkit::{TestEnv, everything};

/// A project with a session.
pub(crate) fn begun() -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_waypost"));
    env.init_with("[project]\n");
    env.start("Add login");
    env
}

/// The state as everybody is given it.
pub(crate) fn get_state(env: &TestEnv) -> Value {
    env.json(&["session", "get-state"])
}

/// Gives a state on standard input.
pub(crate) fn set_state(env: &TestEnv, text: &str) -> Output {
    let mut command = env.command(env.binary(), env.project());
    command.args(["session", "set-state"]).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// The state that comes of one that is given.
pub(crate) fn accepted(env: &TestEnv, given: &Value) -> Value {
    let output = set_state(env, &given.to_string());
    assert!(output.status.success(), "{given:#}\n{}", everything(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What is told of a state that is refused.
pub(crate) fn refused(env: &TestEnv, given: &Value) -> String {
    let output = set_state(env, &given.to_string());
    assert_eq!(output.status.code(), Some(1), "{given:#}\n{}", everything(&output));
    everything(&output)
}

/// The id of the only session.
pub(crate) fn only_session(env: &TestEnv) -> String {
    get_state(env)["sessionId"].as_str().unwrap().to_owned()
}
