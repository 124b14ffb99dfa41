//! A collector as a destination of the outbox.

use waypost_core::id::StreamId;
use waypost_core::key::sha256_hex;
use waypost_core::record::{Position, Record};
use waypost_core::telemetry::{Signal, Telling, Tracing, Value};

use super::{Collector, Endpoint, Sort};
use crate::outbox::{Destination, NotTaken, Taken};

/// One address of a collector. Those for logs and for spans are two destinations: what one of them took is not sent
/// again because the other one did not.
pub(super) struct ToCollector<'a> {
    collector: &'a dyn Collector,
    endpoint: Endpoint,
    telling: Telling,
    name: String,
}

impl<'a> ToCollector<'a> {
    pub(super) fn new(collector: &'a dyn Collector, endpoint: Endpoint, telling: Telling) -> Self {
        let address = &sha256_hex(&[endpoint.otlp.as_bytes()])[..12];
        let name = format!("otlp-{}-{address}", endpoint.sort.name());
        Self { collector, endpoint, telling, name }
    }
}

impl Destination for ToCollector<'_> {
    type Parcel = Signal;
    type Carried = Tracing;
    const FOLD: u32 = Tracing::FOLD;

    fn name(&self) -> &str {
        &self.name
    }

    fn address(&self) -> &str {
        &self.endpoint.otlp
    }

    fn wants(&self, stream: &StreamId) -> bool {
        matches!(stream, StreamId::Session(_))
    }

    fn parcels(
        &self,
        carried: &mut Tracing,
        stream: &StreamId,
        at: &Position,
        record: &Record,
    ) -> Vec<Signal> {
        let StreamId::Session(session) = stream else { return Vec::new() };
        let mut told = carried.apply(session, &at.hash, record, self.telling);
        told.retain(|signal| match signal {
            Signal::Log(_) => self.endpoint.sort == Sort::Logs,
            Signal::Span(_) => self.endpoint.sort == Sort::Spans,
        });
        told
    }

    fn weight(&self, parcel: &Signal) -> usize {
        // Names, ids and times.
        const ITSELF: usize = 300;
        const ATTRIBUTE: usize = 60;
        let (attributes, text) = match parcel {
            Signal::Log(log) => (&log.attributes, log.body.len()),
            Signal::Span(span) => (&span.attributes, span.name.len()),
        };
        let each = attributes.iter().map(|(name, value)| {
            let said = match value {
                Value::Text(text) => text.len(),
                Value::List(list) => list.iter().map(|text| text.len() + 20).sum(),
                Value::Number(_) | Value::Signed(_) | Value::Fraction(_) | Value::Flag(_) => 20,
            };
            ATTRIBUTE + name.len() + said
        });
        ITSELF + text + each.sum::<usize>()
    }

    fn send(&self, parcels: &[Signal]) -> Result<Taken, NotTaken> {
        self.collector.take(&self.endpoint, parcels)
    }
}
