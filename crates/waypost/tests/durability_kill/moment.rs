//! When a process is killed: at a moment that a seeded number chooses, and that nothing is judged by.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Child, Output};
use std::time::{Duration, Instant};

use waypost_testkit::process::{Watch, wait_at_most};

/// One call in so many goes on to its end.
const SPARED: u64 = 8;

/// Small and seeded, so that a failing run can be made again as far as the machine lets it.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of one worker in the run of a seed.
    pub(crate) fn of(seed: u64, worker: u64) -> Self {
        let mixed = seed.wrapping_add(worker).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Self(mixed | 1)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % limit.max(1)
    }

    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap()
    }

    pub(crate) fn choose<'a, T: ?Sized>(&mut self, among: &[&'a T]) -> &'a T {
        among[self.index(among.len())]
    }
}

/// What calls of one kind took lately, when nobody killed them.
#[derive(Debug, Clone, Copy)]
struct Usual {
    time: Duration,
    /// How much was done in the watched folders, by whomever.
    done: usize,
}

/// Chooses the moments of one worker.
#[derive(Debug)]
pub(crate) struct Killer {
    usual: HashMap<&'static str, Usual>,
}

/// The moment for one call.
enum Moment {
    Never,
    After(Duration),
    /// As soon as so much was done in the watched folders: this is where the writing is.
    Done(usize),
}

/// A call that is about to be made.
pub(crate) struct Aim {
    kind: &'static str,
    moment: Moment,
    watch: Watch,
    began: Instant,
}

impl Killer {
    pub(crate) fn new() -> Self {
        Self { usual: HashMap::new() }
    }

    /// Chooses the moment for a call of that kind, which is made next and writes in these folders.
    pub(crate) fn aim(
        &mut self,
        random: &mut Random,
        kind: &'static str,
        folders: &[PathBuf],
    ) -> Aim {
        let usual = self.usual.get(kind);
        let moment = match (usual, random.below(SPARED), random.below(2)) {
            (None, _, _) | (_, 0, _) => Moment::Never,
            (Some(usual), _, 0) => {
                let most = u64::try_from(usual.time.as_micros()).unwrap() * 5 / 4;
                Moment::After(Duration::from_micros(random.below(most)))
            }
            (Some(usual), _, _) => Moment::Done(random.index(usual.done * 5 / 4)),
        };
        let there: Vec<&PathBuf> = folders.iter().filter(|folder| folder.is_dir()).collect();
        Aim { kind, moment, watch: Watch::on(&there), began: Instant::now() }
    }

    /// Kills the process when its moment has come, unless it has ended by then.
    pub(crate) fn strike(&mut self, aim: &Aim, mut child: Child) -> Output {
        match aim.moment {
            Moment::Never => {
                let done = aim.watch.wait(usize::MAX, &child).max(1);
                let time = aim.began.elapsed();
                let usual = self.usual.entry(aim.kind).or_insert(Usual { time, done });
                usual.time = (usual.time * 3 + time) / 4;
                usual.done = (usual.done * 3 + done).div_ceil(4);
                return child.wait_with_output().unwrap();
            }
            Moment::After(time) => wait_at_most(&child, time),
            Moment::Done(done) => drop(aim.watch.wait(done, &child)),
        }
        child.kill().unwrap();
        child.wait_with_output().unwrap()
    }
}
