//! Sending what waits, and how that stands.

use std::collections::BTreeMap;

use serde::Serialize;
use waypost_core::id::StreamId;
use waypost_core::key::sha256_hex;
use waypost_core::next_step::{Mend, amid, to};
use waypost_core::telemetry::Telling;
use waypost_core::time::Timestamp;

use super::destination::ToCollector;
use super::{Collector, Endpoint, Sort};
use crate::config::Telemetry;
use crate::error::AppError;
use crate::machine::project;
use crate::outbox::{NotTaken, Outbox, Range, Sent, Taken, Waits};
use crate::view::View;
use crate::view::policy;

/// Whether anything is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing is to be sent.
    Off,
    /// It would be, if a human trusted the file that says so.
    Untrusted,
    /// It is.
    On,
}

/// How sending stands.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// Whether anything is sent.
    pub state: State,
    /// The address of the collector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub otlp: Option<String>,
    /// Whether what was written freely is sent, too.
    pub content: bool,
    /// What goes there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// How sending one sort of signals stands.
#[derive(Debug, Clone, Serialize)]
pub struct Part {
    /// `logs` or `spans`.
    pub signals: &'static str,
    /// From when on records are sent.
    pub since: Timestamp,
    /// How many records wait to be looked at for it.
    pub waiting: u64,
    /// Of which sessions.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sessions: BTreeMap<String, u64>,
    /// How often in a row the collector took nothing.
    pub failures: u32,
    /// What went wrong last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When it is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_try: Option<Timestamp>,
    /// When the collector last took something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_at: Option<Timestamp>,
    /// How many signals it refused for good.
    pub refused: u64,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

/// What sending came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Flushed {
    /// How many signals the collector took.
    pub sent: u64,
    /// How many it refused for good.
    pub refused: u64,
    /// How many records wait.
    pub waiting: u64,
    /// Why they do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// What somebody should be told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Who takes nothing anywhere: for those who only look.
struct Nobody;

impl Collector for Nobody {
    fn take(&self, _: &Endpoint, _: &[waypost_core::telemetry::Signal]) -> Result<Taken, NotTaken> {
        Err(NotTaken::Later { why: "nobody sends".to_owned(), after: None })
    }
}

/// What the project's file says, and since when a human trusts it.
fn trusted<'v>(view: &'v View<'_>) -> (Option<&'v Telemetry>, Option<Timestamp>) {
    let config = view.configuration();
    let trusted = policy::is_trusted(view, config);
    let at = view.project_state().ok().and_then(|state| state.trusted_at);
    (config.telemetry.as_ref(), at.filter(|_| trusted))
}

/// Where records go, and from when on.
fn destinations<'c>(
    view: &View<'_>,
    collector: &'c dyn Collector,
    telemetry: &Telemetry,
) -> Vec<ToCollector<'c>> {
    let project = project_id(view);
    let telling = Telling { content: telemetry.content };
    let each = Sort::ALL.into_iter().map(|sort| {
        let (otlp, headers) = (telemetry.otlp.clone(), telemetry.headers.clone());
        ToCollector::new(
            collector,
            Endpoint { otlp, sort, headers, project: project.clone() },
            telling,
        )
    });
    each.collect()
}

/// What the index knows a project by: its first record, wherever it lies.
fn project_id(view: &View<'_>) -> Option<String> {
    let first = project::first_record(&view.project.store)?;
    Some(sha256_hex(&[first.as_bytes()])[..12].to_owned())
}

/// Notes that records are sent from now on, where a human just trusted a file that says where to.
pub fn begin(view: &View<'_>) -> Result<(), AppError> {
    let (Some(telemetry), Some(since)) = trusted(view) else { return Ok(()) };
    for destination in destinations(view, &Nobody, telemetry) {
        Outbox::new(view, &destination, Range::From(since), Waits::USUAL).begin()?;
    }
    Ok(())
}

