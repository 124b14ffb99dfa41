//! Commands that change no file, as far as their own words tell.
//!
//! What a command is redirected to is not looked at here.

use super::git_call::GitCall;
use super::{Simple, Word};
use crate::runner::{Argument, unwrapped};

/// Programs that only read, with whatever arguments.
const READERS: &str = ": [ actionlint b2sum b3sum basename bc bzcat cat cd cksum cmp column \
    comm cut date delta df diff difft dirname du echo egrep expr eza false fgrep file fmt fold free gron \
    grep hadolint head hexdump hexyl id jless jobs jq ls lsof md5sum more nl nproc numfmt od paste pgrep \
    popd printenv printf ps pushd pwd readlink realpath rev seq sha1sum sha256sum sha512sum shasum \
    shellcheck sleep stat strings tac tail test tokei tr true type uname wc whereis which whoami yamllint \
    zcat zgrep";
/// Programs that only read unless one of these letters is among their options, or one of these words.
const UNLESS: &[(&str, &str, &[&str])] = &[
    ("ack", "", &["--pager"]),
    ("ag", "", &["--pager"]),
    ("bat", "", &["--pager"]),
    ("base64", "o", &["--output"]),
    ("fd", "xX", &["--exec", "--exec-batch"]),
    ("jsonlint", "i", &["--in-place"]),
    ("less", "oO", &["--log-file", "--LOG-FILE"]),
    ("pygmentize", "o", &[]),
    ("rg", "", &["--pre"]),
    ("sort", "o", &["--output", "--compress-program"]),
    ("tree", "o", &[]),
    ("tomlq", "i", &["--in-place", "--inplace"]),
    ("xq", "i", &["--in-place", "--inplace"]),
    ("yq", "is", &["--in-place", "--inplace", "--split-exp"]),
];
/// Programs that only read what these first operands tell them to.
const TOLD: &[(&str, &[&str])] = &[
    ("dasel", &["select"]),
    ("taplo", &["check", "get", "lint"]),
    ("toml", &["check", "get"]),
    ("toml-cli", &["check", "get"]),
];
/// Git commands that only read, whatever follows them.
const GIT: &[&str] = &[
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "count-objects",
    "describe",
    "diff",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "version",
];
/// Where programs lie that nobody has just written.
const FOLDERS: [&str; 5] = ["", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"];

impl Simple {
    /// Whether it changes no file. One of a known name in a folder of somebody's own may do anything.
    pub fn only_reads(&self) -> bool {
        only_reads(&self.words)
    }

    /// The command that programs like `npx` and `timeout` run for it; itself, if it is none of those.
    pub fn carried(&self) -> &[Word] {
        carried(&self.words)
    }
}

/// The command that programs like `npx` and `timeout` run for these words; themselves, if they call none of those.
pub fn carried(words: &[Word]) -> &[Word] {
    let arguments: Vec<Argument<'_>> =
        words.iter().map(|word| Argument { text: &word.text, literal: word.literal }).collect();
    &words[words.len() - unwrapped(&arguments).len()..]
}

/// Whether a program is called by its name, or lies where nobody has just written it.
pub fn is_installed(program: &Word) -> bool {
    let name = program.text.rsplit('/').next().unwrap_or_default();
    program.literal && FOLDERS.contains(&program.text.strip_suffix(name).unwrap_or_default())
}

/// Whether a command with these words changes no file.
pub fn only_reads(words: &[Word]) -> bool {
    let words = carried(words);
    let Some(first) = words.first() else { return true };
    let name = first.text.rsplit('/').next().unwrap_or_default();
    let asked = Asked { words: &words[1..] };
    is_installed(first)
        && (is_among(READERS, name) || asked.unless(name) || asked.told(name) || asked.of(name))
}

fn is_among(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == name)
}

/// What a program is given.
struct Asked<'a> {
    words: &'a [Word],
}

