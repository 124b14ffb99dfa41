//! Files that were kept of a session, read once more.

use std::cmp::Reverse;

use serde_json::{Map, Value};
use waypost_core::session::Basics;

use super::{NOTE, PART, STATE, is_of_folder, join, read};
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, Content, ForeignFile, Reading};

/// A session whose files were read before, once more from what was kept of them: its state or note, the newest where
/// there are several, and what lies beside it. What can no longer be read is kept. Nothing is said of signatures.
pub fn again(files: &Map<String, Value>, name: &str, times: &Times<'_>) -> Option<Brought> {
    let (mut unread, mut all) = (Map::new(), Vec::new());
    for (file, content) in files {
        let found = sessions(file, content, times);
        if found.is_empty() {
            unread.insert(file.clone(), content.clone());
        }
        all.extend(found.into_iter().filter(|one| one.name == name || is_of_folder(one)));
    }
    all.sort_by_cached_key(|one| {
        let place = [STATE, NOTE, PART].iter().position(|format| *format == one.format);
        let updated_at = Basics::read(&one.manifest).updated_at;
        let file = one.original.keys().next().cloned();
        // What lies beside is joined in the order of its names.
        (place, Reverse(updated_at.filter(|_| one.format != PART)), file)
    });
    let mut all = all.into_iter();
    let mut again = all.next()?;
    for other in all {
        match other.format {
            PART => join(&mut again, other),
            _ => unread.extend(other.original),
        }
    }
    again.original.extend(unread);
    Some(again)
}

/// The sessions that a kept file tells of.
fn sessions(kept: &str, content: &Value, times: &Times<'_>) -> Vec<Brought> {
    let content = match content {
        Value::String(text) => Content::Text(text),
        other => Content::Json(other.clone()),
    };
    let name = kept.trim_end_matches('\'');
    let Some(Reading::Sessions(mut sessions)) =
        read(&ForeignFile { name, path: name, content }, times)
    else {
        return Vec::new();
    };
    for one in &mut sessions {
        let own = std::mem::take(&mut one.original);
        one.original = own.into_iter().map(|(_, value)| (kept.to_owned(), value)).collect();
    }
    sessions
}
