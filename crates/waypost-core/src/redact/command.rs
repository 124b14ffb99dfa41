//! Credentials that programs take after flags which do not say so: `curl -u me:secret`, `mysql -psecret`.
//!
//! The same flag means a port or a folder elsewhere, so it counts only on the line of a command that is
//! known to mean a credential by it. Which command a line is in is known from left to right: its name
//! sets it, another known name or the line's end changes it.

use super::scan::{is_blank, run, run_back};
use super::value::{self, Extent, Sureness, Value};
use super::{Credential, assign, cookie, name};

/// What stands after a flag.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    /// A password.
    Password,
    /// A user and a password, with this character between.
    Pair(u8),
    /// Cookies, or a file that holds them.
    Cookies,
}

/// Where it stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Right after a flag of one letter: `-psecret`.
    Attached,
    /// After the flag and a blank.
    Apart,
    /// Either.
    Both,
}

struct Flag {
    /// With its hyphens. One letter after one hyphen may stand last in a group (`-su`).
    written: &'static str,
    takes: Takes,
    place: Place,
}

/// A program and the flags that it takes credentials after.
pub(super) struct Program {
    name: &'static str,
    /// The subcommand that takes them, where not every one does.
    sub: &'static str,
    flags: &'static [Flag],
}

const fn password(written: &'static str) -> Flag {
    Flag { written, takes: Takes::Password, place: Place::Both }
}

const fn attached(written: &'static str) -> Flag {
    Flag { written, takes: Takes::Password, place: Place::Attached }
}

const fn apart(written: &'static str) -> Flag {
    Flag { written, takes: Takes::Password, place: Place::Apart }
}

const fn pair(written: &'static str) -> Flag {
    Flag { written, takes: Takes::Pair(b':'), place: Place::Both }
}

const fn program(name: &'static str, flags: &'static [Flag]) -> Program {
    Program { name, sub: "", flags }
}

const fn login(name: &'static str, flags: &'static [Flag]) -> Program {
    Program { name, sub: "login", flags }
}

const CURL: &[Flag] = &[
    pair("-u"),
    pair("-U"),
    pair("-E"),
    pair("--user"),
    pair("--proxy-user"),
    pair("--cert"),
    apart("--oauth2-bearer"),
    Flag { written: "-b", takes: Takes::Cookies, place: Place::Both },
    Flag { written: "--cookie", takes: Takes::Cookies, place: Place::Both },
];
const MYSQL: &[Flag] = &[attached("-p")];
const P: &[Flag] = &[password("-p")];
const UPPER_P: &[Flag] = &[password("-P")];
const W: &[Flag] = &[password("-w")];
const PERCENT: &[Flag] = &[
    Flag { written: "-U", takes: Takes::Pair(b'%'), place: Place::Both },
    Flag { written: "--user", takes: Takes::Pair(b'%'), place: Place::Both },
];

/// In the order of their names. Programs without flags are here because theirs mean something else:
/// they end the line of another.
const PROGRAMS: &[Program] = &[
    program("7z", MYSQL),
    program("7za", MYSQL),
    login("az", P),
    program("bcp", UPPER_P),
    login("buildah", P),
    program("cp", &[]),
    program("cqlsh", P),
    program("curl", CURL),
    login("docker", P),
    program("git", &[]),
    login("helm", P),
    program("http", &[pair("-a"), pair("--auth")]),
    program("https", &[pair("-a"), pair("--auth")]),
    program("ldapadd", W),
    program("ldapdelete", W),
    program("ldapmodify", W),
    program("ldapsearch", W),
    program("ldapwhoami", W),
    program("lftp", &[Flag { written: "-u", takes: Takes::Pair(b','), place: Place::Both }]),
    program("mariadb", MYSQL),
    program("mariadb-admin", MYSQL),
    program("mariadb-dump", MYSQL),
    program("mkdir", &[]),
    program("mongo", P),
    program("mongodump", P),
    program("mongoexport", P),
    program("mongoimport", P),
    program("mongorestore", P),
    program("mongosh", P),
    program("mysql", MYSQL),
    program("mysqladmin", MYSQL),
    program("mysqlcheck", MYSQL),
    program("mysqldump", MYSQL),
    program("mysqlimport", MYSQL),
    login("nerdctl", P),
    login("oc", P),
    login("oras", P),
    login("podman", P),
    program("psql", &[]),
    program("rar", MYSQL),
    program("redis-cli", &[password("-a")]),
    program("rpcclient", PERCENT),
    program("scp", &[]),
    program("skopeo", &[pair("--creds"), pair("--src-creds"), pair("--dest-creds"), apart("-p")]),
    program("smbclient", PERCENT),
    program("sqlcmd", UPPER_P),
    program("ssh", &[]),
    program("sshpass", P),
    program("sudo", &[]),
    program("unrar", MYSQL),
    program("unzip", UPPER_P),
    program("zip", UPPER_P),
];

/// The longest of their names.
const LONGEST: usize = 16;

/// Which command the line is in.
#[derive(Default)]
pub(super) struct Line {
    program: Option<&'static Program>,
    /// Its subcommand was named, or it needs none.
    counts: bool,
    /// The user and the password that stand here or further ahead.
    pair: Option<Pair>,
}

/// A user and a password, before what stands between them is reached. How long the user is does not
/// matter, and a token in its place is found by other rules.
#[derive(Clone, Copy)]
struct Pair {
    start: usize,
    between: u8,
    quote: Option<u8>,
}