impl Asked<'_> {
    fn texts(&self) -> impl DoubleEndedIterator<Item = &str> + Clone {
        self.words.iter().map(|word| word.text.as_str())
    }

    /// Whether one of these letters is an option.
    fn has(&self, letters: &str) -> bool {
        let is = |text: &str| {
            let short = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            short.is_some_and(|rest| rest.contains(|c| letters.contains(c)))
        };
        self.texts().any(is)
    }

    /// Whether one of the words is one of these, or begins with it and `=`. Most programs take the
    /// beginning of an option for all of it.
    fn says(&self, these: &[&str]) -> bool {
        let is = |one: &&str, word: &str| {
            *one == word || (word.len() > 3 && word.starts_with("--") && one.starts_with(word))
        };
        self.texts().any(|text| {
            let word = text.split('=').next().unwrap_or_default();
            these.iter().any(|one| is(one, word))
        })
    }

    fn operands(&self) -> impl Iterator<Item = &str> {
        self.texts().filter(|text| !text.starts_with('-') || *text == "-")
    }

    fn unless(&self, name: &str) -> bool {
        let row = UNLESS.iter().find(|(program, ..)| *program == name);
        row.is_some_and(|(_, letters, these)| !self.has(letters) && !self.says(these))
    }

    fn told(&self, name: &str) -> bool {
        let row = TOLD.iter().find(|(program, _)| *program == name);
        row.is_some_and(|(_, these)| self.operands().next().is_some_and(|one| these.contains(&one)))
            || (name == "taplo" && self.says(&["--check"]))
    }

    fn of(&self, name: &str) -> bool {
        match name {
            "awk" | "gawk" | "mawk" => {
                let acts = |text: &str| [">", "|", "system"].iter().any(|one| text.contains(one));
                let writes = |text: &str| {
                    ["-o", "-d", "-p", "--pre", "--pro", "--du"]
                        .iter()
                        .any(|one| text.starts_with(one))
                };
                !self.has("iEf") && !self.texts().any(acts) && !self.texts().any(writes)
            }
            "find" => !self.texts().any(|text| {
                ["-delete", "-exec", "-fls", "-fprint", "-ok"]
                    .iter()
                    .any(|one| text.starts_with(one))
            }),
            // A second file is what they write.
            "uniq" | "xxd" => self.operands().count() < 2 && !self.has("r"),
            "prettier" => {
                let looks = ["--check", "-c", "--list-different", "-l"];
                self.says(&looks) && !self.says(&["--write", "-w"])
            }
            "black" | "isort" => self.says(&["--check", "--check-only", "--diff"]),
            "sed" | "gsed" => {
                !self.has("iI") && !self.says(&["--in-place"]) && self.sed_only_prints()
            }
            "git" => self.git_reads(),
            _ if is_python(name) => {
                let mut words = self.texts();
                (words.next(), words.next()) == (Some("-m"), Some("json.tool"))
                    && words.filter(|word| !word.starts_with('-')).count() < 2
            }
            _ => false,
        }
    }

    /// Whether all scripts of `sed` only choose lines, or change them on their way through.
    fn sed_only_prints(&self) -> bool {
        let takes = |text: &str| {
            text == "--expression"
                || (text.starts_with('-') && !text.starts_with("--") && text.ends_with('e'))
        };
        let behind = self.texts().zip(self.texts().skip(1));
        let mut named: Vec<&str> =
            behind.filter(|(option, _)| takes(option)).map(|(_, script)| script).collect();
        named.extend(self.texts().filter_map(|text| text.strip_prefix("--expression=")));
        if named.is_empty() {
            named.extend(self.operands().next());
        }
        !self.has("f") && !self.says(&["--file"]) && named.into_iter().all(is_harmless_sed)
    }

    fn git_reads(&self) -> bool {
        let mut words = vec![Word { text: "git".to_owned(), literal: true }];
        words.extend_from_slice(self.words);
        let call = GitCall::of(&words);
        let Some(sub) = call.sub.filter(|sub| sub.literal) else { return false };
        let args: Vec<&str> = call.args.iter().map(|word| word.text.as_str()).collect();
        let first = args.first().copied();
        let diverts = |text: &str| {
            ["--ou", "--op", "-O"].iter().any(|one| text.starts_with(one)) || text == "--o"
        };
        !self.says(&["-c", "--config-env", "--exec-path"])
            && !args.iter().any(|text| diverts(text))
            && match (sub.text, first) {
                ("stash" | "worktree" | "reflog" | "notes", first) => {
                    matches!(first, Some("list" | "show"))
                }
                ("branch" | "tag", None | Some("-a" | "-l" | "--list" | "-v" | "-vv" | "-r"))
                | ("branch", Some("--show-current"))
                | ("remote", None | Some("-v" | "get-url" | "show"))
                | ("config", Some("--get" | "--list" | "-l" | "get" | "list" | "--get-all"))
                | ("submodule", Some("status")) => true,
                (sub, _) => GIT.contains(&sub),
            }
    }
}

