//! A stop that the content of many files is compared for, beside `git status` of the same files.

use std::path::Path;
use std::time::Duration;

use super::Bench;
use super::figure::{Figure, Target};
use super::pair::by_turns;
use crate::event::{EDITED, Event};
use crate::failure::Failure;
use crate::place::Place;
use crate::places::write;
use crate::rows::Subject;
use crate::spawn::Spawn;

/// One takes as long as this many others.
const ROUNDS_OF_ONE: usize = 10;
const PLACE: Place = Place::ManyFiles;

pub(super) fn measure(bench: &Bench<'_>) -> Result<Vec<Figure>, Failure> {
    let hook = |event| bench.places.spawn(Subject::Hook(PLACE, event), bench.programs);
    let (edit, stop) = (hook(Event::PostEdit), hook(Event::Stop));
    let status = ["git", "status", "--porcelain"].map(Into::into).into();
    let status = bench.places.spawn_in(PLACE, Path::new("/usr/bin/env"), status, vec![]);
    let edited = bench.places.root(PLACE).join(EDITED);
    let mut version = 0;
    let pair = by_turns(
        (bench.rounds / ROUNDS_OF_ONE).max(3),
        1,
        || {
            // Something moved: a stop that is held over and over would be let go in the end.
            version += 1;
            write(&edited, &format!("//! Version {version}.\n"))?;
            edit.run_silently()?;
            answering(&stop, "\"decision\":\"block\"")
        },
        || answering(&status, EDITED),
    )?;
    let name = Subject::Hook(PLACE, Event::Stop).name();
    Ok(vec![Figure::new(&name, "git status", pair, Target::AtMost(3.0))])
}

/// How long it takes, if it says this.
fn answering(spawn: &Spawn, expected: &str) -> Result<Duration, Failure> {
    let (took, output) = spawn.run_well()?;
    if String::from_utf8_lossy(&output.stdout).contains(expected) {
        return Ok(took);
    }
    Err(spawn.unexpected(expected, &output))
}
