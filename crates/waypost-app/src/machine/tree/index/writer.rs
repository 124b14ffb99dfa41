//! Writing an index, for git to begin with. It holds entries and nothing else, and no checksum, which nobody
//! checks.

use super::{EXTENDED, Fields, NAME_LENGTH, SKIP_WORKTREE};

/// An index in the making. Entries come in git's order, each name once.
pub(in super::super) struct Writer {
    bytes: Vec<u8>,
    count: u32,
    id_length: usize,
}

/// What git knows of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Known {
    /// What the entry says of it.
    AsTold,
    /// Nothing: it has to be read.
    Nothing,
    /// Nothing, and it is not looked at, since it is not there.
    Absent,
}

impl Writer {
    pub(in super::super) fn new(id_length: usize) -> Self {
        let bytes = b"DIRC\0\0\0\x03\0\0\0\0".to_vec();
        Self { bytes, count: 0, id_length }
    }

    pub(in super::super) fn push(&mut self, name: &[u8], fields: &Fields<'_>, known: Known) {
        let start = self.bytes.len();
        let nothing = (&[0; 24][..], &[0; 12][..]);
        let (times, owner) = if known == Known::AsTold { fields.stat } else { nothing };
        self.bytes.extend_from_slice(times);
        self.bytes.extend_from_slice(&fields.mode.to_be_bytes());
        self.bytes.extend_from_slice(owner);
        self.bytes.extend_from_slice(fields.id);
        let length = u16::try_from(name.len()).unwrap_or(NAME_LENGTH).min(NAME_LENGTH);
        if known == Known::Absent {
            self.bytes.extend_from_slice(&(length | EXTENDED).to_be_bytes());
            self.bytes.extend_from_slice(&SKIP_WORKTREE.to_be_bytes());
        } else {
            self.bytes.extend_from_slice(&length.to_be_bytes());
        }
        self.bytes.extend_from_slice(name);
        let length = self.bytes.len() - start;
        self.bytes.resize(start + ((length + 8) & !7), 0);
        self.count += 1;
    }

    pub(in super::super) fn finish(mut self) -> Vec<u8> {
        self.bytes[8..12].copy_from_slice(&self.count.to_be_bytes());
        self.bytes.resize(self.bytes.len() + self.id_length, 0);
        self.bytes
    }
}
