//! What the event store costs, each figure beside what it cannot do without.

pub(crate) mod append;
mod edits;
pub(crate) mod figure;
pub(crate) mod pair;
mod rulings;
mod stops;
mod stream;
pub(crate) mod table;
mod verify;
mod view;
pub(crate) mod writers;

use waypost_app::view::View;

use crate::arguments::Arguments;
use crate::failure::{During, Failure};
use crate::place::Place;
use crate::places::Places;
use crate::programs::Programs;
use figure::Figure;
use stream::Stream;

/// As many events as the names of the places say.
const FEW: u64 = 10;
const MANY: u64 = 100_000;
/// What takes seconds is done once where the rest is done this often.
const ROUNDS_OF_A_LONG_ONE: usize = 100;

/// What the figures are taken from.
struct Bench<'a> {
    places: &'a Places,
    programs: &'a Programs,
    rounds: usize,
    /// The short session's project, for what writes.
    project: &'a View<'a>,
    short: &'a Stream<'a>,
    long: &'a Stream<'a>,
}

impl Bench<'_> {
    fn long_rounds(&self) -> usize {
        (self.rounds / ROUNDS_OF_A_LONG_ONE).max(3)
    }
}

type Measure = fn(&Bench<'_>) -> Result<Vec<Figure>, Failure>;

/// What is measured, by names that `--only` chooses from.
const MEASURES: &[(&str, Measure)] = &[
    ("append", append::measure),
    ("edits", edits::measure),
    ("stops", stops::measure),
    ("view", view::measure),
    ("rulings", rulings::measure),
    ("verify", verify::measure),
    ("writers", writers::measure),
];

/// Takes all figures, or those of `--only`.
pub(crate) fn measure(
    places: &Places,
    programs: &Programs,
    arguments: &Arguments,
) -> Result<Vec<Figure>, Failure> {
    let only = arguments.only.as_deref().unwrap_or_default();
    let wanted: Vec<_> = MEASURES.iter().filter(|(name, _)| name.contains(only)).collect();
    if wanted.is_empty() {
        let names: Vec<_> = MEASURES.iter().map(|(name, _)| *name).collect();
        return Err(Failure::new(format!("--only knows {}", names.join(", "))));
    }
    let hosts = [places.host(Place::ShortSession), places.host(Place::LongSession)];
    let [few, many] = hosts
        .each_ref()
        .map(|host| View::open(host).during(|| format!("opening {}", host.cwd.display())));
    let (few, many) = (few?, many?);
    eprintln!("filling a session with {MANY} events ...");
    let (short, long) = (Stream::of_conversation(&few)?, Stream::of_conversation(&many)?);
    short.fill(FEW)?;
    long.fill(MANY)?;
    let rounds = arguments.rounds;
    let bench = Bench { places, programs, rounds, project: &few, short: &short, long: &long };
    let mut figures = Vec::new();
    for (name, measure) in wanted {
        eprintln!("{name} ...");
        figures.extend(measure(&bench).during(|| (*name).to_owned())?);
    }
    short.insist_on(FEW)?;
    long.insist_on(MANY)?;
    Ok(figures)
}
