//! One call of a tool: the project as it is now, who is meant, and a way to tell how far it is.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::runtime::Handle;
use waypost_app::orchestration::verdicts::Witnessed;
use waypost_app::view::View;

/// One call of a tool.
pub(crate) struct Call<'a> {
    /// The project, opened for this call.
    pub(crate) view: View<'a>,
    /// The session that the caller named.
    pub(crate) session: Option<String>,
    /// The call as the client's hooks know it too, where it gave it a name.
    pub(crate) witnessed: Option<Witnessed>,
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
    /// The client's own name for the call.
    name: Option<String>,
    runtime: Handle,
}

impl Progress {
    /// Progress for the caller of a request, if it gave a token.
    pub(crate) fn new(
        peer: Peer<RoleServer>,
        token: Option<ProgressToken>,
        name: Option<String>,
    ) -> Self {
        Self { asked: token.map(|token| (peer, token)), name, runtime: Handle::current() }
    }

    /// The client's own name for the call, where it gave one.
    pub(crate) fn call_name(&self) -> Option<&str> {
        self.name.as_deref()
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
