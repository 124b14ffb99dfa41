//! Whether anything happened: where every stream stands, whoever wrote to it.

use std::collections::BTreeMap;

use waypost_core::id::StreamId;
use waypost_store::Mark;

use crate::error::AppError;
use crate::view::View;

/// Where the project's streams stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks(BTreeMap<StreamId, Mark>);

impl Marks {
    /// Looks at the streams: nothing is read.
    pub fn now(view: &View<'_>) -> Result<Self, AppError> {
        Ok(Self(view.log.watch()?))
    }

    /// Whether something of this session, or something that holds for all, is not as it was. Without
    /// a session: whether anything is not.
    pub fn differs(&self, earlier: &Self, session: Option<&str>) -> bool {
        let moved = |stream: &StreamId| self.0.get(stream) != earlier.0.get(stream);
        match session {
            None => self != earlier,
            Some(id) => {
                let own = id.parse().map(StreamId::Session);
                moved(&StreamId::Project) || own.is_ok_and(|own| moved(&own))
            }
        }
    }
}
