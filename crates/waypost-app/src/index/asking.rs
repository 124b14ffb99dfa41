//! What an index knows of what conversations used: by quarters of an hour, or by messages, and of conversations whose
//! transcripts are gone what their sessions' records say.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use waypost_core::cost::Tokens;
use waypost_core::tables::{
    Cell, ConversationRow, ProjectRow, QUARTER, SessionRow, TranscriptRow, UsageCountedRow,
    UsageQuarterRow, UsageRow,
};
use waypost_core::time::Timestamp;
use waypost_store::index::IndexError;

use super::making::place;
use super::quarters::{Clients, all_counting, counting};
use super::reading::Reading;
use super::transcripts::{Files, is_current, known, scan};
use crate::machine::host::{Host, Patience};
use crate::transcripts::{Kept, spellings};
use crate::usage::messages::{Message, Recorded};

/// What somebody asks of what was used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// Only conversations of this folder.
    pub(crate) root: Option<&'a Path>,
    /// These times are told apart from those before and after them.
    pub(crate) bounds: [Option<Timestamp>; 2],
    /// Each message by itself.
    pub(crate) exact: bool,
}

/// What was used, and how many lines could not be read. None without an index that knows of all transcripts: there is
/// none, or somebody else writes it just now.
pub(crate) fn used(
    host: &Host,
    kept: &[Kept],
    wanted: &Wanted<'_>,
) -> Result<Option<(Vec<Message>, u64)>, IndexError> {
    let place = place(host);
    let Some(mut index) = place.open()? else { return Ok(None) };
    let mut progress = |_: u64, _: u64, _: &str| {};
    let mut reading = Reading::new(&mut *index, &mut progress);
    let current = known(&reading)?.filter(|files| is_current(kept, files));
    let (files, unread) = if let Some(files) = current {
        (files, 0)
    } else {
        let Ok(hold) = place.hold(Patience::silent(Duration::ZERO)) else { return Ok(None) };
        scan(kept, &mut reading)?;
        drop(hold);
        let Some(files) = known(&reading)? else { return Ok(None) };
        (files, reading.report.failed.len() as u64)
    };
    let asked = Asking::new(&files, wanted);
    let mut messages = asked.messages(&reading)?;
    messages.extend(asked.recorded(&reading)?);
    Ok(Some((messages, asked.unreadable + unread)))
}

/// The conversation of a file, and the folder that it began in.
#[derive(Clone)]
struct Whose {
    conversation: Arc<str>,
    folder: Option<Arc<Path>>,
}

struct Asking<'a> {
    wanted: &'a Wanted<'a>,
    roots: Vec<PathBuf>,
    files: &'a Files,
    /// The files that are asked for.
    asked: BTreeMap<i64, Whose>,
    /// How many lines in them could not be read.
    unreadable: u64,
}

impl<'a> Asking<'a> {
    fn new(files: &'a Files, wanted: &'a Wanted<'a>) -> Self {
        let mut rows: Vec<&TranscriptRow> = files.values().collect();
        rows.sort_by_key(|row| (row.part, row.path.as_str()));
        let mut folders: BTreeMap<(&str, &str), Option<Arc<Path>>> = BTreeMap::new();
        for row in &rows {
            let folder = folders.entry((&row.client, &row.conversation)).or_default();
            *folder = folder.take().or_else(|| Some(Path::new(row.folder.as_ref()?).into()));
        }
        let roots = wanted.root.map(spellings).unwrap_or_default();
        let mut asking = Self { wanted, roots, files, asked: BTreeMap::new(), unreadable: 0 };
        for row in rows {
            let folder = folders.get(&(row.client.as_str(), row.conversation.as_str()));
            let folder = folder.cloned().flatten();
            if asking.is_wanted(folder.as_deref()) {
                let conversation = row.conversation.as_str().into();
                asking.asked.insert(row.file, Whose { conversation, folder });
                asking.unreadable += row.unreadable;
            }
        }
        asking
    }

    fn is_wanted(&self, folder: Option<&Path>) -> bool {
        let is_in = |folder: &Path| self.roots.iter().any(|root| folder.starts_with(root));
        self.wanted.root.is_none() || folder.is_some_and(is_in)
    }

