//! Acknowledged records that are gone, until a human accepts it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::event::TailCut;

/// Which records a stream has lost. Others have their numbers now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
}

impl Loss {
    /// What is lost and not yet accepted once the stream tells in record `seq` that its end was cut.
    pub fn after_cut(before: Option<Self>, seq: u64, cut: &TailCut) -> Option<Self> {
        match (cut.lost, before) {
            (Some(to), Some(before)) => {
                Some(Self { from: before.from.min(seq), to: before.to.max(to) })
            }
            (Some(to), None) => Some(Self { from: seq, to }),
            (None, before) => before,
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

    fn cut(lost: Option<u64>) -> TailCut {
        TailCut { bytes: 0, kept: None, lost, head_missing: false, restored: 0 }
    }

    #[test]
    fn what_is_lost_only_grows() {
        let first = Loss::after_cut(None, 5, &cut(Some(7)));
        assert_eq!(first, Some(Loss { from: 5, to: 7 }));
        assert_eq!(Loss::after_cut(first, 6, &cut(None)), first);
        assert_eq!(Loss::after_cut(first, 9, &cut(Some(9))), Some(Loss { from: 5, to: 9 }));
        assert_eq!(Loss::after_cut(None, 4, &cut(None)), None);
    }

    #[test]
    fn one_record_is_told_as_one() {
        assert_eq!(Loss { from: 4, to: 4 }.to_string(), "acknowledged record 4 is lost");
        assert_eq!(Loss { from: 4, to: 6 }.to_string(), "acknowledged records 4 to 6 are lost");
    }
}
