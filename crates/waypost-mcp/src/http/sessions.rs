//! Sessions of clients of the older revision: how many there may be, and for how long unused.
//!
//! Clients that crash never end theirs. The protocol's library would end one that is quiet, also where its
//! client waits for news on an open stream; so who uses which is counted here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::HeaderMap;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::time::Instant;

/// The header that names a session.
const SESSION: &str = "mcp-session-id";
/// How many there may be at once: one for each agent of a machine, with room for those that crashed.
/// Each takes some ten kilobytes. A few more can begin at the very same moment.
const MAX_SESSIONS: usize = 512;
/// For how long one may be unused: longer than a user thinks or eats, so that the agent need not begin
/// anew.
pub(super) const IDLE: Duration = Duration::from_secs(60 * 60);

/// The sessions, and who uses them.
#[derive(Debug)]
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    uses: Mutex<Uses>,
    idle: Duration,
}

#[derive(Debug, Default)]
struct Uses {
    of: HashMap<Arc<str>, Use>,
    /// Whether somebody looks after those that are not used any more.
    is_looked_after: bool,
}

#[derive(Debug)]
struct Use {
    by: usize,
    since: Instant,
}

/// Somebody uses a session, until this is dropped.
#[derive(Debug)]
pub(super) struct InUse {
    sessions: Arc<Sessions>,
    id: Arc<str>,
}

impl Sessions {
    pub(super) fn new(idle: Duration) -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = None;
        Self { manager: Arc::new(manager), uses: Mutex::default(), idle }
    }

    /// What keeps them for the protocol's library.
    pub(super) fn manager(&self) -> Arc<LocalSessionManager> {
        Arc::clone(&self.manager)
    }

    pub(super) async fn are_full(&self) -> bool {
        self.manager.sessions.read().await.len() >= MAX_SESSIONS
    }

    /// The session that a request names is in use.
    pub(super) fn used(self: &Arc<Self>, headers: &HeaderMap) -> Option<InUse> {
        let id = named(headers)?;
        let mut uses = self.lock();
        let (id, _) = uses.of.get_key_value(id)?;
        let id = Arc::clone(id);
        if let Some(found) = uses.of.get_mut(&id) {
            found.by += 1;
        }
        drop(uses);
        Some(InUse { sessions: Arc::clone(self), id })
    }

    /// A session has begun.
    pub(super) async fn began(self: &Arc<Self>, id: &str) {
        if self.lock().of.len() >= MAX_SESSIONS {
            self.forget_ended().await;
        }
        let mut uses = self.lock();
        uses.of.insert(id.into(), Use { by: 0, since: Instant::now() });
        if !std::mem::replace(&mut uses.is_looked_after, true) {
            tokio::spawn(Arc::clone(self).look_after());
        }
    }

    /// Ends those that are not used any more, as long as there are any.
    async fn look_after(self: Arc<Self>) {
        loop {
            tokio::time::sleep(self.idle / 4).await;
            for id in self.unused() {
                // One that cannot be ended has ended.
                let _ = self.manager.close_session(&id).await;
            }
            self.forget_ended().await;
            let mut uses = self.lock();
            if uses.of.is_empty() {
                uses.is_looked_after = false;
                return;
            }
        }
    }

    fn unused(&self) -> Vec<Arc<str>> {
        let is_unused = |found: &Use| found.by == 0 && found.since.elapsed() >= self.idle;
        let uses = self.lock();
        let unused = uses.of.iter().filter(|(_, found)| is_unused(found));
        unused.map(|(id, _)| Arc::clone(id)).collect()
    }

    async fn forget_ended(&self) {
        let sessions = self.manager.sessions.read().await;
        self.lock().of.retain(|id, _| sessions.contains_key(id));
    }

    fn lock(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        if let Some(found) = self.sessions.lock().of.get_mut(&self.id) {
            found.by -= 1;
            found.since = Instant::now();
        }
    }
}

/// The session that headers name.
pub(super) fn named(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_that_ended_are_forgotten() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let sessions = Arc::new(Sessions::new(IDLE));
            for number in 0..10 * MAX_SESSIONS {
                sessions.began(&number.to_string()).await;
            }
            assert!(sessions.lock().of.len() <= MAX_SESSIONS);
        });
    }
}
