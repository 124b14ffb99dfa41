//! Samples in, lines of the table out. Never prints.

use std::time::Duration;

use crate::failure::Failure;
use crate::rows::{Row, Subject, Target};
use crate::statistics::{median, p95, times};

/// One line of the table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) median: Duration,
    pub(crate) p95: Duration,
    /// The median in medians of `/bin/true`.
    pub(crate) times_true: f64,
    /// The median in medians of the empty static Rust binary.
    pub(crate) times_empty: f64,
    pub(crate) verdict: Option<Verdict>,
}

/// Whether a target is met, judged before anything is rounded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verdict {
    /// The target, in words.
    pub(crate) target: String,
    /// What was measured, in the target's unit.
    pub(crate) found: f64,
    pub(crate) unit: &'static str,
    pub(crate) met: bool,
}

/// The lines of rows and their samples, which come in the same order.
pub(crate) fn lines(rows: &[Row], samples: &[Vec<Duration>]) -> Result<Vec<Line>, Failure> {
    let medians = Medians { rows, samples };
    let floor = medians.of(Subject::True)?;
    let empty = medians.of(Subject::EmptyRust)?;
    let line = |(row, samples): (&Row, &Vec<Duration>)| {
        let median = median(samples);
        Ok(Line {
            name: row.subject.name(),
            median,
            p95: p95(samples),
            times_true: times(median, floor),
            times_empty: times(median, empty),
            verdict: medians.verdict(*row, median)?,
        })
    };
    rows.iter().zip(samples).map(line).collect()
}

struct Medians<'a> {
    rows: &'a [Row],
    samples: &'a [Vec<Duration>],
}

impl Medians<'_> {
    fn of(&self, subject: Subject) -> Result<Duration, Failure> {
        let mut all = self.rows.iter().zip(self.samples);
        let (_, samples) = all
            .find(|(row, _)| row.subject == subject)
            .ok_or_else(|| Failure::new(format!("{} was not measured", subject.name())))?;
        Ok(median(samples))
    }

    fn verdict(&self, row: Row, own: Duration) -> Result<Option<Verdict>, Failure> {
        let reference = row.reference().unwrap_or(Subject::True);
        let found = times(own, self.of(reference)?);
        let name = reference.name();
        let (target, met) = match row.target {
            Target::Unset => return Ok(None),
            Target::TimesTrue(most) | Target::TimesBefore(most) => {
                (format!("<= {most:.2}x {name}"), found <= most)
            }
            Target::TimesEdit(least) => (format!(">= {least:.0}x {name}"), found >= least),
        };
        Ok(Some(Verdict { target, found, unit: "x", met }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    fn measured(only: &str, micros: &[u64]) -> Vec<Line> {
        let rows = rows::select(Some(only)).unwrap();
        assert_eq!(rows.len(), micros.len());
        let samples: Vec<_> =
            micros.iter().map(|&micros| vec![Duration::from_micros(micros); 3]).collect();
        lines(&rows, &samples).unwrap()
    }

    fn met(line: &Line) -> Option<bool> {
        line.verdict.as_ref().map(|verdict| verdict.met)
    }

    #[test]
    fn a_hook_is_compared_with_both_floors() {
        let lines = measured("Bash (ls), 50", &[500, 250, 625]);
        assert!((lines[2].times_true - 1.25).abs() < 1e-9);
        assert!((lines[2].times_empty - 2.5).abs() < 1e-9);
        assert_eq!((met(&lines[0]), met(&lines[2])), (None, Some(true)));
        assert_eq!(met(&measured("Bash (ls), 50", &[500, 250, 626])[2]), Some(false));
    }

    #[test]
    fn the_python_hook_is_compared_with_the_edit_hook() {
        assert_eq!(met(&measured("Python", &[500, 250, 500, 30_000])[3]), Some(true));
        assert_eq!(met(&measured("Python", &[500, 250, 500, 29_999])[3]), Some(false));
    }

    #[test]
    fn without_a_floor_there_is_no_table() {
        let rows = rows::select(Some("Python")).unwrap();
        assert!(lines(&rows[1..], &[vec![], vec![], vec![]]).is_err());
    }
}
