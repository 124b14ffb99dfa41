//! Whether the server behind a mirror answers, for gates that ask about it.

use std::fmt;
use std::sync::Arc;

use waypost_core::key::Keyring;

use super::MirrorKind;
use super::sending::{mirror, on, trusted_since};
use super::server::Servers;
use crate::machine::host::{Asked, Host};
use crate::machine::project::Project;
use crate::view::View;

/// Asks the servers behind mirrors.
pub struct Asking(pub Arc<dyn Servers>);

impl fmt::Debug for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asking")
    }
}

impl Asked for Asking {
    fn serena(&self, host: &Host, project: &Project, ring: &Keyring) -> Option<bool> {
        let view = View::with(host, project.clone(), ring.clone());
        trusted_since(&view)?;
        let config = on(view.configuration()).find(|one| one.kind == MirrorKind::Serena)?;
        // What it says when it does not is nobody's business here: whoever asks may be an agent.
        Some(mirror(&view, &self.0, config).health().is_ok())
    }
}
