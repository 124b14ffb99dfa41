//! Commands, hooks, MCP servers and publishing at once in one project, all of them killed at any
//! moment, over and over. Nothing that was acknowledged is lost, nothing is there twice or half, what
//! was refused is not there, and everything goes on.
//!
//! `WAYPOST_KILLS` and `WAYPOST_SEED` ask for another number of kills, and for a certain run.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

mod commands;
mod hooks;
mod ledger;
mod moment;
mod servers;
mod state;
mod worker;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use waypost_testkit::TestEnv;

use hooks::Conversations;
use ledger::{Ledger, Streams, Told};
use worker::{Tally, Worker, World, person};

/// How many kills, unless the environment asks for more.
const KILLS: usize = 500;
/// After so many kills, or more in a long run, everything rests and is looked at.
const BATCH: usize = 100;
/// How often a long run rests.
const RESTS: usize = 40;

/// Two phases, and nothing stands between them.
const WALK: &str = "[[phase]]\nname = \"Here\"\n[[phase]]\nname = \"There\"\n\
                    [[phase]]\nname = \"Further\"\n";

/// What a worker does over and over.
enum Duty {
    Commands,
    Gates,
    Hooks(Conversations),
    Servers,
    Publishing,
}

impl Duty {
    fn step(&mut self, worker: &mut Worker, world: &World) {
        match self {
            Self::Commands => commands::step(worker, world),
            Self::Gates => {
                let name = worker.word();
                commands::change_gates(world, &name);
                worker.command(world, "gate list", (&world.resting, &["gate", "list"]));
                commands::step(worker, world);
            }
            Self::Hooks(conversations) => conversations.step(worker, world),
            Self::Servers => servers::step(worker, world),
            Self::Publishing => commands::publish(worker, world),
        }
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A project with a session for each thing that is done to it. One of them has entered a phase.
fn world() -> World {
    let env =
        TestEnv::on_disk(env!("CARGO_BIN_EXE_waypost"), Path::new(env!("CARGO_TARGET_TMPDIR")));
    env.write(".waypost/workflows/walk.toml", WALK);
    env.init_with(&commands::gates("first"));
    let resting = env.start("Rest");
    let walking = env.json(&["start", "--objective", "Walk", "--workflow", "walk", "--json"]);
    let walking = walking["session_id"].as_str().unwrap().to_owned();
    env.ok(&["phase", "complete", "--session", &walking]);
    World { env, left: AtomicUsize::new(0), sessions: Mutex::default(), resting, walking }
}

/// Lets everybody work until so many were killed.
fn batch(world: &World, workers: &mut [(Duty, Worker)], kills: usize) {
    world.left.store(kills, Ordering::SeqCst);
    std::thread::scope(|scope| {
        for (duty, worker) in workers {
            scope.spawn(move || {
                while world.is_going_on() {
                    duty.step(worker, world);
                }
            });
        }
    });
}

fn workers(seed: u64) -> Vec<(Duty, Worker)> {
    let duties = [
        Duty::Commands,
        Duty::Commands,
        Duty::Gates,
        Duty::Hooks(Conversations::default()),
        Duty::Hooks(Conversations::default()),
        Duty::Hooks(Conversations::default()),
        Duty::Servers,
        Duty::Servers,
        Duty::Publishing,
    ];
    (1..).zip(duties).map(|(number, duty)| (duty, Worker::new(seed, number))).collect()
}

fn tallies(workers: &[(Duty, Worker)]) -> BTreeMap<&'static str, Tally> {
    let mut all: BTreeMap<&'static str, Tally> = BTreeMap::new();
    for (kind, tally) in workers.iter().flat_map(|(_, worker)| &worker.tallies) {
        let sum = all.entry(kind).or_default();
        sum.killed += tally.killed;
        sum.answered += tally.answered;
        sum.refused += tally.refused;
    }
    all
}

#[test]
fn nothing_acknowledged_is_lost_when_anything_is_killed_at_any_moment() {
    let kills = number("WAYPOST_KILLS").map_or(KILLS, |kills| usize::try_from(kills).unwrap());
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = number("WAYPOST_SEED").unwrap_or_else(|| u64::from(clock.subsec_nanos()));
    let world = world();
    // Shown when the test fails.
    println!("WAYPOST_KILLS={kills} WAYPOST_SEED={seed} in {}", world.env.project().display());
    let (began, mut workers, mut ledger) = (Instant::now(), workers(seed), Ledger::default());
    ledger.note(("phase_entered", world.walking.clone()), Told::Done);
    let mut killed = 0;
    for round in 1.. {
        // In a session of its own, so that no stream becomes so long that all else waits for it.
        let started = person(&world, &["start", "--objective", "Survive", "--json"]).output();
        let started: serde_json::Value = serde_json::from_slice(&started.unwrap().stdout).unwrap();
        let session = started["session_id"].as_str().unwrap().to_owned();
        world.sessions.lock().unwrap().push(session);

        batch(&world, &mut workers, BATCH.max(kills / RESTS).min(kills - killed));
        for (_, worker) in &mut workers {
            worker.confess(&mut ledger);
        }
        let published = workers.iter_mut().flat_map(|(_, worker)| worker.published.drain(..));
        state::check(&world, (&ledger, published.collect()), round);
        killed = tallies(&workers).values().map(|tally| tally.killed).sum();
        let (records, seconds) =
            (Streams::of(&world.env.store()).records, began.elapsed().as_secs());
        println!("{killed} of {kills} killed, {records} records, {seconds} s");
        if killed >= kills {
            break;
        }
    }
    for (kind, Tally { killed, answered, refused }) in tallies(&workers) {
        println!("{kind:16} {killed:6} killed {answered:6} answered {refused:6} refused");
        // Somebody else may have paused, resumed or ended it each time.
        let is_new = !["pause", "resume", "end"].contains(&kind);
        assert!(answered > 0 || !is_new, "{kind}: nothing was ever acknowledged");
    }
    let streams = Streams::of(&world.env.store());
    let (sure, survived) = (ledger.acknowledged(), ledger.survived(&streams));
    println!("{sure} acknowledged; of what was killed, {survived} records are there all the same");
    println!("{}", state::leftovers(&world));
    assert!(sure > 0 && survived > 0, "the kills fell at every stage of a write");
    state::check_all(&world);
}
