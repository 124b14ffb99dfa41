//! Command lines that would change, or could, what agents may not touch.
//!
//! What a line is known to write is looked at as any edit is; what it sweeps over is compared with what
//! is really there. Beyond that, a program that may write anything is not given the name of one of
//! Waypost's files; a program that only reads may have it, save for the key. Whoever writes a script
//! first and runs it then gets past this; what it changes is found by its signature, or changes
//! nothing, because the policy is pinned.

mod named;

use std::path::{Path, PathBuf};

use waypost_core::shell::{Analysis, Simple, Word, Write};
use waypost_store::look;

use super::Call;
use super::find_command::{self, Concern};
use super::programs::{self, hands_on, is_interpreter, is_lister};
use super::readings::{PossiblePath, Reading};
use super::target::Target;
use super::{client_code, modes, protect};
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
        let signs =
            guard.protected().flat_map(|files| files.spelt.iter().copied().chain([files.sign]));
        let here = call.cwd.to_string_lossy();
        let speaks = |sign: &str| line.contains(sign) || here.contains(sign);
        let speaks =
            SIGNS.into_iter().any(|sign| line.contains(sign)) || signs.into_iter().any(speaks);
        if !speaks {
            return None;
        }
        guard.fills(line).or_else(|| guard.reads_secret()).or_else(|| guard.names(line))
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

/// Where a command may run.
struct Bases {
    folders: Vec<PathBuf>,
    /// Whether it can run nowhere else.
    are_all: bool,
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
        let unclear = |write: &&Write| !write.unnamed && (write.whole || !write.literal);
        let writes = self.analysis.writes().iter().filter(unclear);
        let swept = writes.into_iter().find_map(|write| self.swept(write));
        if swept.is_some() {
            return swept;
        }
        if let Some(folder) = self.overlays() {
            return Some(self.denied(&folder.display().to_string()));
        }
        let handed_on = self.analysis.commands.iter().any(hands_on);
        self.analysis.commands.iter().find_map(|simple| match programs::name(simple) {
            Some("find") => self.searches(simple, Concern::Changing { handed_on }),
            Some("git") => self.cleans(simple),
            _ => None,
        })
    }

    /// Why it may not fill a folder from which a client loads code.
    fn fills(&self, line: &str) -> Option<String> {
        let bases = |simple: &Simple| self.bases(simple).folders;
        client_code::from_filling(self.view, &self.reading, line, self.analysis, bases)
    }

    fn swept(&self, write: &Write) -> Option<String> {
        for spelt in self.reading.paths(&write.path, write.literal) {
            let found = self.removable().into_iter().find_map(|place| {
                let is_held = write.whole && spelt.holds(&place) && look::is_there(&place);
                let is_meant = !write.literal && spelt.is_in(&place);
                match &write.attribute {
                    _ if !is_held && !is_meant => None,
                    Some(attribute) if self.sets_no_owner() => {
                        modes::harmed(attribute, &place, self.reading.home)
                    }
                    _ => Some(place),
                }
            });
            if let Some(file) = found {
                return Some(self.left_out(&file));
            }
            let written = spelt.target().filter(|_| !write.literal);
            let reason = written.and_then(|file| protect::from_writing(self.view, file));
            if reason.is_some() {
                return reason;
            }
        }
        None
    }

    /// Whether variables that name the user are those that everybody has.
    fn sets_no_owner(&self) -> bool {
        let owners = ["USER", "LOGNAME", "UID", "EUID", "GROUPS"];
        !self.analysis.values().iter().any(|(name, _)| owners.contains(&name.as_str()))
    }

    /// Why a search may not do what it does to what it finds.
    fn searches(&self, simple: &Simple, concern: Concern) -> Option<String> {
        let places = self.removable();
        let bases = self.bases(simple);
        let file = bases.folders.iter().find_map(|cwd| {
            let reading = Reading { cwd, ..self.reading };
            find_command::of(simple, concern, &reading)?.takes(&reading, &places)
        })?;
        Some(self.left_out(&file))
    }

    /// The folders that a command may run in.
    fn bases(&self, simple: &Simple) -> Bases {
        let mut bases = Bases { folders: Vec::new(), are_all: true };
        for folder in &simple.folders {
            let paths = self.paths(folder);
            let targets = paths.iter().filter_map(PossiblePath::target);
            let known = targets.map(|target| target.spellings()[0].to_owned());
            let before = bases.folders.len();
            bases.folders.extend(known);
            bases.are_all &= bases.folders.len() > before;
        }
        if simple.folders.is_empty() || !bases.are_all {
            bases.folders.push(self.reading.cwd.to_owned());
        }
        bases
    }

    /// The folder around one of Waypost's files that is written as a whole, or gets another name.
    fn overlays(&self) -> Option<PathBuf> {
        let literal = self.analysis.writes().iter().filter(|write| write.literal && !write.unnamed);
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

    /// The same, and what goes with its folder, where people put other files beside it.
    fn removable(&self) -> Vec<PathBuf> {
        let mut places = self.places();
        places.extend(protect::git_hook(self.view));
        places
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
            let own =
                files.filter(|file| matches!(file.role, Role::Local | Role::Either) && !spares);
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
        let reading = harness.map(|local| local.facts().words.reading);
        let tool = reading.filter(|name| !name.is_empty()).map(|name| format!("{name}, or "));
        let tool = tool.unwrap_or_default();
        format!(
            "Waypost: this command could change {name}, which is Waypost's and which agents may not change.\nNext: ask the user to change it; to look at it, use {tool}cat and nothing \
             else."
        )
    }

    /// The same about a file that is swept over with others.
    fn left_out(&self, file: &Path) -> String {
        let file = self.view.project.relative(file);
        format!(
            "Waypost: this command would take {file} along with other files; it is Waypost's, and agents may not change it.\nNext: leave it out of what the command goes over, and run it \
             again."
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
            let copied = programs::copied(simple);
            let reaches = |spelt: PossiblePath, is_copied: bool| {
                let folder = spelt.is_in(&secret.folder) && (enters || !is_lister(simple));
                let around = is_copied && spelt.holds(&keys[0]);
                is_key(&spelt) || (folder && (enters || spelt.holds(&keys[0]))) || around
            };
            let mut words = simple.words.iter().skip(1);
            words.any(|word| {
                let after = entered.iter().map(|cwd| Reading { cwd, ..self.reading });
                let after = after.flat_map(|reading| reading.paths(&word.text, word.literal));
                let is_copied = copied.contains(word);
                let mut paths = self.paths(word).into_iter().chain(after);
                speaks(word) || paths.any(|spelt| reaches(spelt, is_copied))
            })
        };
        let hands = |one: &Simple| {
            one.words.iter().any(|word| word.text == "xargs" || word.text.starts_with("-exec"))
        };
        let is_read = self.analysis.commands.iter().any(hands);
        let concern =
            if is_read { Concern::Reading } else { Concern::Changing { handed_on: false } };
        let finds = |one: &Simple| {
            programs::name(one) == Some("find")
                && find_command::of(one, concern, &self.reading)
                    .is_some_and(|search| search.takes(&self.reading, keys).is_some())
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
}
