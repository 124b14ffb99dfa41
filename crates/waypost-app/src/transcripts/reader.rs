//! What a client's module says of its transcripts.

use std::ffi::OsString;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

use waypost_core::tables::Cell;
use waypost_core::time::Timestamp;

use super::Entry;

/// Reads the transcripts of a client.
pub trait TranscriptReader: Debug + Sync {
    /// How records and commands call the client.
    fn client(&self) -> &'static str;

    /// Where the client keeps what is its own.
    fn folder(&self) -> Folder;

    /// The transcripts below that, as patterns: `*` stands for a name, `**` for any number of folders.
    fn files(&self) -> &'static [&'static str];

    /// Whether conversations of the folder `root` may be in a file, by where it lies.
    fn may_be_of(&self, file: &Path, root: &Path) -> bool {
        let _ = (file, root);
        true
    }

    /// Where the other parts of the conversation are whose own words are in `file`: a pattern below a folder, as in `files`.
    fn parts(&self, file: &Path) -> Option<(PathBuf, &'static str)> {
        let _ = file;
        None
    }

    /// Whether prompts, words, calls and usage behind any line of a file are told the same by whoever begins to read there.
    fn goes_on(&self) -> bool {
        false
    }

    /// The conversations in a file that holds several, such as a database; none for the file of one. Each is then read by
    /// its name below that file, as if that were a folder.
    fn within(&self, file: &Path, files: &dyn Files) -> std::io::Result<Option<Vec<Within>>> {
        let _ = (file, files);
        Ok(None)
    }

    /// Whether other files tell of a conversation than those that are listed, where these are read as a whole: that it
    /// changed is not seen by them alone.
    fn is_scattered(&self) -> bool {
        false
    }

    /// A table of what the models cost that the makers of the client sell, if there is one: `as_of`, and a `[[price]]` for
    /// each price.
    fn prices(&self) -> Option<&'static str> {
        None
    }

    /// What a file is, by where it lies.
    fn belongs(&self, file: &Path) -> Belongs;

    /// Begins to read a file. It is given the file's content; other files that belong to it, it asks `files` for.
    fn begin<'f>(&self, file: &Path, files: &'f dyn Files) -> Box<dyn Reading + 'f>;
}

/// Where a client keeps what is its own.
#[derive(Debug, Clone, Copy)]
pub struct Folder {
    /// The variable that says so, and what lies below the folder that it names.
    pub variable: (&'static str, &'static str),
    /// Where that is below the user's home otherwise.
    pub below_home: &'static str,
}

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Belongs {
    /// The conversation.
    pub conversation: String,
    /// Whether it is a part of the conversation that is not its own words, such as a subagent's.
    pub part: bool,
    /// How it is read.
    pub form: Form,
}

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Line by line, and what is added later by itself.
    Lines,
    /// As a whole.
    Whole,
    /// By asking the database for rows that the file lies below; nothing else is given.
    Rows,
}

/// A conversation in a file that holds several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Within {
    /// Its name there.
    pub name: String,
    /// The folder that it is about.
    pub folder: Option<PathBuf>,
    /// When something was added to it last.
    pub changed: Option<Timestamp>,
}

/// A transcript that is being read.
pub trait Reading {
    /// Takes a line, or the file where it is read as a whole. Says whether it could be read.
    fn take(&mut self, bytes: &[u8], at: u64, out: &mut dyn FnMut(Entry)) -> bool;
}

/// The files that a reader asks for.
pub trait Files {
    /// The content of a file, if it is there and not too large.
    fn content(&self, file: &Path) -> Option<Vec<u8>>;

    /// The names in a folder, sorted; none if it is not there.
    fn names(&self, folder: &Path) -> Vec<String>;

    /// What a query with these values gives of a database of SQLite, which a client may be writing just now.
    fn rows(&self, database: &Path, query: &str, with: &[&str]) -> std::io::Result<Vec<Vec<Cell>>>;
}

/// The transcripts of a client on this machine.
#[derive(Debug, Clone)]
pub struct Kept {
    /// Who reads them.
    pub reader: &'static dyn TranscriptReader,
    /// Where the client keeps what is its own.
    pub folder: PathBuf,
}

/// Where each of these clients keeps its transcripts. `var` gives a variable's value.
pub fn kept(
    readers: &[&'static dyn TranscriptReader],
    home: &Path,
    var: impl Fn(&str) -> Option<OsString>,
) -> Vec<Kept> {
    let place = |reader: &&'static dyn TranscriptReader| {
        let Folder { variable: (variable, below), below_home } = reader.folder();
        let given = var(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = given.map_or_else(|| home.join(below_home), |given| given.join(below));
        Kept { reader: *reader, folder }
    };
    readers.iter().map(place).collect()
}
