//! The prices that are built in: each client brings a table of the models that its makers sell.

use serde::Deserialize;
use waypost_core::cost::{Price, Priced};
use waypost_core::time::Timestamp;

use crate::transcripts::TranscriptReader;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    as_of: String,
    price: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    models: Vec<String>,
    from: Option<String>,
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write_5m: f64,
    cache_write_1h: f64,
}

impl Row {
    fn price(&self) -> Option<Price> {
        Some(Price {
            input: Price::parsed(self.input)?,
            output: Price::parsed(self.output)?,
            cache_read: Price::parsed(self.cache_read)?,
            cache_write_5m: Price::parsed(self.cache_write_5m)?,
            cache_write_1h: Price::parsed(self.cache_write_1h)?,
        })
    }

    fn from(&self) -> Option<Timestamp> {
        Timestamp::lenient(&format!("{}T00:00:00Z", self.from.as_ref()?))
    }
}

/// The prices, and the day on which the oldest of them were looked up.
pub(crate) fn built_in(
    readers: impl Iterator<Item = &'static dyn TranscriptReader>,
) -> (Vec<Priced>, Option<String>) {
    let tables = readers.filter_map(TranscriptReader::prices);
    // Tests see to it that they can be read.
    let tables: Vec<Table> = tables.filter_map(|text| toml::from_str(text).ok()).collect();
    let as_of = tables.iter().map(|table| table.as_of.clone()).min();
    let of_row = |row: Row| {
        let (from, price) = (row.from(), row.price());
        let of_model = move |model| Some(Priced { model, from, price: price? });
        row.models.into_iter().filter_map(of_model)
    };
    (tables.into_iter().flat_map(|table| table.price).flat_map(of_row).collect(), as_of)
}
