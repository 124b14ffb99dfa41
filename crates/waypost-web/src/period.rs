//! Days, weeks and months by their names, and the empty ones between others.

use waypost_core::cost::day_after;
use waypost_core::time::Timestamp;

use crate::chart::Bar;

/// How many periods are drawn, the latest.
pub(crate) const MOST: usize = 92;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Period {
    /// `2026-11-19`.
    Day,
    /// The Monday on which it begins.
    Week,
    /// `2026-11`.
    Month,
}

impl Period {
    /// The one that follows.
    fn next(self, name: &str) -> Option<String> {
        let day = |name: &str| Timestamp::lenient(&format!("{name}T00:00:00Z"));
        match self {
            Self::Day => Some(day_after(day(name)?).day()),
            Self::Week => Some((0..7).fold(day(name)?, |day, _| day_after(day)).day()),
            Self::Month => {
                let (year, month) = name.split_once('-')?;
                let (year, month): (u32, u32) = (year.parse().ok()?, month.parse().ok()?);
                let (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
                Some(format!("{year:04}-{month:02}"))
            }
        }
    }

    /// Bars in the order of their names, with empty ones for the periods between them; the latest, where there are many.
    pub(crate) fn filled(self, bars: impl IntoIterator<Item = Bar>) -> Vec<Bar> {
        let mut all: Vec<Bar> = Vec::new();
        for bar in bars {
            let between = all.last().map(|last| self.between(&last.name, &bar.name));
            let between = between.unwrap_or_default();
            // What lies before so many is not drawn.
            if between.len() >= MOST {
                all.clear();
            } else {
                all.extend(between);
            }
            all.push(bar);
        }
        all.split_off(all.len().saturating_sub(MOST))
    }

    fn between(self, from: &str, to: &str) -> Vec<Bar> {
        let next = |name: &String| self.next(name).filter(|next| next.as_str() < to);
        let names = std::iter::successors(next(&from.to_owned()), next).take(MOST);
        names.map(|name| Bar { name, parts: Vec::new(), told: "nothing".to_owned() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(period: Period, names: &[&str]) -> Vec<String> {
        let bars = names.iter().map(|name| Bar::plain((*name).to_owned(), 1.0, String::new()));
        period.filled(bars).into_iter().map(|bar| bar.name).collect()
    }

    #[test]
    fn empty_periods_stand_between_others() {
        assert_eq!(
            filled(Period::Day, &["2026-02-27", "2026-03-02"]),
            ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]
        );
        assert_eq!(
            filled(Period::Week, &["2026-11-02", "2026-11-16"]),
            ["2026-11-02", "2026-11-09", "2026-11-16"]
        );
        assert_eq!(
            filled(Period::Month, &["2025-11", "2026-02"]),
            ["2025-11", "2025-12", "2026-01", "2026-02"]
        );
        assert_eq!(filled(Period::Day, &[]), Vec::<String>::new());
    }

    #[test]
    fn a_time_long_ago_leaves_what_is_of_now() {
        assert_eq!(filled(Period::Day, &["0001-01-01", "2026-11-01"]), ["2026-11-01"]);
        assert_eq!(filled(Period::Day, &["no day", "2026-11-01"]), ["no day", "2026-11-01"]);
        let days: Vec<String> = (1..=28).map(|day| format!("2026-02-{day:02}")).collect();
        let days: Vec<&str> = days.iter().map(String::as_str).chain(["2026-05-14"]).collect();
        let found = filled(Period::Day, &days);
        assert_eq!(found.len(), MOST);
        assert_eq!(found.last().map(String::as_str), Some("2026-05-14"));
    }
}
