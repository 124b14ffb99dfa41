//! Telling what happens to a collector of OpenTelemetry, from the records, through the outbox: a collector that is down
//! holds nobody up and misses nothing. Nothing is sent to an address that no human on this machine said yes to. How it
//! gets there is a [`Collector`]'s business.

mod background;
mod destination;
mod sending;

use waypost_core::telemetry::Signal;

use crate::config::Header;
use crate::outbox::{NotTaken, Taken};

pub use background::Telling;
pub use sending::{Flushed, Part, State, Status, begin, flush, status};

/// What takes signals to a collector.
pub trait Collector: Send + Sync {
    /// Takes them there, all of them or none, and waits for the answer.
    fn take(&self, to: &Endpoint, signals: &[Signal]) -> Result<Taken, NotTaken>;
}

/// What a collector takes at an address of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// What happened.
    Logs,
    /// What took from one time to another.
    Spans,
}

impl Sort {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Logs, Self::Spans];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Logs => "logs",
            Self::Spans => "spans",
        }
    }
}

/// Where signals of one sort go, and from whom. It knows the names of variables, and none of their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The address of the collector.
    pub otlp: String,
    /// What it is sent.
    pub sort: Sort,
    /// What goes with every request.
    pub headers: Vec<Header>,
    /// Which project it is, wherever it lies.
    pub project: Option<String>,
}
