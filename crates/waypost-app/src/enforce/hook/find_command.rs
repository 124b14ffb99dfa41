//! What `find` would remove or change: its tests are put to the files that are really there.

mod expression;
mod file_test;

use std::path::{Path, PathBuf};

use waypost_core::shell::{Simple, Word};
use waypost_store::look;

use self::expression::{Expression, Judged};
use self::file_test::Found;
use super::readings::{PossiblePath, Reading};

/// No more files than this are looked at.
const MAX_LOOKED: usize = 10_000;

/// What of a search is of interest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Concern {
    /// What it changes, or prints for something that changes it.
    Changing {
        /// Whether what it prints is given to such a program.
        handed_on: bool,
    },
    /// What it gives to any program, or prints for one.
    Reading,
}

/// A search that does something to what it finds.
#[derive(Debug)]
pub(super) struct Search<'a> {
    starts: Vec<&'a Word>,
    expression: Expression,
    concern: Concern,
}

/// What the command searches for to do something to it; `None` if it only looks.
pub(super) fn of<'a>(
    simple: &'a Simple,
    concern: Concern,
    reading: &Reading<'_>,
) -> Option<Search<'a>> {
    let words = simple.carried().get(1..)?;
    let options = |word: &&Word| matches!(word.text.as_str(), "-H" | "-L" | "-P");
    let skipped = words.iter().take_while(options).count();
    let is_start = |word: &&Word| !word.text.starts_with(['-', '(', '!']);
    let starts: Vec<&Word> = words[skipped..].iter().take_while(is_start).collect();
    let rest = &words[skipped + starts.len()..];
    let expression = Expression::of(rest, concern, reading);
    expression.acts().then_some(Search { starts, expression, concern })
}

impl Search<'_> {
    /// The first file below one of `places`, or around it, to which something would be done.
    pub(super) fn takes(&self, reading: &Reading<'_>, places: &[PathBuf]) -> Option<PathBuf> {
        let starts = self.starts(reading);
        // What is not there is not changed, but it may be there when it is read.
        let is_there = |place: &&PathBuf| self.concern == Concern::Reading || look::is_there(place);
        let there: Vec<&PathBuf> = places.iter().filter(is_there).collect();
        starts.iter().find_map(|start| there.iter().find_map(|place| self.below(start, place)))
    }

    fn starts(&self, reading: &Reading<'_>) -> Vec<PossiblePath> {
        if self.starts.is_empty() {
            return reading.paths(".", true);
        }
        self.starts.iter().flat_map(|start| reading.paths(&start.text, start.literal)).collect()
    }

    /// The first file on the way from a start to `place`, or in it, to which something would be done.
    fn below(&self, start: &PossiblePath, place: &Path) -> Option<PathBuf> {
        let Some(target) = start.target() else {
            // Nobody knows at which of them it begins.
            if !start.holds(place) && !start.is_in(place) {
                return None;
            }
            let mut around = place.ancestors().skip(1).filter(|folder| start.holds(folder));
            let swept = around.find(|folder| self.judged(folder, None).takes_all);
            return swept.map(Path::to_owned).or_else(|| self.within(place, None));
        };
        let (bases, spelt) = (target.spellings(), start.spelt());
        if let Some(inside) = bases.iter().find(|base| base.starts_with(place)) {
            return self.within(inside, Some((spelt.to_owned(), 0)));
        }
        let base = bases.into_iter().find(|base| place.starts_with(base))?;
        let (mut path, mut shown, mut depth) = (base.to_owned(), spelt.to_owned(), 0);
        for name in place.strip_prefix(base).ok()?.components() {
            let judged = self.judged(&path, Some((&shown, depth)));
            if judged.takes_all {
                return Some(path);
            }
            if judged.pruned {
                return None;
            }
            path.push(name);
            shown = format!("{}/{}", shown.trim_end_matches('/'), name.as_os_str().display());
            depth += 1;
        }
        self.within(place, Some((shown, depth)))
    }

    fn judged(&self, path: &Path, shown: Option<(&str, usize)>) -> Judged {
        self.expression.judge(&Found::at(path, shown))
    }

    /// The first file in `top`, itself included, to which something would be done.
    fn within(&self, top: &Path, shown: Option<(String, usize)>) -> Option<PathBuf> {
        let (mut left, mut looked) = (vec![(top.to_owned(), shown)], 0);
        while let Some((path, shown)) = left.pop() {
            looked += 1;
            let found =
                Found::at(&path, shown.as_ref().map(|(shown, depth)| (shown.as_str(), *depth)));
            let judged = self.expression.judge(&found);
            if looked > MAX_LOOKED || judged.takes || judged.takes_all {
                return Some(path);
            }
            if !found.is_folder() || judged.pruned {
                continue;
            }
            for entry in look::folder(&path).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let shown = shown.as_ref().map(|(shown, depth)| {
                    (format!("{}/{}", shown.trim_end_matches('/'), name.display()), depth + 1)
                });
                left.push((entry.path(), shown));
            }
        }
        None
    }
}
