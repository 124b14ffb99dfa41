//! What a person does at a terminal, and the copies that are published meanwhile.

use std::fs;

use serde_json::Value;

use super::ledger::Told;
use super::worker::{Worker, World};

/// Of so many notes, one is long: a kill tears what is written page by page.
const LONG: u64 = 24;

/// One command of a person.
pub(crate) fn step(worker: &mut Worker, world: &World) {
    match worker.random.below(25) {
        0..=9 => note(worker, world),
        10 | 11 => say(worker, world, ("gate_marked", "told")),
        12 | 13 => say(worker, world, ("shared", "agreed")),
        14 | 15 => evidence(worker, world, ("evidence_recorded", "told")),
        16 | 17 => evidence(worker, world, ("shared", "agreed")),
        18 | 19 => rest(worker, world),
        20 | 21 => go_on(worker, world),
        22 => end(worker, world),
        _ => start(worker, world),
    }
}

fn note(worker: &mut Worker, world: &World) {
    let (session, unique) = (world.session(&mut worker.random), worker.word());
    let most = if worker.random.below(LONG) == 0 { 60_000 } else { 1_000 };
    let text = format!("{unique} {}", "x".repeat(worker.random.index(most)));
    let args = ["note", "add", &text, "--session", &session];
    let (_, told) = worker.command(world, "note add", (&session, &args));
    worker.ledger.push((("note_added", unique), told));
}

fn say(worker: &mut Worker, world: &World, (kind, gate): (&'static str, &str)) {
    let (session, unique) = (world.session(&mut worker.random), worker.word());
    let args = ["gate", "satisfy", gate, "--note", &unique, "--session", &session];
    let (_, told) = worker.command(world, "gate satisfy", (&session, &args));
    worker.ledger.push(((kind, unique), told));
}

fn evidence(worker: &mut Worker, world: &World, (kind, gate): (&'static str, &str)) {
    let (session, unique) = (world.session(&mut worker.random), worker.word());
    let field = format!("word={unique}");
    let args = ["evidence", "record", gate, &field, "--session", &session];
    let (_, told) = worker.command(world, "evidence record", (&session, &args));
    worker.ledger.push(((kind, unique), told));
}

fn rest(worker: &mut Worker, world: &World) {
    let unique = worker.word();
    let args = ["pause", &world.resting, "--reason", &unique];
    let (_, told) = worker.command(world, "pause", (&world.resting, &args));
    worker.ledger.push((("session_paused", unique), told));
}

fn go_on(worker: &mut Worker, world: &World) {
    let args = ["resume", world.resting.as_str()];
    let (output, told) = worker.command(world, "resume", (&world.resting, &args));
    // Where the pause was killed before it came to anything, there is nothing to resume.
    let was_active = String::from_utf8_lossy(&output.stdout).contains("is active already");
    let told = if was_active { Told::Refused } else { told };
    worker.ledger.push((("session_resumed", world.resting.clone()), told));
}

fn start(worker: &mut Worker, world: &World) {
    let (unique, session) = (worker.word(), world.session(&mut worker.random));
    let workflow = worker.random.choose(&["none", "walk"]);
    let args = ["start", "--objective", &unique, "--workflow", workflow, "--json"];
    let (output, told) = worker.command(world, "start", (&session, &args));
    if told == Told::Done {
        let started: Value = serde_json::from_slice(&output.stdout).unwrap();
        let id = started["session_id"].as_str().unwrap().to_owned();
        world.sessions.lock().unwrap().push(id);
    }
    worker.ledger.push((("session_started", unique), told));
}

/// Ends a session. What is written to it from now on is refused.
fn end(worker: &mut Worker, world: &World) {
    let (session, unique) = (world.session(&mut worker.random), worker.word());
    let args = ["end", &session, "--failed", "--summary", &unique];
    let (_, told) = worker.command(world, "end", (&session, &args));
    worker.ledger.push((("session_ended", unique), told));
}

/// Publishes a session. What was published once is not taken back.
pub(crate) fn publish(worker: &mut Worker, world: &World) {
    let session = match worker.random.below(4) {
        0 => world.resting.clone(),
        1 => world.walking.clone(),
        _ => world.session(&mut worker.random),
    };
    let args = ["publish", &session, "--json"];
    let (output, told) = worker.command(world, "publish", (&session, &args));
    if told == Told::Done {
        let published: Value = serde_json::from_slice(&output.stdout).unwrap();
        worker.published.push((session, published["version"].as_u64().unwrap()));
    }
}

/// The gates change: the last of them has this name now. As an editor writes it, in one go.
pub(crate) fn change_gates(world: &World, name: &str) {
    let project = world.env.project();
    let aside = project.join(".git/waypost.toml.new");
    fs::write(&aside, gates(name)).unwrap();
    fs::rename(aside, project.join("waypost.toml")).unwrap();
}

/// Gates for everything that is recorded here, and a last one of this name.
pub(crate) fn gates(name: &str) -> String {
    let claimed = |id: &str, scope: &str| {
        format!(
            "[[gate]]\nid = \"{id}\"\nlevel = \"should\"\nbefore = [\"push\"]\nscope = \"{scope}\"\n\
             accept = \"claimed\"\nproof = {{ fields = {{ word = \"string\" }} }}\n"
        )
    };
    let (told, agreed) = (claimed("told", "session"), claimed("agreed", "branch"));
    format!("{}{told}{agreed}{}", waypost_testkit::GATE, claimed(name, "session"))
}
