//! A file with a transcript, or the name of one in a file that holds several.

use std::io;
use std::path::{Path, PathBuf};

use waypost_store::{files, look};

use super::stream::{OnDisk, Progress, read, read_in, read_line};
use super::{Belongs, Entry, Files, Form, TranscriptReader, What, Within};

/// So much of a file is looked at to find out which folder it is about; the second, where the first says nothing, as when a
/// conversation begins with a picture.
const HEADS: [u64; 2] = [512 * 1024, 32 * 1024 * 1024];

/// A file with a transcript, or a part of one.
#[derive(Debug, Clone)]
pub struct Found {
    /// Who reads it.
    pub reader: &'static dyn TranscriptReader,
    /// The file, or a name below one that holds several conversations.
    pub file: PathBuf,
    /// What it is.
    pub belongs: Belongs,
    /// What the file says of it that holds it with others.
    pub within: Option<Within>,
}

impl Found {
    /// A file of one conversation.
    pub(crate) fn alone(reader: &'static dyn TranscriptReader, file: PathBuf) -> Self {
        Self { reader, belongs: reader.belongs(&file), file, within: None }
    }

    /// One that is known by where it is.
    pub(super) fn at(reader: &'static dyn TranscriptReader, file: PathBuf) -> Self {
        let found = Self::alone(reader, file);
        let name = found.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let within = Within { name, folder: None, changed: None };
        let is_in_database = found.belongs.form == Form::Rows;
        Self { within: is_in_database.then_some(within), ..found }
    }

    /// The file that it is read from.
    pub fn on_disk(&self) -> &Path {
        let holder = self.within.as_ref().and_then(|_| self.file.parent());
        holder.unwrap_or(&self.file)
    }

    /// Whether it holds several conversations and does not tell which.
    pub fn is_closed(&self) -> bool {
        self.belongs.form == Form::Rows && self.within.is_none()
    }

    /// Reads it: each entry, or none for a line that cannot be read, with the place where its line begins.
    pub fn read(&self, out: &mut dyn FnMut(Option<Entry>, u64)) -> io::Result<Progress> {
        let files = OnDisk;
        if self.is_closed() {
            self.reader.within(&self.file, &files)?;
            return Err(io::Error::other("it could not be read a moment ago"));
        }
        let mut reading = self.reader.begin(&self.file, &files);
        read_in(self.belongs.form, &self.file, reading.as_mut(), out)
    }

    /// Reads what was added behind `from`; for readers that can go on there.
    pub fn read_on(
        &self,
        from: u64,
        out: &mut dyn FnMut(Option<Entry>, u64),
    ) -> io::Result<Progress> {
        let files = OnDisk;
        let mut reading = self.reader.begin(&self.file, &files);
        read(&self.file, from, reading.as_mut(), out)
    }

    /// What stands at these places, where lines begin; in files of which no part can be read by itself, only where they
    /// have at most so many bytes.
    pub(crate) fn entries_at(&self, places: &[u64], most: u64) -> io::Result<Vec<Entry>> {
        let files = OnDisk;
        let mut reading = self.reader.begin(&self.file, &files);
        let mut found = Vec::new();
        let mut take = |entry: Entry| {
            if places.contains(&entry.at) {
                found.push(entry);
            }
        };
        if self.belongs.form == Form::Lines && self.reader.goes_on() {
            for at in places {
                read_line(&self.file, *at, reading.as_mut(), &mut take)?;
            }
            return Ok(found);
        }
        if self.belongs.form != Form::Rows && look::at(&self.file)?.len() > most {
            return Err(io::Error::other("it is too large to be read just to show a few words"));
        }
        read_in(self.belongs.form, &self.file, reading.as_mut(), &mut |entry, _| {
            entry.into_iter().for_each(&mut take);
        })?;
        Ok(found)
    }

    /// Whether it may be about that folder, as far as that is known without a look into it.
    pub(super) fn may_be_of(&self, root: &Path) -> bool {
        self.reader.may_be_of(&self.file, root)
    }

    /// The folder that it is first about.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        if self.belongs.form == Form::Rows {
            return self.within.as_ref()?.folder.clone();
        }
        HEADS.iter().find_map(|most| self.folder_in(*most))
    }

    fn folder_in(&self, most: u64) -> Option<PathBuf> {
        let files = OnDisk;
        let mut reading = self.reader.begin(&self.file, &files);
        let mut folder = None;
        let mut look_at = |entry: Entry| {
            if let What::In(path) = entry.what {
                folder.get_or_insert(path);
            }
        };
        if self.belongs.form == Form::Whole {
            reading.take(&files.content(&self.file)?, 0, &mut look_at);
            return folder;
        }
        let head = files::head(&self.file, most).ok()??;
        for line in head.split(|byte| *byte == b'\n') {
            reading.take(line, 0, &mut look_at);
        }
        folder
    }
}
