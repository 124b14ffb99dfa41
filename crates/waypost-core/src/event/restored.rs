//! Looks for the events that say which records are gone, and which of them a human gave up.

use super::{Event, Known, SessionRestored};

impl Event {
    /// What a stream begins with whose earlier records are gone.
    pub fn restored(&self) -> Option<&SessionRestored> {
        match self {
            Self::Known(Known::SessionRestored(restored)) => Some(restored),
            Self::Known(_) | Self::Other(_) => None,
        }
    }

    /// Whether a human accepted what is lost.
    pub fn accepts_loss(&self) -> bool {
        matches!(self, Self::Known(Known::LossAccepted { .. }))
    }
}
