//! What a harness reads besides its settings that can keep hooks from being called: code of others that it
//! loads, its own files, an administrator's settings.
//!
//! Where the code lies is data of each harness (`Code`). What else lies there is text that agents write as
//! part of their work, and is let alone.

use std::path::{Path, PathBuf};

use waypost_core::glob;
use waypost_core::shell::{Analysis, Simple, Word};
use waypost_store::look;

use super::programs;
use super::readings::Reading;
use crate::harness::{Code, Local};
use crate::machine::place::resolved;
use crate::view::View;

/// Programs that take what is in their arguments somewhere else, as it is.
const MOVERS: &str = "cp install ln mv rsync";
/// Programs that bring what nobody can see in the line.
const BRINGERS: &str = "7z bsdtar cpio degit gh git gtar tar unzip";
/// No more folders than this are looked at.
const MAX_LOOKED: usize = 500;

/// What a file is that an agent may not write; `None` if it is nothing of this.
pub(super) fn reason_for(view: &View<'_>, path: &Path) -> Option<&'static str> {
    view.host.harnesses.iter().find_map(|local| Ground { view, local }.reason_for(path))
}

/// The files and folders that are there of this.
pub(super) fn places(view: &View<'_>) -> Vec<PathBuf> {
    let mut places = Vec::new();
    for local in &view.host.harnesses {
        let facts = local.facts();
        let own = facts.protected.at_home.iter();
        places.extend(own.flat_map(|file| [view.host.home.join(file), local.folder.join(file)]));
        places.push(local.folder.join(facts.user_settings));
        places.extend(facts.managed.iter().map(|managed| PathBuf::from(managed.file)));
        let whole =
            facts.protected.code.places.iter().filter_map(|place| place.strip_suffix("/**"));
        let whole = whole.filter(|place| !place.contains('*'));
        places.extend(whole.flat_map(|place| Ground { view, local }.spelt(place)));
    }
    places
}

/// Why a line may not fill a folder that is loaded as code; `None` if it may.
pub(super) fn from_filling(
    view: &View<'_>,
    reading: &Reading<'_>,
    line: &str,
    analysis: &Analysis,
    bases: impl Fn(&Simple) -> Vec<PathBuf>,
) -> Option<String> {
    view.host.harnesses.iter().find_map(|local| {
        let ground = Ground { view, local };
        let is_about = |simple: &Simple| {
            let name = programs::name(simple).unwrap_or_default();
            is_in(MOVERS, name) || is_in(BRINGERS, name)
        };
        analysis.commands.iter().filter(|simple| is_about(simple)).find_map(|simple| {
            bases(simple).iter().find_map(|cwd| {
                let reading = Reading { cwd, ..*reading };
                ground.fills(simple, &reading, line)
            })
        })
    })
}

/// What one harness reads here.
struct Ground<'a> {
    view: &'a View<'a>,
    local: &'a Local,
}

