//! What is sent at one go: the parcels of a few records that follow each other.

use waypost_core::record::Position;

/// How many parcels are sent at once at the most.
pub(super) const MAX_PARCELS: usize = 512;
/// About how many bytes. One parcel alone may have more.
const MAX_WEIGHT: usize = 1024 * 1024;

/// Parcels, and the records that they are made of.
pub(super) struct Batch<P> {
    parcels: Vec<P>,
    /// Where the stream stands behind each record, and how many parcels there are up to there.
    ends: Vec<(Position, usize)>,
    weight: usize,
}

impl<P> Batch<P> {
    pub(super) fn new() -> Self {
        Self { parcels: Vec::new(), ends: Vec::new(), weight: 0 }
    }

    /// Adds what a record came to, which may be nothing.
    pub(super) fn add(&mut self, at: &Position, parcels: Vec<P>, weight: usize) {
        // Records that come to nothing are passed with whatever is sent next.
        match self.ends.last_mut() {
            Some(last) if parcels.is_empty() => last.0 = at.clone(),
            _ => {
                self.parcels.extend(parcels);
                self.ends.push((at.clone(), self.parcels.len()));
            }
        }
        self.weight += weight;
    }

    pub(super) fn is_full(&self) -> bool {
        self.parcels.len() >= MAX_PARCELS || self.weight >= MAX_WEIGHT
    }

    /// How many records it is made of, those aside that came to nothing.
    pub(super) fn records(&self) -> usize {
        self.ends.len()
    }

    /// The parcels of some of the records, and where the stream stands behind them.
    pub(super) fn part(&self, from: usize, to: usize) -> (&[P], Option<&Position>) {
        let end = |record: usize| self.ends.get(record).map_or(0, |(_, end)| *end);
        let before = from.checked_sub(1).map_or(0, end);
        let last = to.checked_sub(1);
        let after = last.map_or(0, end);
        (&self.parcels[before..after], last.and_then(|last| self.ends.get(last)).map(|end| &end.0))
    }
}
