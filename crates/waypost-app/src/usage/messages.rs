//! The messages of conversations, each once. Clients write a message again when more of it is known, and copy messages of
//! earlier conversations into the files of those that go on from them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use waypost_core::cost::Tokens;
use waypost_core::tables::{UsageRow, file_key};
use waypost_core::time::Timestamp;

use crate::transcripts::{Conversation, Entry, Found, Kept, Scope, What, conversations};

/// A message and what it used, or several of a kind that were close together.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    /// When it was, as far as that is told.
    pub(crate) time: Option<Timestamp>,
    /// The conversation that it was said in first.
    pub(crate) conversation: Arc<str>,
    /// The folder of that.
    pub(crate) folder: Option<Arc<Path>>,
    /// The subagent that said it, if one did.
    pub(crate) subagent: Option<String>,
    /// The model.
    pub(crate) model: Option<String>,
    /// What it used.
    pub(crate) tokens: Tokens,
    /// How many they are.
    pub(crate) count: u64,
    /// Where the records say that the session was, if they are all that tells of it.
    pub(crate) recorded: Option<Recorded>,
}

/// What records say of a message whose transcript is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recorded {
    /// The session.
    pub(crate) session: String,
    /// The phase that it was in.
    pub(crate) phase: String,
    /// The checkpoint that was worked on.
    pub(crate) checkpoint: Option<u64>,
}

/// The messages of all conversations, and how many lines could not be read.
pub(crate) fn read(kept: &[Kept], scope: &Scope) -> (Vec<Message>, u64) {
    let found = conversations(kept, scope);
    let all = All::of(&found);
    let unreadable = all.unreadable;
    (all.messages(), unreadable)
}

/// The messages of one conversation, the earliest first.
pub(super) fn of(conversation: &Conversation) -> Vec<Message> {
    let mut messages = All::of(std::slice::from_ref(conversation)).messages();
    messages.sort_by_key(|message| message.time);
    messages
}

/// What the messages in one file used.
#[derive(Debug)]
pub(crate) struct InFile {
    file: i64,
    pub(crate) rows: BTreeMap<String, UsageRow>,
}

impl InFile {
    /// A file whose messages up to some place are known.
    pub(crate) fn new(file: i64, known: Vec<UsageRow>) -> Self {
        let rows = known.into_iter().map(|row| (row.message.clone(), row)).collect();
        Self { file, rows }
    }

    /// Takes an entry into account. The last line of a message has all that it used; it was when its first line says.
    pub(crate) fn take(&mut self, entry: &Entry) {
        let What::Used(usage) = &entry.what else { return };
        let named = usage.message.clone().filter(|id| !id.is_empty() && !id.starts_with('#'));
        let message = named.unwrap_or_else(|| self.unnamed(entry.at));
        let row = UsageRow {
            file: self.file,
            message,
            time: entry.time,
            agent: entry.subagent.clone(),
            model: usage.model.clone(),
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            cache_write_5m: usage.cache_write_5m,
            cache_write_1h: usage.cache_write_1h,
        };
        match self.rows.get_mut(&row.message) {
            None => {
                self.rows.insert(row.message.clone(), row);
            }
            Some(known) => {
                let model = row.model.clone().or(known.model.take());
                *known = UsageRow { time: known.time, agent: known.agent.take(), model, ..row };
            }
        }
    }
}

impl InFile {
    /// A message without a name is called by its place.
    fn unnamed(&self, at: u64) -> String {
        let names = (0..).map(|more| format!("#{at}.{more}"));
        let mut free = names.filter(|name| !self.rows.contains_key(name));
        free.next().unwrap_or_default()
    }
}

#[derive(Default)]
struct All<'c> {
    of_file: BTreeMap<i64, &'c Conversation>,
    rows: BTreeMap<(&'static str, String), Vec<UsageRow>>,
    nameless: Vec<UsageRow>,
    unreadable: u64,
}

impl All<'_> {
    fn messages(self) -> Vec<Message> {
        let named = self.rows.into_values().filter_map(|rows| UsageRow::that_counts(&rows));
        let of_file = &self.of_file;
        let message = |row: UsageRow| {
            let conversation = of_file.get(&row.file)?;
            Some(Message {
                conversation: conversation.id.as_str().into(),
                folder: conversation.folder.as_deref().map(Arc::from),
                time: row.time,
                tokens: row.tokens(),
                subagent: row.agent,
                model: row.model,
                count: 1,
                recorded: None,
            })
        };
        named.chain(self.nameless).filter_map(message).collect()
    }
}

impl<'c> All<'c> {
    fn of(conversations: &'c [Conversation]) -> Self {
        let mut all = Self::default();
        for conversation in conversations {
            conversation.files.iter().for_each(|found| all.read(conversation, found));
        }
        all
    }

    fn read(&mut self, conversation: &'c Conversation, found: &Found) {
        let file = file_key(&found.file.to_string_lossy());
        self.of_file.insert(file, conversation);
        let mut in_file = InFile::new(file, Vec::new());
        let mut unreadable = 0;
        let read = found.read(&mut |entry, _| match entry {
            Some(entry) => in_file.take(&entry),
            None => unreadable += 1,
        });
        self.unreadable += unreadable + u64::from(read.is_err());
        for row in in_file.rows.into_values() {
            if row.is_named() {
                let name = (conversation.client, row.message.clone());
                self.rows.entry(name).or_default().push(row);
            } else {
                self.nameless.push(row);
            }
        }
    }
}
