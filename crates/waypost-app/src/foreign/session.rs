//! Sessions that other programs kept: what every format's reader is given, and the same [`Brought`] that
//! each gives. Takes bytes; it opens no file, decides nothing, and writes nothing.

mod merging;
mod outline;
mod told;

pub mod times;

use serde_json::{Map, Value};
use waypost_core::event::Past;
use waypost_core::text::one_line;
use waypost_core::track::Definition;

pub use outline::{Outline, Status};
pub use told::{Leaving, LeftViolation, Written};

use super::json;

/// A larger file is not read, in bytes. All of it becomes part of one record.
pub const MAX_BYTES: usize = json::MAX_BYTES;

/// What is said of a checklist in which something is open that must not be.
pub const OPEN_MUSTS: &str = "open in its checklists";

/// A file that may hold a session.
#[derive(Debug, Clone)]
pub struct ForeignFile<'a> {
    /// Its name, without folders.
    pub name: &'a str,
    /// Where it is, as whoever named it sees it.
    pub path: &'a str,
    /// What is in it.
    pub content: Content<'a>,
}

/// What is in a file.
#[derive(Debug, Clone)]
pub enum Content<'a> {
    /// An object or list of JSON. Whole numbers that no record can hold are texts.
    Json(Value),
    /// Any other text.
    Text(&'a str),
}

/// A session that another program kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Brought {
    /// What it is called there: the beginning of its id here.
    pub name: String,
    /// The format.
    pub format: &'static str,
    /// What a manifest says of it: see [`Outline`].
    pub manifest: Value,
    /// What is known beyond that.
    pub past: Past,
    /// The workflow that it followed, as far as its file tells.
    pub definition: Option<Definition>,
    /// Its files by their names: JSON as it is, else the text.
    pub original: Map<String, Value>,
    /// What was put right, or is told otherwise here than there: a sentence each.
    pub remarks: Vec<String>,
}

/// What a reader makes of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Sessions.
    Sessions(Vec<Brought>),
    /// It holds no session: what it is instead, and where that belongs.
    NoSession(String),
    /// It holds one that cannot be taken: why, and what to do.
    Refused(String),
}

impl<'a> ForeignFile<'a> {
    /// Reads a file's bytes, JSON where that is what they are.
    pub fn of(name: &'a str, path: &'a str, bytes: &'a [u8]) -> Result<Self, String> {
        if bytes.len() > MAX_BYTES {
            return Err(too_large(bytes.len() as u64));
        }
        let text = str::from_utf8(bytes).map_err(|error| {
            let line = bytes[..error.valid_up_to()].split(|byte| *byte == b'\n').count();
            format!("line {line} is not UTF-8; save the file as UTF-8")
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let is_json = text.trim_start().starts_with(['{', '[']);
        // Markdown may begin with a link.
        let content = match json::value(path, &waypost_core::surrogates::mended(text)) {
            Ok(value) if is_json => Content::Json(value),
            Err(problem) if is_json && !is_markdown(name) => {
                return Err(one_line(&problem.to_string()));
            }
            _ => Content::Text(text),
        };
        Ok(Self { name, path, content })
    }

    /// Its JSON, if that is what it holds.
    pub fn json(&self) -> Option<&Map<String, Value>> {
        match &self.content {
            Content::Json(Value::Object(fields)) => Some(fields),
            _ => None,
        }
    }

    /// Its text, if it is no JSON.
    pub fn text(&self) -> Option<&'a str> {
        match self.content {
            Content::Text(text) => Some(text),
            Content::Json(_) => None,
        }
    }

    /// Its name without what follows the last dot.
    pub fn stem(&self) -> &'a str {
        self.name.rsplit_once('.').map_or(self.name, |(stem, _)| stem)
    }

    /// The original, to be kept: this file alone.
    pub fn original(&self) -> Map<String, Value> {
        let content = match &self.content {
            Content::Json(value) => value.clone(),
            Content::Text(text) => Value::String((*text).to_owned()),
        };
        Map::from_iter([(self.name.to_owned(), content)])
    }
}

/// What is said of a file that is too large to be read.
pub fn too_large(bytes: u64) -> String {
    let (found, most) = (bytes.div_ceil(1024 * 1024), MAX_BYTES / (1024 * 1024));
    format!(
        "it has {found} MiB, and files of at most {most} MiB are read; import a copy of it without what makes it large"
    )
}

fn is_markdown(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".md", ".markdown"].iter().any(|ending| name.ends_with(ending))
}
