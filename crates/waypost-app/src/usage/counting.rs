//! Counting what a conversation used, so that its session knows it for good: clients delete their transcripts after a
//! while. What is new since it was last counted becomes one event.

use std::collections::BTreeMap;
use std::path::Path;

use waypost_core::actor::Actor;
use waypost_core::command::Command;
use waypost_core::cost::{PriceList, Priced};
use waypost_core::event::{UsageCounted, UsedByAgent};
use waypost_core::id::{ConversationId, SessionId, StreamId};
use waypost_core::places::Places;
use waypost_core::session::SessionState;
use waypost_core::time::Timestamp;
use waypost_core::usage::{Counted, Usage, UsedBy};
use waypost_store::look;

use super::messages::{self, Message};
use super::{UNKNOWN, prices};
use crate::config;
use crate::error::AppError;
use crate::transcripts::{Conversation, TranscriptReader};
use crate::view::View;
use crate::view::policy::is_trusted;

/// Longer transcripts are not counted while a hook's answer is waited for.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// What was said so long before it was last counted, in milliseconds, may not have been written down by then: on a busy
/// machine clients are late. To tell a subagent's tokens once more changes nothing.
const LAG: i64 = 60_000;
/// So many subagents' tokens are told at a time: more than a client starts in one turn.
const MAX_AGENTS: usize = 1000;

/// A conversation's transcript.
#[derive(Debug, Clone, Copy)]
pub struct Transcript<'a> {
    /// The client's name.
    pub client: &'a str,
    /// The file.
    pub file: &'a Path,
    /// Who reads transcripts.
    pub readers: &'a [&'static dyn TranscriptReader],
}

/// Counts what a conversation used in a session. Gives what the session had used before, if there was anything new.
pub fn count(
    view: &View<'_>,
    session: &SessionId,
    conversation: &ConversationId,
    transcript: Transcript<'_>,
    actor: &Actor,
) -> Result<Option<Usage>, AppError> {
    let Some(found) = transcript.conversation(conversation) else { return Ok(None) };
    let state = view.load(session)?;
    let Some(known) = state.conversations.get(conversation) else { return Ok(None) };
    let until = known.detached_at.filter(|_| !known.attached);
    let messages = messages::of(&found);
    let window: Vec<Message> =
        messages.into_iter().filter(|message| is_within(message, &known.counted, until)).collect();
    let places = places(view, session, &state, &known.counted)?;
    let used: Vec<UsedBy> = window.iter().map(used_by).collect();
    let counted = UsageCounted {
        conversation: conversation.clone(),
        used: known.counted.beyond(
            &used,
            |at| places.at(at),
            &price_list(view, transcript.readers),
        ),
        agents: agents(&window, known.counted.at),
    };
    if counted.used.is_empty() {
        return Ok(None);
    }
    view.execute(session, actor, Command::CountUsage(counted))?;
    Ok(Some(state.usage))
}

impl Transcript<'_> {
    /// The files of it; none if they are not this conversation's, or too long.
    fn conversation(&self, conversation: &ConversationId) -> Option<Conversation> {
        let reader = self.readers.iter().find(|reader| reader.client() == self.client)?;
        let found = Conversation::of_file(*reader, self.file);
        let lengths = found.files.iter().filter_map(|found| look::at(&found.file).ok());
        let length: u64 = lengths.map(|file| file.len()).sum();
        (found.id == conversation.as_str() && length <= MAX_BYTES).then_some(found)
    }
}

/// Whether a message belongs to the session. One that tells no time belongs to whatever the conversation is in.
fn is_within(message: &Message, counted: &Counted, until: Option<Timestamp>) -> bool {
    let Some(time) = message.time else { return until.is_none() };
    counted.since.is_none_or(|since| since <= time) && until.is_none_or(|until| time <= until)
}

fn used_by(message: &Message) -> UsedBy {
    let model = message.model.clone().unwrap_or_else(|| UNKNOWN.to_owned());
    UsedBy { time: message.time, model, tokens: message.tokens }
}

/// Where the session was when. Only where it moved since it was last counted are its records looked at.
fn places(
    view: &View<'_>,
    session: &SessionId,
    state: &SessionState,
    counted: &Counted,
) -> Result<Places, AppError> {
    let now = state.place();
    let entered = state.track.as_ref().map(|track| track.entered_at);
    let stayed = counted.place.as_ref() == Some(&now)
        && entered.is_none_or(|entered| counted.at.or(counted.since) >= Some(entered));
    if stayed {
        return Ok(Places::only(now));
    }
    let mut places = Places::default();
    view.log.each(&StreamId::Session(session.clone()), |record| places.apply(&record))?;
    Ok(places)
}

/// All that those subagents used which said something since.
fn agents(messages: &[Message], since: Option<Timestamp>) -> Vec<UsedByAgent> {
    let mut all: BTreeMap<&str, (u64, Option<Timestamp>)> = BTreeMap::new();
    for message in messages {
        let Some(subagent) = &message.subagent else { continue };
        let (tokens, last) = all.entry(subagent).or_default();
        *tokens = tokens.saturating_add(message.tokens.all());
        *last = (*last).max(message.time);
    }
    let since = since.map(|since| Timestamp::saturating_from_millis(since.as_millis() - LAG));
    let news = all.into_iter().filter(|(_, (_, last))| *last >= since);
    let told =
        news.map(|(subagent, (tokens, _))| UsedByAgent { subagent: subagent.to_owned(), tokens });
    told.take(MAX_AGENTS).collect()
}

/// The prices that budgets go by. A file that nobody trusts may name prices that are not known otherwise, and make
/// nothing cheaper.
fn price_list(view: &View<'_>, readers: &[&'static dyn TranscriptReader]) -> PriceList {
    let (usual, _) = prices::built_in(readers.iter().copied());
    let read = config::read(&view.project.config_file()).ok().flatten();
    let trusted = read.as_ref().is_some_and(|config| is_trusted(view, config));
    let own: Vec<Priced> = read.map(|config| config.prices).unwrap_or_default();
    if trusted {
        return PriceList { own, usual };
    }
    PriceList { own: usual, usual: own }
}
