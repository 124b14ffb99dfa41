//! How long a hook may take. A harness that gives up waiting lets the tool run: so its own timeout
//! has to be longer than this, after which Waypost answers that it cannot decide.

use std::time::Duration;

/// For what happens on every tool call: a few small files are read.
pub const HOT: Duration = Duration::from_secs(2);

/// For whatever asks git, or is asked only once in a while.
pub const COLD: Duration = Duration::from_secs(20);

/// For the end of a conversation, which nobody wants to wait for.
pub const GOODBYE: Duration = Duration::from_millis(900);
