//! A worker calls Waypost over and over, kills most of what it starts, and remembers what it was told.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use waypost_testkit::{TestEnv, everything};

use super::ledger::{Key, Ledger, Told, word};
use super::moment::{Aim, Killer, Random};

/// Among how many sessions whoever writes chooses.
const LATEST: usize = 4;

/// What all workers share: the project, and how many kills are left in this batch.
pub(crate) struct World {
    pub(crate) env: TestEnv,
    pub(crate) left: AtomicUsize,
    /// The sessions that anything may be written to.
    pub(crate) sessions: Mutex<Vec<String>>,
    /// A session that rests and goes on.
    pub(crate) resting: String,
    /// A session that goes back and forth between two phases.
    pub(crate) walking: String,
}

impl World {
    /// The folders in which a call about this session writes.
    pub(crate) fn folders(&self, session: &str) -> Vec<PathBuf> {
        let (store, state) = (self.env.store(), self.env.home().join(".local/state/waypost"));
        let below = ["locks", "heads", "index", "project", "policies"].map(|name| store.join(name));
        let own = [store.join("sessions"), store.join("sessions").join(session)];
        let registry = [state.join("conversations"), state.join("pending")];
        below.into_iter().chain(own).chain(registry).chain([self.env.copy_of(session)]).collect()
    }

    /// One of the sessions that anything may be written to, of those that were begun last.
    pub(crate) fn session(&self, random: &mut Random) -> String {
        let sessions = self.sessions.lock().unwrap();
        let latest = &sessions[sessions.len().saturating_sub(LATEST)..];
        latest[random.index(latest.len())].clone()
    }

    pub(crate) fn is_going_on(&self) -> bool {
        self.left.load(Ordering::SeqCst) > 0
    }
}

/// What came of the calls of one kind.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub(crate) killed: usize,
    pub(crate) answered: usize,
    pub(crate) refused: usize,
}

/// Whoever calls.
pub(crate) struct Worker {
    number: u64,
    count: u64,
    pub(crate) random: Random,
    killer: Killer,
    pub(crate) tallies: BTreeMap<&'static str, Tally>,
    pub(crate) ledger: Vec<(Key, Told)>,
    /// Up to which record a session was said to be published.
    pub(crate) published: Vec<(String, u64)>,
}

impl Worker {
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        Self {
            number,
            count: 0,
            random: Random::of(seed, number),
            killer: Killer::new(),
            tallies: BTreeMap::new(),
            ledger: Vec::new(),
            published: Vec::new(),
        }
    }

    /// A word that nobody has written yet.
    pub(crate) fn word(&mut self) -> String {
        self.count += 1;
        word(self.number, self.count)
    }

    /// A conversation that nobody has seen yet.
    pub(crate) fn conversation(&mut self) -> String {
        self.count += 1;
        format!("talk-{}-{}", self.number, self.count)
    }

    /// Hands over what it was told since it was last asked.
    pub(crate) fn confess(&mut self, ledger: &mut Ledger) {
        for (key, told) in self.ledger.drain(..) {
            ledger.note(key, told);
        }
    }

    pub(crate) fn aim(&mut self, world: &World, kind: &'static str, session: &str) -> Aim {
        self.killer.aim(&mut self.random, kind, &world.folders(session))
    }

    /// Lets a process run until its moment has come. Gives its output and whether it was killed.
    pub(crate) fn strike(
        &mut self,
        world: &World,
        kind: &'static str,
        (aim, child): (&Aim, Child),
    ) -> Output {
        let output = self.killer.strike(aim, child);
        if output.status.code().is_none() {
            self.tallies.entry(kind).or_default().killed += 1;
            let _ = world
                .left
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        }
        output
    }

    /// Calls a command of a person's terminal, and gives what it said and what that means.
    pub(crate) fn command(
        &mut self,
        world: &World,
        kind: &'static str,
        (session, args): (&str, &[&str]),
    ) -> (Output, Told) {
        let aim = self.aim(world, kind, session);
        let child = person(world, args).spawn().unwrap();
        let output = self.strike(world, kind, (&aim, child));
        let tally = self.tallies.entry(kind).or_default();
        let told = match output.status.code() {
            Some(0) => {
                tally.answered += 1;
                Told::Done
            }
            Some(1) => {
                tally.refused += 1;
                Told::Refused
            }
            // Whoever read this line believes it, whatever became of the process.
            None if output.stdout.ends_with(b"\n") => Told::Done,
            None => Told::Nothing,
            Some(_) => panic!("waypost {args:?}: {}", everything(&output)),
        };
        (output, told)
    }
}

/// A command as a person calls it. One process is the harness of all conversations here, and what is
/// called below it would be an agent's; so the person's own registry knows none of them.
pub(crate) fn person(world: &World, args: &[&str]) -> std::process::Command {
    let mut command = world.env.command(world.env.binary(), world.env.project());
    command
        .args(args)
        .env("XDG_STATE_HOME", world.env.home().join("person"))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    command
}
