//! Cuts output into lines of plain text: without colours, in pieces of any size, in bounded memory.

/// How much of a line is looked at, in bytes. Summaries are short, and a line may never end.
const MAX_LINE: usize = 1024;

/// Output that is being cut.
#[derive(Debug, Default)]
pub(super) struct Lines {
    line: Vec<u8>,
    escape: Escape,
}

/// Where in a terminal's control sequence the output is.
#[derive(Debug, Default, Clone, Copy)]
enum Escape {
    #[default]
    Outside,
    /// Behind ESC.
    Begun,
    /// Behind ESC and one more byte that takes another, as in `ESC ( B`.
    Short,
    /// `ESC [`, up to a letter.
    Control,
    /// `ESC ]`, up to BEL or `ESC \`.
    Text,
}

impl Escape {
    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Control, 0x40..=0x7e) | (Self::Text, 0x07) => Self::Outside,
            (Self::Control, _) | (Self::Begun, b'[') => Self::Control,
            (_, 0x1b) => Self::Begun,
            (Self::Begun, b']' | b'P' | b'^' | b'_' | b'X') | (Self::Text, _) => Self::Text,
            (Self::Begun, b' '..=b'/') => Self::Short,
            (Self::Begun | Self::Short | Self::Outside, _) => Self::Outside,
        }
    }
}

impl Lines {
    /// Takes more output, and gives every line that ends in it.
    pub(super) fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(&str)) {
        for byte in bytes {
            // Progress is written over itself with CR. No sequence goes on behind a line's end.
            if matches!(byte, b'\n' | b'\r') {
                self.end(&mut each);
                self.escape = Escape::Outside;
                continue;
            }
            if matches!(self.escape, Escape::Outside) {
                self.push(*byte);
            }
            self.escape = self.escape.after(*byte);
        }
    }

    /// Gives the line that nothing ended.
    pub(super) fn finish(mut self, mut each: impl FnMut(&str)) {
        self.end(&mut each);
    }

    fn push(&mut self, byte: u8) {
        let is_text = byte >= 0x20 || byte == b'\t';
        if is_text && byte != 0x7f && self.line.len() < MAX_LINE {
            self.line.push(byte);
        }
    }

    fn end(&mut self, each: &mut impl FnMut(&str)) {
        if !self.line.is_empty() {
            each(String::from_utf8_lossy(&self.line).trim_end());
            self.line.clear();
        }
    }
}
