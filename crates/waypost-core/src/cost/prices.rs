//! Prices, and which of them is a model's.

use super::{Money, Tokens};
use crate::time::Timestamp;

/// Tokens that a price is for.
const MILLION: f64 = 1e6;
/// No price is higher, in US dollars for a million tokens.
const HIGHEST: f64 = 1e6;

/// What tokens cost, in millionths of a US dollar for a million of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Price {
    /// Given to the model, and in no cache.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written to the cache for five minutes.
    pub cache_write_5m: u64,
    /// Written to the cache for an hour.
    pub cache_write_1h: u64,
}

impl Price {
    /// A price that is given in US dollars for a million tokens; none if nothing can cost that much.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is in bounds, and not negative"
    )]
    pub fn parsed(usd: f64) -> Option<u64> {
        (0.0..=HIGHEST).contains(&usd).then(|| (usd * MILLION).round() as u64)
    }

    /// What these tokens cost.
    pub fn of(&self, tokens: Tokens) -> Money {
        let parts = [
            (tokens.input, self.input),
            (tokens.output, self.output),
            (tokens.cache_read, self.cache_read),
            (tokens.cache_write_5m, self.cache_write_5m),
            (tokens.cache_write_1h, self.cache_write_1h),
        ];
        let each = parts.map(|(tokens, price)| u128::from(tokens) * u128::from(price));
        Money(each.into_iter().fold(0, u128::saturating_add))
    }
}

/// The price of a model, or of a family of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priced {
    /// How the model's name begins. With `-*` at its end it stands for all versions below that one.
    pub model: String,
    /// From when on it is so; none: ever since there is the model.
    pub from: Option<Timestamp>,
    /// The price.
    pub price: Price,
}

/// Prices of models.
#[derive(Debug, Clone, Default)]
pub struct PriceList {
    /// Those that hold before the others.
    pub own: Vec<Priced>,
    /// Those that everybody pays.
    pub usual: Vec<Priced>,
}

impl PriceList {
    /// Only those that may be the price of a model, for whoever asks for it again and again.
    #[must_use]
    pub fn of(&self, model: &str) -> Self {
        let fits = |priced: &&Priced| is_named(&priced.model, model);
        let [own, usual] =
            [&self.own, &self.usual].map(|all| all.iter().filter(fits).cloned().collect());
        Self { own, usual }
    }

    /// The price of a model at a time: of the names that it begins with, the longest. Nobody knows the price of a model
    /// whose name begins with none.
    pub fn price(&self, model: &str, at: Option<Timestamp>) -> Option<&Price> {
        best(&self.own, model, at).or_else(|| best(&self.usual, model, at))
    }
}

fn best<'p>(prices: &'p [Priced], model: &str, at: Option<Timestamp>) -> Option<&'p Price> {
    let holds = |priced: &&Priced| match (priced.from, at) {
        (Some(from), Some(at)) => from <= at,
        _ => true,
    };
    let fits = prices.iter().filter(|priced| is_named(&priced.model, model)).filter(holds);
    fits.max_by_key(|priced| (priced.model.len(), priced.from)).map(|priced| &priced.price)
}

/// Whether a model is the one that is meant, or one of the family. Clients write names with a date behind them, a
/// provider before them, or the size of the window.
fn is_named(meant: &str, model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    let meant = meant.to_ascii_lowercase();
    let starts = model.match_indices(['/', '.']).map(|(at, _)| at + 1);
    std::iter::once(0).chain(starts).any(|start| begins(&meant, &model[start..]))
}

fn begins(meant: &str, model: &str) -> bool {
    let (name, any_version) = meant.strip_suffix("-*").map_or((meant, false), |name| (name, true));
    let Some(rest) = model.strip_prefix(name) else { return false };
    if rest.is_empty() {
        return true;
    }
    let Some(behind) = rest.strip_prefix('-') else { return rest.starts_with(['@', ':', '[']) };
    let next = behind.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    // `-5` behind a name makes it another model, and `-20251101` does not.
    let is_version = next.len() <= 2 && next.bytes().all(|byte| byte.is_ascii_digit());
    let is_date = next.len() >= 8 && next.bytes().all(|byte| byte.is_ascii_digit());
    is_date || next == "latest" || is_revision(next) || (any_version && is_version)
}

/// Whether it is such as `v1`, which providers add.
fn is_revision(word: &str) -> bool {
    word.strip_prefix('v').is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
