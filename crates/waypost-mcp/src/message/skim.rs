//! What can be told of a message without reading it: which request it is, and how many values it has.
//!
//! It sees the bytes as they go by and keeps a few of them, so that also a message that is too long to be
//! kept gets an answer that its client can tell apart. Clients write the id first or last, as they like.

use rmcp::model::RequestId;

/// A longer id is not kept: those of clients are numbers, or as long as a UUID.
const MAX_ID: usize = 256;

/// A message that goes by.
#[derive(Debug, Default)]
pub(super) struct Skim {
    depth: usize,
    at: At,
    /// Whether the outermost value is an object; only such a message has an id.
    is_object: bool,
    /// What stands between the colons and commas of the outermost object, if it is short.
    part: Vec<u8>,
    is_value_of_id: bool,
    id: Option<RequestId>,
    separators: usize,
}

/// Where in a message the next byte is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum At {
    #[default]
    Structure,
    Text,
    /// In a text, after a backslash.
    Escape,
}

impl Skim {
    /// A whole message at once.
    pub(super) fn over(bytes: &[u8]) -> Self {
        let mut skim = Self::default();
        skim.see(bytes);
        skim
    }

    /// The next bytes of it.
    pub(super) fn see(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// The request's id, if it went by.
    pub(super) fn id(&self) -> Option<RequestId> {
        self.id.clone()
    }

    /// About how many values went by; never fewer than there were, if it is JSON.
    pub(super) fn values(&self) -> usize {
        self.separators + 1
    }

    fn step(&mut self, byte: u8) {
        let before = self.at;
        self.at = match (before, byte) {
            (At::Text, b'\\') => At::Escape,
            (At::Text, b'"') => At::Structure,
            (At::Structure, b'"') | (At::Escape, _) => At::Text,
            (same, _) => same,
        };
        if before != At::Structure {
            self.keep(byte);
            return;
        }
        match byte {
            b'{' | b'[' => {
                self.separators += 1;
                self.is_object = if self.depth == 0 { byte == b'{' } else { self.is_object };
                self.depth += 1;
            }
            b'}' | b']' => {
                self.end_part(byte);
                self.depth = self.depth.saturating_sub(1);
            }
            b',' | b':' => {
                self.separators += 1;
                self.end_part(byte);
            }
            _ => self.keep(byte),
        }
    }

    fn is_at_top(&self) -> bool {
        self.depth == 1 && self.is_object
    }

    fn keep(&mut self, byte: u8) {
        if self.is_at_top() && self.part.len() <= MAX_ID {
            self.part.push(byte);
        }
    }

    fn end_part(&mut self, by: u8) {
        if !self.is_at_top() {
            return;
        }
        if by == b':' {
            self.is_value_of_id = self.part.trim_ascii() == b"\"id\"";
        } else if self.is_value_of_id {
            self.id = serde_json::from_slice(&self.part).ok();
            self.is_value_of_id = false;
        }
        self.part.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_wherever_it_stands_and_only_at_the_top() {
        let number = Some(RequestId::Number(7));
        let text = Some(RequestId::String("a\"},b".into()));
        let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(300));
        for (message, id) in [
            (r#"{"id":7}"#, number.clone()),
            (r#"{ "id" : 7 , "method":"x"}"#, number.clone()),
            (r#"{"method":"x","params":{"id":1,"a":[{"id":2}]},"id":7}"#, number.clone()),
            (r#"{"method":"\"id\":1,","x":"\\","id":7}"#, number.clone()),
            (r#"{"id":"a\"},b"}"#, text),
            (r#"{"id":7,"rest":"#, number.clone()),
            (r#"{"id":7"#, None),
            (r#"{"id":{"id":7}}"#, None),
            (r#"{"id":[7]}"#, None),
            (r#"{"id":null}"#, None),
            (r#"[{"id":7}]"#, None),
            (r#"{"params":{"id":7}}"#, None),
            (&long, None),
            ("}}}]\"", None),
            ("", None),
        ] {
            assert_eq!(Skim::over(message.as_bytes()).id(), id, "{message}");
            let mut piecewise = Skim::default();
            message.as_bytes().chunks(1).for_each(|byte| piecewise.see(byte));
            assert_eq!(piecewise.id(), id, "{message} byte by byte");
        }
    }

    #[test]
    fn no_more_is_kept_than_an_id_takes() {
        let mut skim = Skim::over(b"{\"x\":\"");
        skim.see("a".repeat(100_000).as_bytes());
        skim.see(b"\",\"id\":7}");
        assert!(skim.part.capacity() < 4 * MAX_ID, "{}", skim.part.capacity());
        assert_eq!(skim.id(), Some(RequestId::Number(7)));
    }
}
