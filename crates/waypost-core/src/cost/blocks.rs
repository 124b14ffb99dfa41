//! Blocks of five hours, in which some plans count what is used: the first begins with the hour of the first message,
//! the next with the hour of the first message after its end.

use crate::time::Timestamp;

const HOUR: i64 = 60 * 60 * 1000;
/// How long a block is, in milliseconds.
pub const BLOCK: i64 = 5 * HOUR;

/// A block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// When it begins.
    pub begins: Timestamp,
    /// When its first message was.
    pub first: Timestamp,
}

impl Block {
    /// When it is over.
    pub fn ends(self) -> Timestamp {
        Timestamp::saturating_from_millis(self.begins.as_millis().saturating_add(BLOCK))
    }

    /// Whether a time lies in it.
    pub fn holds(self, time: Timestamp) -> bool {
        self.begins <= time && time < self.ends()
    }

    /// For how many hours it was in use at a time: a minute at the least.
    #[expect(clippy::cast_precision_loss, reason = "five hours have few milliseconds")]
    pub fn hours_at(self, now: Timestamp) -> f64 {
        let used = now.as_millis().saturating_sub(self.first.as_millis());
        used.clamp(HOUR / 60, BLOCK) as f64 / HOUR as f64
    }
}

/// The blocks of messages at these times, which must be in order.
pub fn blocks(times: impl IntoIterator<Item = Timestamp>) -> Vec<Block> {
    let mut all: Vec<Block> = Vec::new();
    for first in times {
        if all.last().is_none_or(|last| last.ends() <= first) {
            let millis = first.as_millis();
            let begins = Timestamp::saturating_from_millis(millis - millis.rem_euclid(HOUR));
            all.push(Block { begins, first });
        }
    }
    all
}
