//! What a session cost, as far as it was counted: by model, conversation, phase and checkpoint.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde::{Serialize, Serializer};
use waypost_app::error::AppError;
use waypost_core::cost::Tokens;
use waypost_core::tables::UsageCountedRow;

use super::head::{Head, bar};
use super::seen::{Seen, conversation_address};
use super::timeline::short_id;
use crate::parts::{code, many, nothing, text, usd};

/// How many counts are added up, the latest.
const MOST: u32 = 5000;

#[derive(Debug, Serialize)]
pub(super) struct Told {
    total: Sum,
    /// Whether the parts are of the latest counts alone: there are more.
    partly: bool,
    by_model: Vec<Row>,
    by_conversation: Vec<Row>,
    by_phase: Vec<Row>,
    by_checkpoint: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    key: String,
    #[serde(flatten)]
    sum: Sum,
}

/// What something took.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    nano_usd: u64,
    pub(super) tokens: u64,
    input: u64,
    output: u64,
    cached: u64,
    pub(super) priced: u64,
    pub(super) unpriced: u64,
}

impl Serialize for Sum {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Told {
            usd: Option<f64>,
            tokens: u64,
            unpriced_tokens: u64,
        }
        let usd = (self.priced > 0).then(|| self.usd());
        Told { usd, tokens: self.tokens, unpriced_tokens: self.unpriced }.serialize(to)
    }
}

impl Sum {
    pub(super) fn add(&mut self, row: &UsageCountedRow) {
        let tokens = Tokens {
            input: row.input,
            output: row.output,
            cache_read: row.cache_read,
            cache_write_5m: row.cache_write_5m,
            cache_write_1h: row.cache_write_1h,
        };
        self.tokens = self.tokens.saturating_add(tokens.all());
        self.input = self.input.saturating_add(row.input);
        self.output = self.output.saturating_add(row.output);
        self.cached = self.cached.saturating_add(tokens.all() - row.input - row.output);
        self.nano_usd = self.nano_usd.saturating_add(row.nano_usd.unwrap_or(0));
        let known = if row.nano_usd.is_some() { &mut self.priced } else { &mut self.unpriced };
        *known = known.saturating_add(tokens.all());
    }

    #[expect(clippy::cast_precision_loss, reason = "a sum of money that anybody has is exact")]
    pub(super) fn usd(&self) -> f64 {
        self.nano_usd as f64 / 1e9
    }

    fn money(&self) -> String {
        match (self.priced, self.unpriced) {
            (0, 0) => usd(0.0),
            (0, _) => "price unknown".to_owned(),
            (_, 0) => usd(self.usd()),
            _ => format!("{}+", usd(self.usd())),
        }
    }
}

pub(super) fn look(seen: &Seen<'_>) -> Result<Told, AppError> {
    let rows: Vec<UsageCountedRow> = seen.latest("seq", None, MOST)?;
    let usage = &seen.state().usage;
    let tokens = usage.tokens;
    let total = Sum {
        nano_usd: usage.nano_usd,
        tokens: tokens.all(),
        input: tokens.input,
        output: tokens.output,
        cached: tokens.all().saturating_sub(tokens.input).saturating_sub(tokens.output),
        priced: usage.priced,
        unpriced: usage.unpriced,
    };
    let phase = |row: &UsageCountedRow| {
        if row.phase.is_empty() { "no phase".to_owned() } else { row.phase.clone() }
    };
    let checkpoint = |row: &UsageCountedRow| {
        row.checkpoint.map_or_else(|| "none".to_owned(), |checkpoint| checkpoint.to_string())
    };
    Ok(Told {
        total,
        partly: rows.len() >= MOST as usize,
        by_model: summed(&rows, |row| row.model.clone()),
        by_conversation: summed(&rows, |row| row.conversation.clone()),
        by_phase: summed(&rows, phase),
        by_checkpoint: summed(&rows, checkpoint),
    })
}

/// The dearest first.
fn summed(rows: &[UsageCountedRow], key: impl Fn(&UsageCountedRow) -> String) -> Vec<Row> {
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    for row in rows {
        sums.entry(key(row)).or_default().add(row);
    }
    let mut rows: Vec<Row> = sums.into_iter().map(|(key, sum)| Row { key, sum }).collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.sum.nano_usd, row.sum.tokens)));
    rows
}

pub(super) fn show(told: &Told, head: &Head) -> Markup {
    if told.total.tokens == 0 && told.by_model.is_empty() {
        return nothing(
            "Nothing was counted yet.",
            html! {
                p { "Tokens are counted from the client's transcripts when a turn ends; " (code("waypost cost --by session")) " reads them all." }
            },
        );
    }
    let conversation = |key: &str| {
        html! { a href=(conversation_address(&head.project.id, &head.session_id, key)) { (code(short_id(key))) } }
    };
    html! {
        p.lead { strong { (told.total.money()) } " · " (many(told.total.tokens)) " tokens" }
        @if told.partly { p.dim { "What follows adds up the latest " (MOST) " counts." } }
        (table("By model", &told.by_model, text))
        (table("By conversation", &told.by_conversation, conversation))
        (table("By phase", &told.by_phase, text))
        @if told.by_checkpoint.len() > 1 { (table("By checkpoint", &told.by_checkpoint, text)) }
    }
}

fn table(title: &str, rows: &[Row], shown: impl Fn(&str) -> Markup) -> Markup {
    let most = rows.iter().map(|row| row.sum.weight()).max().unwrap_or(0);
    html! {
        h2 { (title) }
        div.scroll {
            table.sums {
                thead { tr {
                    th scope="col" { (title.trim_start_matches("By ")) }
                    th.number scope="col" { "cost" }
                    th.number scope="col" { "in" }
                    th.number scope="col" { "out" }
                    th.number scope="col" { "cache" }
                } }
                tbody {
                    @for row in rows {
                        tr {
                            th scope="row" { (shown(&row.key)) (bar(row.sum.weight(), most)) }
                            td.number { (row.sum.money()) }
                            td.number { (many(row.sum.input)) }
                            td.number { (many(row.sum.output)) }
                            td.number { (many(row.sum.cached)) }
                        }
                    }
                }
            }
        }
    }
}

impl Sum {
    /// How much it weighs beside others: by its cost, or where no price is known by its tokens.
    fn weight(&self) -> i64 {
        let weight = if self.priced > 0 { self.nano_usd / 1000 } else { self.tokens };
        i64::try_from(weight).unwrap_or(i64::MAX / 1000).min(i64::MAX / 1000)
    }
}
