//! The lines that keep the local settings, which hold a path of this machine, out of commits.

use super::lines;

const COMMENT: &str = "# Waypost: settings with a path of this machine";
const PATTERN: &str = "/.claude/settings.local.json";

/// Patterns that have the same effect; git knows many more, and a second line does no harm.
const EQUIVALENT: [&str; 11] = [
    PATTERN,
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
];

/// Whether a list of patterns leaves the local settings out.
pub(super) fn covers(content: &[u8]) -> bool {
    lines::of(content).any(|line| EQUIVALENT.iter().any(|known| known.as_bytes() == line))
}

/// The list with Waypost's lines at its end.
pub(super) fn added(content: &[u8]) -> Vec<u8> {
    lines::added(content, COMMENT, &[PATTERN])
}

/// The list without Waypost's lines.
pub(super) fn taken_out(content: &[u8]) -> Vec<u8> {
    lines::taken_out(content, COMMENT, |line| line == PATTERN.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_user_stay_whatever_their_bytes() {
        for content in [&b""[..], b"*.log\n", b"\xff\xfe\n*.o\r\n"] {
            let with = added(content);
            assert!(covers(&with));
            assert_eq!(taken_out(&with), content);
        }
        let edited = [&added(b"*.log")[..], b"later\n"].concat();
        assert_eq!(taken_out(&edited), b"*.log\nlater\n");
    }

    #[test]
    fn a_pattern_that_the_user_wrote_is_enough_and_stays() {
        let own = b"x\n.claude/  \ny";
        assert!(covers(own));
        assert_eq!(taken_out(own), own);
        assert!(!covers(b"# .claude/\n!.claude/\n"));
        assert_eq!(taken_out(b"/.claude/settings.local.json\n"), b"/.claude/settings.local.json\n");
    }
}
