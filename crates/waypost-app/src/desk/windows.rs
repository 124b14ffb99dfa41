//! Parts of transcripts that were read a moment ago: whoever watches one sees it made again at every change of anything, and
//! taking out of it what looks like a credential takes longer than all the rest.

use std::collections::VecDeque;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use waypost_core::time::Timestamp;
use waypost_store::look;

use crate::transcripts::window::Window;
use crate::transcripts::{Form, Found};

/// Of how many parts it is kept: each is some hundred kilobytes at most.
const MOST: usize = 8;

/// A part of a transcript, and when the transcript began.
#[derive(Debug)]
pub struct Read {
    /// The part.
    pub window: Window,
    /// When the first thing was said, as far as that is near the beginning.
    pub began: Option<Timestamp>,
}

/// The file, which part of it, and what tells whether it is as it was.
type Key = (PathBuf, Option<u64>, [i64; 5]);

/// The parts that were read last, the latest last.
#[derive(Debug, Default)]
pub(super) struct Windows {
    kept: Mutex<VecDeque<(Key, Arc<Read>)>>,
}

impl Windows {
    /// The part that a place is in; without one, the last.
    pub(super) fn of(&self, found: &Found, at: Option<u64>) -> io::Result<Arc<Read>> {
        let key = key(found, at);
        if let Some(read) = key.as_ref().and_then(|key| self.known(key)) {
            return Ok(read);
        }
        let read = Arc::new(Read { window: found.window(at)?, began: found.began() });
        if let Some(key) = key {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() >= MOST {
                kept.pop_front();
            }
            kept.push_back((key, Arc::clone(&read)));
        }
        Ok(read)
    }

    fn known(&self, key: &Key) -> Option<Arc<Read>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(known, _)| known == key)?;
        let found = kept.remove(place)?;
        let read = Arc::clone(&found.1);
        kept.push_back(found);
        Some(read)
    }
}

/// None for what lies in a database, of which no file tells whether it changed.
fn key(found: &Found, at: Option<u64>) -> Option<Key> {
    if !matches!(found.belongs.form, Form::Lines) {
        return None;
    }
    let now = look::at(&found.file).ok()?;
    let length = i64::try_from(now.len()).ok()?;
    let inode = i64::from_ne_bytes(now.ino().to_ne_bytes());
    let stamp = [length, inode, now.mtime(), now.mtime_nsec(), now.ctime_nsec()];
    Some((found.file.clone(), at, stamp))
}
