//! Counting what conversations used whose transcripts changed since their sessions were told: those that were killed, and
//! what clients wrote down after the last call of a hook.

use std::collections::{BTreeMap, BTreeSet};

use waypost_core::actor::Actor;
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::key::Keyring;
use waypost_core::tables::{Cell, ConversationRow, SessionRow, SourceRow, TranscriptRow};
use waypost_core::time::Timestamp;
use waypost_store::index::IndexError;

use super::known::KnownProject;
use super::reading::Reading;
use super::sources::{Before, STREAM};
use super::stream;
use crate::machine::host::Host;
use crate::transcripts::{Found, TranscriptReader};
use crate::usage::counting::{self, Transcript};
use crate::view::View;

/// Counts it, and reads what that adds to the records.
pub(super) fn count(
    host: &Host,
    ring: &Keyring,
    projects: &[KnownProject],
    changed: &[Found],
    reading: &mut Reading<'_>,
) -> Result<(), IndexError> {
    if changed.is_empty() {
        return Ok(());
    }
    let readers: Vec<&'static dyn TranscriptReader> =
        changed.iter().map(|found| found.reader).collect();
    let conversations: BTreeSet<&str> =
        changed.iter().map(|found| found.belongs.conversation.as_str()).collect();
    let mut files: BTreeMap<String, Vec<TranscriptRow>> = BTreeMap::new();
    for row in reading.rows::<TranscriptRow>(&[])? {
        if conversations.contains(row.conversation.as_str()) {
            files.entry(row.conversation.clone()).or_default().push(row);
        }
    }
    for row in reading.rows::<ConversationRow>(&[])? {
        let Some(files) = files.get(&row.id) else { continue };
        let with = [("session", Cell::Int(row.session))];
        let Some(session) = reading.rows::<SessionRow>(&with)?.pop() else { continue };
        let project = projects.iter().find(|known| known.id == session.project);
        let (Some(project), "live") = (project, session.kept.as_str()) else { continue };
        let Ok(project) = project.project() else { continue };
        let view = View::with(host, project, ring.clone());
        match of_conversation(&view, &session.id, &row, files, &readers) {
            Ok(false) => {}
            Ok(true) => again(&view, &session, reading)?,
            Err(error) => reading.fail(session.id, error),
        }
    }
    reading.write()
}

/// Counts one. Whether there was anything new.
fn of_conversation(
    view: &View<'_>,
    session: &str,
    row: &ConversationRow,
    files: &[TranscriptRow],
    readers: &[&'static dyn TranscriptReader],
) -> Result<bool, String> {
    let own = files.iter().find(|file| !file.part && file.client == row.harness);
    let (Some(own), Ok(session), Ok(conversation)) =
        (own, session.parse::<SessionId>(), row.id.parse::<ConversationId>())
    else {
        return Ok(false);
    };
    let state = view.load(&session).map_err(|error| error.message)?;
    let known = state.conversations.get(&conversation);
    let at = known.and_then(|known| known.counted.at).map(Timestamp::as_millis);
    let changed = files.iter().map(|file| file.modified / 1_000_000).max().unwrap_or_default();
    if known.is_none() || at.is_some_and(|at| at.unsigned_abs() > changed) {
        return Ok(false);
    }
    let transcript = Transcript { client: &own.client, file: own.path.as_ref(), readers };
    let counted = counting::count(view, &session, &conversation, transcript, &Actor::Waypost);
    counted.map(|before| before.is_some()).map_err(|error| error.message)
}

/// Reads what was added to a session's records.
fn again(
    view: &View<'_>,
    session: &SessionRow,
    reading: &mut Reading<'_>,
) -> Result<(), IndexError> {
    let Ok(id) = session.id.parse::<SessionId>() else { return Ok(()) };
    reading.write()?;
    let text = |text: &str| Cell::Text(text.to_owned());
    let with =
        [("project", text(&session.project)), ("kind", text(STREAM)), ("name", text(&session.id))];
    let mut before = Before::of(reading.rows::<SourceRow>(&with)?);
    stream::read_on(view, &session.project, &id, &mut before, reading)?;
    Ok(())
}
