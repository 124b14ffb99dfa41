//! What tracks follow, workflows and protocols alike: found by its hash.

use std::sync::Arc;

use waypost_core::event::{Event, Known};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::next_step::Look;
use waypost_core::track::Definition;

use crate::error::AppError;
use crate::view::View;

/// The definition that a track follows: from its file, else from the records.
pub(crate) fn of(
    view: &View<'_>,
    session: &SessionId,
    hash: &str,
) -> Result<Arc<Definition>, AppError> {
    if let Some(definition) = view.blobs.definition(hash) {
        return Ok(definition);
    }
    let records = view.log.records(&StreamId::Session(session.clone()))?;
    let found = records.into_iter().find_map(|record| match record.event {
        Event::Known(Known::TrackStarted(started)) => same(started.definition, hash),
        Event::Known(Known::TrackExtended(definition)) => same(*definition, hash),
        _ => None,
    });
    let definition = found.ok_or_else(|| {
        AppError::integrity(format!(
            "the definition {hash} of session {session} is not in its records"
        ))
        .hint(Look::Records(Some(session.clone())))
    })?;
    view.blobs.keep_definition(&definition)?;
    Ok(Arc::new(definition))
}

fn same(definition: Definition, hash: &str) -> Option<Definition> {
    definition.hash().is_ok_and(|known| known == hash).then_some(definition)
}