impl Ground<'_> {
    fn code(&self) -> &'static Code {
        &self.local.facts().protected.code
    }

    /// Where a place of the harness' folder lies: in the user's, the project's, and where the agent is.
    fn spelt(&self, place: &str) -> Vec<PathBuf> {
        let (project, host) = (&self.view.project, self.view.host);
        let (_, below) = place.split_once('/').unwrap_or(("", place));
        vec![self.local.folder.join(below), project.root.join(place), host.home.join(place)]
    }

    /// Whether a path fits one of these patterns, in whatever folder they begin.
    fn fits(&self, path: &Path, patterns: &[&str]) -> bool {
        let text = path.to_string_lossy();
        let below = path.strip_prefix(&self.local.folder).ok();
        patterns.iter().any(|pattern| {
            let rest = pattern.split_once('/').map_or(*pattern, |(_, rest)| rest);
            below.is_some_and(|below| glob::matches_path(rest, &below.to_string_lossy()))
                || glob::matches_path(&format!("/**/{pattern}"), &text)
        })
    }

    fn reason_for(&self, path: &Path) -> Option<&'static str> {
        let (host, facts) = (self.view.host, self.local.facts());
        let own = facts.protected.at_home.iter();
        let mut own = own.flat_map(|file| [host.home.join(file), self.local.folder.join(file)]);
        if own.any(|file| file == path) {
            return Some("what the client itself keeps of its projects and plugins");
        }
        if path == self.local.folder.join(facts.user_settings) {
            return Some("where hooks are registered for all projects");
        }
        let managed = facts.managed.iter().filter_map(|managed| Path::new(managed.file).parent());
        if managed.into_iter().any(|folder| path.starts_with(folder)) {
            return Some("among the settings that an administrator makes for everyone");
        }
        self.is_code(path)
            .then_some("code that the client loads, which could keep hooks from being called")
    }

    fn is_code(&self, path: &Path) -> bool {
        let code = self.code();
        let is_module = || {
            let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            code.endings.iter().any(|ending| name.ends_with(ending))
        };
        // The folder itself stands for whatever may come into it.
        let is_folder = || {
            let folders = code.hooks.iter().filter_map(|pattern| pattern.strip_suffix("/**"));
            self.fits(path, &folders.collect::<Vec<_>>())
        };
        self.fits(path, code.places)
            || is_folder()
            || (self.fits(path, code.hooks) && is_module())
            || (is_module() && self.is_in_marked(path))
            || self.is_linked(path, is_module())
    }

    /// Whether it lies in a folder that is loaded as code by now.
    fn is_in_marked(&self, path: &Path) -> bool {
        let is_loaded = |folder: &&Path| {
            folder.parent().is_some_and(|parent| self.fits(parent, self.code().loaded))
        };
        path.ancestors().find(is_loaded).is_some_and(|folder| self.is_marked(folder))
    }

    fn is_marked(&self, folder: &Path) -> bool {
        self.code().marks.iter().any(|mark| look::is_there(folder.join(mark)))
    }

    /// Whether it is, or becomes, a part of a folder that a link leads to from where code is loaded.
    fn is_linked(&self, path: &Path, is_module: bool) -> bool {
        let code = self.code();
        let marks = code.marks.iter().filter_map(|mark| mark.split('/').next());
        let marks: Vec<&str> = marks.collect();
        let is_mark = |part: &&Path| {
            part.file_name().is_some_and(|name| marks.iter().any(|mark| name == *mark))
        };
        let Some(around) = path.ancestors().find(is_mark).and_then(Path::parent) else {
            return false;
        };
        let is_manifest = path.starts_with(around.join(marks.first().unwrap_or(&"")));
        if !(is_module || is_manifest) {
            return false;
        }
        let folders = code.loaded.iter().flat_map(|place| self.spelt(place));
        let entries =
            folders.flat_map(|folder| look::folder(folder).into_iter().flatten().flatten());
        let links = entries.take(MAX_LOOKED).map(|entry| entry.path());
        let mut links =
            links.filter(|entry| look::link(entry).is_ok_and(|found| found.is_symlink()));
        links.any(|link| resolved(&link) == around)
    }

    /// Why a command may not fill a folder that is loaded as code.
    fn fills(&self, simple: &Simple, reading: &Reading<'_>, line: &str) -> Option<String> {
        let name = programs::name(simple).unwrap_or_default();
        let is_loaded =
            |path: &Path| path.ancestors().any(|part| self.fits(part, self.code().loaded));
        let paths = |word: &Word| reading.paths(&word.text, word.literal);
        let words = || simple.carried().iter().skip(1);
        let goes_there = |word: &Word| {
            paths(word).iter().any(|path| {
                path.target()
                    .is_some_and(|file| file.spellings().iter().any(|path| is_loaded(path)))
            })
        };
        if !(words().any(goes_there) || is_loaded(reading.cwd)) {
            return None;
        }
        if is_in(BRINGERS, name) {
            let is = |these: &[&str]| words().any(|word| these.contains(&word.text.as_str()));
            let brings = match name {
                "git" => is(&["clone", "worktree", "submodule", "subtree"]),
                "gh" => is(&["clone"]),
                "tar" | "gtar" | "bsdtar" => words().any(|word| {
                    word.text.trim_start_matches('-').contains('x') || word.text == "--extract"
                }),
                _ => true,
            };
            return brings.then(|| unseen(name));
        }
        let code = self.code();
        let mark = |path: &Path| {
            let inside = look::folder(path).into_iter().flatten().flatten().take(MAX_LOOKED);
            self.is_marked(path) || inside.into_iter().any(|entry| self.is_marked(&entry.path()))
        };
        let carries = |word: &Word| {
            paths(word).iter().filter_map(|path| path.target()).any(|file| {
                let path = file.spellings()[1];
                let speaks = || code.marks.iter().any(|mark| line.contains(mark));
                !is_loaded(path) && (mark(path) || (!look::is_there(path) && speaks()))
            })
        };
        words().find(|word| carries(word)).map(|word| {
            format!(
                "Waypost: {} is, or may become, a plugin: code that the client would load, which could keep hooks from \
                 being called. Agents may not put it there.\nNext: copy the files of the skill that are text, or ask the \
                 user to install it.",
                word.text
            )
        })
    }
}

fn unseen(name: &str) -> String {
    format!(
        "Waypost: what {name} puts where the client loads skills and plugins from cannot be seen before it is there, and \
         could keep hooks from being called.\nNext: get it into another folder, look at it, and copy the files of the \
         skill that are text."
    )
}

fn is_in(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == name)
}
