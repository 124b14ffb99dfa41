//! What is counted is counted once, where the work was.

use super::*;
use crate::cost::{Price, Priced};

fn tokens(input: u64) -> Tokens {
    Tokens { input, ..Tokens::default() }
}

fn said(model: &str, second: i64, input: u64) -> UsedBy {
    let time = Timestamp::from_millis(second * 1000).ok();
    UsedBy { time, model: model.to_owned(), tokens: tokens(input) }
}

fn used(model: &str, input: u64, nano_usd: Option<u64>) -> UsedModel {
    let (phase, checkpoint) = (String::new(), None);
    UsedModel { model: model.to_owned(), phase, checkpoint, tokens: tokens(input), nano_usd }
}

fn told(more: &[UsedModel]) -> Vec<(&str, &str, u64)> {
    more.iter().map(|used| (used.model.as_str(), used.phase.as_str(), used.tokens.input)).collect()
}

fn nowhere(_: Option<Timestamp>) -> Place {
    Place::default()
}

#[test]
fn what_is_counted_is_not_counted_again() {
    let mut counted = Counted::default();
    let beyond =
        |counted: &Counted, all: &[UsedBy]| counted.beyond(all, nowhere, &PriceList::default());
    let first = beyond(&counted, &[said("a", 1, 5)]);
    assert_eq!(told(&first), [("a", "", 5)]);
    for used in &first {
        counted.add(used);
    }
    assert_eq!(beyond(&counted, &[said("a", 1, 5)]), []);
    let more = beyond(&counted, &[said("a", 1, 5), said("b", 2, 1), said("a", 3, 2)]);
    assert_eq!(told(&more), [("a", "", 2), ("b", "", 1)]);
    // A message that was written again, with more of it known.
    assert_eq!(told(&beyond(&counted, &[said("a", 1, 9)])), [("a", "", 4)]);
    // A transcript that was shortened takes nothing back.
    assert_eq!(beyond(&counted, &[said("a", 1, 3)]), []);
}

#[test]
fn what_was_used_counts_where_the_work_was_then() {
    let place = |phase: &str| Place { phase: phase.to_owned(), checkpoint: None };
    let time = |second: i64| Timestamp::from_millis(second * 1000).unwrap();
    let places = |at: Option<Timestamp>| {
        place(if at < Some(time(10)) {
            "spec"
        } else if at < Some(time(20)) {
            "plan"
        } else {
            "build"
        })
    };
    let mut counted = Counted::default();
    counted.add(&used("a", 7, None));
    let all =
        [said("a", 1, 7), said("a", 9, 1), said("a", 10, 2), said("b", 15, 4), said("a", 30, 8)];
    let more = counted.beyond(&all, places, &PriceList::default());
    let expected = [("a", "build", 8), ("a", "plan", 2), ("a", "spec", 1), ("b", "plan", 4)];
    assert_eq!(told(&more), expected);
}

#[test]
fn models_without_end_are_one_at_last() {
    let mut counted = Counted::default();
    for round in 1..=3 {
        let all: Vec<UsedBy> =
            (0..40).map(|number| said(&format!("model-{number:02}"), number, round)).collect();
        for more in counted.beyond(&all, nowhere, &PriceList::default()) {
            counted.add(&more);
        }
    }
    assert_eq!(counted.models.len(), MAX_MODELS + 1);
    let all: u64 = counted.models.values().map(|tokens| tokens.input).sum();
    assert_eq!(all, 120);
}

#[test]
fn a_price_is_that_of_the_model_and_its_time() {
    let price = |usd: f64| Price { input: Price::parsed(usd).unwrap(), ..Price::default() };
    let row = |from, usd| Priced { model: "a".to_owned(), from, price: price(usd) };
    let later = Timestamp::from_millis(10_000).ok();
    let prices = PriceList { own: Vec::new(), usual: vec![row(None, 1.0), row(later, 2.0)] };
    let all = [said("a", 1, 1_000_000), said("a", 11, 1_000_000), said("mystery", 12, 3)];
    let more = Counted::default().beyond(&all, nowhere, &prices);
    let costs: Vec<Option<u64>> = more.iter().map(|used| used.nano_usd).collect();
    assert_eq!(costs, [Some(3_000_000_000), None]);
}

#[test]
fn a_price_that_nobody_knows_is_not_nothing() {
    let mut usage = Usage::default();
    assert_eq!(usage.usd(), Some(0.0));
    usage.add(&used("mystery", 10, None));
    assert_eq!(usage.usd(), None);
    usage.add(&used("known", 10, Some(2_500_000_000)));
    assert_eq!((usage.usd(), usage.unpriced), (Some(2.5), 10));
}

#[test]
fn how_much_of_a_budget_is_used_is_told_by_what_it_holds_for() {
    let mut usage = Usage::default();
    usage.add(&used("a", 4_000, Some(4_000_000_000)));
    let share = |text: &str, usage: &Usage| usage.share(&Expression::compile(text).unwrap());
    assert_eq!(share("usage.cost_usd < 5", &usage), Some(80));
    assert_eq!(share("usage.tokens <= 3999", &usage), Some(100));
    assert_eq!(share("usage.cost_usd < 2 && usage.tokens < 100000", &usage), Some(200));
    assert_eq!(share("usage.cost_usd < 5000000", &usage), Some(0));
    assert_eq!(share("usage.cost_usd < 5", &Usage::default()), Some(0));
    // Neither of these is a budget.
    assert_eq!(share("branch.size < 5", &usage), None);
    assert_eq!(share("usage.tokens > 10", &usage), None);
    let mut unpriced = Usage::default();
    unpriced.add(&used("b", 4_000, None));
    assert_eq!(share("usage.cost_usd < 5", &unpriced), None);
    assert_eq!(share("usage.tokens < 8000", &unpriced), Some(50));
}
