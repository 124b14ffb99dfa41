//! Telling a collector in the background of a server.

use std::sync::Arc;

use waypost_core::id::StreamId;

use super::Collector;
use super::sending::send_due;
use crate::error::AppError;
use crate::outbox::{Sends, Waits};
use crate::view::View;

/// What a server tells a collector of its project.
pub struct Telling(pub Arc<dyn Collector>);

impl Sends for Telling {
    fn name(&self) -> &'static str {
        "telemetry"
    }

    fn is_wanted(&self, view: &View<'_>) -> bool {
        view.configuration().telemetry.is_some()
    }

    fn send_due(
        &self,
        view: &View<'_>,
        waits: Waits,
        of: &dyn Fn(&StreamId) -> bool,
    ) -> Result<bool, AppError> {
        send_due(view, &*self.0, waits, of)
    }

    fn rest(&self) {}
}
