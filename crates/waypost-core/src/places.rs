//! Where the work of a session was when: what was used at a time belongs there.

use crate::record::Record;
use crate::session::SessionState;
use crate::time::Timestamp;
use crate::usage::Place;

/// Where the work of a session was, and when.
#[derive(Debug, Default)]
pub struct Places {
    state: SessionState,
    changes: Vec<(Timestamp, Place)>,
}

impl Places {
    /// A session that is in one place all the time.
    pub fn only(place: Place) -> Self {
        Self { changes: vec![(Timestamp::saturating_from_millis(0), place)], ..Self::default() }
    }

    /// Takes one more record into account.
    pub fn apply(&mut self, record: &Record) {
        self.state.apply(record);
        let (phase, checkpoint) = (self.state.phase(), self.state.build.current());
        let is_same =
            |last: &(Timestamp, Place)| last.1.phase == phase && last.1.checkpoint == checkpoint;
        if !self.changes.last().is_some_and(is_same) {
            self.changes.push((record.time, Place { phase: phase.to_owned(), checkpoint }));
        }
    }

    /// Where it was at a time: before it began, where it began.
    pub fn at(&self, time: Option<Timestamp>) -> Place {
        let until = time.map_or(self.changes.len(), |time| {
            self.changes.partition_point(|(since, _)| *since <= time)
        });
        let known = self.changes[..until].last().or_else(|| self.changes.first());
        known.map(|(_, place)| place.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_anything_happened_it_was_where_it_began() {
        let place = |phase: &str| Place { phase: phase.to_owned(), checkpoint: None };
        let time = |second: i64| Timestamp::from_millis(second * 1000).ok();
        let changes = [(5, "spec"), (10, "plan"), (20, "build")]
            .map(|(at, phase)| (time(at).unwrap(), place(phase)));
        let places = Places { changes: changes.to_vec(), ..Places::default() };
        let phase = |at| places.at(at).phase;
        assert_eq!(phase(time(1)), "spec");
        assert_eq!((phase(time(9)), phase(time(10))), ("spec".to_owned(), "plan".to_owned()));
        assert_eq!((phase(time(30)), phase(None)), ("build".to_owned(), "build".to_owned()));
    }
}
