//! What was looked at a moment ago, so that it is not looked at again for everybody who asks: it takes asking git, or
//! reading all records.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use waypost_core::id::SessionId;

use crate::error::AppError;
use crate::view::View;

/// Of how many sessions it is kept.
const MOST: usize = 64;

/// What was found of sessions, each in its work tree.
pub(super) struct Recent<V> {
    all: Mutex<HashMap<(PathBuf, SessionId), Found<V>>>,
    /// For how long it is kept.
    lasts: Duration,
}

struct Found<V> {
    at: Instant,
    /// What had to stay as it was.
    moved: u64,
    value: Arc<V>,
}

impl<V> Recent<V> {
    pub(super) fn new(lasts: Duration) -> Self {
        Self { all: Mutex::default(), lasts }
    }

    /// What was found of a session, unless that is long ago or something else has `moved` since; else what is found now.
    pub(super) fn of(
        &self,
        view: &View<'_>,
        session: &SessionId,
        moved: u64,
        look: impl FnOnce() -> Result<V, AppError>,
    ) -> Result<Arc<V>, AppError> {
        let key = (view.project.root.clone(), session.clone());
        let is_same = |found: &&Found<V>| found.moved == moved && found.at.elapsed() < self.lasts;
        if let Some(found) = self.lock().get(&key).filter(is_same) {
            return Ok(Arc::clone(&found.value));
        }
        let value = Arc::new(look()?);
        let mut all = self.lock();
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(key, Found { at: Instant::now(), moved, value: Arc::clone(&value) });
        Ok(value)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(PathBuf, SessionId), Found<V>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
