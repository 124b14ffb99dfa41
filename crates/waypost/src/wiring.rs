//! Wiring: where the process' own folder, environment and clock become a `Host`.

use std::path::PathBuf;
use std::time::Duration;

use waypost_app::deadline::in_force;
use waypost_app::host::{Clock, Host, Patience};

/// The machine that this process runs on.
pub(crate) fn host() -> Host {
    // A process whose folder was deleted under it can still read its key and say so.
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let exe = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("waypost"));
    let mut host = Host::from_env(cwd, exe, clock(), |name| std::env::var_os(name));
    host.patience.limit = in_force(host.patience.limit);
    host
}

/// Tests of the real binary fix the clock; a released binary cannot be told the time.
fn clock() -> Clock {
    if cfg!(debug_assertions) {
        let fixed = std::env::var("WAYPOST_TEST_TIME").ok().and_then(|time| time.parse().ok());
        if let Some(time) = fixed {
            return Clock::Fixed(time);
        }
    }
    Clock::System
}

/// Tests of the real binary need not wait as long as people do; a released one cannot be hurried.
pub(crate) fn patience(usual: Patience) -> Patience {
    if cfg!(debug_assertions) {
        let given = std::env::var("WAYPOST_TEST_PATIENCE_MS").ok();
        if let Some(millis) = given.and_then(|millis| millis.parse().ok()) {
            return Patience { limit: Duration::from_millis(millis), ..usual };
        }
    }
    Patience { limit: in_force(usual.limit), ..usual }
}
