//! The table as text and as JSON.

use std::time::Duration;

use serde_json::{Value, json};

use crate::report::{Line, Verdict};
use crate::statistics::times;

/// Fewer rounds give no figure to rely on.
const ENOUGH: usize = 500;
/// On a quiet machine most rows' 95th percentile is below this many medians.
const STEADY: f64 = 2.0;

/// The table for a person.
pub(crate) fn text(lines: &[Line], rounds: usize) -> String {
    let width = lines.iter().map(|line| line.name.chars().count()).max().unwrap_or_default();
    let mut text = format!(
        "{:width$}  median ms   p95 ms  x /bin/true  x empty Rust  target\n",
        format!("{rounds} interleaved rounds"),
    );
    for line in lines {
        let row = format!(
            "{:width$}  {:9.3}  {:7.3}  {:10.2}x  {:11.2}x  {}",
            line.name,
            millis(line.median),
            millis(line.p95),
            line.times_true,
            line.times_empty,
            line.verdict.as_ref().map(said).unwrap_or_default(),
        );
        text.push_str(row.trim_end());
        text.push('\n');
    }
    let spreads: Vec<_> = lines.iter().map(|line| (line.median, line.p95)).collect();
    text.push_str(&caveats(&spreads, rounds));
    text
}

/// What to know before relying on figures with these medians and 95th percentiles.
pub(crate) fn caveats(spreads: &[(Duration, Duration)], rounds: usize) -> String {
    let mut text = String::new();
    if rounds < ENOUGH {
        text += &format!("fewer than {ENOUGH} rounds: a look, not a measurement\n");
    }
    let unsteady = spreads.iter().filter(|(median, p95)| times(*p95, *median) >= STEADY).count();
    if unsteady * 2 > spreads.len() {
        text +=
            "most p95 are far above their median: the machine is busy, measure when it is not\n";
    }
    text
}

/// The same for a program.
pub(crate) fn json(lines: &[Line], rounds: usize) -> String {
    let rows: Vec<Value> = lines.iter().map(row).collect();
    format!("{:#}\n", json!({ "rounds": rounds, "rows": rows }))
}

fn row(line: &Line) -> Value {
    json!({
        "name": line.name,
        "median_ms": millis(line.median),
        "p95_ms": millis(line.p95),
        "times_true": line.times_true,
        "times_empty_rust": line.times_empty,
        "target": line.verdict.as_ref().map(verdict),
    })
}

/// A target and whether it is met.
pub(crate) fn said(verdict: &Verdict) -> String {
    let judged = if verdict.met { "ok" } else { "MISSED" };
    format!("{}: {judged} ({:.2}{})", verdict.target, verdict.found, verdict.unit)
}

/// The same for a program.
pub(crate) fn verdict(verdict: &Verdict) -> Value {
    json!({ "text": verdict.target, "found": verdict.found, "met": verdict.met })
}

pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Vec<Line> {
        let line = |name: &str, micros, times_true, times_empty, verdict| Line {
            name: name.to_owned(),
            median: Duration::from_micros(micros),
            p95: Duration::from_micros(micros + 400),
            times_true,
            times_empty,
            verdict,
        };
        let missed =
            Verdict { target: "<= 1.00x /bin/true".to_owned(), found: 1.2, unit: "x", met: false };
        let met = Verdict { target: ">= 60x a hook".to_owned(), found: 61.0, unit: "x", met: true };
        vec![
            line("/bin/true, the floor of all rows", 550, 1.0, 2.2, None),
            line("a hook", 660, 1.2, 2.64, Some(missed)),
            line("Python", 40_260, 73.2, 161.04, Some(met)),
        ]
    }

    #[test]
    fn columns_stand_below_their_heads() {
        let expected = "\
600 interleaved rounds            median ms   p95 ms  x /bin/true  x empty Rust  target
/bin/true, the floor of all rows      0.550    0.950        1.00x         2.20x
a hook                                0.660    1.060        1.20x         2.64x  <= 1.00x /bin/true: MISSED (1.20x)
Python                               40.260   40.660       73.20x       161.04x  >= 60x a hook: ok (61.00x)
";
        assert_eq!(text(&lines(), 600), expected);
    }

    #[test]
    fn a_short_run_and_a_busy_machine_are_told() {
        assert!(text(&lines(), 499).ends_with("a look, not a measurement\n"));
        assert!(text(&lines(), 500).ends_with("ok (61.00x)\n"));
        let mut unsteady = lines();
        for line in &mut unsteady[..2] {
            line.p95 = line.median * 3;
        }
        assert!(text(&unsteady, 500).ends_with("the machine is busy, measure when it is not\n"));
    }

    #[test]
    fn json_says_the_same() {
        let value: Value = serde_json::from_str(&json(&lines(), 600)).unwrap();
        assert_eq!(value["rounds"], 600);
        assert_eq!(value["rows"][0]["target"], Value::Null);
        assert_eq!(value["rows"][1]["target"]["met"], false);
        assert_eq!(value["rows"][2]["name"], "Python");
    }
}
