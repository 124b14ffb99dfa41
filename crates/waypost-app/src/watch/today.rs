//! What was used today on this machine, and what that cost.

use serde::Serialize;
use waypost_core::time::Timestamp;

use crate::cost::{self, Asked, By};
use crate::machine::host::Host;
use crate::machine::local_time::day_begins;
use crate::transcripts::Kept;

/// What was used since the day began on clocks here.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostToday {
    /// When the day began.
    pub since: Timestamp,
    /// In US dollars, of the models whose price is known.
    pub usd: f64,
    /// How many tokens.
    pub tokens: u64,
    /// How many of them have no known price.
    pub unpriced_tokens: u64,
}

/// What all conversations on this machine used today. It reads what clients keep of them, which may take long.
pub fn cost_today(host: &Host, kept: &[Kept]) -> CostToday {
    let since = day_begins(host.moment());
    let asked = Asked { root: None, since: Some(since), until: None, by: By::Day };
    let cost = cost::cost(host, kept, &host.cwd, &asked);
    let tokens = cost.tokens;
    CostToday {
        since,
        usd: cost.total_usd,
        tokens: tokens.input + tokens.output + tokens.cache_read + tokens.cache_write,
        unpriced_tokens: cost.unpriced_tokens,
    }
}
