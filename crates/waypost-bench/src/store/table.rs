//! The table of the event store as text and as JSON.

use std::time::Duration;

use serde_json::{Value, json};

use super::figure::Figure;
use crate::statistics::{median, p95};
use crate::table::{caveats, millis, said, verdict};

/// The table for a person.
pub(crate) fn text(figures: &[Figure], rounds: usize) -> String {
    let title = format!("{rounds} rounds by turns");
    let names = figures.iter().map(|figure| &figure.name).chain([&title]);
    let width = names.map(|name| name.chars().count()).max().unwrap_or_default();
    let besides = figures.iter().map(|figure| figure.beside.chars().count());
    let beside_width = besides.max().unwrap_or_default();
    let mut text = format!(
        "{title:width$}  median ms    p95 ms  {:beside_width$}  median ms    p95 ms  target\n",
        "beside",
    );
    for figure in figures {
        text += &format!(
            "{:width$}  {}  {:beside_width$}  {}  {}\n",
            figure.name,
            columns(&figure.pair.own),
            figure.beside,
            columns(&figure.pair.floor),
            said(&figure.verdict()),
        );
    }
    let spread = |figure: &Figure| (median(&figure.pair.floor), p95(&figure.pair.floor));
    text + &caveats(&figures.iter().map(spread).collect::<Vec<_>>(), rounds)
}

fn columns(samples: &[Duration]) -> String {
    format!("{:9.3}  {:8.3}", millis(median(samples)), millis(p95(samples)))
}

/// The same for a program.
pub(crate) fn json(figures: &[Figure], rounds: usize) -> String {
    let rows: Vec<Value> = figures.iter().map(row).collect();
    format!("{:#}\n", json!({ "rounds": rounds, "rows": rows }))
}

fn row(figure: &Figure) -> Value {
    let spread = |name: &str, samples: &[Duration]| {
        json!({
            "name": name,
            "median_ms": millis(median(samples)),
            "p95_ms": millis(p95(samples)),
        })
    };
    let mut row = spread(&figure.name, &figure.pair.own);
    row["beside"] = spread(&figure.beside, &figure.pair.floor);
    row["target"] = verdict(&figure.verdict());
    row
}

#[cfg(test)]
mod tests {
    use super::super::figure::Target;
    use super::super::pair::Pair;
    use super::*;

    fn figures() -> Vec<Figure> {
        let pair = |own, floor| Pair {
            own: vec![Duration::from_micros(own)],
            floor: vec![Duration::from_micros(floor)],
        };
        let limit = Target::WorstBelow(Duration::from_millis(500));
        vec![
            Figure::new("one durable note", "append", pair(1500, 1000), Target::AtMost(1.6)),
            Figure::new("64 writers, one append", "one writer", pair(500_000, 900), limit),
        ]
    }

    #[test]
    fn columns_stand_below_their_heads() {
        let expected = "\
600 rounds by turns     median ms    p95 ms  beside      median ms    p95 ms  target
one durable note            1.500     1.500  append          1.000     1.000  <= 1.60x: ok (1.50x)
64 writers, one append    500.000   500.000  one writer      0.900     0.900  worst < 500 ms: MISSED (500.00 ms)
";
        assert_eq!(text(&figures(), 600), expected);
    }

    #[test]
    fn json_says_the_same() {
        let value: Value = serde_json::from_str(&json(&figures(), 600)).unwrap();
        assert_eq!(value["rows"][0]["beside"]["name"], "append");
        assert_eq!(value["rows"][0]["target"]["met"], true);
        assert_eq!(value["rows"][1]["target"]["met"], false);
    }
}
