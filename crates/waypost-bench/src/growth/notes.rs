//! Publishing sessions with more and more notes, each beside one with half as many.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use waypost_core::id::SessionId;

use super::Project;
use crate::failure::{During, Failure};
use crate::spawn::Spawn;
use crate::store::figure::{Figure, Target};
use crate::store::pair::by_turns;

const NOTES: &[u64] = &[1000, 2000, 4000, 8000];
/// Twice the notes are twice the work; a little more is noise.
const MOST: Target = Target::AtMost(2.2);

pub(super) fn measure(place: &Project<'_>, rounds: usize) -> Result<Vec<Figure>, Failure> {
    let sessions: Result<Vec<_>, Failure> =
        NOTES.iter().map(|notes| place.filler.session_of_notes(*notes)).collect();
    let published: Result<Vec<_>, _> =
        sessions?.iter().map(|session| Published::of(place, session)).collect();
    let published = published?;
    let mut figures = Vec::new();
    for (index, pair) in published.windows(2).enumerate() {
        let [half, twice] = pair else { continue };
        let pair = by_turns(rounds, 1, || twice.anew(), || half.anew())?;
        let name = |index: usize| format!("publish, {} notes", NOTES[index]);
        figures.push(Figure::new(&name(index + 1), &name(index), pair, MOST));
    }
    Ok(figures)
}

/// A session and the folder that it is published in.
struct Published {
    publish: Spawn,
    folder: PathBuf,
}

impl Published {
    fn of(place: &Project<'_>, session: &SessionId) -> Result<Self, Failure> {
        let words = ["publish", session.as_str(), "--json"].map(OsString::from).into();
        let publish = place.places.spawn_in(place.place, &place.programs.waypost, words, vec![]);
        let (_, output) = publish.run_well()?;
        let said: Value = serde_json::from_slice(&output.stdout).during(|| "publish".to_owned())?;
        let folder = said["folder"].as_str().map(PathBuf::from);
        let folder = folder.filter(|folder| folder.starts_with(place.places.root(place.place)));
        let folder = folder.ok_or_else(|| publish.unexpected("a folder", &output))?;
        Ok(Self { publish, folder })
    }

    /// How long it takes when nothing is published yet.
    fn anew(&self) -> Result<Duration, Failure> {
        fs::remove_dir_all(&self.folder).during(|| self.folder.display().to_string())?;
        Ok(self.publish.run_well()?.0)
    }
}
