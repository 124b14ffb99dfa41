//! Getting it there: one request for each batch, on a connection of its own, and waiting for the answer with a limit. No
//! redirect is followed, and no value of a header is ever in a message.

use std::time::Duration;

use serde::Deserialize;
use ureq::http::{HeaderMap, HeaderValue, StatusCode};
use ureq::{Agent, Error};
use waypost_app::machine::deadline::in_force;
use waypost_app::outbox::{NotTaken, Taken};
use waypost_app::telemetry::{Collector, Endpoint, Sort};
use waypost_core::redact::redact;
use waypost_core::telemetry::Signal;
use waypost_core::text::{one_line, shortened};

use crate::wire::{Logs, Spans};

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long all of a request may take.
const WHOLE: Duration = Duration::from_secs(15);
/// How much of an answer is read.
const MAX_ANSWER: u64 = 64 * 1024;
/// How much of what an answer says is told.
const MAX_TOLD: usize = 200;

/// A collector that is reached over HTTP.
pub struct Http {
    agent: Agent,
    variable: fn(&str) -> Option<String>,
}

impl Http {
    /// One that finds the values of headers with `variable`.
    pub fn new(variable: fn(&str) -> Option<String>) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A connection that the other end has closed meanwhile would fail, and leave open what was taken.
            .max_idle_connections(0)
            // What is named in the project's file is where it goes.
            .proxy(None)
            .timeout_connect(Some(in_force(CONNECT)))
            .timeout_global(Some(in_force(WHOLE)))
            .user_agent(concat!("waypost/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: config.into(), variable }
    }

    fn headers(&self, to: &Endpoint) -> Result<HeaderMap, String> {
        let mut headers = HeaderMap::new();
        for header in &to.headers {
            let variable = &header.variable;
            let value = (self.variable)(variable)
                .ok_or_else(|| format!("the variable {variable} is not set"))?;
            let mut value = HeaderValue::from_str(value.trim())
                .map_err(|_| format!("what {variable} holds cannot be sent as a header"))?;
            value.set_sensitive(true);
            let name = header.name.parse::<ureq::http::HeaderName>();
            let name = name.map_err(|_| format!("{} cannot be sent as a header", header.name))?;
            headers.insert(name, value);
        }
        Ok(headers)
    }
}

impl Collector for Http {
    fn take(&self, to: &Endpoint, signals: &[Signal]) -> Result<Taken, NotTaken> {
        let later = |why: String| NotTaken::Later { why, after: None };
        let project = to.project.as_deref();
        let (path, body) = match to.sort {
            Sort::Logs => ("/v1/logs", serde_json::to_vec(&Logs::of(project, signals))),
            Sort::Spans => ("/v1/traces", serde_json::to_vec(&Spans::of(project, signals))),
        };
        let address = format!("{}{path}", to.otlp);
        let body = body.map_err(|error| NotTaken::Unfit { why: error.to_string() })?;
        let mut request = self.agent.post(&address).content_type("application/json");
        for (name, value) in &self.headers(to).map_err(later)? {
            request = request.header(name, value);
        }
        let mut answer = request.send(&body[..]).map_err(|error| unreached(&address, &error))?;
        let after = retry_after(answer.headers());
        let status = answer.status();
        let text = answer.body_mut().with_config().limit(MAX_ANSWER).lossy_utf8(true);
        // It was taken or not by then, whatever comes of the rest of the answer.
        let text = text.read_to_string().unwrap_or_default();
        if status.is_success() {
            Ok(taken(&text))
        } else {
            Err(refused(&address, status, &text, after))
        }
    }
}

fn unreached(address: &str, error: &Error) -> NotTaken {
    let why = match error {
        Error::Io(error) => error.to_string(),
        Error::Timeout(_) => "no answer in time".to_owned(),
        Error::HostNotFound => "its name is not known".to_owned(),
        other => other.to_string(),
    };
    NotTaken::Later { why: format!("{address} cannot be reached: {}", one_line(&why)), after: None }
}

/// What an answer means that takes nothing. Whatever people can put right, at the collector or here, is tried again;
/// what is wrong with the signals themselves is not.
fn refused(address: &str, status: StatusCode, text: &str, after: Option<Duration>) -> NotTaken {
    let said = shortened(&one_line(&redact(text)), MAX_TOLD);
    let said = if said.is_empty() { said } else { format!(" ({said})") };
    let unfit =
        [StatusCode::BAD_REQUEST, StatusCode::PAYLOAD_TOO_LARGE, StatusCode::UNPROCESSABLE_ENTITY];
    if status.is_redirection() {
        let why = format!("{address} answers {status}: name the address that it leads to");
        return NotTaken::Later { why, after };
    }
    let why = format!("{address} answers {status}{said}");
    if unfit.contains(&status) { NotTaken::Unfit { why } } else { NotTaken::Later { why, after } }
}

/// What a collector says that did not want all of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    partial_success: Option<Partial>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Partial {
    rejected_log_records: Count,
    rejected_spans: Count,
    error_message: String,
}

