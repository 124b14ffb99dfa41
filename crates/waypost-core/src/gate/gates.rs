//! Gates together, looked up by what they stand before.

use std::ops::Deref;

use super::{Before, Gate};

/// The gates that a ruling looks at. How long that takes depends on those that stand before the
/// action, not on all the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gates {
    all: Vec<Gate>,
    /// The places of the gates before each action. There are only few different ones.
    before: Vec<(Before, Vec<usize>)>,
}

impl Gates {
    /// Those that stand before an action that is `kinds`, in their order.
    pub fn before(&self, kinds: &[Before]) -> impl Iterator<Item = &Gate> {
        let standing = self.before.iter().filter(|(before, _)| kinds.contains(before));
        let mut places: Vec<usize> = standing.flat_map(|(_, places)| places).copied().collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().map(|place| &self.all[place])
    }
}

impl From<Vec<Gate>> for Gates {
    fn from(all: Vec<Gate>) -> Self {
        let mut before: Vec<(Before, Vec<usize>)> = Vec::new();
        for (place, gate) in all.iter().enumerate() {
            for action in &gate.before {
                match before.iter_mut().find(|(known, _)| known == action) {
                    Some((_, places)) => places.push(place),
                    None => before.push((action.clone(), vec![place])),
                }
            }
        }
        Self { all, before }
    }
}

impl Deref for Gates {
    type Target = [Gate];

    fn deref(&self) -> &[Gate] {
        &self.all
    }
}
