//! OTLP over HTTP, as JSON: what a collector of OpenTelemetry takes. The only crate that knows how it is written and how
//! it gets there; what is told, and when, is decided elsewhere.

mod http;
mod wire;

pub use http::Http;
