//! Which session a conversation was in, by the records of a project's sessions.

use std::collections::BTreeMap;
use std::path::Path;

use waypost_core::id::StreamId;
use waypost_core::time::Timestamp;

use crate::machine::host::Host;
use crate::view::View;

/// From when on a conversation was in which session.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    by_conversation: BTreeMap<String, BTreeMap<Timestamp, String>>,
}

impl Sessions {
    /// What the records of the project in that folder name, as far as there are any that can be read.
    pub(super) fn of(host: &Host, root: &Path) -> Self {
        let mut known = Self::default();
        let host = Host { cwd: root.to_owned(), ..host.clone() };
        let Ok(view) = View::open(&host) else { return known };
        for session in view.sessions().into_iter().flatten() {
            let stream = StreamId::Session(session.id.clone());
            // Of a damaged one, what lies before the damage is told.
            let _ = view.log.each(&stream, |record| {
                let Some(conversation) = record.actor.conversation() else { return };
                let of = known.by_conversation.entry(conversation.to_string()).or_default();
                of.insert(record.time, session.id.to_string());
            });
        }
        known
    }

    /// The session that a conversation was in at a time, or the first that it came to.
    pub(super) fn at(&self, conversation: &str, time: Option<Timestamp>) -> Option<String> {
        let known = self.by_conversation.get(conversation)?;
        let before = time.and_then(|time| known.range(..=time).next_back());
        before.or_else(|| known.iter().next()).map(|(_, session)| session.clone())
    }
}
