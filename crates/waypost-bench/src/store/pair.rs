//! Two things by turns, so that whatever else the machine does befalls both.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::failure::Failure;

/// How long each of both took, every time.
pub(crate) struct Pair {
    pub(crate) own: Vec<Duration>,
    pub(crate) floor: Vec<Duration>,
}

/// Does both by turns, `at_once` times each before the other's turn; the first turn of each does not
/// count.
pub(crate) fn by_turns(
    rounds: usize,
    at_once: usize,
    own: impl FnMut() -> Result<Duration, Failure>,
    floor: impl FnMut() -> Result<Duration, Failure>,
) -> Result<Pair, Failure> {
    let (own, floor) = turns(rounds, at_once, own, floor)?;
    Ok(Pair { own, floor })
}

/// The same for what is done once each turn: by the clock, and by what all threads of this process worked.
pub(crate) fn both_by_turns(
    rounds: usize,
    mut own: impl FnMut() -> Result<(), Failure>,
    mut floor: impl FnMut() -> Result<(), Failure>,
) -> Result<[Pair; 2], Failure> {
    fn both(what: &mut dyn FnMut() -> Result<(), Failure>) -> Result<[Duration; 2], Failure> {
        let start = Instant::now();
        let worked = processor_time(what)?;
        Ok([start.elapsed(), worked])
    }
    let (own, floor) = turns(rounds, 1, || both(&mut own), || both(&mut floor))?;
    let one = |which: usize, all: &[[Duration; 2]]| all.iter().map(|both| both[which]).collect();
    Ok([0, 1].map(|which| Pair { own: one(which, &own), floor: one(which, &floor) }))
}

fn turns<T>(
    rounds: usize,
    at_once: usize,
    mut own: impl FnMut() -> Result<T, Failure>,
    mut floor: impl FnMut() -> Result<T, Failure>,
) -> Result<(Vec<T>, Vec<T>), Failure> {
    let (mut owns, mut floors) = (Vec::new(), Vec::new());
    for turn in 0..=rounds.div_ceil(at_once) {
        for _ in 0..at_once {
            owns.push(own()?);
        }
        for _ in 0..at_once {
            floors.push(floor()?);
        }
        if turn == 0 {
            owns.clear();
            floors.clear();
        }
    }
    Ok((owns, floors))
}

/// How long something takes.
pub(crate) fn time<T>(what: impl FnOnce() -> Result<T, Failure>) -> Result<Duration, Failure> {
    let start = Instant::now();
    std::hint::black_box(what()?);
    Ok(start.elapsed())
}

/// How long processors work on something, on all threads of this process, whoever else is using them.
pub(crate) fn processor_time<T>(
    what: impl FnOnce() -> Result<T, Failure>,
) -> Result<Duration, Failure> {
    let now = || Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default();
    let start = now();
    std::hint::black_box(what()?);
    Ok(now().saturating_sub(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done_by_turns_and_the_first_turn_does_not_count() {
        let order = std::cell::RefCell::new(String::new());
        let done = |name: char| {
            order.borrow_mut().push(name);
            Ok(Duration::from_secs(order.borrow().len() as u64))
        };
        let pair = by_turns(3, 2, || done('a'), || done('b')).unwrap();
        assert_eq!(*order.borrow(), "aabbaabbaabb");
        assert_eq!(pair.own, [5, 6, 9, 10].map(Duration::from_secs));
        assert_eq!(pair.floor, [7, 8, 11, 12].map(Duration::from_secs));
    }
}
