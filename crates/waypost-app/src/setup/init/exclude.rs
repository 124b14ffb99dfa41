//! The lines that keep files which hold a path of this machine out of commits.

use std::collections::BTreeSet;

use super::lines;
use crate::harness::File;

const COMMENT: &str = "# Waypost: settings with a path of this machine";

/// Files that may hold a path of this machine, of all harnesses.
#[derive(Debug)]
pub(super) struct KeptFiles(Vec<&'static File>);

impl KeptFiles {
    /// Those of `files` that may. One that several harnesses read is one.
    pub(super) fn of(files: impl Iterator<Item = &'static File>) -> Self {
        let mut known = BTreeSet::new();
        Self(files.filter(|file| own(file).is_some() && known.insert(file.key)).collect())
    }
}

/// The line by which Waypost leaves a file out, if it may hold a path of this machine.
fn own(file: &File) -> Option<&'static str> {
    file.ignored_by.first().copied()
}

/// Whether a list of patterns leaves a file out.
pub(super) fn is_left_out_by(file: &File, content: &[u8]) -> bool {
    lines::of(content).any(|line| file.ignored_by.iter().any(|known| known.as_bytes() == line))
}

impl KeptFiles {
    /// The list with what Waypost's lines in it have to be: each of `files` is left out of commits,
    /// or not. Files that are not named stay as they are, and so do lines of the user's.
    pub(super) fn settled(&self, content: &[u8], files: &[(&File, bool)]) -> Vec<u8> {
        let rest = self.taken_out(content);
        let has_own = |file: &File| is_left_out_by(file, content) && !is_left_out_by(file, &rest);
        let wanted = |file: &File| files.iter().find(|(one, _)| one.key == file.key);
        let is_own = |file: &&&'static File| {
            let wanted = wanted(file).map_or_else(|| has_own(file), |(_, is)| *is);
            !is_left_out_by(file, &rest) && wanted
        };
        if self.0.iter().all(|file| is_own(&file) == has_own(file)) {
            return content.to_vec();
        }
        let own: Vec<&str> = self.0.iter().filter(is_own).filter_map(|file| own(file)).collect();
        if own.is_empty() { rest } else { lines::added(&rest, COMMENT, &own) }
    }

    /// The list without Waypost's lines.
    pub(super) fn taken_out(&self, content: &[u8]) -> Vec<u8> {
        let own = self.0.iter().filter_map(|file| own(file)).map(str::as_bytes);
        lines::taken_out(content, COMMENT, |line| own.clone().any(|own| own == line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Role;

    static LOCAL: File = File {
        key: "local",
        role: Role::Local,
        lists_servers: false,
        place: |ground| ground.root.join(".toy/own"),
        folder: None,
        ignored_by: &["/.toy/own", ".toy/"],
    };
    static SHARED: File = File { key: "shared", role: Role::Shared, ignored_by: &[], ..LOCAL };
    static SERVERS: File =
        File { key: "servers", role: Role::Servers, ignored_by: &["/servers", "servers"], ..LOCAL };
    const BOTH: [(&File, bool); 2] = [(&LOCAL, true), (&SERVERS, true)];

    fn kept() -> KeptFiles {
        KeptFiles::of([&LOCAL, &SHARED, &SERVERS].into_iter())
    }

    #[test]
    fn lines_of_the_user_stay_whatever_their_bytes() {
        for content in [&b""[..], b"*.log\n", b"\xff\xfe\n*.o\r\n"] {
            let with = kept().settled(content, &BOTH);
            assert!([&LOCAL, &SERVERS].iter().all(|file| is_left_out_by(file, &with)));
            assert_eq!(kept().settled(&with, &BOTH), with);
            assert_eq!(kept().taken_out(&with), content);
        }
        let edited = [&kept().settled(b"*.log", &BOTH[..1])[..], b"later\n"].concat();
        assert_eq!(kept().settled(&edited, &BOTH[..1]), edited, "where they are is no matter");
        assert_eq!(kept().taken_out(&edited), b"*.log\nlater\n");
    }

    #[test]
    fn a_pattern_that_the_user_wrote_is_enough_and_stays() {
        let own = b"x\n.toy/  \nservers\ny";
        assert_eq!(kept().settled(own, &BOTH), own);
        assert_eq!(kept().settled(own, &[BOTH[0], (&SERVERS, false)]), own);
        assert_eq!(kept().taken_out(own), own);
        assert!(!is_left_out_by(&LOCAL, b"# .toy/\n!.toy/\n"));
        assert_eq!(kept().taken_out(b"/.toy/own\n"), b"/.toy/own\n");
    }

    #[test]
    fn each_file_is_left_out_for_itself() {
        let first = kept().settled(b"x\n", &BOTH[..1]);
        assert!(!is_left_out_by(&SERVERS, &first));
        let both = kept().settled(&first, &BOTH);
        assert_eq!(String::from_utf8_lossy(&both).matches(COMMENT).count(), 1);
        assert_eq!(
            kept().settled(&both, &BOTH[..1]),
            both,
            "a file that is not named stays left out"
        );
        assert_eq!(kept().settled(&both, &[BOTH[0], (&SERVERS, false)]), first);
        assert_eq!(kept().settled(b"x\n.toy/\n", &[(&SERVERS, false)]), b"x\n.toy/\n");
    }
}
