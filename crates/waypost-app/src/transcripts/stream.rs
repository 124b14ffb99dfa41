//! Reading a transcript from some place on: line by line, however long lines are and whatever is in them.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use waypost_core::tables::Cell;
use waypost_store::{files, foreign, look};

use super::{Entry, Files, Form, Reading};

/// Longer lines, and larger files that are read as a whole, are passed by.
pub const MAX_LINE: u64 = 64 * 1024 * 1024;
/// How much is read at once.
const CHUNK: usize = 256 * 1024;
/// How many names of a folder are looked at.
const MAX_NAMES: usize = 100_000;

/// How far a transcript was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Where to go on: behind the last whole line.
    pub next: u64,
    /// How many lines there were.
    pub lines: u64,
    /// How many of them could not be read.
    pub unreadable: u64,
}

/// Reads the lines of a file from `from` on. What follows the last end of a line is left for the next time, unless it
/// is a whole entry.
pub fn read(
    file: &Path,
    from: u64,
    reading: &mut dyn Reading,
    out: &mut dyn FnMut(Option<Entry>, u64),
) -> std::io::Result<Progress> {
    Lines::open(file, from)?.read(from, u64::MAX, reading, out)
}

/// Reads the lines that begin between two places of a file, and nothing else of it.
pub(super) fn read_between(
    file: &Path,
    from: u64,
    to: u64,
    reading: &mut dyn Reading,
    out: &mut dyn FnMut(Option<Entry>, u64),
) -> std::io::Result<Progress> {
    let before = from.saturating_sub(1);
    let mut lines = Lines::open(file, before)?;
    // A line that began earlier, or the end of the one before, belongs to whoever reads what is there.
    let begins = if from == 0 { 0 } else { before + lines.next()?.0 };
    lines.read(begins, to, reading, out)
}

/// Reads the one line that begins at a place.
pub(super) fn read_line(
    file: &Path,
    at: u64,
    reading: &mut dyn Reading,
    out: &mut dyn FnMut(Entry),
) -> std::io::Result<()> {
    let mut opened = look::open(file)?;
    opened.seek(SeekFrom::Start(at))?;
    let mut lines = Lines { from: BufReader::new(opened), line: Vec::new() };
    let (length, ending) = lines.next()?;
    if length > 0 && ending != Ending::TooLong {
        reading.take(&lines.line, at, out);
    }
    Ok(())
}

/// Reads a file that is one document.
pub fn read_whole(
    file: &Path,
    reading: &mut dyn Reading,
    out: &mut dyn FnMut(Option<Entry>, u64),
) -> std::io::Result<Progress> {
    let content = files::read(file, MAX_LINE).ok().flatten();
    let is_read = content
        .as_ref()
        .is_some_and(|content| reading.take(content, 0, &mut |entry| out(Some(entry), 0)));
    if !is_read {
        out(None, 0);
    }
    let next = content.map_or(0, |content| content.len() as u64);
    Ok(Progress { next, lines: 1, unreadable: u64::from(!is_read) })
}

/// Reads a file in its form.
pub(super) fn read_in(
    form: Form,
    file: &Path,
    reading: &mut dyn Reading,
    out: &mut dyn FnMut(Option<Entry>, u64),
) -> std::io::Result<Progress> {
    match form {
        Form::Lines => read(file, 0, reading, out),
        Form::Whole => read_whole(file, reading, out),
        Form::Rows => Ok(read_rows(reading, out)),
    }
}

/// Reads a conversation that lies in a database.
fn read_rows(reading: &mut dyn Reading, out: &mut dyn FnMut(Option<Entry>, u64)) -> Progress {
    let is_read = reading.take(&[], 0, &mut |entry| out(Some(entry), 0));
    if !is_read {
        out(None, 0);
    }
    Progress { next: 0, lines: 1, unreadable: u64::from(!is_read) }
}

struct Lines<R> {
    from: BufReader<R>,
    line: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Whole,
    TooLong,
    Torn,
}

impl Lines<File> {
    fn open(file: &Path, from: u64) -> std::io::Result<Self> {
        let mut opened = look::open(file)?;
        opened.seek(SeekFrom::Start(from))?;
        Ok(Self { from: BufReader::with_capacity(CHUNK, opened), line: Vec::new() })
    }

    /// Reads the lines that begin before `to`; the next one begins at `from`.
    fn read(
        mut self,
        from: u64,
        to: u64,
        reading: &mut dyn Reading,
        out: &mut dyn FnMut(Option<Entry>, u64),
    ) -> std::io::Result<Progress> {
        let mut progress = Progress { next: from, ..Progress::default() };
        while progress.next < to {
            let (length, ending) = self.next()?;
            if length == 0 {
                break;
            }
            let at = progress.next;
            let is_read = match ending {
                Ending::TooLong => false,
                Ending::Whole if self.line.trim_ascii().is_empty() => true,
                _ => reading.take(&self.line, at, &mut |entry| out(Some(entry), at)),
            };
            if ending == Ending::Torn && !is_read {
                break;
            }
            progress.lines += 1;
            progress.next += length;
            if !is_read {
                progress.unreadable += 1;
                out(None, at);
            }
        }
        Ok(progress)
    }
}

impl<R: Read> Lines<R> {
    /// The next line, without what ends it: how many bytes it takes, none at the end of the file.
    fn next(&mut self) -> std::io::Result<(u64, Ending)> {
        self.line.clear();
        let mut kept = self.from.by_ref().take(MAX_LINE);
        let mut length = kept.read_until(b'\n', &mut self.line)? as u64;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            return Ok((length, Ending::Whole));
        }
        if length < MAX_LINE {
            return Ok((length, Ending::Torn));
        }
        // Nothing of the rest is kept.
        loop {
            self.line.clear();
            let mut rest = self.from.by_ref().take(CHUNK as u64);
            let read = rest.read_until(b'\n', &mut self.line)? as u64;
            length += read;
            let ends = self.line.last() == Some(&b'\n');
            if ends || read == 0 {
                self.line = Vec::new();
                return Ok((length, Ending::TooLong));
            }
        }
    }
}

/// The files of this machine.
#[derive(Debug)]
pub struct OnDisk;

impl Files for OnDisk {
    fn content(&self, file: &Path) -> Option<Vec<u8>> {
        files::read(file, MAX_LINE).ok().flatten()
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        let entries = look::folder(folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.take(MAX_NAMES).collect();
        names.sort_unstable();
        names
    }

    fn rows(&self, database: &Path, query: &str, with: &[&str]) -> std::io::Result<Vec<Vec<Cell>>> {
        foreign::rows(database, query, with)
    }
}
