//! Names that came from elsewhere, kept short enough for a state: phases are known by their names, so all that tells of
//! one has to call it the same.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::SessionImported;
use crate::text::shortened;
use crate::track::{Definition, MAX_PHASES};

/// How long a name may be, in characters.
const MAX_NAME: usize = 255;
/// How long the names of all phases may be together, in characters.
const MAX_PHASE_NAMES: usize = 8 * 1024;
/// How much of a description is kept, in characters.
const MAX_TEXT: usize = 1000;

impl SessionImported {
    /// The same with a workflow whose names a state can hold. Nothing is copied where they are short, as they are in
    /// what was recorded by [`Self::bound`].
    pub(crate) fn bounded(&self) -> Cow<'_, Self> {
        if self.definition.as_deref().is_none_or(fits) {
            return Cow::Borrowed(self);
        }
        let mut bounded = self.clone();
        bounded.bound();
        Cow::Owned(bounded)
    }

    /// Shortens the names of its workflow and of the phases. Two that begin alike stay two.
    pub(crate) fn bound(&mut self) {
        let Some(definition) = self.definition.as_deref_mut().filter(|known| !fits(known)) else {
            return;
        };
        definition.phases.truncate(MAX_PHASES);
        definition.name = shortened(&definition.name, MAX_NAME);
        definition.description = shortened(&definition.description, MAX_TEXT);
        definition.version = definition.version.as_deref().map(|told| shortened(told, MAX_NAME));
        let most = longest(definition);
        let mut called = BTreeMap::new();
        for (place, phase) in definition.phases.iter_mut().enumerate() {
            if phase.name.chars().count() > most {
                let number = format!(" {}", place + 1);
                let short = shortened(&phase.name, most - number.len()) + &number;
                let long = std::mem::replace(&mut phase.name, short.clone());
                called.entry(long).or_insert(short);
            }
        }
        let rename = |name: &mut String| {
            if let Some(short) = called.get(name) {
                name.clone_from(short);
            }
        };
        self.past.phases.iter_mut().map(|phase| &mut phase.name).for_each(rename);
        self.past.phase.iter_mut().for_each(rename);
    }
}

/// How long a name of one of its phases may be.
fn longest(definition: &Definition) -> usize {
    (MAX_PHASE_NAMES / definition.phases.len().clamp(1, MAX_PHASES)).min(MAX_NAME)
}

fn fits(definition: &Definition) -> bool {
    let is_short = |text: &str, most: usize| text.chars().count() <= most;
    let most = longest(definition);
    definition.phases.len() <= MAX_PHASES
        && is_short(&definition.name, MAX_NAME)
        && is_short(&definition.description, MAX_TEXT)
        && definition.version.as_deref().is_none_or(|version| is_short(version, MAX_NAME))
        && definition.phases.iter().all(|phase| is_short(&phase.name, most))
}
