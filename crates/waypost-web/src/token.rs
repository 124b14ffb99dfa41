//! The token that callers show, and what a browser shows after it was shown once.

use std::fmt;

use waypost_core::key::sha256_hex;

/// The token that callers show. It is never printed but in the one link that people open.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token.
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// Whether it is this one. How long that takes tells nothing of how much of it is right.
    pub(crate) fn is(&self, shown: &[u8]) -> bool {
        same(self.0.as_bytes(), shown)
    }

    /// What a browser keeps in the token's place: whoever learns it, such as another server on this machine to which the
    /// browser sends it too, can look at pages and do what they offer, and has not the token itself.
    pub(crate) fn cookie(&self) -> String {
        self.derived("page")
    }

    /// What forms carry along, so that nothing is done that no page of ours asked for.
    pub(crate) fn form(&self) -> String {
        self.derived("form")
    }

    fn derived(&self, what: &str) -> String {
        sha256_hex(&[b"waypost-", what.as_bytes(), b"\n", self.0.as_bytes()])
    }
}

/// Whether two texts are the same, in a time that tells nothing of how much of them is.
pub(crate) fn same(own: &[u8], shown: &[u8]) -> bool {
    let differing = own.iter().zip(shown).fold(0, |found, (a, b)| found | (a ^ b));
    own.len() == shown.len() && std::hint::black_box(differing) == 0
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_it() {
        let token = Token::new("abcdef".to_owned());
        assert!(token.is(b"abcdef"));
        for wrong in [&b""[..], b"abcde", b"abcdefg", b"abcdeg", b"Abcdef"] {
            assert!(!token.is(wrong));
        }
        assert_eq!(format!("{token:?}"), "Token");
    }

    #[test]
    fn what_browsers_keep_is_not_the_token() {
        let token = Token::new("abcdef".to_owned());
        assert!(!token.is(token.cookie().as_bytes()) && !token.is(token.form().as_bytes()));
        assert_ne!(token.cookie(), token.form());
        assert_ne!(token.cookie(), Token::new("abcdeg".to_owned()).cookie());
    }
}
