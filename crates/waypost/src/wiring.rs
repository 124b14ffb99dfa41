//! Wiring: where the process' own folder, environment, clock and harnesses become a `Host`.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use waypost_app::harness::{Facts, Harness};
use waypost_app::machine::deadline::in_force;
use waypost_app::machine::host::{Clock, Host, InFiles, Patience};
use waypost_app::mirror::{Asking, Mirroring, Servers};
use waypost_app::outbox::{Pace, Sender, Waits};
use waypost_app::share::publishing::Publishing;
use waypost_app::telemetry::Telling;
use waypost_app::transcripts::{self, Kept};
use waypost_otlp::Http;

/// The harnesses that this program knows.
const HARNESSES: &[&dyn Harness] = waypost_hook::harnesses::ALL;

/// The harness of that name.
pub(crate) fn harness(name: &OsStr) -> Option<&'static dyn Harness> {
    HARNESSES.iter().copied().find(|harness| name == harness.facts().name)
}

/// What is known of each harness.
pub(crate) fn harness_facts() -> impl Iterator<Item = &'static Facts> {
    HARNESSES.iter().map(|harness| harness.facts())
}

/// The machine that this process runs on.
pub(crate) fn host() -> Host {
    // A process whose folder was deleted under it can still read its key and say so.
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let exe = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("waypost"));
    let var = |name: &str| std::env::var_os(name);
    let mut host =
        Host::from_env(cwd, exe, clock(), var).keeping(InFiles).telling(Arc::new(Publishing));
    host = host.knowing(HARNESSES, var);
    host.patience.limit = in_force(host.patience.limit);
    host.traceparent = || variable("TRACEPARENT");
    host
}

/// What clients keep of their conversations.
pub(crate) fn transcripts(host: &Host) -> Vec<Kept> {
    transcripts::kept(waypost_hook::transcripts::ALL, &host.home, |name| std::env::var_os(name))
}

/// What takes what happens to a collector.
pub(crate) fn collector() -> Http {
    Http::new(variable)
}

/// What calls tools of the servers behind mirrors.
pub(crate) fn servers() -> Arc<dyn Servers> {
    Arc::new(waypost_mirror::Client::default())
}

/// The same host with somebody who can ask whether those servers answer.
pub(crate) fn asking(host: &Host, servers: &Arc<dyn Servers>) -> Host {
    Host { asked: Some(Arc::new(Asking(Arc::clone(servers)))), ..host.clone() }
}

/// Sends what happens in the background, until it is dropped.
pub(crate) fn senders(host: &Host, servers: &Arc<dyn Servers>) -> [Sender; 2] {
    // Locks are not waited for as long as somebody at a terminal does, and nobody is told that they are.
    let host = Host { patience: patience(Patience::default()), notice: None, ..host.clone() };
    let telling = Box::new(Telling(Arc::new(collector())));
    let mirroring = Box::new(Mirroring::new(Arc::clone(servers)));
    [Sender::start(host.clone(), telling, pace()), Sender::start(host, mirroring, pace())]
}

/// Tests of the real binary have a clock that stands still, and need not wait as long as others do.
pub(crate) fn pace() -> Pace {
    if cfg!(debug_assertions) {
        let given = std::env::var("WAYPOST_TEST_TELEMETRY_MS").ok();
        if let Some(every) = given.and_then(|millis| millis.parse().ok()) {
            let waits = Waits { first: Duration::ZERO, longest: Duration::ZERO };
            return Pace { every: Duration::from_millis(every), waits, ..Pace::USUAL };
        }
    }
    Pace::USUAL
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
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
