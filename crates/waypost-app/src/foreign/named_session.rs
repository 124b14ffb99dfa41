//! Sessions as other tools name them in files and texts: `2026-11-15-session-01`, with more or fewer
//! zeros, followed by whatever the work is about. Looks at names only.

use waypost_core::text::shortened;

use super::words::beginning;

/// Between the day and the number.
const BETWEEN: &str = "-session-";
/// A day has so many characters: `2026-11-15`.
const DAY: usize = 10;
/// A number of more digits is none.
const MAX_DIGITS: usize = 9;
/// No more of a text is searched, in bytes.
const MAX_SEARCHED: usize = 64 * 1024;

/// A session that is known by its day and a number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedSession {
    /// The day, as `2026-11-15`.
    pub day: String,
    /// The number on that day.
    pub number: u32,
}

impl NamedSession {
    /// The session that a name begins with: `2026-11-15-session-01-fix-login.json`.
    pub fn at_start_of(name: &str) -> Option<Self> {
        let (day, rest) = name.split_at_checked(DAY)?;
        let rest = rest.strip_prefix(BETWEEN).filter(|_| is_day(day))?;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let follows = rest[end..].chars().next();
        // `session-3310a37d` is somebody's hash, not session 3310.
        let whole = !follows.is_some_and(char::is_alphanumeric);
        let digits = Some(&rest[..end]).filter(|digits| whole && digits.len() <= MAX_DIGITS)?;
        Some(Self { day: day.to_owned(), number: digits.parse().ok()? })
    }

    /// The session of a path or another name that holds one.
    pub fn in_name(name: &str) -> Option<Self> {
        let found: Vec<Self> = Self::all_in(name);
        found.into_iter().next()
    }

    /// Every session that a text names, once each, in order.
    pub fn all_in(text: &str) -> Vec<Self> {
        let text = beginning(text, MAX_SEARCHED);
        let mut found = Vec::new();
        for (at, _) in text.match_indices(BETWEEN) {
            let begins = at.checked_sub(DAY).and_then(|start| text.get(start..));
            if let Some(session) = begins.and_then(Self::at_start_of)
                && !found.contains(&session)
            {
                found.push(session);
            }
        }
        found
    }

    /// Its id, as Waypost writes it.
    pub fn id(&self) -> String {
        format!("{}{BETWEEN}{:02}", self.day, self.number)
    }

    /// The session whose files a pattern asks for: `.agents/sessions/2026-11-15-session-01*`.
    pub fn of_pattern(pattern: &str) -> Option<(&str, Self)> {
        let (folder, last) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let name = last.strip_suffix('*')?;
        let session = Self::at_start_of(name).filter(|_| !folder.contains(['*', '?']))?;
        let ends = name.chars().next_back().is_some_and(|c| c.is_ascii_digit());
        let whole = ends && name.matches(BETWEEN).count() == 1 && !name.contains(['*', '?']);
        whole.then_some((folder, session))
    }
}

/// Whether a text has the form of a day.
pub(super) fn is_day(text: &str) -> bool {
    let form = |(place, c): (usize, char)| match place {
        4 | 7 => c == '-',
        _ => c.is_ascii_digit(),
    };
    text.len() == DAY && text.chars().enumerate().all(form)
}

/// The id that stands in a text: a numbered one, or one of Waypost's own.
pub(super) fn id_in(text: &str) -> Option<String> {
    if let Some(session) = NamedSession::in_name(text) {
        return Some(session.id());
    }
    let part = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let own = |word: &&str| {
        let mut parts = word.split('_');
        let day = parts.next().is_some_and(is_day);
        day && parts.next().is_some_and(|slug| !slug.is_empty())
            && parts.next().is_some_and(|end| end.len() == 6)
    };
    let text = beginning(text, MAX_SEARCHED);
    let found = text.split(part).find(own)?;
    let id: Vec<&str> = found.split('_').take(3).collect();
    Some(shortened(&id.join("_"), 120))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(number: u32) -> NamedSession {
        NamedSession { day: "2026-11-15".to_owned(), number }
    }

    #[test]
    fn a_session_is_known_by_its_whole_number() {
        for (name, number) in [
            ("2026-11-15-session-01.md", Some(1)),
            ("2026-11-15-session-1.json", Some(1)),
            ("2026-11-15-session-010-x.md", Some(10)),
            ("2026-11-15-session-01_x.md", Some(1)),
            ("2026-11-15-session-3310a37d-x.md", None),
            ("2026-11-15-session-x.md", None),
            ("2026-11-15-session-99999999999.md", None),
            ("x-2026-11-15-session-01.md", None),
            ("26-11-15-session-01.md", None),
            ("é026-11-15-session-01", None),
            ("", None),
        ] {
            assert_eq!(NamedSession::at_start_of(name), number.map(session), "{name}");
        }
    }

    #[test]
    fn sessions_are_found_in_paths_and_texts() {
        let path = ".agents/sessions/2026-11-15-session-07-fix.json";
        assert_eq!(NamedSession::in_name(path), Some(session(7)));
        let text = "of 2026-11-15-session-07 and 2026-11-15-session-07, not 2026-11-15-session-8";
        assert_eq!(NamedSession::all_in(text), [session(7), session(8)]);
        assert_eq!(id_in("see 2026-11-15-session-3"), Some("2026-11-15-session-03".to_owned()));
        let own = "2026-11-15_add-login_k3f9a2";
        assert_eq!(id_in(&format!("`.agents/sessions/{own}.md`")), Some(own.to_owned()));
        assert_eq!(id_in("2026-11-15_short"), None);
        assert_eq!(session(100).id(), "2026-11-15-session-100");
    }

    #[test]
    fn a_pattern_asks_for_one_session_or_for_something_else() {
        let (folder, found) =
            NamedSession::of_pattern(".agents/sessions/2026-11-15-session-01*").unwrap();
        assert_eq!((folder, found), (".agents/sessions", session(1)));
        for other in ["docs/*", "a/2026-11-15-session-01", "a/2026-11-15-session-*", "**/x*"] {
            assert_eq!(NamedSession::of_pattern(other), None, "{other}");
        }
    }
}
