//! Reading what clients keep of conversations into an index: which messages used what, and where which words stand. What
//! was added to a file is read alone where its reader can do that; any other file that changed is read anew.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use waypost_core::key::sha256_hex;
use waypost_core::redact::redact;
use waypost_core::tables::{
    Cell, MessageRow, Row, SourceRow, TranscriptRow, UsageQuarterRow, UsageRow, file_key,
    message_key,
};
use waypost_core::text::shortened;
use waypost_store::index::{Change, IndexError, Texts};
use waypost_store::look;

use super::quarters;
use super::reading::Reading;
use crate::transcripts::{Entry, Form, Found, Kept, Stamp, What, files, said_by};
use crate::usage::messages::InFile;

/// So much of what is said at once can be found by its words, in characters.
const MAX_TEXT: usize = 20_000;

/// So much of a file has to be the same before what was added to it, in bytes.
const LOOKED_BACK: u64 = 4096;

/// The files that an index knows, by where they are.
pub(super) type Files = BTreeMap<String, TranscriptRow>;

/// What an index knows of transcripts. None if whoever read them last was stopped before all was summed up.
pub(super) fn known(reading: &Reading<'_>) -> Result<Option<Files>, IndexError> {
    let is_unfinished = !reading.rows::<SourceRow>(&unfinished())?.is_empty();
    Ok(if is_unfinished { None } else { Some(listed(reading)?) })
}

fn listed(reading: &Reading<'_>) -> Result<Files, IndexError> {
    let rows = reading.rows::<TranscriptRow>(&[])?.into_iter();
    Ok(rows.map(|row| (row.path.clone(), row)).collect())
}

/// Whether nothing was added to any of them, and none came or went.
pub(super) fn is_current(kept: &[Kept], known: &Files) -> bool {
    let mut count = 0;
    let all =
        files(kept).filter_map(|(found, now)| Some((found.file.to_str()?.to_owned(), found, now)));
    let same = all.into_iter().all(|(path, found, now)| {
        count += 1;
        known.get(&path).is_some_and(|known| is_same(&found, known, &now))
    });
    same && count == known.len()
}

fn is_same(found: &Found, known: &TranscriptRow, now: &Stamp) -> bool {
    let is_scattered = found.belongs.form != Form::Rows && found.reader.is_scattered();
    !is_scattered
        && (known.bytes, known.modified, known.inode) == (now.bytes, now.modified, now.inode)
}

/// Reads what changed. Which files those are.
pub(super) fn scan(kept: &[Kept], reading: &mut Reading<'_>) -> Result<Vec<Found>, IndexError> {
    let mut before = listed(reading)?;
    let at_once = before.is_empty() || known(reading)?.is_none();
    let (mut changed, mut begun) = (Vec::new(), false);
    // Files that others share messages with: which of them counts may be another one now.
    let mut touched: BTreeSet<i64> = BTreeSet::new();
    for (found, now) in files(kept) {
        let Some(path) = found.file.to_str().map(str::to_owned) else { continue };
        let was = before.remove(&path);
        if was.as_ref().is_some_and(|was| is_same(&found, was, &now)) {
            continue;
        }
        let further = was.as_ref().filter(|was| goes_on(&found, was, &now));
        begun = begun || begin(reading);
        if let (None, Some(was)) = (further, &was) {
            touched.extend(quarters::sharing(was.file, reading)?);
            forget(was.file, reading)?;
        }
        match read(&found, &now, path.clone(), further, reading) {
            Ok(file) => {
                touched.insert(file);
                changed.push(found);
            }
            Err(Unread::Index(error)) => return Err(error),
            // It is tried again the next time; until then nothing of it is known.
            Err(Unread::File(error)) => {
                let file = file_key(&path);
                touched.extend(quarters::sharing(file, reading)?);
                forget(file, reading)?;
                reading.change(gone_row(file));
                reading.fail(found.file.display().to_string(), error.to_string());
            }
        }
    }
    for gone in before.values() {
        begun = begun || begin(reading);
        touched.extend(quarters::sharing(gone.file, reading)?);
        forget(gone.file, reading)?;
        reading.change(gone_row(gone.file));
    }
    if !begun && known(reading)?.is_some() {
        return Ok(changed);
    }
    reading.write()?;
    if at_once {
        quarters::make_all(reading)?;
    } else {
        quarters::make(touched, reading)?;
    }
    reading.change(Change::Remove { table: SourceRow::TABLE, with: unfinished().to_vec() });
    reading.write()?;
    Ok(changed)
}

