//! Mirroring in the background of a server.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use waypost_core::id::StreamId;

use super::sending::{Reachable, mirror, on, send_due};
use super::server::{Server, Servers};
use crate::config::MirrorConfig;
use crate::error::AppError;
use crate::outbox::{Sends, Waits};
use crate::view::View;

/// A server that nothing was sent to for so long is let go: it takes memory that others may want.
const KEPT: Duration = Duration::from_secs(120);

/// What a server mirrors of its project.
pub struct Mirroring {
    servers: Arc<dyn Servers>,
    /// What speaks to each, and remembers what it was last shown.
    known: RefCell<Vec<Reachable>>,
}

impl Mirroring {
    /// One that reaches servers in that way.
    pub fn new(servers: Arc<dyn Servers>) -> Self {
        Self { servers, known: RefCell::default() }
    }
}

impl Sends for Mirroring {
    fn name(&self) -> &'static str {
        "mirrors"
    }

    fn is_wanted(&self, view: &View<'_>) -> bool {
        on(view.configuration()).next().is_some()
    }

    fn send_due(
        &self,
        view: &View<'_>,
        waits: Waits,
        of: &dyn Fn(&StreamId) -> bool,
    ) -> Result<bool, AppError> {
        let wanted: Vec<(MirrorConfig, Server)> = on(view.configuration())
            .map(|config| (config.clone(), Server::of(view, config)))
            .collect();
        let mut known = self.known.borrow_mut();
        if !known
            .iter()
            .map(|(config, server, _)| (config, server))
            .eq(wanted.iter().map(|(config, server)| (config, server)))
        {
            *known = wanted
                .into_iter()
                .map(|(config, server)| {
                    let mirror = mirror(view, &self.servers, &config);
                    (config, server, mirror)
                })
                .collect();
        }
        send_due(view, &known, waits, of)
    }

    fn rest(&self) {
        self.servers.rest(KEPT);
    }
}
