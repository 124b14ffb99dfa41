//! What is looked at beside the screen, so that keys never wait for it: the projects, again and again, and what today
//! cost. Both only read, so they end with the process, wherever they are.

use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use waypost_app::machine::host::Host;
use waypost_app::watch::{self, Board, CostToday, Watch};

use crate::wiring;

/// How often it is looked whether anything changed.
const EVERY: Duration = Duration::from_secs(1);
/// How often what takes longer is done again.
const SELDOM: Duration = Duration::from_secs(60);
/// At most this part of the time is spent with that.
const SHARE: u32 = 20;

/// Something new.
#[derive(Debug)]
pub(super) enum News {
    /// What goes on now.
    Board(Board),
    /// What today cost.
    Cost(CostToday),
    /// It could not be looked.
    Failed(String),
}

/// Begins to look.
pub(super) fn begin(host: &Host, news: &Sender<News>) {
    let (own, tell) = (host.clone(), news.clone());
    thread::spawn(move || look(&own, &tell));
    let (own, tell) = (host.clone(), news.clone());
    thread::spawn(move || count(&own, &tell));
}

/// Looks at the projects until nobody listens any more.
fn look(host: &Host, tell: &Sender<News>) {
    let mut watch = match Watch::new(host) {
        Ok(watch) => watch,
        Err(error) => return drop(tell.send(News::Failed(error.message))),
    };
    let (mut last, mut again) = (None, Instant::now());
    loop {
        let news = match watch.look() {
            Ok(board) => News::Board(board),
            Err(error) => News::Failed(error.message),
        };
        if is_new(&mut last, &news) && tell.send(news).is_err() {
            return;
        }
        if Instant::now() >= again {
            let begun = Instant::now();
            watch.look_for_lapses();
            again = Instant::now() + SELDOM.max(begun.elapsed() * SHARE);
            continue;
        }
        thread::sleep(EVERY);
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
fn count(host: &Host, tell: &Sender<News>) {
    loop {
        let begun = Instant::now();
        let cost = watch::cost_today(host, &wiring::transcripts(host));
        if tell.send(News::Cost(cost)).is_err() {
            return;
        }
        thread::sleep(SELDOM.max(begun.elapsed() * SHARE));
    }
}
