//! How long a hook may take. A harness that gives up waiting lets the tool run: so its own timeout
//! has to be longer than this, after which Waypost answers that it cannot decide.

use std::time::Duration;

/// For what happens on every tool call: a few small files are read.
pub const HOT: Duration = Duration::from_secs(2);

/// For whatever asks git, or is asked only once in a while.
pub const COLD: Duration = Duration::from_secs(20);

/// For the end of a conversation, which nobody wants to wait for.
pub const GOODBYE: Duration = Duration::from_millis(900);

/// A limit as it holds in this process.
///
/// Tests of the real binary multiply all limits at once: nothing they check may depend on how busy
/// the machine is, and those about a limit need not wait for it. A released binary keeps its own.
pub fn in_force(usual: Duration) -> Duration {
    if cfg!(debug_assertions) {
        let factor = std::env::var("WAYPOST_TEST_LIMITS").ok().and_then(|text| text.parse().ok());
        return factor.map_or(usual, |factor| usual.mul_f64(factor));
    }
    usual
}
