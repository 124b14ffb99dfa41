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
    /// Whether it cannot be told if there ever was one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_doubt: bool,
}

impl Loss {
    /// What is lost and not yet accepted once the stream tells in record `seq` that its end was cut.
    pub fn after_cut(before: Option<Self>, seq: u64, cut: &TailCut) -> Option<Self> {
        let in_doubt = cut.lost.is_none();
        match (cut.lost.or(cut.in_doubt.then_some(seq)), before) {
            (Some(to), Some(before)) => Some(Self {
                from: before.from.min(seq),
                to: before.to.max(to),
                in_doubt: in_doubt && before.in_doubt,
            }),
            (Some(to), None) => Some(Self { from: seq, to, in_doubt }),
            (None, before) => before,
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, in_doubt } = self;
        match (from < to, in_doubt) {
            (true, _) => write!(f, "acknowledged records {from} to {to} are lost"),
            (false, false) => write!(f, "acknowledged record {to} is lost"),
            (false, true) => write!(f, "whether acknowledged record {to} is lost cannot be told"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(lost: Option<u64>) -> TailCut {
        TailCut { bytes: 0, kept: None, lost, head_missing: false, in_doubt: false, restored: 0 }
    }

    fn loss(from: u64, to: u64) -> Loss {
        Loss { from, to, in_doubt: false }
    }

    #[test]
    fn what_is_lost_only_grows() {
        let first = Loss::after_cut(None, 5, &cut(Some(7)));
        assert_eq!(first, Some(loss(5, 7)));
        assert_eq!(Loss::after_cut(first, 6, &cut(None)), first);
        assert_eq!(Loss::after_cut(first, 9, &cut(Some(9))), Some(loss(5, 9)));
        assert_eq!(Loss::after_cut(None, 4, &cut(None)), None);
        let doubt = TailCut { in_doubt: true, ..cut(None) };
        assert_eq!(Loss::after_cut(None, 4, &doubt), Some(Loss { from: 4, to: 4, in_doubt: true }));
        assert_eq!(Loss::after_cut(first, 8, &doubt), Some(loss(5, 8)));
    }

    #[test]
    fn one_record_is_told_as_one() {
        assert_eq!(loss(4, 4).to_string(), "acknowledged record 4 is lost");
        assert_eq!(loss(4, 6).to_string(), "acknowledged records 4 to 6 are lost");
    }
}
