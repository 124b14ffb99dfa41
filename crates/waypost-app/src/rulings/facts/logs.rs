//! Session logs: the files of one session, in whatever format, and what they leave open.

use std::collections::BTreeMap;
use std::path::Path;

use waypost_core::gate::facts::{FoundFile, FoundLog};

use crate::foreign::named_session::NamedSession;
use crate::foreign::session_log;
use crate::machine::matching;

/// No more logs than this are given.
const MAX_FOUND: usize = 50;
/// More is never read of a log: it is refused then.
const MAX_READ: u64 = session_log::MAX_BYTES as u64 + 1;

/// The files that fit `pattern`. Where it asks for those of a numbered session, these are its logs, and
/// not those of a session whose number only begins so.
pub(super) fn files(root: &Path, pattern: &str) -> Vec<FoundFile> {
    match NamedSession::of_pattern(pattern) {
        None => matching::fitting(root, pattern),
        Some((folder, session)) => of_session(root, folder, &session),
    }
}

/// The logs that fit `pattern`, with what they leave open.
pub(super) fn fitting(root: &Path, pattern: &str) -> BTreeMap<String, FoundLog> {
    let session = NamedSession::of_pattern(pattern).map(|(_, session)| session);
    let found = files(root, pattern).into_iter();
    found.map(|file| (file.path.clone(), read(root, &file.path, session.as_ref()))).collect()
}

fn of_session(root: &Path, folder: &str, session: &NamedSession) -> Vec<FoundFile> {
    let pattern = match folder {
        "" => format!("{}-session-*", session.day),
        folder => format!("{folder}/{}-session-*", session.day),
    };
    matching::some_fitting(root, &pattern, MAX_FOUND, |path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        session_log::is_log_name(name) && NamedSession::at_start_of(name).as_ref() == Some(session)
    })
}

fn read(root: &Path, path: &str, session: Option<&NamedSession>) -> FoundLog {
    let refused = |refused: String| FoundLog::Refused { refused };
    let content = match waypost_store::files::head(&root.join(path), MAX_READ) {
        Ok(Some(content)) => content,
        Ok(None) => return refused("it is gone".to_owned()),
        Err(error) => return refused(format!("it cannot be read: {error}")),
    };
    let log = session_log::read(path, &content).and_then(|log| match session {
        Some(session) => log.about(session),
        None => Ok(log),
    });
    match log {
        Ok(log) => FoundLog::Open(log.open()),
        Err(why) => refused(why.to_string()),
    }
}
