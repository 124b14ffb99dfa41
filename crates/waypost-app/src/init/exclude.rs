//! The lines that keep files which hold a path of this machine out of commits.

use super::lines;

const COMMENT: &str = "# Waypost: settings with a path of this machine";

/// A file that may hold a path of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// The user's settings for this project.
    LocalSettings,
    /// The list of MCP servers.
    Servers,
}

impl Kept {
    const ALL: [Self; 2] = [Self::LocalSettings, Self::Servers];

    /// Patterns that leave it out, Waypost's own first; git knows many more, and a second line does
    /// no harm.
    fn patterns(self) -> &'static [&'static str] {
        match self {
            Self::LocalSettings => &[
                "/.claude/settings.local.json",
                ".claude/settings.local.json",
                "**/.claude/settings.local.json",
                "settings.local.json",
                "*.local.json",
                ".claude",
                ".claude/",
                "/.claude",
                "/.claude/",
                ".claude/*",
                "/.claude/*",
            ],
            Self::Servers => &["/.mcp.json", ".mcp.json", "**/.mcp.json"],
        }
    }

    fn own(self) -> &'static str {
        self.patterns()[0]
    }

    /// Whether a list of patterns leaves it out.
    pub(super) fn is_left_out_by(self, content: &[u8]) -> bool {
        lines::of(content).any(|line| self.patterns().iter().any(|known| known.as_bytes() == line))
    }
}

/// The list with what Waypost's lines in it have to be: each of `files` is left out of commits, or
/// not. Files that are not named stay as they are, and so do lines of the user's.
pub(super) fn settled(content: &[u8], files: &[(Kept, bool)]) -> Vec<u8> {
    let rest = taken_out(content);
    let has_own = |kept: Kept| kept.is_left_out_by(content) && !kept.is_left_out_by(&rest);
    let wanted = |kept: Kept| files.iter().find(|(file, _)| *file == kept).map(|(_, is)| *is);
    let own = |kept: &Kept| {
        !kept.is_left_out_by(&rest) && wanted(*kept).unwrap_or_else(|| has_own(*kept))
    };
    if Kept::ALL.iter().all(|kept| own(kept) == has_own(*kept)) {
        return content.to_vec();
    }
    let own: Vec<&str> = Kept::ALL.into_iter().filter(own).map(Kept::own).collect();
    if own.is_empty() { rest } else { lines::added(&rest, COMMENT, &own) }
}

/// The list without Waypost's lines.
pub(super) fn taken_out(content: &[u8]) -> Vec<u8> {
    let is_own = |line: &[u8]| Kept::ALL.iter().any(|kept| kept.own().as_bytes() == line);
    lines::taken_out(content, COMMENT, is_own)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: (Kept, bool) = (Kept::LocalSettings, true);
    const BOTH: [(Kept, bool); 2] = [LOCAL, (Kept::Servers, true)];

    #[test]
    fn lines_of_the_user_stay_whatever_their_bytes() {
        for content in [&b""[..], b"*.log\n", b"\xff\xfe\n*.o\r\n"] {
            let with = settled(content, &BOTH);
            assert!(Kept::ALL.iter().all(|kept| kept.is_left_out_by(&with)));
            assert_eq!(settled(&with, &BOTH), with);
            assert_eq!(taken_out(&with), content);
        }
        let edited = [&settled(b"*.log", &[LOCAL])[..], b"later\n"].concat();
        assert_eq!(settled(&edited, &[LOCAL]), edited, "where they are is no matter");
        assert_eq!(taken_out(&edited), b"*.log\nlater\n");
    }

    #[test]
    fn a_pattern_that_the_user_wrote_is_enough_and_stays() {
        let own = b"x\n.claude/  \n.mcp.json\ny";
        assert_eq!(settled(own, &BOTH), own);
        assert_eq!(settled(own, &[LOCAL, (Kept::Servers, false)]), own);
        assert_eq!(taken_out(own), own);
        assert!(!Kept::LocalSettings.is_left_out_by(b"# .claude/\n!.claude/\n"));
        assert_eq!(taken_out(b"/.claude/settings.local.json\n"), b"/.claude/settings.local.json\n");
    }

    #[test]
    fn each_file_is_left_out_for_itself() {
        let first = settled(b"x\n", &[LOCAL]);
        assert!(!Kept::Servers.is_left_out_by(&first));
        let both = settled(&first, &BOTH);
        assert_eq!(String::from_utf8_lossy(&both).matches(COMMENT).count(), 1);
        assert_eq!(settled(&both, &[LOCAL]), both, "a file that is not named stays left out");
        assert_eq!(settled(&both, &[LOCAL, (Kept::Servers, false)]), first);
        assert_eq!(settled(b"x\n.claude\n", &[(Kept::Servers, false)]), b"x\n.claude\n");
    }
}
