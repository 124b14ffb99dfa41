//! Sums, prices and periods, each beside what comes out by hand.

use super::*;
use crate::time::Timestamp;

fn at(text: &str) -> Timestamp {
    Timestamp::lenient(text).unwrap()
}

fn price(input: f64) -> Price {
    Price { input: Price::parsed(input).unwrap(), ..Price::default() }
}

fn priced(model: &str, from: Option<&str>, input: f64) -> Priced {
    Priced { model: model.to_owned(), from: from.map(at), price: price(input) }
}

#[test]
fn a_sum_is_exact_and_never_overflows() {
    let price = Price {
        input: Price::parsed(4.0).unwrap(),
        output: Price::parsed(20.0).unwrap(),
        cache_read: Price::parsed(0.2).unwrap(),
        cache_write_5m: Price::parsed(5.0).unwrap(),
        cache_write_1h: Price::parsed(8.0).unwrap(),
    };
    let tokens =
        Tokens { input: 3, output: 5, cache_read: 7, cache_write_5m: 11, cache_write_1h: 13 };
    let mut sum = Sum::default();
    for _ in 0..1_000_000 {
        sum.add(tokens, Some(&price));
    }
    // A message is 12 + 100 + 1.4 + 55 + 104 millionths of a dollar.
    assert!((sum.usd().unwrap() - 272.4).abs() < 1e-9, "{sum:?}");
    assert_eq!(sum.tokens.told().cache_write, 24_000_000);
    let most = Tokens { input: u64::MAX, output: u64::MAX, cache_write_1h: u64::MAX, ..tokens };
    sum.add(most, Some(&price));
    sum.add(most, Some(&price));
    assert_eq!(sum.tokens.all(), u64::MAX);
}

#[test]
fn what_has_no_price_costs_nothing_that_is_told() {
    let tokens = Tokens { input: 5, ..Tokens::default() };
    let mut sum = Sum::default();
    assert_eq!(sum.usd(), Some(0.0));
    sum.add(tokens, None);
    assert_eq!((sum.usd(), sum.unpriced, sum.tokens.input), (None, 5, 5));
    sum.add(tokens, Some(&price(1.0)));
    assert_eq!((sum.usd(), sum.unpriced), (Some(5e-6), 5));
}

#[test]
fn prices_are_no_numbers_that_cannot_be_any() {
    for odd in [-1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e7] {
        assert_eq!(Price::parsed(odd), None, "{odd}");
    }
    assert_eq!(Price::parsed(0.0), Some(0));
    assert_eq!(Price::parsed(0.01), Some(10_000));
}

#[test]
fn the_longest_name_that_a_model_begins_with_says_its_price() {
    let usual = vec![
        priced("claude-opus-5", None, 5.0),
        priced("claude-opus-5-5", None, 4.0),
        priced("claude-sonnet-4-*", None, 3.0),
    ];
    let list = PriceList { usual, own: vec![priced("own", None, 1.0)] };
    for (model, expected) in [
        ("claude-opus-5", Some(5.0)),
        ("claude-opus-5-20270101", Some(5.0)),
        ("claude-opus-5-5-20270101", Some(4.0)),
        ("claude-opus-5-5[1m]", Some(4.0)),
        ("Claude-Opus-5-5", Some(4.0)),
        ("anthropic/claude-opus-5-5", Some(4.0)),
        ("us.anthropic.claude-opus-5-5-20270101-v1:0", Some(4.0)),
        ("claude-opus-5-5@20270101", Some(4.0)),
        ("claude-opus-5-latest", Some(5.0)),
        ("claude-sonnet-4-20250514", Some(3.0)),
        ("claude-sonnet-4-5-20250929", Some(3.0)),
        ("claude-sonnet-4", Some(3.0)),
        ("own", Some(1.0)),
        // Other models.
        ("claude-opus-5-7", None),
        ("claude-opus-50", None),
        ("claude-opus-5-mini", None),
        ("claude-sonnet-45", None),
        ("claude-opus", None),
        ("my-own", None),
        ("", None),
    ] {
        let found = list.price(model, None).copied();
        assert_eq!(found, expected.map(price), "{model}");
    }
}

#[test]
fn own_prices_hold_before_others_and_newer_ones_from_their_day_on() {
    let usual = vec![
        priced("a-model", None, 4.0),
        priced("a-model", Some("2026-11-01T00:00:00Z"), 3.0),
        priced("another", Some("2026-11-01T00:00:00Z"), 2.0),
    ];
    let list = PriceList { usual, own: vec![priced("another", None, 9.0)] };
    let of = |model: &str, time: &str| list.price(model, Some(at(time))).copied();
    assert_eq!(of("a-model", "2026-10-31T23:59:59Z"), Some(price(4.0)));
    assert_eq!(of("a-model", "2026-11-01T00:00:00Z"), Some(price(3.0)));
    assert_eq!(of("another", "2026-12-01T00:00:00Z"), Some(price(9.0)));
}

#[test]
fn days_weeks_and_months_are_those_of_the_clock_here() {
    let night = at("2026-10-31T23:30:00Z");
    assert_eq!([day(night, 0), day(night, 3600)], ["2026-10-31", "2026-11-01"]);
    assert_eq!([month(night, 0), month(night, 3600)], ["2026-10", "2026-11"]);
    assert_eq!(week(night, 3600), "2026-10-26");
    assert_eq!(week(at("2026-11-01T23:30:00Z"), 0), "2026-10-26");
    assert_eq!(week(at("2026-11-01T23:30:00Z"), 3600), "2026-11-02");
    assert_eq!(day_after(at("2026-12-31T00:00:00Z")), at("2027-01-01T00:00:00Z"));
}

#[test]
fn a_block_begins_with_an_hour_and_lasts_five_over_midnight_too() {
    let times = ["2026-11-17T22:50:00Z", "2026-11-18T02:59:59Z", "2026-11-18T03:00:00Z"];
    let found = blocks(times.map(at));
    let begins: Vec<Timestamp> = found.iter().map(|block| block.begins).collect();
    assert_eq!(begins, [at("2026-11-17T22:00:00Z"), at("2026-11-18T03:00:00Z")]);
    assert_eq!(found[0].ends(), at("2026-11-18T03:00:00Z"));
    assert!(found[0].holds(at("2026-11-18T02:59:59Z")) && !found[0].holds(found[0].ends()));
    let hours = found[0].hours_at(at("2026-11-17T23:20:00Z"));
    assert!((hours - 0.5).abs() < 1e-9, "{hours}");
    assert!(found[0].hours_at(found[0].first) > 0.0);
}
