//! What a session's records come to for those who watch agents with OpenTelemetry: spans and log records, in words that
//! are no protocol's own. How they are encoded, and where they go, is no concern of it.
//!
//! Ids are worked out from the records alone: whoever makes the same signal again gives it the same ids. Free text is
//! in none of it unless it is asked for, and then redacted once more.

mod fold;
mod signal;
mod told;
mod traceparent;

pub use fold::Tracing;
pub use signal::{Log, Place, Severity, Signal, Span, SpanId, Status, TraceId, Value};
pub use traceparent::TraceParent;

/// What is told of the records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Telling {
    /// Also what was written freely: objectives, messages, reasons, paths.
    pub content: bool,
}

#[cfg(test)]
mod tests;
