//! What tokens cost: exact sums in whole numbers, and periods that they are summed up by. Reads no transcript and knows
//! no price of its own.

mod blocks;
mod period;
mod prices;

use serde::{Deserialize, Serialize};

pub use blocks::{BLOCK, Block, blocks};
pub use period::{day, day_after, day_number, month, week};
pub use prices::{Price, PriceList, Priced};

/// Tokens, by what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tokens {
    /// Given to the model, and in no cache.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Read from the cache.
    #[serde(skip_serializing_if = "is_none")]
    pub cache_read: u64,
    /// Written to the cache for five minutes.
    #[serde(skip_serializing_if = "is_none")]
    pub cache_write_5m: u64,
    /// Written to the cache for an hour.
    #[serde(skip_serializing_if = "is_none")]
    pub cache_write_1h: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none(tokens: &u64) -> bool {
    *tokens == 0
}

/// Tokens as reports tell them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Told {
    /// Given to the model, and in no cache.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Written to the cache, for however long.
    pub cache_write: u64,
}

impl Tokens {
    /// All of them.
    pub fn all(self) -> u64 {
        let Told { input, output, cache_read, cache_write } = self.told();
        [input, output, cache_read, cache_write].into_iter().fold(0, u64::saturating_add)
    }

    /// The same as reports tell it.
    pub fn told(self) -> Told {
        Told {
            input: self.input,
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write_5m.saturating_add(self.cache_write_1h),
        }
    }

    /// These without those; never less than none of a kind.
    #[must_use]
    pub fn beyond(self, others: Self) -> Self {
        Self {
            input: self.input.saturating_sub(others.input),
            output: self.output.saturating_sub(others.output),
            cache_read: self.cache_read.saturating_sub(others.cache_read),
            cache_write_5m: self.cache_write_5m.saturating_sub(others.cache_write_5m),
            cache_write_1h: self.cache_write_1h.saturating_sub(others.cache_write_1h),
        }
    }

    /// Of each kind the lesser number.
    #[must_use]
    pub fn at_most(self, others: Self) -> Self {
        Self {
            input: self.input.min(others.input),
            output: self.output.min(others.output),
            cache_read: self.cache_read.min(others.cache_read),
            cache_write_5m: self.cache_write_5m.min(others.cache_write_5m),
            cache_write_1h: self.cache_write_1h.min(others.cache_write_1h),
        }
    }

    /// These and those.
    pub fn add(&mut self, other: Self) {
        for (one, more) in [
            (&mut self.input, other.input),
            (&mut self.output, other.output),
            (&mut self.cache_read, other.cache_read),
            (&mut self.cache_write_5m, other.cache_write_5m),
            (&mut self.cache_write_1h, other.cache_write_1h),
        ] {
            *one = one.saturating_add(more);
        }
    }
}

/// An amount of money, in millionths of a millionth of a US dollar. A price of a millionth of a dollar for a million
/// tokens is one of these for a token, so that nothing is ever rounded before it is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(u128);

impl Money {
    /// In US dollars.
    #[expect(clippy::cast_precision_loss, reason = "only to be shown: 15 digits are enough")]
    pub fn usd(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// In thousand-millionths of a US dollar.
    pub fn nano_usd(self) -> u64 {
        u64::try_from(self.0 / 1000).unwrap_or(u64::MAX)
    }

    /// This and that.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// A sum of tokens, and of what is known of their price.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// The tokens.
    pub tokens: Tokens,
    /// What those of them cost whose price is known.
    pub cost: Money,
    /// How many tokens' price is known.
    pub priced: u64,
    /// How many tokens' price is not known.
    pub unpriced: u64,
}

impl Sum {
    /// Adds tokens, and what they cost if that is known.
    pub fn add(&mut self, tokens: Tokens, price: Option<&Price>) {
        self.tokens.add(tokens);
        let known = if price.is_some() { &mut self.priced } else { &mut self.unpriced };
        *known = known.saturating_add(tokens.all());
        self.cost = self.cost.plus(price.map_or(Money::default(), |price| price.of(tokens)));
    }

    /// What it cost in US dollars; none where no price is known.
    pub fn usd(&self) -> Option<f64> {
        (self.priced > 0 || self.unpriced == 0).then(|| self.cost.usd())
    }
}

#[cfg(test)]
mod tests;
