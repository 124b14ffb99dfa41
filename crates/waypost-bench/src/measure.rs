//! Spawning every candidate in each round, in an order of its own.
//!
//! What was run last is in the processor's caches. Most rows are of one program, so a floor that ran
//! only once a round would be colder than they are and look slower: it runs once for each of them.

use std::time::Duration;

use crate::failure::{During, Failure};
use crate::rows::Row;
use crate::shuffle::Shuffler;
use crate::spawn::Spawn;

/// Rounds before the first that counts: they bring the files into memory.
const WARM_UP: usize = 5;

/// How long each spawn took; one list for each row, longer for floors. Stops at the first spawn that
/// fails or says something.
pub(crate) fn interleaved(
    rows: &[Row],
    candidates: &[Spawn],
    rounds: usize,
) -> Result<Vec<Vec<Duration>>, Failure> {
    let mut shuffler = Shuffler::new();
    let mut order = one_round(rows);
    let mut samples = vec![Vec::with_capacity(rounds); candidates.len()];
    for round in 0..WARM_UP + rounds {
        shuffler.shuffle(&mut order);
        for &index in &order {
            let took = candidates[index].run_silently().during(|| rows[index].subject.name())?;
            if round >= WARM_UP {
                samples[index].push(took);
            }
        }
    }
    Ok(samples)
}

/// Which rows a round consists of: every row once, the floors as often as all others together.
fn one_round(rows: &[Row]) -> Vec<usize> {
    let others = rows.iter().filter(|row| !row.subject.is_floor()).count().max(1);
    let times = |row: &Row| if row.subject.is_floor() { others } else { 1 };
    rows.iter().enumerate().flat_map(|(index, row)| vec![index; times(row)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn a_floor_is_run_once_for_each_other_row() {
        let round = |only| one_round(&rows::select(Some(only)).unwrap());
        assert_eq!(round("/bin/true"), [0, 1]);
        assert_eq!(round("Read, 50"), [0, 1, 2]);
        assert_eq!(round("Python"), [0, 0, 1, 1, 2, 3]);
    }
}
