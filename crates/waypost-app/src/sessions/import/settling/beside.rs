//! What Brain keeps beside the state of a session, joined to that session.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{MAX_TOGETHER, Settled, brought, name};
use crate::foreign::brain;
use crate::sessions::import::gathering::{Source, What};

impl Settled {
    /// Joins what is kept beside a state to it, or to what else is kept beside the same state.
    pub(super) fn joined(&mut self, sources: Vec<Source>) -> Vec<Source> {
        let is =
            |source: &Source, format: &str| brought(source).is_some_and(|one| one.format == format);
        let (parts, mut all): (Vec<Source>, Vec<Source>) =
            sources.into_iter().partition(|source| is(source, brain::PART));
        let (mut by_name, mut by_folder) = (BTreeMap::new(), BTreeMap::new());
        for (at, state) in all.iter().enumerate().filter(|(_, source)| is(source, brain::STATE)) {
            by_name.entry(name(state)).or_insert(at);
            let near: &mut Vec<usize> = by_folder.entry(folder(state)).or_default();
            near.push(at);
        }
        for part in parts {
            let is_of_folder = brought(&part).is_some_and(brain::is_of_folder);
            let at = if is_of_folder {
                // That of the only state which lies in the same folder.
                by_folder.get(&folder(&part)).filter(|near| near.len() == 1).map(|near| near[0])
            } else {
                by_name.get(&name(&part)).copied()
            };
            match at {
                Some(at) if has_room(&all[at]) => join(&mut all[at], part),
                Some(at) => self.leave(&part, &all[at]),
                None => {
                    if !is_of_folder {
                        by_name.insert(name(&part), all.len());
                    }
                    all.push(part);
                }
            }
        }
        all
    }
}

fn has_room(session: &Source) -> bool {
    brought(session).is_some_and(|one| one.original.len() < MAX_TOGETHER)
}

fn join(session: &mut Source, part: Source) {
    session.also(&part);
    if let (What::Foreign(known), What::Foreign(more)) = (&mut session.what, part.what) {
        brain::join(known, *more);
    }
}

/// The folder that its first file lies in.
fn folder(source: &Source) -> PathBuf {
    source.path.parent().map(Path::to_owned).unwrap_or_default()
}
