//! The live screen: keys in, lines out. Everything that takes time is done beside it, but what a key asks for.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use crossterm::event::{self, Event};
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use waypost_app::error::AppError;
use waypost_app::machine::host::{Host, Patience};
use waypost_app::standing::{brief, show};
use waypost_app::view::View;
use waypost_app::watch::worker::{self, News, Tell};
use waypost_app::watch::{Board, CostToday, Watch, WatchRow};
use waypost_core::id::SessionId;
use waypost_core::time::Timestamp;

use super::super::CommandOutcome;
use super::approve::{self, Approving};
use super::keys::{Wish, wish};
use super::layout::{self, Shown};
use super::line::Size;
use super::page::{HELP, Page};
use super::screen::Screen;
use crate::{ui, wiring};

/// How often it is looked whether anything changed.
const EVERY: Duration = Duration::from_secs(1);
/// How long news and signals wait at most to be seen.
const TICK: Duration = Duration::from_millis(200);
/// What a shell adds to the number of the signal that ended a program.
const BY_SIGNAL: usize = 128;

/// Shows the screen until somebody quits, or a signal ends it.
pub(super) fn run(host: &Host) -> CommandOutcome {
    // What is told beside the output would stand somewhere on the screen.
    let patience = Patience { waiting: || {}, ..host.patience };
    let host = &Host { notice: None, patience, ..host.clone() };
    let signals = Arc::new(AtomicUsize::new(0));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        let number = usize::try_from(signal).unwrap_or_default();
        signal_hook::flag::register_usize(signal, Arc::clone(&signals), number)
            .map_err(|error| failed(&error))?;
    }
    let board = Watch::new(host)?.glance()?;
    let mut screen = Screen::take().map_err(|error| failed(&error))?;
    let mut live = Live::new(host, board);
    live.paint(&mut screen)?;
    let (send, news) = mpsc::channel();
    let tell: Tell = Arc::new(move |news| send.send(news).is_ok());
    worker::begin(host, wiring::transcripts, || EVERY, &tell);
    let ended = live.go_on(&mut screen, &news, &signals);
    drop(screen);
    match (ended, signals.load(Ordering::Relaxed)) {
        (_, signal @ 1..) => {
            Ok(ExitCode::from(u8::try_from(BY_SIGNAL + signal).unwrap_or(u8::MAX)))
        }
        (Ok(()), _) => Ok(ExitCode::SUCCESS),
        (Err(error), _) => Err(error),
    }
}

fn failed(error: &std::io::Error) -> AppError {
    AppError::refused(format!("the terminal cannot be used as a screen: {error}"))
        .hint("print the same once: waypost watch --once")
}

/// What is shown, and what somebody chose in it.
struct Live<'h> {
    host: &'h Host,
    board: Board,
    cost: Option<CostToday>,
    /// The row that is chosen, by what it is about: rows come and go above it.
    chosen: Option<(Option<SessionId>, PathBuf)>,
    page: Option<Page>,
    message: Option<String>,
    /// The minute for which the screen was painted: ages grow by themselves.
    minute: i64,
}

impl<'h> Live<'h> {
    fn new(host: &'h Host, board: Board) -> Self {
        let (cost, chosen, page, message) = (None, None, None, None);
        Self { host, board, cost, chosen, page, message, minute: 0 }
    }

