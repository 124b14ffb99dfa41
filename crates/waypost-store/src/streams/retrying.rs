//! Trying again where somebody else was first. Only a store that lets several add at once says so: one that locks
//! makes everybody wait for their turn instead, and nothing here ever happens.

use std::fmt::Debug;
use std::time::Duration;

/// How often somebody who was overtaken tries again.
const RETRIES: u32 = 3;
/// The longest wait before the first of these; before each further one it is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(20);

/// How somebody waits who was overtaken.
pub trait Backoff: Debug + Send + Sync {
    /// A random number.
    fn random(&self) -> u32;

    /// Waits for so long.
    fn wait(&self, time: Duration);
}

/// Waits by the machine's own clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sleeping;

impl Backoff for Sleeping {
    fn random(&self) -> u32 {
        // Without a random number everybody waits for as long as they can.
        getrandom::u32().unwrap_or(u32::MAX)
    }

    fn wait(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// What is left of the retries of one write.
#[derive(Debug, Default)]
pub(super) struct Retries {
    made: u32,
}

impl Retries {
    /// Waits for the next one, at random, so that two who overtook each other do not meet again. `false` if
    /// there is none.
    pub(super) fn wait(&mut self, backoff: &dyn Backoff) -> bool {
        if self.made == RETRIES {
            return false;
        }
        let longest = FIRST_WAIT * 2_u32.pow(self.made);
        backoff.wait(longest.mul_f64(f64::from(backoff.random()) / f64::from(u32::MAX)));
        self.made += 1;
        true
    }
}