/// Whether a script of `sed` is `1,5p`, `/a/d`, `s/a/b/g` or the like.
fn is_harmless_sed(script: &str) -> bool {
    let plain = |text: &str, allowed: &str| text.chars().all(|c| allowed.contains(c));
    let parts: Vec<&str> = script.split('/').collect();
    if let ["s", _, _, flags] = parts.as_slice() {
        return plain(flags, "gIpM0123456789");
    }
    // What stands between two slashes is a pattern.
    let outside: String = parts.into_iter().step_by(2).collect();
    plain(&outside, "0123456789,$pqdn;!+~= {}")
}

fn is_python(name: &str) -> bool {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') == "python"
}

#[cfg(test)]
mod tests {
    use super::super::analyse;

    fn reads(line: &str) -> bool {
        analyse(line).commands.iter().all(super::Simple::only_reads)
    }

    #[test]
    fn what_only_reads_is_known() {
        for line in [
            "cat a",
            "/usr/bin/cat a",
            "npx prettier --check a",
            "npx -y prettier -l a",
            "uv run python -m json.tool a",
            "timeout 5 cat a",
            "env X=1 cat a",
            "python3.12 -m json.tool a",
            "yq .x a",
            "yq -p toml -o json a",
            "taplo check a",
            "taplo fmt --check a",
            "taplo get -f a x",
            "sed -n '1,5p' a",
            "sed -n '/b/,/c/p' a",
            "sed -n -e 1p -e '$p' a",
            "sed -ne 1p a",
            "sed 's/a/b/g' a",
            "sort a",
            "awk '{ print $1 }' a",
            "find . -name x",
            "git log -p -- a",
            "git -C d diff a",
            "git stash list",
            "git branch --show-current",
            "git config --get x.y",
            "uniq -c a",
            "shellcheck a",
            "[ -f a ]",
        ] {
            assert!(reads(line), "{line}");
        }
    }

    #[test]
    fn what_may_write_is_told_by_its_words() {
        for line in [
            "unknown a",
            "./cat a",
            "/tmp/evil/cat a",
            "$CAT a",
            "npx prettier --write a",
            "npx prettier a",
            "python3 -m json.tool a b",
            "python3 -m other a",
            "yq -i .x=1 a",
            "yq --inplace .x=1 a",
            "taplo fmt a",
            "sed -i s/a/b/ a",
            "sed -n 'w b' a",
            "sed 's/a/b/w b' a",
            "sed '1e rm b' a",
            "sed -f script a",
            "sed -e p -e 'w b' a",
            "sort -o a a",
            "awk '{ print > \"b\" }' a",
            "awk 'BEGIN { system(\"x\") }'",
            "find . -delete",
            "find . -exec rm {} +",
            "find . -fprint a",
            "fd a -x rm",
            "git stash",
            "git stash pop",
            "git checkout a",
            "git diff --output=a",
            "git branch new",
            "git -c alias.log=x log",
            "uniq a b",
            "xxd -r a b",
            "source a",
        ] {
            assert!(!reads(line), "{line}");
        }
    }
}