/// What stands in an index while what was read is not summed up yet.
fn unfinished() -> [(&'static str, Cell); 3] {
    let text = |text: &str| Cell::Text(text.to_owned());
    [("project", text("")), ("kind", text("transcripts")), ("name", text("unfinished"))]
}

/// From here on it is unfinished.
fn begin(reading: &mut Reading<'_>) -> bool {
    let (project, kind, name) = (String::new(), "transcripts".to_owned(), "unfinished".to_owned());
    let (session, hash) = (None, String::new());
    let row = SourceRow {
        project,
        kind,
        name,
        session,
        bytes: 0,
        modified: 0,
        file: 0,
        seq: 0,
        offset: 0,
        hash,
    };
    reading.change(Change::put([&row]));
    true
}

fn goes_on(found: &Found, was: &TranscriptRow, now: &Stamp) -> bool {
    let lines = found.belongs.form == Form::Lines && found.reader.goes_on();
    let is_longer = was.inode == now.inode && was.offset > 0 && was.offset <= now.bytes;
    lines && is_longer && before(&found.file, was.offset).is_ok_and(|hash| hash == was.before)
}

/// The hash of what stands right before a place in a file.
fn before(file: &Path, offset: u64) -> std::io::Result<String> {
    let mut opened = look::open(file)?;
    let from = offset.saturating_sub(LOOKED_BACK);
    opened.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    opened.take(offset - from).read_to_end(&mut bytes)?;
    Ok(sha256_hex(&[&bytes]))
}

enum Unread {
    Index(IndexError),
    File(std::io::Error),
}

impl From<IndexError> for Unread {
    fn from(error: IndexError) -> Self {
        Self::Index(error)
    }
}

/// Reads a file, or what was added to it.
fn read(
    found: &Found,
    now: &Stamp,
    path: String,
    further: Option<&TranscriptRow>,
    reading: &mut Reading<'_>,
) -> Result<i64, Unread> {
    let file = file_key(&path);
    let known = match further {
        Some(_) => reading.rows::<UsageRow>(&[("file", Cell::Int(file))])?,
        None => Vec::new(),
    };
    let earlier = known.clone();
    let mut texts = Said { file, last: (0, 0), changes: Vec::new(), rows: Vec::new() };
    let (mut usage, mut folder) = (InFile::new(file, known), None);
    let mut unreadable = further.map_or(0, |known| known.unreadable);
    let mut take = |entry: Option<Entry>, _: u64| match entry {
        None => unreadable += 1,
        Some(entry) => {
            if let (What::In(path), None) = (&entry.what, &folder) {
                folder = Some(path.to_string_lossy().into_owned());
            }
            usage.take(&entry);
            texts.take(&entry);
        }
    };
    let read = match further {
        Some(known) => found.read_on(known.offset, &mut take),
        None => found.read(&mut take),
    };
    let progress = read.map_err(Unread::File)?;
    let row = TranscriptRow {
        file,
        client: found.reader.client().to_owned(),
        conversation: found.belongs.conversation.clone(),
        part: found.belongs.part,
        folder: further.and_then(|known| known.folder.clone()).or(folder),
        bytes: now.bytes,
        modified: now.modified,
        inode: now.inode,
        offset: progress.next,
        before: match found.belongs.form {
            Form::Rows => String::new(),
            Form::Lines | Form::Whole => {
                before(&found.file, progress.next).map_err(Unread::File)?
            }
        },
        unreadable,
        path,
    };
    let unchanged: BTreeMap<&str, &UsageRow> =
        earlier.iter().map(|row| (row.message.as_str(), row)).collect();
    let new = usage.rows.values().filter(|row| unchanged.get(row.message.as_str()) != Some(row));
    reading.change(Change::put(new));
    reading.change(Change::put(&texts.rows));
    texts.changes.into_iter().for_each(|change| reading.change(change));
    reading.done(Change::put([&row]))?;
    Ok(file)
}

/// What is said in a file, to be found by its words.
struct Said {
    file: i64,
    /// The line that is read, and how many of its words were taken.
    last: (u64, u64),
    changes: Vec<Change>,
    rows: Vec<MessageRow>,
}

/// Whether an entry is found by its words. What tools printed is not: it is most of a transcript, and nobody said it.
pub(super) fn is_searched(entry: &Entry) -> bool {
    matches!(entry.what, What::Prompt { .. } | What::Said(_) | What::Called { .. })
}

impl Said {
    fn take(&mut self, entry: &Entry) {
        let said = if is_searched(entry) { said_by(entry) } else { None };
        let Some((role, text)) = said else { return };
        let place = if self.last.0 == entry.at { self.last.1 } else { 0 };
        self.last = (entry.at, place + 1);
        let id = message_key(self.file, entry.at, place);
        let (file, offset, time) = (self.file, entry.at, entry.time);
        self.rows.push(MessageRow { id, file, offset, time, role: role.to_owned() });
        let text = Some(shortened(&redact(&text), MAX_TEXT));
        self.changes.push(Change::Text { of: Texts::Messages, id, text });
    }
}

/// What was read of a file goes, but for its own row.
fn forget(file: i64, reading: &mut Reading<'_>) -> Result<(), IndexError> {
    let with = || vec![("file", Cell::Int(file))];
    for row in reading.rows::<MessageRow>(&with())? {
        reading.change(Change::Text { of: Texts::Messages, id: row.id, text: None });
    }
    for table in [MessageRow::TABLE, UsageRow::TABLE, UsageQuarterRow::TABLE] {
        reading.change(Change::Remove { table, with: with() });
    }
    Ok(())
}

fn gone_row(file: i64) -> Change {
    Change::Remove { table: TranscriptRow::TABLE, with: vec![("file", Cell::Int(file))] }
}
