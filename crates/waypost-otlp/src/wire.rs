//! OTLP's messages as JSON, by the rules of protobuf: names in camelCase, whole numbers of 64 bits as text. Ids of
//! traces and spans are hex, which is OTLP's own exception.

use serde::Serialize;
use waypost_core::telemetry::{Log, Place, Severity, Signal, Span, Status, Value};
use waypost_core::time::Timestamp;

/// The name under which all of it is told.
const NAME: &str = "waypost";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// A span within one program, as protobuf numbers it.
const INTERNAL: u8 = 1;

/// Whose signals they are.
#[derive(Serialize)]
struct Resource {
    attributes: Vec<Attribute>,
}

#[derive(Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Attribute {
    key: &'static str,
    value: AnyValue,
}

#[derive(Serialize)]
enum AnyValue {
    #[serde(rename = "stringValue")]
    Text(String),
    #[serde(rename = "boolValue")]
    Flag(bool),
    #[serde(rename = "intValue")]
    Number(String),
    #[serde(rename = "doubleValue")]
    Fraction(f64),
    #[serde(rename = "arrayValue")]
    List { values: Vec<AnyValue> },
}

/// The body of a request to `/v1/logs`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Logs {
    resource_logs: [ResourceLogs; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceLogs {
    resource: Resource,
    scope_logs: [ScopeLogs; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ScopeLogs {
    scope: Scope,
    log_records: Vec<LogRecord>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogRecord {
    time_unix_nano: String,
    observed_time_unix_nano: String,
    severity_number: u8,
    severity_text: &'static str,
    event_name: &'static str,
    body: AnyValue,
    attributes: Vec<Attribute>,
    trace_id: String,
    span_id: String,
}

/// The body of a request to `/v1/traces`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spans {
    resource_spans: [ResourceSpans; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans {
    resource: Resource,
    scope_spans: [ScopeSpans; 1],
}

#[derive(Serialize)]
struct ScopeSpans {
    scope: Scope,
    spans: Vec<WireSpan>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireSpan {
    trace_id: String,
    span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<String>,
    name: String,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<Attribute>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    links: Vec<Link>,
    status: WireStatus,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    trace_id: String,
    span_id: String,
}

#[derive(Serialize)]
struct WireStatus {
    code: u8,
}

impl Logs {
    /// What is said of a project's log records; spans among the signals are left out.
    pub(crate) fn of(project: Option<&str>, signals: &[Signal]) -> Self {
        let log_records = signals.iter().filter_map(|signal| match signal {
            Signal::Log(log) => Some(LogRecord::of(log)),
            Signal::Span(_) => None,
        });
        let scope_logs = [ScopeLogs { scope: SCOPE, log_records: log_records.collect() }];
        Self { resource_logs: [ResourceLogs { resource: Resource::of(project), scope_logs }] }
    }
}

impl Spans {
    /// What is said of a project's spans; log records among the signals are left out.
    pub(crate) fn of(project: Option<&str>, signals: &[Signal]) -> Self {
        let spans = signals.iter().filter_map(|signal| match signal {
            Signal::Span(span) => Some(WireSpan::of(span)),
            Signal::Log(_) => None,
        });
        let scope_spans = [ScopeSpans { scope: SCOPE, spans: spans.collect() }];
        Self { resource_spans: [ResourceSpans { resource: Resource::of(project), scope_spans }] }
    }
}

const SCOPE: Scope = Scope { name: NAME, version: VERSION };

impl Resource {
    fn of(project: Option<&str>) -> Self {
        let text = |key, text: &str| Attribute { key, value: AnyValue::Text(text.into()) };
        let mut attributes = vec![text("service.name", NAME), text("service.version", VERSION)];
        attributes.extend(project.map(|project| text("waypost.project", project)));
        Self { attributes }
    }
}

impl LogRecord {
    fn of(log: &Log) -> Self {
        let (severity_number, severity_text) = match log.severity {
            Severity::Info => (9, "INFO"),
            Severity::Warning => (13, "WARN"),
        };
        let time = nanoseconds(log.time);
        // Collectors that do not know the field yet find the same among the attributes.
        let name = AnyValue::Text(log.event.to_owned());
        let mut all = vec![Attribute { key: "event.name", value: name }];
        all.extend(attributes(&log.attributes));
        Self {
            observed_time_unix_nano: time.clone(),
            time_unix_nano: time,
            severity_number,
            severity_text,
            event_name: log.event,
            body: AnyValue::Text(log.body.clone()),
            attributes: all,
            trace_id: log.place.trace.as_str().to_owned(),
            span_id: log.place.span.as_str().to_owned(),
        }
    }
}

impl WireSpan {
    fn of(span: &Span) -> Self {
        let code = match span.status {
            Status::Unset => 0,
            Status::Good => 1,
            Status::Failed => 2,
        };
        Self {
            trace_id: span.place.trace.as_str().to_owned(),
            span_id: span.place.span.as_str().to_owned(),
            parent_span_id: span.parent.as_ref().map(|parent| parent.as_str().to_owned()),
            name: span.name.clone(),
            kind: INTERNAL,
            start_time_unix_nano: nanoseconds(span.start),
            end_time_unix_nano: nanoseconds(span.end),
            attributes: attributes(&span.attributes).collect(),
            links: span.link.iter().map(Link::of).collect(),
            status: WireStatus { code },
        }
    }
}

impl Link {
    fn of(place: &Place) -> Self {
        let (trace_id, span_id) = (place.trace.as_str().to_owned(), place.span.as_str().to_owned());
        Self { trace_id, span_id }
    }
}

fn attributes(all: &[(&'static str, Value)]) -> impl Iterator<Item = Attribute> {
    all.iter().map(|(key, value)| Attribute { key, value: AnyValue::of(value) })
}

impl AnyValue {
    fn of(value: &Value) -> Self {
        match value {
            Value::Text(text) => Self::Text(text.clone()),
            Value::Number(number) => {
                // There are no larger ones on the wire.
                Self::Number(i64::try_from(*number).unwrap_or(i64::MAX).to_string())
            }
            Value::Signed(number) => Self::Number(number.to_string()),
            Value::Fraction(number) => Self::Fraction(*number),
            Value::Flag(flag) => Self::Flag(*flag),
            Value::List(list) => {
                let values = list.iter().map(|text| Self::Text(text.clone())).collect();
                Self::List { values }
            }
        }
    }
}

/// A time as the wire has it. There is none before 1970.
fn nanoseconds(time: Timestamp) -> String {
    let millis = u64::try_from(time.as_millis()).unwrap_or_default();
    millis.saturating_mul(1_000_000).to_string()
}

#[cfg(test)]
mod tests;
