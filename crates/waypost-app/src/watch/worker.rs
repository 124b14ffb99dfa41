//! Looking in the background, so that nobody who is shown it ever waits: at the projects, again and again, and at what today
//! cost. Both only read, so they may end with the process, wherever they are.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::{Board, CostToday, Watch, cost_today};
use crate::machine::host::Host;
use crate::transcripts::Kept;

/// How often it is looked for projects that came since.
const FIND: Duration = Duration::from_secs(1);
/// How often what takes longer is done again.
const SELDOM: Duration = Duration::from_secs(60);
/// At most this part of the time is spent with looking, and with that.
const SHARE: u32 = 20;

/// Something new.
#[derive(Debug)]
pub enum News {
    /// What goes on now.
    Board(Board),
    /// What today cost.
    Cost(CostToday),
    /// It could not be looked.
    Failed(String),
}

/// Told what is new. Says whether it wants to hear more.
pub type Tell = Arc<dyn Fn(News) -> bool + Send + Sync>;

/// Begins to look at the projects, as often as `every` says now. `kept` gives what clients keep of their conversations now.
pub fn begin(
    host: &Host,
    kept: impl Fn(&Host) -> Vec<Kept> + Send + 'static,
    every: impl Fn() -> Duration + Send + 'static,
    tell: &Tell,
) {
    let (own, told) = (host.clone(), Arc::clone(tell));
    thread::spawn(move || look(&own, &every, &*told));
    let (own, told) = (host.clone(), Arc::clone(tell));
    thread::spawn(move || count(&own, &kept, &*told));
}

/// Looks at the projects until nobody listens any more.
fn look(host: &Host, every: &dyn Fn() -> Duration, tell: &dyn Fn(News) -> bool) {
    let mut watch = match Watch::new(host) {
        Ok(watch) => watch,
        Err(error) => {
            tell(News::Failed(error.message));
            return;
        }
    };
    let (mut last, mut again, mut find) = (None, Instant::now(), Instant::now());
    loop {
        let begun = Instant::now();
        let board = if begun >= find {
            find = begun + FIND;
            watch.look()
        } else {
            Ok(watch.same())
        };
        let news = match board {
            Ok(board) => News::Board(board),
            Err(error) => News::Failed(error.message),
        };
        let took = begun.elapsed();
        if is_new(&mut last, &news) && !tell(news) {
            return;
        }
        if Instant::now() >= again {
            let begun = Instant::now();
            watch.look_for_lapses();
            again = Instant::now() + SELDOM.max(begun.elapsed() * SHARE);
            continue;
        }
        thread::sleep(every().max(took * SHARE));
    }
}

/// Whether it is other news than the last.
fn is_new(last: &mut Option<Board>, news: &News) -> bool {
    let News::Board(board) = news else { return true };
    if last.as_ref() == Some(board) {
        return false;
    }
    *last = Some(board.clone());
    true
}

/// Counts what today cost until nobody listens any more.
fn count(host: &Host, kept: &dyn Fn(&Host) -> Vec<Kept>, tell: &dyn Fn(News) -> bool) {
    loop {
        let begun = Instant::now();
        if !tell(News::Cost(cost_today(host, &kept(host)))) {
            return;
        }
        thread::sleep(SELDOM.max(begun.elapsed() * SHARE));
    }
}
