//! What a mirror shows of sessions, read from their records.

use serde_json::Value;
use waypost_core::agents::Agents;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::manifest::Account;
use waypost_core::mirror::Held;
use waypost_core::record::Position;
use waypost_core::session::{Lifecycle, SessionState};
use waypost_core::story::Story;
use waypost_store::EventLog;

use crate::error::AppError;
use crate::rulings::violations::{self, RecordedViolation};
use crate::view::{SessionEntry, View};

/// What a brief tells goes along unless it is longer than this, in bytes: agents read the texts that it stands in.
const MAX_STORY: usize = 16 * 1024;

/// A session as its records tell it.
pub(super) struct Gathered {
    pub(super) held: Held,
    pub(super) story: Story,
    pub(super) agents: Agents,
    pub(super) missed: Vec<RecordedViolation>,
    /// Its commits: hash and message.
    pub(super) commits: Vec<(String, String)>,
}

impl Gathered {
    pub(super) fn of(view: &View<'_>, id: &SessionId) -> Result<Self, AppError> {
        let stream = StreamId::Session(id.clone());
        let (mut end, mut records) = (Position::start(&stream), Vec::new());
        let log: &dyn EventLog = &*view.log;
        log.load(&stream, &mut end, &mut |_, record| records.push(record))?;
        let (mut account, mut missed) = (Account::default(), Vec::new());
        for record in &records {
            account.add(record);
            violations::note(&mut missed, record);
        }
        let state = SessionState::fold(&records);
        let story = Story::of(&records);
        let kept = serde_json::to_value(&story).unwrap_or_default();
        let kept = if kept.to_string().len() > MAX_STORY { Value::Null } else { kept };
        let lifecycle = view.lifecycle(&state);
        let manifest = account.into_manifest(id, &end.hash, lifecycle);
        let mut basics = serde_json::to_value(&manifest).unwrap_or_default();
        if let Value::Object(fields) = &mut basics {
            // What is Waypost's own there is in the state.
            fields.retain(|key, _| !["waypost", "$schema", "session_id"].contains(&key.as_str()));
        }
        let commits = commits(&basics);
        let session = id.clone();
        let held = Held { session, seq: end.seq, head: end.hash, state, story: kept, basics };
        Ok(Self { held, story, agents: Agents::of(&records), missed, commits })
    }

    /// What was decided, oldest first.
    pub(super) fn decisions(&self) -> Vec<String> {
        let noted = self.story.decisions.iter().map(|said| said.text.clone());
        let recorded = self.agents.decisions.iter().map(|known| known.decision.description.clone());
        noted.chain(recorded).collect()
    }
}

fn commits(basics: &Value) -> Vec<(String, String)> {
    let all = basics["commits"].as_array().into_iter().flatten();
    let text = |commit: &Value, key: &str| commit[key].as_str().unwrap_or_default().to_owned();
    all.map(|commit| (text(commit, "sha"), text(commit, "message"))).collect()
}

/// The sessions that mirrors show, the one where something happened last first. What a conversation opened and nobody
/// named is nobody else's business.
pub(super) fn shown(view: &View<'_>) -> Result<Vec<SessionEntry>, AppError> {
    let mut all = view.sessions()?;
    all.retain(is_shown);
    all.sort_by(|a, b| (b.updated_at, &b.id).cmp(&(a.updated_at, &a.id)));
    Ok(all)
}

/// Whether mirrors show a session.
pub(super) fn is_shown(entry: &SessionEntry) -> bool {
    entry.damage.is_none() && (entry.is_named() || entry.phase.is_some())
}

/// Whether a session goes on, or may.
pub(super) fn is_live(entry: &SessionEntry) -> bool {
    !entry.lifecycle.is_over() && entry.lifecycle != Lifecycle::Unstarted
}
