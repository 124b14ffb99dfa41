//! The hook after an edit that becomes an event, beside the hook before it and the least that makes
//! two writes durable.

use std::fs;

use waypost_app::view::View;
use waypost_core::actor::Actor;
use waypost_core::command::Command;
use waypost_core::evidence::{Provenance, Run, Tree};

use super::Bench;
use super::append::append;
use super::figure::{Figure, Target};
use super::pair::{by_turns, time};
use super::stream::Stream;
use crate::event::Event;
use crate::failure::{During, Failure};
use crate::place::Place;
use crate::rows::Subject;

/// As for appends: what one leaves to be written later would burden the other.
const AT_ONCE: usize = 10;
const PLACE: Place = Place::RunsAndEdits;

pub(super) fn measure(bench: &Bench<'_>) -> Result<Vec<Figure>, Failure> {
    let host = bench.places.host(PLACE);
    let view = View::open(&host).during(|| format!("opening {}", host.cwd.display()))?;
    let stream = Stream::of_conversation(&view)?;
    let hook = |event| bench.places.spawn(Subject::Hook(PLACE, event), bench.programs);
    let (before, after) = (hook(Event::PreEdit), hook(Event::PostEdit));
    run_tests(&stream)?;
    let records = stream.load()?.position.seq;
    after.run_silently()?;
    stream.insist_on(records + 1)?;
    let content = fs::read(stream.path()).during(|| stream.path().display().to_string())?;
    let line = content.split_inclusive(|byte| *byte == b'\n').next_back().unwrap_or_default();
    let bare = stream.path().with_file_name("bare");
    let durable = || append(&bare, line).during(|| bare.display().to_string());
    fs::write(&bare, &content).during(|| bare.display().to_string())?;
    let pair = by_turns(
        bench.rounds,
        AT_ONCE,
        || run_tests(&stream).and_then(|()| after.run_silently()),
        || Ok(before.run_silently()? + time(durable)? + time(durable)?),
    )?;
    let edits = pair.own.len() as u64 + AT_ONCE as u64;
    stream.insist_on(records + 1 + 2 * edits)?;
    Ok(vec![Figure::new(
        "PostToolUse Edit, durable event",
        "PreToolUse Edit, and twice: open, append, fdatasync",
        pair,
        Target::AtMost(1.0),
    )])
}

/// Records a run that counts as proof: the next edit makes it stale, and so becomes an event.
fn run_tests(stream: &Stream<'_>) -> Result<(), Failure> {
    let tree = || Tree::Unknown("nobody asks".to_owned());
    let run = Command::RecordRun(Run {
        worktree: None,
        command: "cargo".to_owned(),
        sha256: "0".repeat(64),
        patterns: vec!["cargo test*".to_owned()],
        status: 0,
        tree_before: tree(),
        tree_after: tree(),
        provenance: Provenance::Verified,
        duration_ms: None,
        tests: None,
        before: None,
        failed: Vec::new(),
        compared: None,
        flaky: Vec::new(),
    });
    let recorded = stream.view.execute(&stream.session, &Actor::Human, run);
    recorded.during(|| format!("recording a run in {}", stream.id)).map(|_| ())
}
