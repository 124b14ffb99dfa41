//! A git command, taken apart: its subcommand, where it runs, what it is told beside that.

use super::Word;
use super::args::{Arg, Args, OptionSpec, Spelt};

/// Global options of git that take the next word as their value.
const WITH_VALUE: &[&str] = &[
    "-C",
    "-c",
    "--attr-source",
    "--config-env",
    "--git-dir",
    "--namespace",
    "--shallow-file",
    "--super-prefix",
    "--work-tree",
];
/// Global options with which git only tells something.
const TELLING: &[&str] =
    &["--exec-path", "--help", "--html-path", "--info-path", "--man-path", "--version", "-h", "-v"];
/// A git command, taken apart.
pub(super) struct GitCall<'a> {
    pub(super) sub: Option<Spelt<'a>>,
    pub(super) args: &'a [Word],
    /// Where it runs, from where the shell is.
    pub(super) folders: Vec<Spelt<'a>>,
    /// Whether it was told where the work tree is.
    pub(super) elsewhere: bool,
    /// The repository that it was told to use.
    pub(super) repository: Option<Spelt<'a>>,
    /// `-c`
    config: Vec<Spelt<'a>>,
    /// Configuration that nobody can see from here.
    unseen: bool,
}

impl<'a> GitCall<'a> {
    pub(super) fn of(words: &'a [Word]) -> Self {
        let mut call = Self {
            sub: None,
            args: &[],
            folders: Vec::new(),
            elsewhere: false,
            repository: None,
            config: Vec::new(),
            unseen: false,
        };
        let Some((name, mut rest)) = words.split_first() else { return call };
        if let Some(sub) = name.text.rsplit('/').next().and_then(|name| name.strip_prefix("git-")) {
            call.sub = Some(Spelt { text: sub, literal: true });
            call.args = rest;
            return call;
        }
        while let Some((word, after)) = rest.split_first() {
            rest = after;
            let text = word.text.as_str();
            if !is_option(word) {
                call.sub = Some(word.spelt());
                call.args = rest;
                break;
            }
            if TELLING.contains(&text) {
                break;
            }
            let value = if WITH_VALUE.contains(&text) {
                rest = rest.get(1..).unwrap_or_default();
                after.first().map(Word::spelt)
            } else {
                text.split_once('=').map(|(_, value)| Spelt { text: value, ..word.spelt() })
            };
            match (text.split('=').next().unwrap_or_default(), value) {
                ("-C", Some(folder)) => call.folders.push(folder),
                ("-c", Some(pair)) => call.config.push(pair),
                ("--config-env" | "--exec-path", _) => call.unseen = true,
                ("--git-dir", Some(repository)) => {
                    call.elsewhere = true;
                    call.repository = Some(repository);
                }
                ("--work-tree" | "--git-dir", _) => call.elsewhere = true,
                _ => {}
            }
        }
        call
    }

    /// What `-c` says that `name` is.
    pub(super) fn alias(&self, name: &str) -> Option<Spelt<'a>> {
        self.config.iter().rev().find_map(|pair| {
            let (key, value) = pair.text.split_once('=')?;
            alias_name(key)
                .filter(|alias| alias.eq_ignore_ascii_case(name))
                .map(|_| Spelt { text: value, ..*pair })
        })
    }

    /// Whether `-c` may make commands of what is none.
    pub(super) fn is_treacherous(&self) -> bool {
        let treacherous = |pair: &Spelt<'_>| {
            let key = pair.text.split('=').next().unwrap_or_default().to_ascii_lowercase();
            key.starts_with("include") || key == "help.autocorrect" || key.contains('$')
        };
        self.unseen || self.config.iter().any(treacherous)
    }
}

/// Whether the word is an option, whatever its value may be.
fn is_option(word: &Word) -> bool {
    let name = word.text.split_once('=').map_or("$", |(name, _)| name);
    word.text.starts_with('-') && (word.literal || !name.contains(['$', '*', '?', '[', '{']))
}

/// The name in `alias.name`.
pub(super) fn alias_name(key: &str) -> Option<&str> {
    let (section, name) = key.split_once('.')?;
    let name = name.strip_suffix(".command").unwrap_or(name);
    section.eq_ignore_ascii_case("alias").then_some(name)
}

/// The options of `git commit` that take values.
pub(super) const COMMIT: OptionSpec = OptionSpec {
    valued: "CcFmt",
    attached: "uS",
    long: &[
        "author",
        "cleanup",
        "date",
        "file",
        "fixup",
        "inter-hunk-context",
        "message",
        "pathspec-from-file",
        "reedit-message",
        "reuse-message",
        "squash",
        "template",
        "trailer",
        "unified",
    ],
};

/// Whether `git commit` or `git push` with these arguments only shows what it would do. Whatever is
/// not quite clear is done.
pub(super) fn is_idle(sub: &str, args: &[Word]) -> bool {
    const PUSH: OptionSpec = OptionSpec {
        valued: "o",
        attached: "",
        long: &["exec", "push-option", "receive-pack", "recurse-submodules", "repo"],
    };
    match args {
        [first, ..] if first.literal && first.text == "--help" => return true,
        [only] if only.literal && only.text == "-h" => return true,
        _ => {}
    }
    if args.iter().any(|word| !word.literal) {
        return false;
    }
    let (spec, is_push) = if sub == "push" { (PUSH, true) } else { (COMMIT, false) };
    let mut idle = false;
    for arg in Args::new(args, &spec) {
        match arg {
            Arg::Long("dry-run", None) => idle = true,
            Arg::Short('n', _) if is_push => idle = true,
            Arg::Long(other, _) if other.starts_with("no-d") => return false,
            _ => {}
        }
    }
    idle
}