/// A whole number of 64 bits: text by protobuf's rules, which not everybody keeps.
#[derive(Deserialize)]
#[serde(untagged)]
enum Count {
    Number(u64),
    Text(String),
}

impl Default for Count {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl Count {
    fn value(&self) -> u64 {
        match self {
            Self::Number(number) => *number,
            Self::Text(text) => text.parse().unwrap_or_default(),
        }
    }
}

fn taken(text: &str) -> Taken {
    let partial =
        serde_json::from_str::<Answer>(text).ok().and_then(|answer| answer.partial_success);
    let Some(partial) = partial else { return Taken::default() };
    let refused =
        partial.rejected_log_records.value().saturating_add(partial.rejected_spans.value());
    let told = shortened(&one_line(&redact(&partial.error_message)), MAX_TOLD);
    Taken { refused, told: Some(told).filter(|told| !told.is_empty()) }
}

/// How long a collector asks to be left alone: seconds, or until a time by its own clock, which its answer tells.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let told = text("retry-after")?;
    if let Ok(seconds) = told.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = |text: &str| jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok();
    let wait = date(told)?.as_second().saturating_sub(date(text("date")?)?.as_second());
    u64::try_from(wait).ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let header = |(name, value): &(&'static str, &str)| {
            (ureq::http::HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        retry_after(&headers.iter().map(header).collect())
    }

    #[test]
    fn a_collector_says_in_seconds_or_by_its_clock_when_to_come_back() {
        assert_eq!(after(&[("retry-after", "7")]), Some(Duration::from_secs(7)));
        let then = ("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT");
        let now = ("date", "Wed, 21 Oct 2015 07:28:00 GMT");
        assert_eq!(after(&[then, now]), Some(Duration::from_secs(30)));
        for nothing in [&[] as &[_], &[("retry-after", "soon")], &[then], &[("retry-after", "-1")]]
        {
            assert_eq!(after(nothing), None);
        }
    }

    #[test]
    fn what_is_wrong_with_signals_is_told_from_what_may_pass() {
        let of = |status: u16| {
            refused("http://c/v1/logs", StatusCode::from_u16(status).unwrap(), "no\nway", None)
        };
        for unfit in [400, 413, 422] {
            assert!(matches!(of(unfit), NotTaken::Unfit { .. }), "{unfit}");
        }
        for later in [301, 308, 401, 403, 404, 429, 500, 502, 503, 504] {
            assert!(matches!(of(later), NotTaken::Later { .. }), "{later}");
        }
        let NotTaken::Later { why, .. } = of(503) else { panic!() };
        assert_eq!(why, "http://c/v1/logs answers 503 Service Unavailable (no way)");
    }

    #[test]
    fn a_collector_may_not_want_some() {
        let some =
            taken(r#"{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"too old"}}"#);
        assert_eq!(some, Taken { refused: 2, told: Some("too old".to_owned()) });
        assert_eq!(taken(r#"{"partialSuccess":{"rejectedSpans":3}}"#).refused, 3);
        for all in ["", "{}", "[", r#"{"partialSuccess":null}"#, r#"{"partialSuccess":{}}"#] {
            assert_eq!(taken(all), Taken::default(), "{all}");
        }
    }
}
