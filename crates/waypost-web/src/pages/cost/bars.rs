//! The rows as bars: periods in their order with the empty ones between them, anything else by how much it is.

use waypost_app::cost::{By, Cost, Row};
use waypost_app::machine::local_time::Zone;
use waypost_core::text::spoken::local;

use crate::chart::Bar;
use crate::parts::{many, usd};
use crate::period::{self, Period};

/// How long a time is without its zone: `2026-11-18 10:12`.
const CLOCK: usize = 16;
/// How many of anything else, before all others are one.
const MOST: usize = 10;

/// The bars of a chart.
#[derive(Debug, Default)]
pub(super) struct Bars {
    pub(super) bars: Vec<Bar>,
    /// Whether they are dollars; else no price is known, and they are tokens.
    pub(super) dollars: bool,
}

impl Bars {
    /// Those of these rows, which are in the order in which they are shown.
    pub(super) fn of(
        by: By,
        cost: &Cost,
        rows: &[&Row],
        name: impl Fn(&Row) -> Option<String>,
    ) -> Self {
        let dollars = cost.total_usd > 0.0;
        let bars =
            if by.is_time() { periods(by, rows, dollars) } else { most(rows, dollars, &name) };
        Self { bars, dollars }
    }
}

#[expect(clippy::cast_precision_loss, reason = "only to be drawn")]
fn value(row: &Row, dollars: bool) -> f64 {
    if dollars { row.usd.unwrap_or_default() } else { all(row) as f64 }
}

/// All tokens of a row.
pub(super) fn all(row: &Row) -> u64 {
    let tokens = row.tokens;
    [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write]
        .into_iter()
        .fold(0, u64::saturating_add)
}

/// How much that is, in words.
pub(super) fn told(row: &Row, dollars: bool) -> String {
    if dollars { row.usd.map_or_else(|| "price unknown".to_owned(), usd) } else { tokens(all(row)) }
}

fn tokens(number: u64) -> String {
    format!("{} tokens", many(number))
}

fn periods(by: By, rows: &[&Row], dollars: bool) -> Vec<Bar> {
    let zone = (by == By::Block).then(Zone::here);
    let bar = |row: &&Row| {
        let begins = zone.as_ref().zip(row.block.as_ref());
        let begins = begins.map(|(zone, of)| {
            let whole = local(of.begins, zone.offset(of.begins));
            whole.get(..CLOCK).map(str::to_owned).unwrap_or(whole)
        });
        let name = begins.unwrap_or_else(|| row.key.clone());
        Bar::plain(name, value(row, dollars), told(row, dollars))
    };
    // The latest comes first.
    let bars = rows.iter().rev().filter(|row| is_period(by, row)).map(bar);
    match by {
        By::Day => Period::Day.filled(bars),
        By::Week => Period::Week.filled(bars),
        By::Month => Period::Month.filled(bars),
        _ => {
            let mut bars: Vec<Bar> = bars.collect();
            bars.split_off(bars.len().saturating_sub(period::MOST))
        }
    }
}

fn is_period(by: By, row: &Row) -> bool {
    row.key.starts_with(|first: char| first.is_ascii_digit())
        && (by == By::Block) == row.block.is_some()
}

fn most(rows: &[&Row], dollars: bool, name: &dyn Fn(&Row) -> Option<String>) -> Vec<Bar> {
    let (first, others) = rows.split_at(rows.len().min(MOST));
    let bar = |row: &&Row| {
        let name = name(row).unwrap_or_else(|| row.key.clone());
        Bar::plain(name, value(row, dollars), told(row, dollars))
    };
    let mut bars: Vec<Bar> = first.iter().map(bar).collect();
    if !others.is_empty() {
        let sum: f64 = others.iter().map(|row| value(row, dollars)).sum();
        let told = if dollars {
            usd(sum)
        } else {
            tokens(others.iter().map(|row| all(row)).fold(0, u64::saturating_add))
        };
        bars.push(Bar::plain(format!("{} others", others.len()), sum, told));
    }
    bars
}

#[cfg(test)]
mod tests {
    use waypost_core::cost::Told;

    use super::*;

    fn row(key: &str, usd: Option<f64>) -> Row {
        let tokens = Told { input: 10, ..Told::default() };
        Row { key: key.to_owned(), usd, tokens, unpriced_tokens: 0, block: None }
    }

    fn cost(total_usd: f64) -> Cost {
        Cost {
            total_usd,
            tokens: Told::default(),
            rows: Vec::new(),
            unknown_models: Vec::new(),
            unpriced_tokens: 0,
            prices_as_of: None,
            messages: 0,
            unreadable: 0,
        }
    }

    fn names(by: By, rows: &[&Row]) -> Vec<String> {
        let bars = Bars::of(by, &cost(1.0), rows, |_| None);
        bars.bars.into_iter().map(|bar| bar.name).collect()
    }

    #[test]
    fn periods_are_in_their_order_without_what_has_no_time() {
        let rows = [row("2026-03-02", Some(1.0)), row("2026-02-27", Some(2.0))];
        let rows: Vec<&Row> = rows.iter().collect();
        assert_eq!(names(By::Day, &rows), ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]);
        let rows = [row("2026-02", None), row("2025-11", None), row("unknown", None)];
        let rows: Vec<&Row> = rows.iter().collect();
        assert_eq!(names(By::Month, &rows), ["2025-11", "2025-12", "2026-01", "2026-02"]);
    }

    #[test]
    fn what_is_small_is_one_of_the_others() {
        let rows: Vec<Row> = (0..13).map(|at| row(&format!("m{at}"), Some(1.0))).collect();
        let rows: Vec<&Row> = rows.iter().collect();
        let bars = Bars::of(By::Model, &cost(13.0), &rows, |_| None).bars;
        let last = bars.last().unwrap();
        assert_eq!((last.name.as_str(), last.told.as_str()), ("3 others", "$3.00"));
        let bars = Bars::of(By::Model, &cost(0.0), &rows, |_| None).bars;
        assert_eq!(bars[0].told, "10 tokens");
    }
}
