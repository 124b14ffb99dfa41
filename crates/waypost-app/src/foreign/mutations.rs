//! Files as damage and haste leave them, the same in every run: for tests of readers.

/// What gets into files.
const PIECES: &[&[u8]] = &[
    b"|",
    b"`",
    b"```\n",
    b"[",
    b"]",
    b"[x]",
    b"\n",
    b"\r",
    b"\0",
    b"\xff\xfe",
    b"---\n",
    b"{",
    b"}",
    b"\"",
    b":",
    b",",
    b"<!--",
    b"-->",
    b"MUST",
    b"\\",
    b"\xe2\x9c",
    "✅".as_bytes(),
    b"1e999",
    b"null",
    b"#",
    b"- [ ] ",
    b"\t",
    b"\xef\xbb\xbf",
    b"//",
    b"99999999999999999999",
];

/// Hands `count` mutations of a text to a reader.
pub(super) fn each_mutation(text: &str, count: u64, mut reader: impl FnMut(&[u8])) {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..count {
        reader(&dice.damaged(text, PIECES));
    }
}

/// Numbers that look random and are the same in every run.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    /// A number below a limit.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let limit = u64::try_from(limit.max(1)).unwrap_or(1);
        usize::try_from(self.0 % limit).unwrap_or_default()
    }

    /// A text with some damage; `pieces` are what gets into it.
    pub(super) fn damaged(&mut self, text: &str, pieces: &[impl AsRef<[u8]>]) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=self.below(4) {
            self.mutate(&mut bytes, pieces);
        }
        bytes
    }

    /// The same as text.
    pub(super) fn damaged_text(&mut self, text: &str, pieces: &[impl AsRef<[u8]>]) -> String {
        String::from_utf8_lossy(&self.damaged(text, pieces)).into_owned()
    }

    fn mutate(&mut self, bytes: &mut Vec<u8>, pieces: &[impl AsRef<[u8]>]) {
        let at = self.below(bytes.len() + 1);
        let end = (at + self.below(40)).min(bytes.len());
        match self.below(8) {
            0 => drop(bytes.drain(at..end)),
            1 | 2 => {
                let piece = pieces[self.below(pieces.len())].as_ref();
                bytes.splice(at..at, piece.iter().copied());
            }
            3 => {
                let piece = pieces[self.below(pieces.len())].as_ref();
                bytes.splice(at..end, piece.iter().copied());
            }
            4 => {
                let (again, to) = (bytes[at..end].to_vec(), self.below(bytes.len() + 1));
                bytes.splice(to..to, again);
            }
            5 => bytes.truncate(at),
            6 => {
                let with = u8::try_from(self.below(256)).unwrap_or_default();
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = with;
                }
            }
            _ => bytes[at..end].reverse(),
        }
    }
}
