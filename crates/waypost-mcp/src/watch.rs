//! Who wants to know that something changed, and finding out that it did.
//!
//! Hooks, commands and other servers write too, so the streams' lengths are looked at, a few times a
//! second, only while somebody has subscribed.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RoleServer, SubscriptionContext};
use waypost_app::host::Host;
use waypost_app::pulse::Pulse;
use waypost_app::view::View;

use crate::resources::Uri;

/// How often the streams are looked at.
const EVERY: Duration = Duration::from_millis(250);

/// The streams as they were when somebody was last told.
struct Watch {
    host: Arc<Host>,
    last: Pulse,
}

impl Watch {
    async fn begin(host: Arc<Host>) -> Self {
        let last = pulse(Arc::clone(&host)).await.unwrap_or_default();
        Self { host, last }
    }

    /// Waits a little; gives those of `uris` that changed meanwhile.
    async fn changed(&mut self, uris: &BTreeSet<String>) -> Vec<String> {
        tokio::time::sleep(EVERY).await;
        // A project that cannot be read now has not changed; it will be looked at again.
        let Some(now) = pulse(Arc::clone(&self.host)).await else {
            return Vec::new();
        };
        let before = std::mem::replace(&mut self.last, now);
        if self.last == before {
            return Vec::new();
        }
        let differs = |uri: &&String| {
            let parsed = Uri::parse(uri);
            parsed.is_some_and(|uri| self.last.differs(&before, uri.watched()))
        };
        uris.iter().filter(differs).cloned().collect()
    }
}

async fn pulse(host: Arc<Host>) -> Option<Pulse> {
    let look = move || Pulse::take(&View::open(&host).ok()?).ok();
    tokio::task::spawn_blocking(look).await.ok().flatten()
}

/// What one client of the older revision subscribed to.
#[derive(Debug, Default)]
pub(crate) struct Subscribed {
    uris: Mutex<BTreeSet<String>>,
}

impl Subscribed {
    /// Adds a resource; the first one begins the watch.
    pub(crate) async fn add(
        self: &Arc<Self>,
        host: Arc<Host>,
        peer: Peer<RoleServer>,
        uri: String,
    ) {
        let is_first = {
            let mut uris = self.lock();
            let is_first = uris.is_empty();
            uris.insert(uri);
            is_first
        };
        if is_first {
            // Before the answer: what happens after it is told.
            let watch = Watch::begin(host).await;
            tokio::spawn(Arc::clone(self).tell(watch, peer));
        }
    }

    /// Takes a resource out; with the last one the watch ends.
    pub(crate) fn remove(&self, uri: &str) {
        self.lock().remove(uri);
    }

    async fn tell(self: Arc<Self>, mut watch: Watch, peer: Peer<RoleServer>) {
        loop {
            let uris = self.lock().clone();
            if uris.is_empty() || peer.is_transport_closed() {
                return;
            }
            for uri in watch.changed(&uris).await {
                let update = ResourceUpdatedNotificationParam::new(uri);
                if peer.notify_resource_updated(update).await.is_err() {
                    self.lock().clear();
                    return;
                }
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.uris.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells a client of the newer revision about changes until it has heard enough.
pub(crate) async fn listen(host: Arc<Host>, context: SubscriptionContext) {
    let wanted = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let uris: BTreeSet<String> = wanted.into_iter().collect();
    if uris.is_empty() {
        context.cancelled().await;
        return;
    }
    let mut watch = Watch::begin(host).await;
    loop {
        let changed = tokio::select! {
            () = context.cancelled() => return,
            changed = watch.changed(&uris) => changed,
        };
        for uri in changed {
            if context.sink().notify_resource_updated(uri).await.is_err() {
                return;
            }
        }
    }
}
