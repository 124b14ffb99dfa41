//! Which session a command is about: by its id behind the command's own words, or after `--session`.

use clap::Args;

/// The session that is meant.
#[derive(Debug, Args)]
pub(super) struct WhichSession {
    /// A session's id, or enough of its beginning
    #[arg(id = "session_id", value_name = "ID")]
    id: Option<String>,
    /// The same, as an option
    #[arg(long, value_name = "ID", conflicts_with = "session_id")]
    session: Option<String>,
}

impl WhichSession {
    /// The session that was named, as use cases take it.
    pub(super) fn named(&self) -> Option<&str> {
        self.id.as_deref().or(self.session.as_deref())
    }

    /// Whether what stands behind the command's words hardly is an id: one word more, perhaps.
    pub(super) fn is_stray(&self) -> bool {
        self.id.as_deref().is_some_and(|id| !is_id(id))
    }

    /// The session, where the word before its id may be left out: a lone id stands in its place then.
    /// Gives also that word, if it is one.
    pub(super) fn or_first<'a>(
        &'a self,
        first: Option<&'a str>,
    ) -> (Option<&'a str>, Option<&'a str>) {
        match first {
            Some(id) if self.named().is_none() && is_id(id) => (Some(id), None),
            first => (self.named(), first),
        }
    }
}

/// The session that is meant where any number of words may stand before its id.
#[derive(Debug, Args)]
pub(super) struct WhichSessionLast {
    /// A session's id, or enough of its beginning; it may also be the last word
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

impl WhichSessionLast {
    /// The session that was named, and the words before it.
    pub(super) fn after<'a>(&'a self, words: &'a [String]) -> (Option<&'a str>, &'a [String]) {
        match words.split_last() {
            Some((id, before)) if self.session.is_none() && is_id(id) => (Some(id), before),
            _ => (self.session.as_deref(), words),
        }
    }
}

/// Whether a word can be nothing but a session's id, or its beginning: they begin with a date.
fn is_id(word: &str) -> bool {
    let year = word.bytes().take_while(u8::is_ascii_digit).count();
    year == 4 && (word.len() == 4 || word.as_bytes()[4] == b'-')
}

#[cfg(test)]
mod tests {
    use super::is_id;

    #[test]
    fn an_id_begins_with_a_date() {
        for id in ["2026-11-15_add-login_k7x2mq", "2026-11-15-session-01", "2026-11", "2026"] {
            assert!(is_id(id), "{id}");
        }
        for word in ["", "3", "12", "coding", "tests-pass", "20261", "2026x", "name=2026-11-15"] {
            assert!(!is_id(word), "{word}");
        }
    }
}
