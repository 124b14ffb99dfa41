//! Which mirrors there are, bringing them up to date, and how that stands.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::next_step::{Mend, NextStep, amid, to};
use waypost_core::time::Timestamp;

use super::destination::ToMirror;
use super::notes::Notes;
use super::serena::Serena;
use super::server::{Fault, Server, Servers};
use super::{Mirror, MirrorKind, PushError, gathering};
use crate::config::{Config, MirrorConfig};
use crate::error::AppError;
use crate::outbox::{Outbox, Range, Waits};
use crate::view::View;
use crate::view::policy;

/// Whether anything is mirrored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It would be, if a human trusted the file that says so.
    Untrusted,
    /// It is.
    On,
}

/// How mirroring stands.
#[derive(Debug, Clone, Serialize)]
pub struct Status {
    /// The mirrors that the project's file names.
    pub mirrors: Vec<Part>,
}

/// How one mirror is doing.
#[derive(Debug, Clone, Serialize)]
pub struct Part {
    /// Which one.
    pub mirror: MirrorKind,
    /// Whether anything is sent there.
    pub state: State,
    /// How it is reached.
    pub address: String,
    /// From when on what happens is mirrored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// How many records it does not show yet.
    pub waiting: u64,
    /// Of which sessions.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sessions: BTreeMap<String, u64>,
    /// How often in a row it took nothing.
    pub failures: u32,
    /// What went wrong last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When it is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_try: Option<Timestamp>,
    /// When it last took something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_at: Option<Timestamp>,
    /// How often something was left as it is there, because somebody else wrote it, or was refused.
    pub conflicts: u64,
    /// What it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<String>,
}

/// What bringing mirrors up to date came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Synced {
    /// How many records they now show that they did not show before.
    pub sent: u64,
    /// How many records they still do not show.
    pub waiting: u64,
    /// Why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// What was left as it is there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// What somebody should be told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Who answers nothing: for those who only look.
struct Nobody;

impl Servers for Nobody {
    fn call(
        &self,
        _: &Server,
        _: &str,
        _: serde_json::Map<String, serde_json::Value>,
        _: Duration,
    ) -> Result<serde_json::Value, Fault> {
        Err(Fault::Down("nobody asks".to_owned()))
    }

    fn parameters(&self, _: &Server, _: &str, _: Duration) -> Result<Option<Vec<String>>, Fault> {
        Err(Fault::Down("nobody asks".to_owned()))
    }

    fn rest(&self, _: Duration) {}
}

/// A mirror, what the project's file says of it, and the server behind it.
pub(super) type Reachable = (MirrorConfig, Server, Box<dyn Mirror>);

/// The mirrors that a configuration turns on.
pub(super) fn on(config: &Config) -> impl Iterator<Item = &MirrorConfig> {
    config.mirrors.iter().filter(|mirror| mirror.on)
}

/// Since when a human trusts the project's file; none if nobody does.
pub(super) fn trusted_since(view: &View<'_>) -> Option<Timestamp> {
    let trusted = policy::is_trusted(view, view.configuration());
    view.project_state().ok().and_then(|state| state.trusted_at).filter(|_| trusted)
}

/// What speaks to a mirror.
pub(super) fn mirror(
    view: &View<'_>,
    servers: &Arc<dyn Servers>,
    config: &MirrorConfig,
) -> Box<dyn Mirror> {
    let (server, servers) = (Server::of(view, config), Arc::clone(servers));
    match config.kind {
        MirrorKind::Serena => Box::new(Serena::new(servers, server)),
        MirrorKind::Notes => Box::new(Notes::new(servers, server, config.project.clone())),
    }
}

/// Shows what is not shown yet, for somebody who asked for it: whatever waits are not over. With `all` also what happened
/// before there were mirrors, and again what was shown.
pub fn sync(
    view: &View<'_>,
    servers: &Arc<dyn Servers>,
    waits: Waits,
    all: bool,
) -> Result<Synced, AppError> {
    if let Some(error) = &view.sources().error {
        return Err(error.clone());
    }
    let configs: Vec<&MirrorConfig> = on(view.configuration()).collect();
    if configs.is_empty() {
        return Err(AppError::configuration("waypost.toml names no mirror")
            .hint("say which: [project] mirrors = [\"serena\", \"notes\"]"));
    }
    let since = trusted_since(view).ok_or_else(|| untrusted("nothing is mirrored"))?;
    let mut synced = Synced::default();
    for config in configs {
        let mirror = mirror(view, servers, config);
        let to = ToMirror::new(view, &*mirror, Server::of(view, config).address());
        let outbox = Outbox::new(view, &to, Range::From(since), waits);
        if all {
            synced.again(view, &*mirror);
        }
        let before = outbox.health().refused;
        let sent = outbox.send()?;
        synced.sent += sent.sent;
        synced.errors.extend(sent.error.filter(|error| !synced.errors.contains(error)));
        synced.warnings.extend(sent.warnings);
        synced.waiting += outbox.waiting()?.iter().map(|(_, count)| count).sum::<u64>();
        let after = outbox.health();
        let new = after.refusal.filter(|_| after.refused > before);
        synced.conflicts.extend(new.filter(|told| !synced.conflicts.contains(told)));
    }
    Ok(synced)
}

