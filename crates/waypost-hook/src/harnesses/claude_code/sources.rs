//! Which settings Claude Code reads, by how it was started: a program that runs it may leave them out.

use waypost_app::harness::Settings;

const OPTION: &str = "--setting-sources";

/// Whether it reads settings of this sort when it was started with these arguments.
pub(super) fn reads(arguments: &[String], settings: Settings) -> bool {
    let next = |at: usize| arguments.get(at + 1).map_or("", String::as_str);
    let mut given = arguments.iter().enumerate().filter_map(|(at, word)| {
        let rest = word.strip_prefix(OPTION)?;
        if rest.is_empty() { Some(next(at)) } else { rest.strip_prefix('=') }
    });
    // The last one counts, and none means all.
    let Some(named) = given.next_back() else { return true };
    let name = match settings {
        Settings::User => "user",
        Settings::Shared => "project",
        Settings::Local => "local",
    };
    named.split(',').any(|one| one.trim() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_list_of_sources_says_what_is_read() {
        for (line, user, shared, local) in [
            ("claude -p x", true, true, true),
            ("claude --setting-sources= -p", false, false, false),
            ("claude --setting-sources user,project", true, true, false),
            ("claude --setting-sources=local", false, false, true),
            ("claude --setting-sources=local --setting-sources=user", true, false, false),
            ("claude --setting-sourcesx=local", true, true, true),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let read =
                [Settings::User, Settings::Shared, Settings::Local].map(|one| reads(&words, one));
            assert_eq!(read, [user, shared, local], "{line}");
        }
        let empty = ["claude", "--setting-sources", "", "-p"].map(str::to_owned);
        assert!(!reads(&empty, Settings::Local));
    }
}
