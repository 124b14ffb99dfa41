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
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..count {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, &mut random);
        }
        reader(&bytes);
    }
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(40)).min(bytes.len());
    match random.below(6) {
        0 => drop(bytes.drain(at..end)),
        1 => {
            let piece = PIECES[random.below(PIECES.len())];
            bytes.splice(at..at, piece.iter().copied());
        }
        2 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        3 => bytes.truncate(at),
        4 => {
            let with = u8::try_from(random.below(256)).unwrap_or_default();
            if let Some(byte) = bytes.get_mut(at) {
                *byte = with;
            }
        }
        _ => bytes[at..end].reverse(),
    }
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let limit = u64::try_from(limit.max(1)).unwrap_or(1);
        usize::try_from(self.0 % limit).unwrap_or_default()
    }
}
