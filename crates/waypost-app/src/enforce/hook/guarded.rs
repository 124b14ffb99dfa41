//! Command lines that would change, or could, what agents may not touch.
//!
//! What a line is known to write is looked at as any edit is. Beyond that, a program that may write
//! anything is not given the name of one of Waypost's files; a program that only reads may have it,
//! save for the key. Whoever writes a script first and runs it then gets past this; what it changes
//! is found by its signature, or changes nothing, because the policy is pinned.

use std::path::{Path, PathBuf};

use waypost_core::shell::{Analysis, Simple, Word};
use waypost_store::look;

use super::Call;
use super::find_command;
use super::programs::{hands_on, is_copier, is_interpreter, is_lister, only_reads};
use super::protect;
use super::readings::{PossiblePath, Reading};
use super::target::Target;
use crate::harness::{Protected, Role};
use crate::view::View;

/// How the files that agents may not touch are spelt, wherever they lie; those of harnesses, these say
/// themselves.
const NAMES: &[&str] = &[
    ".config/waypost",
    ".git/waypost",
    ".local/state/waypost",
    ".waypost/hook",
    ".waypost/runners",
    ".waypost/workflows",
    "waypost.toml",
    "waypost/key",
];
/// What a line has to speak of to be looked at closely; those of harnesses, these say themselves.
const SIGNS: [&str; 3] = ["waypost", ".config", ".local"];

/// Why an agent may not run the line; `None` if it may.
pub(super) fn from_running(
    view: &View<'_>,
    call: &Call,
    line: &str,
    analysis: &Analysis,
) -> Option<String> {
    let here = |word: &Word| matches!(word.text.as_str(), "pwd" | "--show-toplevel");
    let prints_here = analysis.commands.iter().any(|one| one.words.iter().any(here));
    let home = &view.host.home;
    let reading = Reading { cwd: &call.cwd, home, values: analysis.values(), prints_here };
    let guard = Guard { view, call, reading, analysis };
    guard.sweeps().or_else(|| {
        // Nearly every line ends here.
        let signs = guard.protected().map(|files| files.sign);
        let speaks = SIGNS.into_iter().chain(signs).any(|sign| line.contains(sign));
        if speaks { guard.reads_secret().or_else(|| guard.names(line)) } else { None }
    })
}

/// What agents may not even read.
struct Secret {
    files: Vec<PathBuf>,
    folder: PathBuf,
    /// How it is spelt, wherever it lies.
    sign: &'static str,
    why: fn(&View<'_>) -> String,
}

/// A command line that is looked at.
struct Guard<'a> {
    view: &'a View<'a>,
    call: &'a Call,
    reading: Reading<'a>,
    analysis: &'a Analysis,
}

