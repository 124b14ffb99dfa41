//! Who wants to know that something changed, and finding out that it did.
//!
//! What this process appends is announced to it. Hooks, commands and other servers write too, so where the
//! streams stand is looked at a few times a second, only while somebody has subscribed, and once for all
//! who have.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RoleServer, SubscriptionContext};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use waypost_app::machine::host::{Appended, Host, Subscriber};
use waypost_app::view::View;
use waypost_app::view::marks::Marks;

use crate::resources::Uri;

/// How often the streams are looked at.
const EVERY: Duration = Duration::from_millis(250);
/// How often it is looked whether a client that hears nothing is still there.
const CLIENT_EVERY: Duration = Duration::from_secs(2);
/// How many resources a client may subscribe to: those of some dozens of sessions.
pub(crate) const MAX_URIS: usize = 256;

/// Wakes those who look at the streams when this process itself has appended something.
#[derive(Debug, Default)]
pub(crate) struct Wake(Notify);

impl Subscriber for Wake {
    fn appended(&self, _: &Appended<'_>) -> Option<Vec<String>> {
        self.0.notify_one();
        None
    }
}

/// A look at the streams, for everybody whom a process serves.
#[derive(Debug)]
pub(crate) struct Watch {
    host: Arc<Host>,
    wake: Arc<Wake>,
    seen: watch::Sender<Arc<Marks>>,
    /// Held while somebody looks: what was seen later must not be replaced by what was seen before.
    /// Whether somebody looks again and again.
    goes_on: tokio::sync::Mutex<bool>,
}

impl Watch {
    /// A look at the streams of a host, and the host that this looks at, which wakes it.
    pub(crate) fn of(host: Host) -> (Arc<Self>, Arc<Host>) {
        let wake = Arc::<Wake>::default();
        let host = Arc::new(host.telling(Arc::clone(&wake) as Arc<dyn Subscriber>));
        let (seen, goes_on) = (watch::Sender::default(), tokio::sync::Mutex::new(false));
        (Arc::new(Self { host: Arc::clone(&host), wake, seen, goes_on }), host)
    }

    /// Tells of what changes from now on.
    async fn begin(self: &Arc<Self>) -> Changes {
        let mut goes_on = self.goes_on.lock().await;
        self.look().await;
        let now = self.seen.subscribe();
        if !std::mem::replace(&mut *goes_on, true) {
            tokio::spawn(Arc::clone(self).go_on());
        }
        let last = now.borrow().clone();
        Changes { _watch: Arc::clone(self), last, now }
    }

    /// Looks again and again, as long as somebody wants to know.
    async fn go_on(self: Arc<Self>) {
        loop {
            // What others append is found by looking again and again.
            let _ = timeout(EVERY, self.wake.0.notified()).await;
            let mut goes_on = self.goes_on.lock().await;
            if self.seen.receiver_count() == 0 {
                *goes_on = false;
                return;
            }
            self.look().await;
        }
    }

    async fn look(&self) {
        let host = Arc::clone(&self.host);
        let look = move || Marks::now(&View::open(&host).ok()?).ok();
        // A project that cannot be read now has not changed; it will be looked at again.
        if let Ok(Some(now)) = tokio::task::spawn_blocking(look).await {
            self.seen.send_if_modified(|last| {
                let differs = **last != now;
                if differs {
                    *last = Arc::new(now);
                }
                differs
            });
        }
    }
}

/// What changes, for one who wants to know.
struct Changes {
    /// As long as this is there, so is what looks.
    _watch: Arc<Watch>,
    last: Arc<Marks>,
    now: watch::Receiver<Arc<Marks>>,
}

impl Changes {
    /// Waits until something changes.
    async fn next(&mut self) -> Change {
        // It cannot fail: the other end is there as long as this one.
        let _ = self.now.changed().await;
        let now = self.now.borrow_and_update().clone();
        let before = std::mem::replace(&mut self.last, Arc::clone(&now));
        Change { before, now }
    }
}

