//! What `find` would remove or change.

use std::path::{Path, PathBuf};

use waypost_core::glob;
use waypost_core::shell::{Simple, Word};
use waypost_store::look;

use super::programs::reads_what_it_is_given;
use super::readings::{PossiblePath, Reading};

/// No more files than this are compared with a pattern.
const MAX_LOOKED: usize = 10_000;

/// A search that does something to what it finds.
#[derive(Debug)]
pub(super) struct Search<'a> {
    starts: Vec<&'a Word>,
    /// Patterns of which one has to fit a name; empty if anything fits.
    names: Vec<&'a str>,
}

/// What the command searches for to change it; `None` if it only looks. `handed_on` tells that what
/// it prints is given to something that changes files.
pub(super) fn of(simple: &Simple, handed_on: bool) -> Option<Search<'_>> {
    let words = &simple.words[1..];
    let text = |word: &&Word| word.text.clone();
    let runs = |at: usize| {
        let command =
            words[at + 1..].iter().take_while(|word| !matches!(word.text.as_str(), ";" | "+"));
        words[at].text.starts_with("-exec") && !reads_what_it_is_given(command)
            || words[at].text.starts_with("-ok")
    };
    let deletes = words.iter().any(|word| word.text == "-delete");
    if !deletes && !handed_on && !(0..words.len()).any(runs) {
        return None;
    }
    let is_start = |word: &&Word| !text(word).starts_with(['-', '(', '!']);
    let starts = words.iter().take_while(is_start).collect();
    // With alternatives and negations, anything may be found.
    let plain = !words
        .iter()
        .any(|word| matches!(word.text.as_str(), "-o" | "-or" | "," | "!" | "-not" | "-prune"));
    let pairs = words.windows(2).filter(|pair| matches!(pair[0].text.as_str(), "-name" | "-iname"));
    let names = if plain { pairs.map(|pair| pair[1].text.as_str()).collect() } else { Vec::new() };
    Some(Search { starts, names })
}

impl Search<'_> {
    /// The first of `places` of which something would be found.
    pub(super) fn takes(&self, reading: &Reading<'_>, places: &[PathBuf]) -> Option<PathBuf> {
        let starts = self.starts(reading);
        let reached = |place: &&PathBuf| {
            starts.iter().any(|start| start.holds(place) || start.is_in(place))
                && look::is_there(place)
                && self.fits_in(place)
        };
        places.iter().find(reached).cloned()
    }

    /// Whether it would find one of `files`.
    pub(super) fn finds(&self, reading: &Reading<'_>, files: &[PathBuf]) -> bool {
        let starts = self.starts(reading);
        files.iter().any(|file| starts.iter().any(|start| start.holds(file)) && self.fits(file))
    }

    fn starts(&self, reading: &Reading<'_>) -> Vec<PossiblePath> {
        if self.starts.is_empty() {
            return reading.paths(".", true);
        }
        self.starts.iter().flat_map(|start| reading.paths(&start.text, start.literal)).collect()
    }

    fn fits(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.names.is_empty() || self.names.iter().any(|pattern| glob::matches(pattern, &name))
    }

    fn fits_in(&self, place: &Path) -> bool {
        // The folders around it go with everything in them, too.
        if place.ancestors().take(2).any(|path| self.fits(path)) {
            return true;
        }
        let (mut left, mut looked) = (vec![place.to_owned()], 0);
        while let Some(folder) = left.pop() {
            for entry in look::folder(&folder).into_iter().flatten().flatten() {
                looked += 1;
                if looked > MAX_LOOKED || self.fits(&entry.path()) {
                    return true;
                }
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    left.push(entry.path());
                }
            }
        }
        false
    }
}
