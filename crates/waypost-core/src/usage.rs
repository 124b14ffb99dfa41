//! What a session used: a bounded sum for gates, status and brief, and how what is not counted yet is found. Which message
//! used what is told by transcripts, and what was used when by the records.

mod counted;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cel::Expression;
use crate::cost::{PriceList, Sum, Tokens};
use crate::time::Timestamp;

pub use counted::{UsageCounted, UsedByAgent, UsedModel};

/// How many models a conversation's count tells apart; all others are [`OTHER_MODELS`].
pub const MAX_MODELS: usize = 16;
/// What models beyond that are counted as.
pub const OTHER_MODELS: &str = "other models";

/// What a session used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// The tokens.
    #[serde(flatten)]
    pub tokens: Tokens,
    /// What those cost whose price was known, in thousand-millionths of a US dollar.
    pub nano_usd: u64,
    /// How many tokens' price was known.
    pub priced: u64,
    /// How many tokens' price was not.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpriced: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Usage {
    /// Whether nothing was counted.
    pub fn is_unused(&self) -> bool {
        *self == Self::default()
    }

    /// Takes more into account.
    pub fn add(&mut self, used: &UsedModel) {
        self.tokens.add(used.tokens);
        let known = if used.nano_usd.is_some() { &mut self.priced } else { &mut self.unpriced };
        *known = known.saturating_add(used.tokens.all());
        self.nano_usd = self.nano_usd.saturating_add(used.nano_usd.unwrap_or_default());
    }

    /// What it cost in US dollars; none where no price was known.
    #[expect(clippy::cast_precision_loss, reason = "a sum of money that anybody has is exact")]
    pub fn usd(&self) -> Option<f64> {
        (self.priced > 0 || self.unpriced == 0).then(|| self.nano_usd as f64 / 1e9)
    }

    /// It in words: `$1.23, 45210 tokens`, with a `+` where the price of some is not known.
    pub fn words(&self) -> String {
        let more = if self.unpriced > 0 { "+" } else { "" };
        let usd = self.usd().map(|usd| format!("${usd:.2}{more}, ")).unwrap_or_default();
        format!("{usd}{} tokens", self.tokens.all())
    }

    /// It as the fact `usage` of expressions.
    pub fn fact(&self) -> Value {
        let Tokens { input, output, cache_read, cache_write_5m, cache_write_1h } = self.tokens;
        json!({
            "cost_usd": self.usd(),
            "tokens": self.tokens.all(),
            "input_tokens": input,
            "output_tokens": output,
            "cache_read_tokens": cache_read,
            "cache_write_tokens": cache_write_5m.saturating_add(cache_write_1h),
        })
    }

    /// It as it would be if this were so many thousandths of what it is.
    fn times(self, thousandths: u64) -> Self {
        let more = |number: u64| {
            let product = u128::from(number) * u128::from(thousandths) / 1000;
            u64::try_from(product).unwrap_or(u64::MAX)
        };
        let Tokens { input, output, cache_read, cache_write_5m, cache_write_1h } = self.tokens;
        Self {
            tokens: Tokens {
                input: more(input),
                output: more(output),
                cache_read: more(cache_read),
                cache_write_5m: more(cache_write_5m),
                cache_write_1h: more(cache_write_1h),
            },
            nano_usd: more(self.nano_usd),
            ..self
        }
    }

    /// Whether a budget, an expression over this alone, came near its end between `before` and now: it holds, and did not
    /// hold any more if a quarter more had been used.
    pub fn nears(&self, budget: &Expression, before: &Self) -> bool {
        let holds = |usage: Self| budget.holds(&json!({ "usage": usage.fact() })).ok();
        let is_near =
            |usage: Self| holds(usage) == Some(true) && holds(usage.times(1250)) == Some(false);
        is_near(*self) && !is_near(*before)
    }

    /// How much of a budget is used, in hundredths: an expression over this alone that holds while less is used. None where
    /// it is something else, or where that cannot be told.
    pub fn share(&self, budget: &Expression) -> Option<u64> {
        const MOST: u64 = 1_000_000;
        let references = budget.references();
        if references.is_empty() || !references.iter().all(|name| name.starts_with("usage.")) {
            return None;
        }
        let holds = |thousandths: u64| {
            budget.holds(&json!({ "usage": self.times(thousandths).fact() })).ok()
        };
        // Nothing holds even now: it is no limit.
        if !holds(0)? {
            return None;
        }
        if holds(MOST)? {
            return Some(0);
        }
        let (mut below, mut beyond) = (0, MOST);
        while beyond - below > 1 {
            let middle = below.midpoint(beyond);
            if holds(middle)? { below = middle } else { beyond = middle }
        }
        Some(100_000 / beyond)
    }
}