impl Guard<'_> {
    /// Why it may not have a folder, or files by a pattern, among which are Waypost's.
    fn sweeps(&self) -> Option<String> {
        let unclear = |write: &&waypost_core::shell::Write| write.whole || !write.literal;
        for write in self.analysis.writes().iter().filter(unclear) {
            for spelt in self.reading.paths(&write.path, write.literal) {
                let place = self.places().into_iter().find(|place| {
                    (write.whole && spelt.holds(place) && look::is_there(place))
                        || (!write.literal && spelt.is_in(place))
                });
                if let Some(place) = place {
                    return Some(self.denied(&place.display().to_string()));
                }
                let written = spelt.target().filter(|_| !write.literal);
                let reason = written.and_then(|file| protect::from_writing(self.view, file));
                if reason.is_some() {
                    return reason;
                }
            }
        }
        if let Some(folder) = self.overlays() {
            return Some(self.denied(&folder.display().to_string()));
        }
        let handed_on = self.analysis.commands.iter().any(hands_on);
        self.analysis.commands.iter().find_map(|simple| match simple.name() {
            Some("find") => {
                let found = find_command::of(simple, handed_on)?;
                let places = self.places();
                let place = found.takes(&self.reading, &places)?;
                Some(self.denied(&place.display().to_string()))
            }
            Some("git") => self.cleans(simple),
            _ => None,
        })
    }

    /// The folder around one of Waypost's files that is written as a whole, or gets another name.
    fn overlays(&self) -> Option<PathBuf> {
        let literal = self.analysis.writes().iter().filter(|write| write.literal);
        let named: Vec<_> =
            literal.map(|write| Target::of(self.reading.cwd, Path::new(&write.path))).collect();
        // Where the files that go into it are named, they are looked at one by one.
        let is_below =
            |folder: &Path| named.iter().any(|file| file.spellings()[0].parent() == Some(folder));
        let (root, home) = (&self.view.project.root, &self.view.host.home);
        let around =
            self.places().into_iter().filter_map(|place| place.parent().map(Path::to_owned));
        let mut around =
            around.filter(|folder| folder != root && folder != home && look::is_folder(folder));
        around.find(|folder| {
            named.iter().any(|file| file.spellings().contains(&folder.as_path()))
                && !is_below(folder)
        })
    }

    fn places(&self) -> Vec<PathBuf> {
        protect::places(self.view)
    }

    /// Why git may not remove what it ignores: the hooks' registration is among that.
    fn cleans(&self, simple: &Simple) -> Option<String> {
        let at = simple.words.iter().take(4).position(|word| word.text == "clean")?;
        let flags = simple.words[at..].iter().map(|word| word.text.as_str());
        let mut letters = flags.filter(|flag| flag.starts_with('-') && !flag.starts_with("--"));
        let removes = letters.clone().any(|flag| flag.contains(['x', 'X']))
            && !letters.any(|flag| flag.contains('n'));
        let View { host, project, .. } = self.view;
        let mut harnesses = host.harnesses.iter().filter(|_| removes);
        harnesses.find_map(|local| {
            let sign = local.facts().protected.sign;
            let spares = simple.words.iter().any(|word| word.text.contains(sign));
            let files = local.harness.registering().files().iter();
            let own = files.filter(|file| file.role == Role::Local && !spares);
            let ground = host.ground(local, &project.root);
            let registered =
                own.map(|file| (file.place)(ground)).find(|file| look::is_there(file))?;
            Some(format!(
                "Waypost: this would remove {}, where Waypost's hooks are registered.\n\
                 Next: add `-e {sign}` to it.",
                project.relative(&registered)
            ))
        })
    }

    /// The files of harnesses that agents may not change.
    fn protected(&self) -> impl Iterator<Item = &'static Protected> + '_ {
        self.view.host.harnesses.iter().map(|local| &local.facts().protected)
    }

    /// How the files that agents may not touch are spelt, wherever they lie.
    fn spellings(&self) -> impl Iterator<Item = &'static str> + '_ {
        let own = NAMES.iter().copied();
        own.chain(self.protected().flat_map(|files| files.spelt.iter().copied()))
    }

    fn denied(&self, name: &str) -> String {
        let harness = self.view.host.harness(self.call.harness);
        let tool = harness.map(|local| format!("{}, or ", local.facts().words.reading));
        let tool = tool.unwrap_or_default();
        format!(
            "Waypost: this command could change {name}, which is Waypost's and which agents do not \
             change.\nNext: ask the user to change it; to look at it, use {tool}cat and nothing \
             else."
        )
    }

    /// Why it may not have the key or the token: not even to read it.
    fn reads_secret(&self) -> Option<String> {
        let host = self.view.host;
        let secrets = [
            Secret {
                files: vec![host.key_file(), host.approval_key_file()],
                folder: host.config_dir.clone(),
                sign: "waypost/key",
                why: protect::key_is_private,
            },
            Secret {
                files: vec![host.serve_token_file()],
                folder: host.state_dir.join("serve"),
                sign: "waypost/serve/token",
                why: protect::token_is_private,
            },
        ];
        let read = secrets.iter().find(|secret| self.reads(secret))?;
        Some((read.why)(self.view))
    }

    fn reads(&self, secret: &Secret) -> bool {
        let keys = &secret.files;
        let is_key = |spelt: &PossiblePath| keys.iter().any(|key| spelt.is_in(key));
        let fed = self.analysis.reads().iter().any(|word| self.paths(word).iter().any(is_key));
        let entered = self.entered();
        let given = |simple: &Simple| {
            let speaks = |word: &Word| {
                word.text.contains(secret.sign)
                    && simple.name() != Some("git")
                    && (is_interpreter(simple) || !word.text.contains(char::is_whitespace))
            };
            let enters = matches!(simple.name(), Some("cd" | "pushd"));
            let reaches = |spelt: PossiblePath| {
                let folder = spelt.is_in(&secret.folder) && (enters || !is_lister(simple));
                let around = is_copier(simple) && spelt.holds(&keys[0]);
                is_key(&spelt) || (folder && (enters || spelt.holds(&keys[0]))) || around
            };
            let mut words = simple.words.iter().skip(1);
            words.any(|word| {
                let after = entered.iter().map(|cwd| Reading { cwd, ..self.reading });
                let after = after.flat_map(|reading| reading.paths(&word.text, word.literal));
                speaks(word) || self.paths(word).into_iter().chain(after).any(reaches)
            })
        };
        let hands = |one: &Simple| {
            one.words.iter().any(|word| word.text == "xargs" || word.text.starts_with("-exec"))
        };
        let is_read = self.analysis.commands.iter().any(hands);
        let finds = |one: &Simple| {
            one.name() == Some("find")
                && find_command::of(one, is_read)
                    .is_some_and(|search| search.finds(&self.reading, keys))
        };
        let commands = &self.analysis.commands;
        fed || commands.iter().any(|one| given(one) || finds(one))
    }

    /// The folders that it goes to.
    fn entered(&self) -> Vec<PathBuf> {
        let goes = |one: &&Simple| matches!(one.name(), Some("cd" | "pushd"));
        let words = self.analysis.commands.iter().filter(goes).filter_map(|one| one.words.get(1));
        let targets = words.flat_map(|word| self.paths(word));
        targets.filter_map(|spelt| Some(spelt.target()?.spellings()[0].to_owned())).collect()
    }

    fn paths(&self, word: &Word) -> Vec<PossiblePath> {
        self.reading.paths(&word.text, word.literal)
    }

    /// Why it may not have the name of one of Waypost's files.
    fn names(&self, line: &str) -> Option<String> {
        let commands = &self.analysis.commands;
        let named = commands.iter().find_map(|simple| self.touches(simple));
        if let Some(name) = named {
            return Some(self.denied(&name));
        }
        let in_words = |name: &str| {
            let values = self.analysis.values().iter();
            commands.iter().any(|one| one.words.iter().any(|word| word.text.contains(name)))
                || values.clone().any(|(_, value)| value.contains(name))
        };
        let name = self.spellings().find(|name| line.contains(name))?;
        // What no word holds is read by a program: a here-document. What words hold may be handed on.
        let unclear = self.analysis.opaque.is_some()
            || ((commands.iter().any(hands_on) || self.removes_what_is_printed())
                && in_words(name))
            || (commands.iter().any(is_interpreter) && !in_words(name));
        unclear.then(|| self.denied(name))
    }

    /// Whether it removes or moves files whose names another command prints.
    fn removes_what_is_printed(&self) -> bool {
        self.analysis.writes().iter().any(|write| write.whole && write.path.contains("$()"))
    }

    /// The file of Waypost's that a command is given although it may write anything.
    fn touches(&self, simple: &Simple) -> Option<String> {
        let reads = only_reads(simple, &self.view.host.exe);
        let is_sed = simple.name() == Some("sed");
        if reads && !is_sed {
            return None;
        }
        let text_counts = is_interpreter(simple);
        for word in simple.words.iter().skip(usize::from(reads)) {
            for text in self.reading.texts(&word.text, word.literal) {
                // A text that only speaks of it is no name.
                let is_name = !text.contains(char::is_whitespace);
                let counts = |name: &&str| {
                    if reads {
                        return is_written_by_sed(&text, name);
                    }
                    text.contains(name) && (is_name || text_counts)
                };
                if let Some(name) = self.spellings().find(counts) {
                    return Some(name.to_owned());
                }
                let path = text.rsplit('=').next().unwrap_or_default();
                let literal = word.literal || path.len() < text.len();
                let is_own = |spelt: PossiblePath| {
                    let file = spelt.target();
                    file.is_some_and(|file| protect::from_writing(self.view, file).is_some())
                };
                let paths = || self.reading.paths(path, literal).into_iter();
                if !reads && is_name && !path.is_empty() && paths().any(is_own) {
                    return Some(path.to_owned());
                }
            }
        }
        None
    }
}

/// Whether a script of `sed` writes the file: `w` stands before its name.
fn is_written_by_sed(script: &str, name: &str) -> bool {
    let before = script.find(name).map(|at| script[..at].trim_end_matches(['.', '/']).trim_end());
    before.is_some_and(|before| before.ends_with(['w', 'W']))
}
