//! Acknowledged records that are gone, until a human accepts it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::event::{Event, Known};
use crate::record::Record;

/// Which records a stream has lost. Others have their numbers now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
}

impl Loss {
    /// What is lost and not yet accepted after one more record.
    pub fn after(before: Option<Self>, record: &Record) -> Option<Self> {
        match &record.event {
            Event::Known(Known::TailCut(cut)) => match (cut.lost, before) {
                (Some(to), Some(before)) => {
                    Some(Self { from: before.from.min(record.seq), to: before.to.max(to) })
                }
                (Some(to), None) => Some(Self { from: record.seq, to }),
                (None, before) => before,
            },
            Event::Known(Known::LossAccepted { .. }) => None,
            Event::Known(_) | Event::Other(_) => before,
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to } = self;
        if from >= to {
            write!(f, "acknowledged record {to} is lost")
        } else {
            write!(f, "acknowledged records {from} to {to} are lost")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;
    use crate::event::TailCut;
    use crate::time::Timestamp;

    fn after(before: Option<Loss>, seq: u64, event: Known) -> Option<Loss> {
        let time = Timestamp::from_millis(0).unwrap();
        Loss::after(before, &Record { seq, time, actor: Actor::Waypost, event: event.into() })
    }

    fn cut(lost: Option<u64>) -> Known {
        Known::TailCut(TailCut { bytes: 0, kept: None, lost, head_missing: false, restored: 0 })
    }

    #[test]
    fn a_loss_stays_until_it_is_accepted() {
        let first = after(None, 5, cut(Some(7)));
        assert_eq!(first, Some(Loss { from: 5, to: 7 }));
        assert_eq!(after(first, 6, cut(None)), first);
        let both = after(first, 9, cut(Some(9)));
        assert_eq!(both, Some(Loss { from: 5, to: 9 }));
        assert_eq!(after(both, 10, Known::LossAccepted { up_to: 9 }), None);
        assert_eq!(after(None, 4, cut(None)), None);
    }

    #[test]
    fn one_record_is_told_as_one() {
        assert_eq!(Loss { from: 4, to: 4 }.to_string(), "acknowledged record 4 is lost");
        assert_eq!(Loss { from: 4, to: 6 }.to_string(), "acknowledged records 4 to 6 are lost");
    }
}
