//! Spawning every candidate once in each round, in an order of its own.

use std::time::Duration;

use crate::failure::{During, Failure};
use crate::rows::Row;
use crate::shuffle::Shuffler;
use crate::spawn::Spawn;

/// Rounds before the first that counts: they bring the files into memory.
const WARM_UP: usize = 5;

/// How long each spawn took; one list for each row. Stops at the first that fails or says something.
pub(crate) fn interleaved(
    rows: &[Row],
    candidates: &[Spawn],
    rounds: usize,
) -> Result<Vec<Vec<Duration>>, Failure> {
    let mut shuffler = Shuffler::new();
    let mut order: Vec<usize> = (0..candidates.len()).collect();
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