/// Where the work of a session is: what it uses counts there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Place {
    /// The phase.
    pub phase: String,
    /// The checkpoint, while a build has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<u64>,
}

/// How far what a conversation used was counted in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counted {
    /// From when on its messages belong to the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// When it was last counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Where the session was then, or when the conversation joined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What was counted of each model.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, Tokens>,
}

/// What one message used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedBy {
    /// When it was.
    pub time: Option<Timestamp>,
    /// The model, as the client calls it.
    pub model: String,
    /// The tokens.
    pub tokens: Tokens,
}

impl Counted {
    /// None of the messages before this time belong to the session.
    pub fn from(time: Timestamp, place: Place) -> Self {
        Self { since: Some(time), place: Some(place), ..Self::default() }
    }

    /// Takes more into account.
    pub fn add(&mut self, used: &UsedModel) {
        self.models.entry(used.model.clone()).or_default().add(used.tokens);
    }

    /// What these messages, in the order of time, used beyond what was counted, and where. What is new is what was said
    /// last: a message may also have grown since it was counted. Nothing is ever taken back.
    pub fn beyond(
        &self,
        all: &[UsedBy],
        place: impl Fn(Option<Timestamp>) -> Place,
        prices: &PriceList,
    ) -> Vec<UsedModel> {
        let names = self.names(all);
        let name = |used: &UsedBy| names.get(used.model.as_str()).copied().unwrap_or(OTHER_MODELS);
        let mut open: BTreeMap<&str, Tokens> = BTreeMap::new();
        for used in all {
            open.entry(name(used)).or_default().add(used.tokens);
        }
        for (name, tokens) in &mut open {
            *tokens = tokens.beyond(self.models.get(*name).copied().unwrap_or_default());
        }
        let mut sums: BTreeMap<(&str, Place), Sum> = BTreeMap::new();
        for used in all.iter().rev() {
            let Some(rest) = open.get_mut(name(used)) else { continue };
            let new = used.tokens.at_most(*rest);
            if new.all() > 0 {
                *rest = rest.beyond(new);
                let sum = sums.entry((name(used), place(used.time))).or_default();
                sum.add(new, prices.price(&used.model, used.time));
            }
        }
        let told = |((model, place), sum): ((&str, Place), Sum)| UsedModel {
            model: model.to_owned(),
            phase: place.phase,
            checkpoint: place.checkpoint,
            tokens: sum.tokens,
            nano_usd: (sum.unpriced == 0).then(|| sum.cost.nano_usd()),
        };
        sums.into_iter().map(told).collect()
    }

    /// What models are counted as: there is room for so many.
    fn names<'a>(&self, all: &'a [UsedBy]) -> BTreeMap<&'a str, &'a str> {
        let used: BTreeSet<&str> = all.iter().map(|used| used.model.as_str()).collect();
        let (known, new): (Vec<&str>, Vec<&str>) =
            used.into_iter().partition(|model| self.models.contains_key(*model));
        let room = MAX_MODELS.saturating_sub(self.models.len());
        known.into_iter().chain(new.into_iter().take(room)).map(|model| (model, model)).collect()
    }
}

#[cfg(test)]
mod tests;
