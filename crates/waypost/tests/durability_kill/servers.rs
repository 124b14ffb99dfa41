//! MCP servers over pipes that are killed while they answer.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};
use waypost_testkit::mcp::{NEWER, request};

use super::ledger::{Key, Told};
use super::worker::{Worker, World};

const KIND: &str = "mcp";
/// How many things a server is asked for at most.
const REQUESTS: u64 = 6;

/// Asks a server for a few things at once, and kills it somewhere on the way.
pub(crate) fn step(worker: &mut Worker, world: &World) {
    let session = world.session(&mut worker.random);
    let mut requests = Vec::new();
    let mut promised: BTreeMap<u64, Key> = BTreeMap::new();
    for id in 1..=1 + worker.random.below(REQUESTS) {
        let (tool, arguments, key) = wish(worker, world, &session);
        let params = json!({"name": tool, "arguments": arguments});
        requests.push(request(NEWER, id, "tools/call", params).to_string() + "\n");
        promised.insert(id, key);
    }
    let aim = worker.aim(world, KIND, &session);
    let mut command = world.env.command(world.env.binary(), world.env.project());
    command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It answers what was asked, and ends when nothing more comes.
    child.stdin.take().unwrap().write_all(requests.concat().as_bytes()).unwrap();
    let output = worker.strike(world, KIND, (&aim, child));
    let said = waypost_testkit::everything(&output);
    let was_killed = output.status.code().is_none();
    assert!(was_killed || output.status.success(), "{said}");
    let whole = output.stdout.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    for line in output.stdout[..whole].split(|byte| *byte == b'\n') {
        let Ok(answer) = serde_json::from_slice::<Value>(line) else { continue };
        let Some(key) = answer["id"].as_u64().and_then(|id| promised.remove(&id)) else { continue };
        assert!(answer["error"].is_null(), "{answer}");
        let told = if answer["result"]["isError"] == true { Told::Refused } else { Told::Done };
        let tally = worker.tallies.entry(KIND).or_default();
        *(if told == Told::Done { &mut tally.answered } else { &mut tally.refused }) += 1;
        worker.ledger.push((key, told));
    }
    assert!(was_killed || promised.is_empty(), "not answered: {promised:?}: {said}");
    worker.ledger.extend(promised.into_values().map(|key| (key, Told::Nothing)));
}

/// Something that an agent asks for, and how it is found again.
fn wish(worker: &mut Worker, world: &World, session: &str) -> (&'static str, Value, Key) {
    let unique = worker.word();
    match worker.random.below(8) {
        0..=2 => {
            let arguments = json!({"kind": "note", "text": unique, "session_id": session});
            ("session_add_note", arguments, ("note_added", unique))
        }
        3 => {
            let arguments =
                json!({"name": "told", "metadata": {"word": unique}, "session_id": session});
            ("requirement_satisfy", arguments, ("gate_marked", unique))
        }
        4 => {
            let arguments = json!({"feature": unique, "session_id": session});
            ("session_set_focus", arguments, ("focus_set", unique))
        }
        5 => {
            let arguments = json!({"reason": unique, "session_id": world.resting});
            ("session_pause", arguments, ("session_paused", unique))
        }
        6 => {
            let arguments =
                json!({"to_phase": "There", "reason": unique, "session_id": world.walking});
            ("workflow_rollback", arguments, ("rolled_back", unique))
        }
        _ => {
            let arguments = json!({"phase": "There", "evidence": {}, "session_id": world.walking});
            ("workflow_complete_phase", arguments, ("phase_entered", world.walking.clone()))
        }
    }
}
