//! What a hook sees of a long session, beside the same of a short one.

use super::figure::{Figure, Target};
use super::pair::{by_turns, time};
use super::{Bench, Stream};
use crate::event::Event;
use crate::failure::Failure;
use crate::place::Place;
use crate::rows::Subject;

const MOST: Target = Target::AtMost(1.2);

pub(super) fn measure(bench: &Bench<'_>) -> Result<Vec<Figure>, Failure> {
    let hook = |place| {
        let subject = Subject::Hook(place, Event::PreEdit);
        (subject.name(), bench.places.spawn(subject, bench.programs))
    };
    let (long, short) = (hook(Place::LongSession), hook(Place::ShortSession));
    let hooks = by_turns(bench.rounds, 1, || long.1.run_silently(), || short.1.run_silently())?;
    // The hooks have left both snapshots up to date, as they do for each other.
    let load = |stream: &Stream<'_>| time(|| stream.load());
    let loads = by_turns(bench.rounds, 1, || load(bench.long), || load(bench.short))?;
    Ok(vec![
        Figure::new(&long.0, &short.0, hooks, MOST),
        Figure::new("loading the state, 100,000 events", "the same, 10 events", loads, MOST),
    ])
}
