//! Reading the activity of sessions into an index: the lines that were added since. A log that was begun anew is read
//! as a whole, so that an index holds what the files hold and nothing else.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::Deserialize;
use waypost_core::id::SessionId;
use waypost_core::tables::{LogRow, SourceRow, session_key};
use waypost_core::time::Timestamp;
use waypost_store::index::{Change, IndexError};
use waypost_store::look;

use super::reading::Reading;
use super::sources::{ACTIVITY, Before, activity_gone};
use crate::view::View;
use crate::view::activity;

/// No log is longer; what is beyond is nothing that Waypost wrote.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

#[derive(Deserialize)]
struct Line {
    time: Timestamp,
    actor: String,
    tool: String,
    #[serde(default)]
    what: Option<String>,
    #[serde(default)]
    status: Option<i64>,
    #[serde(default)]
    files: Vec<String>,
}

/// Reads what was added.
pub(super) fn scan(
    view: &View<'_>,
    project: &str,
    live: &BTreeSet<SessionId>,
    before: &mut Before,
    reading: &mut Reading<'_>,
) -> Result<(), IndexError> {
    for id in live {
        let path = activity::path(view, id);
        let Ok(now) = look::at(&path) else { continue };
        let session = session_key(project, id);
        let earlier = activity::path_before(&path);
        let stamp = look::at(&earlier).ok().map(|file| stamp(&file)).unwrap_or_default();
        let known = before.take(ACTIVITY, id.as_str());
        let is_same = |known: &&SourceRow| known.file == now.ino() && known.hash == stamp;
        let further = known.as_ref().filter(is_same).filter(|known| now.len() >= known.offset);
        if further.is_some_and(|known| (known.bytes, known.modified) == (now.len(), modified(&now)))
        {
            continue;
        }
        let mut logs = Logs { session, number: 0, rows: Vec::new() };
        let offset = if let Some(known) = further {
            logs.number = known.seq;
            known.offset
        } else {
            if known.is_some() {
                reading.change(activity_gone(session));
            }
            if !stamp.is_empty() {
                logs.read(&earlier, 0);
            }
            0
        };
        let read = logs.read(&path, offset);
        reading.change(Change::put(&logs.rows));
        reading.read(&SourceRow {
            project: project.to_owned(),
            kind: ACTIVITY.to_owned(),
            name: id.to_string(),
            session: Some(session),
            bytes: now.len(),
            modified: modified(&now),
            file: now.ino(),
            seq: logs.number,
            offset: offset + read,
            hash: stamp,
        })?;
    }
    Ok(())
}

pub(super) fn modified(file: &Metadata) -> u64 {
    let nanoseconds = file.mtime().saturating_mul(1_000_000_000).saturating_add(file.mtime_nsec());
    u64::try_from(nanoseconds).unwrap_or_default()
}

fn stamp(file: &Metadata) -> String {
    format!("{}:{}:{}", file.ino(), file.len(), modified(file))
}

struct Logs {
    session: i64,
    number: u64,
    rows: Vec<LogRow>,
}

impl Logs {
    /// Reads the whole lines behind `offset`; how many bytes they are.
    fn read(&mut self, path: &Path, offset: u64) -> u64 {
        let mut bytes = Vec::new();
        let read = look::open(path).and_then(|mut file| {
            file.seek(SeekFrom::Start(offset))?;
            file.take(MAX_BYTES).read_to_end(&mut bytes)
        });
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        if read.is_err() {
            return 0;
        }
        bytes[..end].split_inclusive(|byte| *byte == b'\n').for_each(|line| self.take(line));
        end as u64
    }

    /// A line that is none of ours counts, and tells nothing.
    fn take(&mut self, line: &[u8]) {
        self.number += 1;
        let Ok(line) = serde_json::from_slice::<Line>(line) else { return };
        self.rows.push(LogRow {
            session: self.session,
            activity: true,
            number: self.number,
            time: line.time,
            actor: line.actor,
            kind: line.tool,
            what: line.what,
            status: line.status,
            files: (!line.files.is_empty()).then(|| line.files.join("\n")),
        });
    }
}
