//! The state of a session whose records are gone, as a mirror held it.

use super::SessionState;
use crate::event::SessionRestored;
use crate::loss::Loss;

impl SessionState {
    /// It is what the mirror held. Nothing happened to it by that, but that its records are lost.
    pub(super) fn restore(&mut self, seq: u64, restored: &SessionRestored) {
        // What was written here was read as a state before.
        *self = serde_json::from_value(restored.state.clone()).unwrap_or_default();
        self.version = seq;
        self.loss = Some(restored.loss());
    }
}

impl SessionRestored {
    /// Which records are gone.
    pub fn loss(&self) -> Loss {
        Loss { from: 1, to: self.up_to, in_doubt: false }
    }
}
