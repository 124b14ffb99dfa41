//! What conversations used, by the transcripts that clients keep: of which message, at what price, and how that becomes
//! known to their sessions for good.

pub(crate) mod budgets;
pub mod counting;
pub(crate) mod messages;
pub(crate) mod prices;

/// What messages of whose time or model nothing is told stand under.
pub(crate) const UNKNOWN: &str = "unknown";
