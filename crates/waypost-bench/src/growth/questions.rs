//! What people and agents ask over and over, in a place that is large in one way, beside the same in
//! a small one.

use std::cell::RefCell;
use std::ffi::OsString;
use std::time::Duration;

use serde_json::json;
use waypost_core::id::ConversationId;

use super::fill::conversation;
use super::{LARGE, Project, Remark};
use crate::event::Event;
use crate::failure::{During, Failure};
use crate::mcp::client::Client;
use crate::spawn::Spawn;
use crate::store::figure::{Figure, Target};
use crate::store::pair::{by_turns, time};

const MOST: Target = Target::AtMost(1.5);
/// The most memory that any of them may have had.
const MOST_MEMORY: u64 = 20 * 1024;
/// As a person calls them; what is over is not listed, since its lines alone would be many.
const COMMANDS: &[&[&str]] = &[&["brief"], &["status"], &["list", "--status", "active"]];
/// Runs a program and tells its peak of memory in KB. The system counts what the caller had before
/// it became the program, so that it is never less than Python itself has, about 10 MB.
const PEAK: &str = "import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print(usage.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
";

/// All questions in all large places.
pub(super) fn measure(
    (small, large): (&Project<'_>, &[Project<'_>]),
    rounds: usize,
) -> Result<(Vec<Figure>, Vec<Remark>), Failure> {
    let (mut figures, mut remarks) = (Vec::new(), Vec::new());
    for words in COMMANDS {
        for place in large {
            let (own, floor) = (place.by_person(words), small.by_person(words));
            let run = |spawn: &Spawn| spawn.run_well().map(|(took, _)| took);
            let pair = by_turns(rounds, 1, || run(&own), || run(&floor))?;
            let name = format!("{}, {}", words[0], place.size);
            figures.push(Figure::new(&name, small.size, pair, MOST));
            remarks.push(remark(&name, place.peak(&own)?));
        }
    }
    for place in large {
        let (own, floor) = (RefCell::new(place.serve()?), RefCell::new(small.serve()?));
        let ask = |server: &RefCell<Client>| {
            time(|| server.borrow_mut().call("session_get_state", &json!({})))
        };
        let pair = by_turns(rounds, 1, || ask(&own), || ask(&floor))?;
        let name = format!("session_get_state, {}", place.size);
        figures.push(Figure::new(&name, small.size, pair, MOST));
        remarks.push(remark(&name, own.borrow().peak()? / 1024));
    }
    // The last: each begins a session, and with several the commands above need to be told which.
    for place in large {
        let newcomers = RefCell::new(LARGE..);
        let run = |place: &Project<'_>| {
            let next = newcomers.borrow_mut().next().unwrap_or_default();
            joined(place, &conversation(next)?)
        };
        let pair = by_turns(rounds, 1, || run(place), || run(small))?;
        let name = format!("SessionStart, {}", place.size);
        figures.push(Figure::new(&name, small.size, pair, MOST));
        let next = newcomers.borrow_mut().next().unwrap_or_default();
        remarks.push(remark(&name, place.peak(&place.session_start(&conversation(next)?))?));
    }
    Ok((figures, remarks))
}

/// How long it takes a conversation to begin, if it is known afterwards.
fn joined(place: &Project<'_>, conversation: &ConversationId) -> Result<Duration, Failure> {
    let spawn = place.session_start(conversation);
    let (took, output) = spawn.run_well()?;
    if place.filler.knows(conversation) {
        return Ok(took);
    }
    Err(spawn.unexpected("a conversation that is known", &output))
}

fn remark(name: &str, kilobytes: u64) -> Remark {
    Remark {
        name: format!("peak memory, {name}"),
        found: kilobytes,
        unit: "KB",
        target: "< 20 MB",
        met: kilobytes < MOST_MEMORY,
    }
}

impl Project<'_> {
    fn by_person(&self, words: &[&str]) -> Spawn {
        let words = words.iter().map(OsString::from).collect();
        let waypost = &self.programs.waypost;
        let mut spawn = self.places.spawn_in(self.place, waypost, words, vec![]);
        spawn.environment.retain(|(name, _)| !name.starts_with("CLAUDE"));
        spawn
    }

    pub(super) fn session_start(&self, conversation: &ConversationId) -> Spawn {
        let root = self.places.root(self.place);
        let stdin = Event::SessionStart.input(conversation.as_str(), &root);
        let words = ["hook", "claude-code"].map(OsString::from).into();
        let waypost = &self.programs.waypost;
        let mut spawn = self.places.spawn_in(self.place, waypost, words, stdin);
        spawn.environment.retain(|(name, _)| *name != "CLAUDE_CODE_SESSION_ID");
        spawn
    }

    pub(super) fn serve(&self) -> Result<Client, Failure> {
        let words = vec![OsString::from("mcp")];
        let waypost = &self.programs.waypost;
        Client::start(self.places.spawn_in(self.place, waypost, words, vec![]).command())
    }

    /// The most memory that a program had, in KB.
    fn peak(&self, spawn: &Spawn) -> Result<u64, Failure> {
        let mut watched = spawn.clone();
        watched.program.clone_from(&self.programs.python);
        watched.arguments = vec!["-c".into(), PEAK.into(), spawn.program.clone().into()];
        watched.arguments.extend(spawn.arguments.iter().cloned());
        let (_, output) = watched.run_well()?;
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or_default();
        last.parse().during(|| format!("the peak of memory: {said}"))
    }
}