    fn messages(&self, reading: &Reading<'_>) -> Result<Vec<Message>, IndexError> {
        let clients: Clients =
            self.files.values().map(|row| (row.file, row.client.clone())).collect();
        if self.wanted.exact {
            let rows = all_counting(&clients, reading)?;
            return Ok(rows.into_iter().filter_map(|row| self.message(row)).collect());
        }
        let mut messages = Vec::new();
        let mut cut: BTreeSet<i64> = BTreeSet::new();
        for row in reading.rows::<UsageQuarterRow>(&[])? {
            if self.is_cut(row.quarter) {
                cut.insert(row.file);
            } else {
                messages.extend(self.quarter(row));
            }
        }
        for file in cut.into_iter().filter(|file| self.asked.contains_key(file)) {
            let rows = counting(file, &clients, reading)?;
            let rows = rows.into_iter().filter(|row| self.is_cut(row.quarter()));
            messages.extend(rows.filter_map(|row| self.message(row)));
        }
        Ok(messages)
    }

    /// Whether a time that is asked for lies within a quarter of an hour.
    fn is_cut(&self, quarter: i64) -> bool {
        let within = |at: &Timestamp| {
            let at = at.as_millis();
            at.rem_euclid(QUARTER) != 0 && at.div_euclid(QUARTER) == quarter
        };
        self.wanted.bounds.iter().flatten().any(within)
    }

    fn quarter(&self, row: UsageQuarterRow) -> Option<Message> {
        let Whose { conversation, folder } = self.asked.get(&row.file)?.clone();
        let tokens = row.tokens();
        let text = |text: String| (!text.is_empty()).then_some(text);
        Some(Message {
            time: row.first,
            conversation,
            folder,
            subagent: text(row.agent),
            model: text(row.model),
            tokens,
            count: row.messages,
            recorded: None,
        })
    }

    fn message(&self, row: UsageRow) -> Option<Message> {
        let Whose { conversation, folder } = self.asked.get(&row.file)?.clone();
        let tokens = row.tokens();
        Some(Message {
            time: row.time,
            conversation,
            folder,
            subagent: row.agent,
            model: row.model,
            tokens,
            count: 1,
            recorded: None,
        })
    }

    /// What the records say of conversations that no client keeps any more.
    fn recorded(&self, reading: &Reading<'_>) -> Result<Vec<Message>, IndexError> {
        let kept: BTreeSet<&str> =
            self.files.values().map(|row| row.conversation.as_str()).collect();
        let conversations = reading.rows::<ConversationRow>(&[])?.into_iter();
        let gone: BTreeSet<String> =
            conversations.map(|row| row.id).filter(|id| !kept.contains(id.as_str())).collect();
        let mut sessions: BTreeMap<i64, Option<(String, PathBuf)>> = BTreeMap::new();
        // A copy of a session in another clone says the same.
        let mut told: BTreeSet<(String, u64, u64)> = BTreeSet::new();
        let mut messages = Vec::new();
        for id in gone {
            for row in
                reading.rows::<UsageCountedRow>(&[("conversation", Cell::Text(id.clone()))])?
            {
                let session = match sessions.get(&row.session) {
                    Some(known) => known.clone(),
                    None => session(row.session, reading)?,
                };
                sessions.insert(row.session, session.clone());
                let Some((session, folder)) = session else { continue };
                let is_new = told.insert((session.clone(), row.seq, row.place));
                if is_new && self.is_wanted(Some(&folder)) {
                    messages.push(of_record(row, session, folder));
                }
            }
        }
        Ok(messages)
    }
}

/// A session's id, and the folder of its project.
fn session(key: i64, reading: &Reading<'_>) -> Result<Option<(String, PathBuf)>, IndexError> {
    let Some(session) = reading.rows::<SessionRow>(&[("session", Cell::Int(key))])?.pop() else {
        return Ok(None);
    };
    let project = reading.rows::<ProjectRow>(&[("id", Cell::Text(session.project))])?.pop();
    Ok(project.map(|project| (session.id, PathBuf::from(project.working_dir))))
}

fn of_record(row: UsageCountedRow, session: String, folder: PathBuf) -> Message {
    Message {
        time: Some(row.time),
        conversation: row.conversation.into(),
        folder: Some(folder.into()),
        subagent: None,
        model: Some(row.model),
        tokens: Tokens {
            input: row.input,
            output: row.output,
            cache_read: row.cache_read,
            cache_write_5m: row.cache_write_5m,
            cache_write_1h: row.cache_write_1h,
        },
        count: 0,
        recorded: Some(Recorded { session, phase: row.phase, checkpoint: row.checkpoint }),
    }
}
