//! Doing what can be done for one thing at a time ahead of whoever takes it, on several threads.

use std::num::NonZero;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// So many things are done at a time: handing one over costs as much as some of them.
const PART: usize = 128;
/// So many parts of a thread wait at most until somebody takes them.
const WAITING: usize = 4;
/// So many threads work at most.
const AT_ONCE: usize = 8;

/// Does `work` for each of `items`, and hands what comes of it to `take` in their order. Each thread begins with something
/// of its own. Few items are done where they are taken.
pub(super) fn ahead<I: Sync, O, R: Send, E>(
    items: &[I],
    begin: impl Fn() -> O + Sync,
    work: impl Fn(&O, &I) -> R + Sync,
    mut take: impl FnMut(&I, R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(AT_ONCE);
    let parts: Vec<&[I]> = items.chunks(PART).collect();
    if parts.len() <= 1 {
        let own = begin();
        return items.iter().try_for_each(|item| take(item, work(&own, item)));
    }
    let (begin, work, all) = (&begin, &work, &parts);
    thread::scope(|scope| {
        let one = |number: usize| -> Receiver<Vec<R>> {
            let (done, received) = sync_channel(WAITING);
            scope.spawn(move || {
                let own = begin();
                for part in all.iter().skip(number).step_by(threads) {
                    let part: Vec<R> = part.iter().map(|item| work(&own, item)).collect();
                    // Nobody takes any more of it.
                    if done.send(part).is_err() {
                        return;
                    }
                }
            });
            received
        };
        let each: Vec<Receiver<Vec<R>>> = (0..threads).map(one).collect();
        for (number, part) in parts.iter().enumerate() {
            // One that panicked sends nothing, and ends all of it as the others end.
            let Ok(done) = each[number % threads].recv() else { break };
            part.iter().zip(done).try_for_each(|(item, result)| take(item, result))?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_all_of_them_is_taken_in_their_order() {
        for count in [0, 1, PART, PART + 1, 20 * PART + 7] {
            let items: Vec<usize> = (0..count).collect();
            let mut taken = Vec::new();
            let take = |item: &usize, result: usize| {
                taken.push((*item, result));
                Ok::<(), ()>(())
            };
            ahead(&items, || 2, |own, item| item * own, take).unwrap();
            let doubled: Vec<_> = items.iter().map(|item| (*item, item * 2)).collect();
            assert_eq!(taken, doubled);
        }
    }

    #[test]
    fn the_first_that_cannot_be_taken_ends_it() {
        let items: Vec<usize> = (0..100 * PART).collect();
        let last = 3 * PART + 5;
        let mut taken = 0;
        let take = |item: &usize, ()| {
            taken += 1;
            if *item == last { Err("full") } else { Ok(()) }
        };
        assert_eq!(ahead(&items, || (), |(), _| (), take), Err("full"));
        assert_eq!(taken, last + 1);
    }
}
