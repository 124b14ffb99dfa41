//! One call of a tool: the project as it is now, who is meant, and a way to tell how far it is.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::runtime::Handle;
use waypost_app::view::View;

/// One call of a tool.
pub(crate) struct Call<'a> {
    /// The project, opened for this call.
    pub(crate) view: View<'a>,
    /// The session that the caller named.
    pub(crate) session: Option<String>,
    /// Where the caller is told how far it is.
    pub(crate) progress: &'a Progress,
}

impl Call<'_> {
    /// The session that the caller named, as use cases take it.
    pub(crate) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }
}

/// Tells a caller who asked for it how far a call is.
pub(crate) struct Progress {
    asked: Option<(Peer<RoleServer>, ProgressToken)>,
    runtime: Handle,
}

impl Progress {
    /// Progress for the caller of a request, if it gave a token.
    pub(crate) fn new(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> Self {
        Self { asked: token.map(|token| (peer, token)), runtime: Handle::current() }
    }

    /// Tells that `done` of `total` steps are done, and what comes now. Called from a thread that may
    /// block; a caller who is gone changes nothing.
    pub(crate) fn tell(&self, done: u32, total: u32, now: &str) {
        let Some((peer, token)) = &self.asked else {
            return;
        };
        let told = ProgressNotificationParam::new(token.clone(), f64::from(done))
            .with_total(f64::from(total))
            .with_message(now);
        drop(self.runtime.block_on(peer.notify_progress(told)));
    }
}
