//! Where the shell may be when a command runs.
//!
//! `cd x && …` is in `x`, but `cd x; …` may not be, because the folder may not exist. So there can be
//! several folders, and a file is written in each of them, as far as can be told.

use std::rc::Rc;

use super::Word;
use super::args::Spelt;

/// With more folders than this, none is told any more.
const MAX_FOLDERS: usize = 4;
/// No system has longer paths.
const MAX_PATH: usize = 4096;

/// The folders that the shell may be in, from where the line began.
#[derive(Debug, Clone, Default)]
pub(super) struct Folders {
    /// `None` is where the line began.
    places: Option<Rc<Vec<Word>>>,
    /// Whether `cd` may do something else than it says.
    pub(super) treacherous: bool,
}

impl Folders {
    /// Whether nothing was changed since `before`.
    pub(super) fn unchanged(&self, before: &Self) -> bool {
        match (&self.places, &before.places) {
            (None, None) => true,
            (Some(now), Some(before)) => Rc::ptr_eq(now, before) || now == before,
            _ => false,
        }
    }

    /// Goes back to where it was, as a subshell does.
    pub(super) fn back(&mut self, before: Self) {
        self.places = before.places;
    }

    /// A function or an alias of the shell gets this name.
    pub(super) fn define(&mut self, name: &str) {
        self.treacherous |= matches!(name, "cd" | "pushd" | "popd" | "builtin" | "command");
    }

    /// Runs `cd target`.
    pub(super) fn enter(&mut self, target: Spelt<'_>) {
        let target = Spelt { literal: target.literal && !self.treacherous, ..target };
        let entered: Vec<Word> = match &self.places {
            None => vec![Word { text: target.text.to_owned(), literal: target.literal }],
            Some(places) => places.iter().map(|place| join(place, target)).collect(),
        };
        self.set(entered);
    }

    /// Runs `cd` with these words after it.
    pub(super) fn change(&mut self, words: &[Word]) {
        let options = |word: &&Word| {
            word.text.len() > 1 && word.text.starts_with('-') && !word.text.starts_with("-/")
        };
        let skipped = words.iter().take_while(options).count();
        match &words[skipped..] {
            [] => self.enter(Spelt { text: "~", literal: false }),
            [target] if target.text == "-" => self.lose(),
            [target] => self.enter(target.spelt()),
            _ => self.lose(),
        }
    }

    /// From here on nobody can tell.
    pub(super) fn lose(&mut self) {
        self.places = Some(Rc::new(vec![Word { text: "$PWD".to_owned(), literal: false }]));
    }

    /// It is either where it is now, or where `other` is.
    pub(super) fn either(&mut self, other: &Self) {
        if self.unchanged(other) {
            return;
        }
        let mut all = self.list();
        for place in other.list() {
            if !all.contains(&place) {
                all.push(place);
            }
        }
        self.set(all);
    }

    /// `path` as it is in each of the folders.
    pub(super) fn resolve(&self, path: Spelt<'_>) -> Vec<Word> {
        match &self.places {
            None => vec![Word { text: path.text.to_owned(), literal: path.literal }],
            Some(_) if is_absolute(path) => {
                vec![Word { text: path.text.to_owned(), literal: path.literal }]
            }
            Some(places) => places.iter().map(|place| join(place, path)).collect(),
        }
    }

    /// All of them; none if nothing was changed since the line began.
    pub(super) fn told(&self) -> Vec<Word> {
        self.places.as_deref().cloned().unwrap_or_default()
    }

    fn list(&self) -> Vec<Word> {
        match &self.places {
            None => vec![Word { text: String::new(), literal: true }],
            Some(places) => places.to_vec(),
        }
    }

    fn set(&mut self, places: Vec<Word>) {
        if places.len() > MAX_FOLDERS || places.iter().any(|place| place.text.len() > MAX_PATH) {
            self.lose();
        } else {
            self.places = Some(Rc::new(places));
        }
    }
}

fn is_absolute(path: Spelt<'_>) -> bool {
    path.text.starts_with('/') || (!path.literal && path.text.starts_with(['~', '$']))
}

fn join(place: &Word, path: Spelt<'_>) -> Word {
    if is_absolute(path) || place.text.is_empty() {
        return Word { text: path.text.to_owned(), literal: path.literal };
    }
    let slash = if place.text.ends_with('/') || path.text.is_empty() { "" } else { "/" };
    Word {
        text: format!("{}{slash}{}", place.text, path.text),
        literal: place.literal && path.literal,
    }
}