impl Synced {
    /// Shows every session as it is now.
    fn again(&mut self, view: &View<'_>, mirror: &dyn Mirror) {
        let shown = match gathering::shown(view) {
            Ok(shown) => shown,
            Err(error) => return self.errors.push(error.message),
        };
        let ids: Vec<SessionId> = shown.into_iter().map(|entry| entry.id).collect();
        match mirror.push(view, &ids) {
            Ok(pushed) => self.conflicts.extend(pushed.conflicts),
            Err(PushError::Server(fault)) => self.errors.push(fault.told().to_owned()),
            Err(PushError::Here(error)) => self.errors.push(error.message),
        }
    }
}

/// Why nothing is done that a file of the project asks for.
pub(super) fn untrusted(what: &str) -> AppError {
    AppError::refused(format!(
        "{what}: no human on this machine trusts the waypost.toml that names the mirrors"
    ))
    .hint(amid("a human reads it, and then ", Mend::TrustConfig, ""))
}

/// Shows what happened to some sessions, in mirrors for which no wait is on. Whether nothing of them is left.
pub(super) fn send_due(
    view: &View<'_>,
    mirrors: &[Reachable],
    waits: Waits,
    of: &dyn Fn(&StreamId) -> bool,
) -> Result<bool, AppError> {
    let Some(since) = trusted_since(view) else { return Ok(true) };
    let mut done = true;
    for (_, server, mirror) in mirrors {
        let to = ToMirror::new(view, &**mirror, server.address());
        let outbox = Outbox::new(view, &to, Range::From(since), waits);
        done &= outbox.is_due(view.host.now()) && outbox.send_of(of)?.error.is_none();
    }
    Ok(done)
}

/// How mirroring stands.
pub fn status(view: &View<'_>) -> Result<Status, AppError> {
    if let Some(error) = &view.sources().error {
        return Err(error.clone());
    }
    let since = trusted_since(view);
    let nobody: Arc<dyn Servers> = Arc::new(Nobody);
    let mut mirrors = Vec::new();
    for config in on(view.configuration()) {
        let address = Server::of(view, config).address();
        let part = Part {
            mirror: config.kind,
            state: if since.is_some() { State::On } else { State::Untrusted },
            address: address.clone(),
            since: None,
            waiting: 0,
            sessions: BTreeMap::new(),
            failures: 0,
            error: None,
            next_try: None,
            taken_at: None,
            conflicts: 0,
            conflict: None,
        };
        let Some(since) = since else {
            mirrors.push(part);
            continue;
        };
        let mirror = mirror(view, &nobody, config);
        let to = ToMirror::new(view, &*mirror, address);
        let outbox = Outbox::new(view, &to, Range::From(since), Waits::USUAL);
        let health = outbox.health();
        let named = |(stream, count): (StreamId, u64)| match stream {
            StreamId::Session(id) => (id.to_string(), count),
            StreamId::Project => ("project".to_owned(), count),
        };
        let sessions: BTreeMap<String, u64> = outbox.waiting()?.into_iter().map(named).collect();
        mirrors.push(Part {
            since: Some(health.since),
            waiting: sessions.values().sum(),
            sessions,
            failures: health.failures,
            error: health.error,
            next_try: health.next_try,
            taken_at: health.taken_at,
            conflicts: health.refused,
            conflict: health.refusal,
            ..part
        });
    }
    Ok(Status { mirrors })
}

impl Status {
    /// What has to be done before anything is mirrored, if anything has.
    pub fn next(&self) -> Option<NextStep> {
        let held = self.mirrors.iter().any(|part| part.state == State::Untrusted);
        held.then(|| to("read waypost.toml, and say that it may be sent there", Mend::TrustConfig))
    }
}
