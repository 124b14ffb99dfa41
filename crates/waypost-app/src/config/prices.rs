//! `[prices]`: what models cost here, in US dollars for a million tokens.

use toml::de::{DeTable, DeValue};
use waypost_core::cost::{Price, Priced};
use waypost_core::text::{one_line, shortened};

use super::reader::Reader;

const KEYS: &[&str] = &["input", "output", "cache_read", "cache_write_5m", "cache_write_1h"];

/// Reads the prices of all models. One that cannot be understood is told, and the model has none of its own.
pub(super) fn read(reader: &mut Reader<'_>, top: &DeTable<'_>) -> Vec<Priced> {
    let Some(prices) = reader.table(top, "prices") else { return Vec::new() };
    let names: Vec<String> = prices.keys().map(|name| name.get_ref().to_string()).collect();
    let each = names.into_iter().filter_map(|model| {
        let table = reader.table(prices, &model)?;
        let price = price(reader, table, &model)?;
        Some(Priced { model, from: None, price })
    });
    each.collect()
}

fn price(reader: &mut Reader<'_>, table: &DeTable<'_>, model: &str) -> Option<Price> {
    let place = format!("[prices.{}]", shortened(&one_line(model), 40));
    reader.unknown_keys(table, KEYS, &place);
    for needed in ["input", "output"] {
        if !table.contains_key(needed) {
            let at = table.values().next().map_or(0, |value| value.span().start);
            reader.problem(at, format!("{place} needs `{needed}`"));
        }
    }
    let told = |reader: &mut Reader<'_>, key: &str| amount(reader, table, key);
    let input = told(reader, "input");
    let output = told(reader, "output");
    // What the cache costs is told by few; without it, its tokens cost what others do.
    let mut of_cache = |key: &str| if table.contains_key(key) { told(reader, key) } else { input };
    let of_cache = [of_cache("cache_read"), of_cache("cache_write_5m"), of_cache("cache_write_1h")];
    let [read, short, long] = of_cache;
    Some(Price {
        input: input?,
        output: output?,
        cache_read: read?,
        cache_write_5m: short?,
        cache_write_1h: long?,
    })
}

fn amount(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str) -> Option<u64> {
    let value = table.get(key)?;
    let number: Option<f64> = match value.get_ref() {
        DeValue::Integer(number) => number.as_str().replace('_', "").parse().ok(),
        DeValue::Float(number) => number.as_str().replace('_', "").parse().ok(),
        _ => None,
    };
    let amount = number.and_then(Price::parsed);
    if amount.is_none() {
        reader.problem_at(table, key, "it is US dollars for a million tokens, such as 2.5");
    }
    amount
}