/// Sends what waits, for somebody who asked for it: whatever waits are not over. With `all` also what happened before
/// the collector was named.
pub fn flush(
    view: &View<'_>,
    collector: &dyn Collector,
    waits: Waits,
    all: bool,
) -> Result<Flushed, AppError> {
    if let Some(error) = &view.sources().error {
        return Err(error.clone());
    }
    let (telemetry, since) = trusted(view);
    let telemetry = telemetry.ok_or_else(|| {
        AppError::configuration("waypost.toml names no collector")
            .hint("say where to send it: [telemetry] otlp = \"http://127.0.0.1:4318\"")
    })?;
    let since = since.ok_or_else(|| {
        AppError::refused(format!(
            "nothing is sent to {}: no human on this machine trusts the waypost.toml that names it",
            telemetry.otlp
        ))
        .hint(amid("a human reads it, and then ", Mend::TrustConfig, ""))
    })?;
    let mut flushed = Flushed::default();
    for destination in destinations(view, collector, telemetry) {
        let new = Outbox::new(view, &destination, Range::From(since), waits);
        flushed.add(new.send()?);
        flushed.waiting += sum(&new)?;
        if all {
            let began = new.health().since;
            let before = Outbox::new(view, &destination, Range::Before(began), waits);
            flushed.add(before.send()?);
            flushed.waiting += sum(&before)?;
        }
    }
    Ok(flushed)
}

/// Sends what waits of some streams, where no wait is on. Whether nothing of them is left.
pub(super) fn send_due(
    view: &View<'_>,
    collector: &dyn Collector,
    waits: Waits,
    of: &dyn Fn(&StreamId) -> bool,
) -> Result<bool, AppError> {
    let (Some(telemetry), Some(since)) = trusted(view) else { return Ok(true) };
    let mut done = true;
    for destination in destinations(view, collector, telemetry) {
        let outbox = Outbox::new(view, &destination, Range::From(since), waits);
        done &= outbox.is_due(view.host.now()) && outbox.send_of(of)?.error.is_none();
    }
    Ok(done)
}

/// How sending stands.
pub fn status(view: &View<'_>) -> Result<Status, AppError> {
    if let Some(error) = &view.sources().error {
        return Err(error.clone());
    }
    let (telemetry, since) = trusted(view);
    let Some(telemetry) = telemetry else {
        return Ok(Status { state: State::Off, otlp: None, content: false, parts: Vec::new() });
    };
    let (otlp, content) = (Some(telemetry.otlp.clone()), telemetry.content);
    let Some(since) = since else {
        return Ok(Status { state: State::Untrusted, otlp, content, parts: Vec::new() });
    };
    let mut parts = Vec::new();
    for (destination, sort) in destinations(view, &Nobody, telemetry).iter().zip(Sort::ALL) {
        let outbox = Outbox::new(view, destination, Range::From(since), Waits::USUAL);
        let health = outbox.health();
        let named = |(stream, count): (StreamId, u64)| match stream {
            StreamId::Session(id) => (id.to_string(), count),
            StreamId::Project => ("project".to_owned(), count),
        };
        let sessions: BTreeMap<String, u64> = outbox.waiting()?.into_iter().map(named).collect();
        parts.push(Part {
            signals: sort.name(),
            since: health.since,
            waiting: sessions.values().sum(),
            sessions,
            failures: health.failures,
            error: health.error,
            next_try: health.next_try,
            taken_at: health.taken_at,
            refused: health.refused,
            refusal: health.refusal,
        });
    }
    Ok(Status { state: State::On, otlp, content, parts })
}

impl Status {
    /// What has to be done before anything is sent, if anything has.
    pub fn next(&self) -> Option<waypost_core::next_step::NextStep> {
        match self.state {
            State::Untrusted => {
                Some(to("read waypost.toml, and say that it may be sent there", Mend::TrustConfig))
            }
            State::Off | State::On => None,
        }
    }
}

impl Flushed {
    fn add(&mut self, sent: Sent) {
        self.sent += sent.sent;
        self.refused += sent.refused;
        self.warnings.extend(sent.warnings);
        let new = sent.error.filter(|error| !self.errors.contains(error));
        self.errors.extend(new);
    }
}

fn sum(outbox: &Outbox<'_, ToCollector<'_>>) -> Result<u64, AppError> {
    Ok(outbox.waiting()?.iter().map(|(_, count)| count).sum())
}
