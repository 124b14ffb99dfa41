//! What becomes slower as a project grows, each figure beside the same in a small one.

mod agents;
mod crowd;
pub(crate) mod fill;
mod notes;
mod questions;
mod transcripts;
mod trees;

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::failure::{During, Failure};
use crate::place::Place;
use crate::places::Places;
use crate::programs::Programs;
use crate::store::table;
use fill::Filler;

const FEW_EVENTS: u64 = 10;
const MANY_EVENTS: u64 = 100_000;
/// How many sessions and how many conversations a large place has.
const LARGE: u32 = 10_000;
/// What takes long is done once where a hook is called this often.
const ROUNDS_OF_ONE: usize = 20;
/// And what takes longer still, this many times less often.
const LONGER: usize = 10;
const PLACE: Place = Place::OneGate;

/// A project with a home of its own: what one of them holds must not burden another.
struct Project<'a> {
    size: &'static str,
    place: Place,
    places: Places,
    programs: &'a Programs,
    filler: Filler,
}

impl<'a> Project<'a> {
    fn set_up(
        folder: &Path,
        programs: &'a Programs,
        size: &'static str,
        fill: impl FnOnce(&Filler) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        eprintln!("{size} ...");
        let folder = folder.join(size.replace(' ', "-"));
        std::fs::create_dir(&folder).during(|| folder.display().to_string())?;
        let places = Places::set_up(&folder, programs, &[PLACE])?;
        let filler = Filler::open(places.host(PLACE))?;
        filler.events(FEW_EVENTS)?;
        fill(&filler)?;
        Ok(Self { size, place: PLACE, places, programs, filler })
    }
}

/// A figure that is no time.
struct Remark {
    name: String,
    found: u64,
    unit: &'static str,
    target: &'static str,
    met: bool,
}

impl Remark {
    fn said(&self) -> String {
        let judged = if self.met { "ok" } else { "MISSED" };
        format!("{}: {} {}, {}: {judged}", self.name, self.found, self.unit, self.target)
    }

    fn json(&self) -> Value {
        let Self { name, found, unit, target, met } = self;
        json!({ "name": name, "found": found, "unit": unit, "target": target, "met": met })
    }
}

/// Takes all figures.
pub(crate) fn measure(
    folder: &Path,
    programs: &Programs,
    arguments: &Arguments,
) -> Result<String, Failure> {
    let wants = |name: &str| arguments.only.as_deref().is_none_or(|only| name.contains(only));
    let rounds = (arguments.rounds / ROUNDS_OF_ONE).max(5);
    let set_up = |size, fill: &dyn Fn(&Filler) -> Result<(), Failure>| {
        Project::set_up(folder, programs, size, fill)
    };
    let (mut figures, mut remarks) = (Vec::new(), Vec::new());
    if wants("questions") || wants("crowd") {
        let small = set_up("a small project", &|_| Ok(()))?;
        let large = [
            set_up("100,000 events", &|filler| filler.events(MANY_EVENTS))?,
            set_up("10,000 sessions", &|filler| filler.sessions(LARGE))?,
            set_up("10,000 conversations", &|filler| filler.conversations(LARGE))?,
        ];
        if wants("questions") {
            eprintln!("questions ...");
            (figures, remarks) = questions::measure((&small, &large), rounds)?;
        }
        if wants("crowd") {
            eprintln!("crowd ...");
            remarks.push(crowd::measure(&large[1])?);
        }
    }
    if wants("notes") {
        figures.extend(notes::measure(&set_up("notes", &|_| Ok(()))?, rounds.div_ceil(LONGER))?);
    }
    if wants("trees") {
        figures
            .extend(trees::measure(&set_up("untracked", &|_| Ok(()))?, rounds.div_ceil(LONGER))?);
    }
    if wants("agents") {
        figures.extend(agents::measure(&set_up("agents", &|_| Ok(()))?, rounds)?);
    }
    if wants("transcripts") {
        figures.extend(transcripts::measure(folder, rounds)?);
    }
    if figures.is_empty() && remarks.is_empty() {
        let known = "questions, crowd, notes, trees, agents, transcripts";
        return Err(Failure::new(format!("--only knows {known}")));
    }
    if arguments.json {
        let mut report: Value = serde_json::from_str(&table::json(&figures, rounds))
            .during(|| "reading our own table".to_owned())?;
        report["remarks"] = remarks.iter().map(Remark::json).collect();
        return Ok(format!("{report:#}\n"));
    }
    let mut text = table::text(&figures, rounds);
    for remark in remarks {
        let _ = writeln!(text, "{}", remark.said());
    }
    Ok(text)
}