/// How the streams were before something changed, and after it.
struct Change {
    before: Arc<Marks>,
    now: Arc<Marks>,
}

impl Change {
    /// Those of `uris` that may say something else now.
    fn of(&self, uris: BTreeSet<String>) -> impl Iterator<Item = String> {
        uris.into_iter().filter(|uri| {
            let parsed = Uri::parse(uri);
            parsed.is_some_and(|uri| self.now.differs(&self.before, uri.watched()))
        })
    }
}

/// What one client of the older revision subscribed to.
#[derive(Debug, Default)]
pub(crate) struct Subscribed {
    state: Mutex<Subscriptions>,
}

#[derive(Debug, Default)]
struct Subscriptions {
    uris: BTreeSet<String>,
    /// Whether somebody tells the client.
    is_told: bool,
}

impl Subscribed {
    /// Adds a resource; the first one begins the watch. Whether there was room for it.
    pub(crate) async fn add(
        self: &Arc<Self>,
        watch: &Arc<Watch>,
        peer: Peer<RoleServer>,
        uri: String,
    ) -> bool {
        let is_first = {
            let mut state = self.lock();
            if state.uris.len() >= MAX_URIS && !state.uris.contains(&uri) {
                return false;
            }
            state.uris.insert(uri);
            !std::mem::replace(&mut state.is_told, true)
        };
        if is_first {
            // Before the answer: what happens after it is told.
            let changes = watch.begin().await;
            tokio::spawn(Arc::clone(self).tell(changes, peer));
        }
        true
    }

    /// Takes a resource out; with the last one the watch ends.
    pub(crate) fn remove(&self, uri: &str) {
        self.lock().uris.remove(uri);
    }

    async fn tell(self: Arc<Self>, mut changes: Changes, peer: Peer<RoleServer>) {
        while self.goes_on(&peer) {
            let Ok(change) = timeout(CLIENT_EVERY, changes.next()).await else { continue };
            // Asked after the change: meanwhile the client may have asked for something else.
            let wanted = self.lock().uris.clone();
            for uri in change.of(wanted) {
                let update = ResourceUpdatedNotificationParam::new(uri);
                if peer.notify_resource_updated(update).await.is_err() {
                    break;
                }
            }
        }
    }

    /// Whether the client wants to know anything. If not, it is not told any more.
    fn goes_on(&self, peer: &Peer<RoleServer>) -> bool {
        let mut state = self.lock();
        state.is_told = !state.uris.is_empty() && !peer.is_transport_closed();
        state.is_told
    }

    fn lock(&self) -> MutexGuard<'_, Subscriptions> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells a client of the newer revision about changes until it has heard enough.
pub(crate) async fn listen(watch: &Arc<Watch>, context: SubscriptionContext) {
    let wanted = context.accepted().resource_subscriptions.clone().unwrap_or_default();
    let uris: BTreeSet<String> = wanted.into_iter().collect();
    if uris.is_empty() {
        context.cancelled().await;
        return;
    }
    let mut changes = watch.begin().await;
    loop {
        let change = tokio::select! {
            () = context.cancelled() => return,
            change = changes.next() => change,
        };
        for uri in change.of(uris.clone()) {
            if context.sink().notify_resource_updated(uri).await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use waypost_app::machine::host::Clock;

    use super::*;

    #[test]
    fn one_look_is_enough_for_all_and_none_for_nobody() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let nowhere = std::path::PathBuf::from("/nonexistent");
            let host = Host::from_env(nowhere, "waypost".into(), Clock::System, |_| None);
            let (watch, _) = Watch::of(host);
            for _ in 0..2 {
                let mut all = Vec::new();
                for _ in 0..100 {
                    all.push(watch.begin().await);
                }
                assert_eq!(runtime.metrics().num_alive_tasks(), 1);
                drop(all);
                while runtime.metrics().num_alive_tasks() > 0 {
                    tokio::time::sleep(EVERY).await;
                }
            }
        });
    }
}