impl Line {
    /// Takes notice of the word that begins at `at`.
    pub(super) fn read_word(&mut self, bytes: &[u8], at: usize) {
        if matches!(bytes[..at], [.., b'-' | b'_' | b'.' | b'=' | b':' | b'@']) {
            return;
        }
        let end = run(bytes, at, LONGEST + 1, |b| b.is_ascii_alphanumeric() || b == b'-');
        let after = if bytes[end..].starts_with(b".exe") { end + 4 } else { end };
        if !bytes.get(after).is_some_and(|b| is_blank(*b)) {
            return;
        }
        let word = &bytes[at..end];
        let known = PROGRAMS.binary_search_by(|program| program.name.as_bytes().cmp(word));
        if let Ok(place) = known {
            let program = &PROGRAMS[place];
            self.program = Some(program);
            self.counts = program.sub.is_empty();
        } else if let Some(program) = self.program.filter(|known| !known.sub.is_empty()) {
            self.counts |= program.sub.as_bytes() == word;
        }
    }

    /// Takes notice of the line break at `at`. A backslash before it makes the line go on.
    pub(super) fn read_break(&mut self, bytes: &[u8], at: usize) {
        let end = run_back(bytes, at, 1, |b| b == b'\r');
        if !matches!(bytes[..end], [.., b'\\']) {
            *self = Self::default();
        }
    }

    /// The credential after the flag whose hyphen is at `at`.
    pub(super) fn after_flag(&mut self, text: &str, at: usize) -> Option<Credential> {
        let program = self.program.filter(|_| self.counts)?;
        let bytes = text.as_bytes();
        let stands_alone =
            bytes[..at].last().is_none_or(|b| b.is_ascii_whitespace() || is_quote(*b));
        if !stands_alone {
            return None;
        }
        let mut flags = program.flags.iter();
        let (flag, (start, apart)) =
            flags.find_map(|flag| Some((flag, flag.value_start(bytes, at)?)))?;
        match flag.takes {
            Takes::Cookies => cookie::pairs(bytes, opened(bytes, start)),
            Takes::Pair(between) => {
                let opened = opened(bytes, start);
                let quote = if opened > start { Some(bytes[opened - 1]) } else { None };
                self.pair = Some(Pair { start: opened, between, quote });
                None
            }
            Takes::Password => {
                let value = value::at(text, start, Extent::Word)?;
                let about_it = apart && !value.quoted && assign::is_about_a_flag(value.judged);
                if about_it { None } else { taken(text, &value) }
            }
        }
    }

    /// The password of a pair, if what stands before it is at `at`.
    pub(super) fn in_pair(&mut self, text: &str, at: usize) -> Option<Credential> {
        let pair = self.pair.filter(|pair| pair.start <= at)?;
        let byte = text.as_bytes()[at];
        if byte == pair.between {
            self.pair = None;
            let value = match pair.quote {
                Some(quote) => value::until(text, at + 1, quote),
                None => value::at(text, at + 1, Extent::Word),
            };
            return taken(text, &value?);
        }
        if byte == b'\n' || pair.quote.is_none_or(|quote| quote == byte) && ends_word(byte) {
            self.pair = None;
        }
        None
    }
}

impl Flag {
    /// Where its value begins, and whether it stands apart, if this flag begins at `at`.
    fn value_start(&self, bytes: &[u8], at: usize) -> Option<(usize, bool)> {
        let end = self.end(bytes, at)?;
        let (start, apart) = match bytes.get(end)? {
            b if is_blank(*b) => (run(bytes, end, 8, is_blank), true),
            b'=' => (end + 1, false),
            _ if self.written.starts_with("--") => return None,
            _ => (end, false),
        };
        let misplaced = if apart { Place::Attached } else { Place::Apart };
        let is_there = self.place != misplaced && bytes.get(start).is_some_and(|b| *b != b'-');
        is_there.then_some((start, apart))
    }

    /// Where the flag ends that begins at `at`, if it is this one.
    fn end(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let written = self.written.as_bytes();
        if bytes[at..].starts_with(written) {
            return Some(at + written.len());
        }
        // In a group only the last letter can take something, and it stands apart.
        let &[b'-', letter] = written else { return None };
        let group = run(bytes, at + 1, 8, |b| b.is_ascii_alphabetic());
        let is_group = bytes.get(group).is_some_and(|b| is_blank(*b)) && group > at + 2;
        (is_group && bytes[group - 1] == letter).then_some(group)
    }
}

fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace() || is_quote(byte)
}

fn is_quote(byte: u8) -> bool {
    byte == b'"' || byte == b'\''
}

/// Behind the quote that may stand at `at`, with backslashes or without.
fn opened(bytes: &[u8], at: usize) -> usize {
    let escaped = run(bytes, at, 8, |b| b == b'\\');
    let quote = run(bytes, escaped, 1, is_quote);
    if quote > escaped { quote } else { at }
}

fn taken(text: &str, value: &Value<'_>) -> Option<Credential> {
    let is_name = name::secret(value.judged.as_bytes()).is_some();
    let fits = !is_name && value.is_secret(text, name::Class::Password, Sureness::Certain);
    fits.then(|| Credential {
        range: value.start..value.full_end(text, Extent::Word),
        kind: "password",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_stand_in_order_and_none_is_too_long_to_be_read() {
        assert!(PROGRAMS.is_sorted_by(|one, other| one.name < other.name));
        assert!(PROGRAMS.iter().all(|program| program.name.len() <= LONGEST));
    }
}
