//! One figure of the event store: what was measured, beside what, and what it should be.

use std::time::Duration;

use super::pair::Pair;
use crate::report::Verdict;
use crate::statistics::{median, p95, times};
use crate::table::millis;

/// One line of the table.
pub(crate) struct Figure {
    pub(crate) name: String,
    /// What it is compared with.
    pub(crate) beside: String,
    pub(crate) pair: Pair,
    target: Target,
}

/// What a figure should be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Target {
    /// The median takes at most this many medians of what stands beside it.
    AtMost(f64),
    /// In the same time, at least this many times as much is done.
    Rate(f64),
    /// The median takes less than this.
    MedianBelow(Duration),
    /// Of a hundred, 95 take less than this.
    MostlyBelow(Duration),
    /// Not even the worst takes this long.
    WorstBelow(Duration),
}

impl Figure {
    pub(crate) fn new(name: &str, beside: &str, pair: Pair, target: Target) -> Self {
        Self { name: name.to_owned(), beside: beside.to_owned(), pair, target }
    }

    /// Whether the target is met, judged before anything is rounded.
    pub(crate) fn verdict(&self) -> Verdict {
        let Pair { own, floor } = &self.pair;
        match self.target {
            Target::AtMost(most) => {
                let found = times(median(own), median(floor));
                Verdict { target: format!("<= {most:.2}x"), found, unit: "x", met: found <= most }
            }
            Target::Rate(least) => {
                let found = times(median(floor), median(own));
                let target = format!("rate >= {least:.2}x");
                Verdict { target, found, unit: "x", met: found >= least }
            }
            Target::MedianBelow(limit) => {
                let target = format!("< {} us", limit.as_micros());
                let found = millis(median(own)) * 1000.0;
                Verdict { target, found, unit: " us", met: median(own) < limit }
            }
            Target::MostlyBelow(limit) => {
                let target = format!("p95 < {} ms", limit.as_millis());
                Verdict { target, found: millis(p95(own)), unit: " ms", met: p95(own) < limit }
            }
            Target::WorstBelow(limit) => {
                let worst = own.iter().max().copied().unwrap_or_default();
                let target = format!("worst < {} ms", limit.as_millis());
                Verdict { target, found: millis(worst), unit: " ms", met: worst < limit }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(own: &[u64], floor: &[u64], target: Target) -> bool {
        let [own, floor] =
            [own, floor].map(|all| all.iter().copied().map(Duration::from_millis).collect());
        Figure::new("own", "floor", Pair { own, floor }, target).verdict().met
    }

    #[test]
    fn medians_are_compared() {
        assert!(met(&[99, 16, 1], &[1, 10, 99], Target::AtMost(1.6)));
        assert!(!met(&[17], &[10], Target::AtMost(1.6)));
    }

    #[test]
    fn twice_the_time_is_half_the_rate() {
        assert!(met(&[20], &[10], Target::Rate(0.5)));
        assert!(!met(&[21], &[10], Target::Rate(0.5)));
    }

    #[test]
    fn a_few_long_waits_are_not_too_many() {
        let limit = Target::MostlyBelow(Duration::from_millis(10));
        let samples = |long: usize| [vec![1; 100 - long], vec![500; long]].concat();
        assert!(met(&samples(5), &[1], limit));
        assert!(!met(&samples(6), &[1], limit));
    }

    #[test]
    fn one_long_wait_is_too_many() {
        let limit = Target::WorstBelow(Duration::from_millis(500));
        assert!(met(&[1, 499], &[1], limit));
        assert!(!met(&[1, 1, 1, 500], &[1], limit));
    }
}
