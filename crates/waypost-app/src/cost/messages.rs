//! The messages of conversations, each once. Clients write a message again when more of it is known, and copy messages of
//! earlier conversations into the files of those that go on from them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use waypost_core::cost::Tokens;
use waypost_core::time::Timestamp;

use crate::transcripts::{Conversation, Found, Kept, Scope, Usage, What, conversations};

/// A message, and what it used.
#[derive(Debug, Clone)]
pub(super) struct Message {
    /// When it was, as far as that is told.
    pub(super) time: Option<Timestamp>,
    /// The conversation that it was said in first.
    pub(super) conversation: String,
    /// The folder of that.
    pub(super) folder: Option<PathBuf>,
    /// The subagent that said it, if one did.
    pub(super) subagent: Option<String>,
    /// The model.
    pub(super) model: Option<String>,
    /// What it used.
    pub(super) tokens: Tokens,
}

/// The messages of all conversations, and how many lines could not be read.
pub(super) fn read(kept: &[Kept], scope: &Scope) -> (Vec<Message>, u64) {
    let mut all = All::default();
    for conversation in conversations(kept, scope) {
        for found in &conversation.files {
            all.read(&conversation, found);
        }
    }
    let named = all.named.into_values();
    (named.chain(all.nameless).collect(), all.unreadable)
}

/// The messages of one conversation, the earliest first.
pub(super) fn of(conversation: &Conversation) -> Vec<Message> {
    let mut all = All::default();
    for found in &conversation.files {
        all.read(conversation, found);
    }
    let mut messages: Vec<Message> = all.named.into_values().chain(all.nameless).collect();
    messages.sort_by_key(|message| message.time);
    messages
}

#[derive(Default)]
struct All {
    named: BTreeMap<(&'static str, String), Message>,
    nameless: Vec<Message>,
    unreadable: u64,
}

impl All {
    fn read(&mut self, conversation: &Conversation, found: &Found) {
        let mut of_file: BTreeMap<String, Message> = BTreeMap::new();
        let (nameless, unreadable) = (&mut self.nameless, &mut self.unreadable);
        let read = found.read(&mut |entry, _| {
            let Some(entry) = entry else {
                *unreadable += 1;
                return;
            };
            let What::Used(usage) = entry.what else { return };
            let message = message(conversation, entry.time, entry.subagent, &usage);
            match usage.message.filter(|id| !id.is_empty()) {
                None => nameless.push(message),
                Some(id) => {
                    // The last line of a message has all that it used; it was when its first line says.
                    let known = of_file.entry(id).or_insert_with(|| message.clone());
                    known.tokens = message.tokens;
                    known.model = message.model.or(known.model.take());
                }
            }
        });
        *unreadable += u64::from(read.is_err());
        for (id, message) in of_file {
            self.add((conversation.client, id), message);
        }
    }

    /// A message that stands in another file too belongs to where it was first; a copy may know less of what it used.
    fn add(&mut self, name: (&'static str, String), message: Message) {
        let known = self.named.entry(name).or_insert_with(|| message.clone());
        let most = if known.tokens.all() < message.tokens.all() { &message } else { &*known };
        let (tokens, model) = (most.tokens, most.model.clone());
        let is_earlier = match (message.time, known.time) {
            (Some(time), Some(before)) => time < before,
            (Some(_), None) => true,
            (None, _) => false,
        };
        if is_earlier {
            *known = message;
        }
        (known.tokens, known.model) = (tokens, model);
    }
}

fn message(
    conversation: &Conversation,
    time: Option<Timestamp>,
    subagent: Option<String>,
    usage: &Usage,
) -> Message {
    Message {
        time,
        subagent,
        conversation: conversation.id.clone(),
        folder: conversation.folder.clone(),
        model: usage.model.clone(),
        tokens: Tokens {
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            cache_write_5m: usage.cache_write_5m,
            cache_write_1h: usage.cache_write_1h,
        },
    }
}
