//! Many conversations that begin at once in a project of many sessions: all of them have to be known
//! afterwards.

use std::thread;

use super::fill::conversation;
use super::{LARGE, Project, Remark};
use crate::failure::Failure;

const CROWD: u32 = 64;
const TIMES: u32 = 3;
/// Beyond those that began one by one.
const FIRST: u32 = 10 * LARGE;

/// How many of them did not begin.
pub(super) fn measure(place: &Project<'_>) -> Result<Remark, Failure> {
    let mut failed = 0;
    for time in 0..TIMES {
        let newcomers: Result<Vec<_>, _> =
            (0..CROWD).map(|number| conversation(FIRST + time * CROWD + number)).collect();
        let newcomers = newcomers?;
        let spawns: Vec<_> = newcomers.iter().map(|id| place.session_start(id)).collect();
        let well: Vec<bool> = thread::scope(|scope| {
            let threads: Vec<_> =
                spawns.iter().map(|spawn| scope.spawn(|| spawn.run_well().is_ok())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or(false)).collect()
        });
        let joined =
            newcomers.iter().zip(well).filter(|(id, well)| *well && place.filler.knows(id));
        failed += u64::from(CROWD) - joined.count() as u64;
    }
    Ok(Remark {
        name: format!("{TIMES} times {CROWD} SessionStarts at once, {}", place.size),
        found: failed,
        unit: "failed",
        target: "none",
        met: failed == 0,
    })
}
