//! What the records of a project's sessions say of conversations: which session one was in, where that was in its work,
//! which subagents there were, and what was used.

use std::collections::BTreeMap;
use std::path::Path;

use waypost_core::event::{Event, Known, UsageCounted};
use waypost_core::id::StreamId;
use waypost_core::places::Places;
use waypost_core::record::Record;
use waypost_core::time::Timestamp;
use waypost_core::usage::Place;

use crate::machine::host::Host;
use crate::usage::messages::{Message, Recorded};
use crate::view::View;

/// What the records of a project say.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    by_conversation: BTreeMap<String, BTreeMap<Timestamp, String>>,
    places: BTreeMap<String, Places>,
    agents: BTreeMap<(String, String), String>,
    /// What was used, as it was counted.
    pub(super) recorded: Vec<Message>,
}

impl Sessions {
    /// What the records of the project in that folder name, as far as there are any that can be read.
    pub(super) fn of(host: &Host, root: &Path) -> Self {
        let mut known = Self::default();
        let host = Host { cwd: root.to_owned(), ..host.clone() };
        let Ok(view) = View::open(&host) else { return known };
        for session in view.sessions().into_iter().flatten() {
            let stream = StreamId::Session(session.id.clone());
            let mut places = Places::default();
            // Of a damaged one, what lies before the damage is told.
            let _ = view.log.each(&stream, |record| {
                places.apply(&record);
                known.take(session.id.as_str(), root, &record);
            });
            known.places.insert(session.id.to_string(), places);
        }
        known
    }

    fn take(&mut self, session: &str, root: &Path, record: &Record) {
        if let Some(conversation) = record.actor.conversation() {
            let of = self.by_conversation.entry(conversation.to_string()).or_default();
            of.insert(record.time, session.to_owned());
        }
        let Event::Known(event) = &record.event else { return };
        if let Known::SubagentStarted { conversation, subagent, agent_type, .. } = event {
            let key = (conversation.to_string(), subagent.clone());
            self.agents.insert(key, agent_type.clone());
        }
        if let Known::UsageCounted(counted) = event {
            self.recorded.extend(recorded(session, root, record.time, counted));
        }
    }

    /// The session that a conversation was in at a time, or the first that it came to.
    pub(super) fn at(&self, conversation: &str, time: Option<Timestamp>) -> Option<String> {
        let known = self.by_conversation.get(conversation)?;
        let before = time.and_then(|time| known.range(..=time).next_back());
        before.or_else(|| known.iter().next()).map(|(_, session)| session.clone())
    }

    /// Where a session was at a time.
    pub(super) fn place(&self, session: &str, time: Option<Timestamp>) -> Option<Place> {
        Some(self.places.get(session)?.at(time))
    }

    /// Of what sort a subagent is.
    pub(super) fn agent(&self, conversation: &str, subagent: &str) -> Option<String> {
        self.agents.get(&(conversation.to_owned(), subagent.to_owned())).cloned()
    }
}

fn recorded<'a>(
    session: &'a str,
    root: &'a Path,
    time: Timestamp,
    counted: &'a UsageCounted,
) -> impl Iterator<Item = Message> + 'a {
    counted.used.iter().map(move |used| Message {
        time: Some(time),
        conversation: counted.conversation.as_str().into(),
        folder: Some(root.into()),
        subagent: None,
        model: Some(used.model.clone()),
        tokens: used.tokens,
        count: 0,
        recorded: Some(Recorded {
            session: session.to_owned(),
            phase: used.phase.clone(),
            checkpoint: used.checkpoint,
        }),
    })
}