    /// Until somebody quits or a signal came.
    fn go_on(
        &mut self,
        screen: &mut Screen,
        news: &Receiver<News>,
        signals: &AtomicUsize,
    ) -> Result<(), AppError> {
        while signals.load(Ordering::Relaxed) == 0 {
            let mut changed = self.minute != minute(self.host.moment());
            while let Ok(news) = news.try_recv() {
                self.hear(news);
                changed = true;
            }
            if changed {
                self.paint(screen)?;
            }
            if !event::poll(TICK).map_err(|error| failed(&error))? {
                continue;
            }
            match event::read().map_err(|error| failed(&error))? {
                Event::Key(key) => match wish(key) {
                    Some(wish) if self.grant(wish, screen) => return Ok(()),
                    Some(_) => {}
                    None => continue,
                },
                Event::Resize(..) => {}
                _ => continue,
            }
            self.paint(screen)?;
        }
        Ok(())
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Board(board) => self.board = board,
            News::Cost(cost) => self.cost = Some(cost),
            News::Failed(message) => self.message = Some(message),
        }
    }

    fn paint(&mut self, screen: &mut Screen) -> Result<(), AppError> {
        let (now, size) = (self.host.moment(), Screen::size());
        self.minute = minute(now);
        let shown = Shown {
            board: &self.board,
            cost: self.cost.as_ref(),
            chosen: self.place(),
            page: self.page.as_ref(),
            message: self.message.as_deref(),
            now,
        };
        screen.paint(layout::lines(&shown, size), size).map_err(|error| failed(&error))
    }

    /// Where the row is that was chosen; where it is gone, the first one.
    fn place(&self) -> usize {
        let chosen = self.chosen.as_ref();
        let is_chosen = |row: &WatchRow| chosen.is_some_and(|chosen| *chosen == key(row));
        self.board.rows.iter().position(is_chosen).unwrap_or_default()
    }

    /// Does what somebody wants; whether that was to quit.
    fn grant(&mut self, wish: Wish, screen: &mut Screen) -> bool {
        self.message = None;
        let size = Screen::size();
        match wish {
            Wish::Quit => return true,
            Wish::Back if self.page.is_none() => return true,
            Wish::Back => self.page = None,
            Wish::Move(by) => self.go(by, size),
            Wish::Pages(by) => {
                let lines = isize::try_from(size.lines.saturating_sub(6).max(1)).unwrap_or(1);
                self.go(by * lines, size);
            }
            Wish::Help => self.page = Some(Page::text("Keys", HELP)),
            Wish::Rest => screen.aside(&mut || {
                let _ = kill_process(getpid(), Signal::TSTP);
            }),
            Wish::Yes => self.approve(screen),
            Wish::Open | Wish::Brief | Wish::Approve if self.page.is_some() => {}
            Wish::Open => self.read("", told),
            Wish::Brief => self.read("Brief of ", briefed),
            Wish::Approve => self.ask(),
        }
        false
    }

    /// Chooses another row, or moves the text.
    fn go(&mut self, by: isize, size: Size) {
        match &mut self.page {
            Some(Page::Approve(approving)) => approving.go(by),
            Some(page) => page.scroll(by, size),
            None => {
                let last = self.board.rows.len().saturating_sub(1);
                let place = self.place().saturating_add_signed(by).min(last);
                self.chosen = self.board.rows.get(place).map(key);
            }
        }
    }

    /// Shows what there is to read of the session that is chosen.
    fn read(&mut self, title: &str, read: fn(&View<'_>, &str) -> Result<String, AppError>) {
        let Some(row) = self.board.rows.get(self.place()) else { return };
        let Some(session) = &row.session_id else {
            self.page = Some(Page::text(row.project.clone(), row.text.clone()));
            return;
        };
        let host = approve::at(self.host, row.root.clone());
        let found = View::open(&host).and_then(|view| read(&view, session.as_str()));
        match found {
            Ok(text) => {
                self.page = Some(Page::text(format!("{title}{session}"), text));
            }
            Err(error) => self.message = Some(error.message),
        }
    }

    /// Asks whether a gate of the session that is chosen shall be approved.
    fn ask(&mut self) {
        let Some(row) = self.board.rows.get(self.place()) else { return };
        match Approving::of(self.host, row) {
            Ok(approving) => self.page = Some(Page::Approve(approving)),
            Err(error) => self.message = Some(error.message),
        }
    }

    /// Somebody said yes.
    fn approve(&mut self, screen: &mut Screen) {
        let Some(Page::Approve(approving)) = &self.page else { return };
        let done = approving.approve(self.host, |then| screen.aside(then));
        self.message = Some(match done {
            Ok(spoken) => approve::told(&spoken),
            Err(error) => error.message,
        });
        self.page = None;
    }
}

fn key(row: &WatchRow) -> (Option<SessionId>, PathBuf) {
    (row.session_id.clone(), row.root.clone())
}

fn minute(time: Timestamp) -> i64 {
    time.as_millis().div_euclid(60_000)
}

/// Everything about a session, as `waypost show` tells it.
fn told(view: &View<'_>, session: &str) -> Result<String, AppError> {
    let shown = show::of(view, session)?;
    Ok(ui::gathered(|| super::super::show::tell(&shown)))
}

/// The brief of a session.
fn briefed(view: &View<'_>, session: &str) -> Result<String, AppError> {
    Ok(brief::of(view, Some(session))?.text(brief::BUDGET))
}
