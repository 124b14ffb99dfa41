//! What was said where the index found words: read again from the transcript, since an index keeps no text.

use std::collections::BTreeMap;
use std::path::PathBuf;

use waypost_core::redact::redact;
use waypost_core::tables::message_key;

use super::rows::FoundMessage;
use crate::transcripts::{Entry, Found, Kept, said_by};

/// Of files that can only be read as a whole, larger ones are not read for a few words.
const MAX_WHOLE: u64 = 8 * 1024 * 1024;

/// What was said at each of these places, redacted; none where the transcript does not say it any more, or cannot be read.
pub fn texts(found: &[FoundMessage], kept: &[Kept]) -> Vec<Option<String>> {
    let mut files: BTreeMap<i64, Vec<&FoundMessage>> = BTreeMap::new();
    for message in found {
        files.entry(message.transcript.file).or_default().push(message);
    }
    let mut texts = BTreeMap::new();
    for messages in files.values() {
        texts.extend(in_file(messages, kept));
    }
    found.iter().map(|found| texts.get(&found.message.id).cloned()).collect()
}

/// The texts of messages of one file, by their numbers.
fn in_file(messages: &[&FoundMessage], kept: &[Kept]) -> BTreeMap<i64, String> {
    let mut texts = BTreeMap::new();
    let Some(transcript) = messages.first().map(|found| &found.transcript) else { return texts };
    let reader = kept.iter().find(|kept| kept.reader.client() == transcript.client);
    let Some(reader) = reader.map(|kept| kept.reader) else { return texts };
    let mut places: Vec<u64> = messages.iter().map(|found| found.message.offset).collect();
    places.dedup();
    let file = Found::alone(reader, PathBuf::from(&transcript.path));
    let entries = file.entries_at(&places, MAX_WHOLE).unwrap_or_default();
    let mut last = (u64::MAX, 0);
    for (at, text) in entries.iter().filter_map(searched) {
        let place = if last.0 == at { last.1 } else { 0 };
        last = (at, place + 1);
        texts.insert(message_key(transcript.file, at, place), redact(&text).into_owned());
    }
    texts
}

/// The words of an entry that are found, and where it stands.
fn searched(entry: &Entry) -> Option<(u64, String)> {
    super::transcripts::is_searched(entry)
        .then(|| said_by(entry))?
        .map(|(_, text)| (entry.at, text))
}
