//! Medians and percentiles of durations.

use std::time::Duration;

/// The middle, or the mean of the two in the middle; zero of nothing.
pub(crate) fn median(samples: &[Duration]) -> Duration {
    let sorted = sorted(samples);
    match (sorted.len() / 2, sorted.len() % 2) {
        (0, 0) => Duration::ZERO,
        (middle, 1) => sorted[middle],
        (middle, _) => (sorted[middle - 1] + sorted[middle]) / 2,
    }
}

/// The least sample that 95 of 100 do not exceed; zero of nothing.
pub(crate) fn p95(samples: &[Duration]) -> Duration {
    let rank = (samples.len() * 95).div_ceil(100);
    sorted(samples).get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

/// How many times `floor` it is.
pub(crate) fn times(duration: Duration, floor: Duration) -> f64 {
    duration.as_secs_f64() / floor.as_secs_f64()
}

fn sorted(samples: &[Duration]) -> Vec<Duration> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(samples: impl IntoIterator<Item = u64>) -> Vec<Duration> {
        samples.into_iter().map(Duration::from_millis).collect()
    }

    #[test]
    fn the_median_is_the_middle_in_any_order() {
        assert_eq!(median(&millis([9, 1, 5])), Duration::from_millis(5));
        assert_eq!(median(&millis([9, 1, 4, 6])), Duration::from_millis(5));
        assert_eq!(median(&millis([7])), Duration::from_millis(7));
        assert_eq!(median(&[]), Duration::ZERO);
    }

    #[test]
    fn five_of_a_hundred_lie_above_the_95th_percentile() {
        assert_eq!(p95(&millis((1..=100).rev())), Duration::from_millis(95));
        assert_eq!(p95(&millis(1..=20)), Duration::from_millis(19));
        assert_eq!(p95(&millis([3])), Duration::from_millis(3));
        assert_eq!(p95(&[]), Duration::ZERO);
    }
}
