//! What somebody who looks after several agents has before them for as long as a server runs: what goes on now, what today
//! cost, and an index that is kept up. Pages are made of it, one look each.
//!
//! Two threads look in the background, as those of the live screen do, and a third one scans whenever something moved. What
//! changed is told by a number that grows: whoever shows something asks for it again when it has.

mod answers;
mod budgets;
mod health;
mod questions;
mod recent;
mod shelf;
mod windows;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use waypost_core::id::SessionId;
use waypost_core::key::Keyring;

use crate::error::AppError;
use crate::index::{self, ListedProject, Report};
use crate::machine::host::{Host, Patience};
use crate::machine::project;
use crate::share::verify::{self, Verified};
use crate::standing::glance::{Glance, Stood};
use crate::transcripts::{Found, Kept};
use crate::view::View;
use crate::watch::worker::{self, News, Tell};
use crate::watch::{Board, CostToday};
use questions::Questions;
use recent::Recent;
use shelf::Shelf;
use windows::{Read, Windows};

pub use answers::Answer;
pub use budgets::{Budget, NEAR};
pub use health::{HookSeen, ProjectHealth};
pub use questions::{AskedCost, Disk};
pub use shelf::Lent;

/// How often it is looked whether anything changed, while somebody looks at a page, and while nobody does.
const EVERY: Duration = Duration::from_millis(40);
const IDLE: Duration = Duration::from_millis(500);
/// For how long somebody counts as looking who asked for something.
const ATTENTION: Duration = Duration::from_secs(10);
/// How often it is scanned, even if nothing is known to have changed: transcripts grow by themselves.
const SCAN_EVERY: Duration = Duration::from_secs(2);
/// For how long it is not looked again where a session stands, while nothing moved: git is asked for it, and people go from
/// one part of a page to the next.
const STANDS: Duration = Duration::from_secs(1);
/// For how long a session's records are not verified again: whoever leaves that open sees every change of any session.
const VERIFIED: Duration = Duration::from_secs(5);
/// At most this part of the time is spent with scanning.
const SHARE: u32 = 10;

/// What clients keep of their conversations, now.
pub type Transcripts = Arc<dyn Fn(&Host) -> Vec<Kept> + Send + Sync>;

/// What lies before whoever looks after several agents.
pub struct Desk {
    /// The machine, as a server sees it: nobody is told to wait, and nobody hears of locks.
    pub host: Host,
    transcripts: Transcripts,
    now: Mutex<Now>,
    stood: Recent<Stood>,
    verified: Recent<Vec<Verified>>,
    /// The index, opened.
    shelf: Arc<Shelf>,
    windows: Windows,
    /// Grows whenever something changed.
    moved: Arc<AtomicU64>,
    /// What takes long to find out.
    questions: Questions,
    /// Wakes whoever scans.
    wake: Condvar,
    over: AtomicBool,
    began: Instant,
    /// When somebody last asked for something, in milliseconds since then.
    asked: AtomicU64,
}

#[derive(Debug, Default)]
struct Now {
    board: Arc<Board>,
    /// Whether it was looked yet.
    looked: bool,
    cost: Option<CostToday>,
    failed: Option<String>,
    scan: ScanState,
    onboarded: Option<Onboarded>,
    /// Whether something changed since the last scan began.
    is_stale: bool,
}

/// What came of the last scan.
#[derive(Debug, Clone, Default)]
pub struct ScanState {
    /// How many scans were done.
    pub scans: u64,
    /// What could not be read.
    pub failed: Vec<index::Failed>,
    /// What somebody should be told.
    pub warnings: Vec<String>,
    /// Why there was none.
    pub error: Option<String>,
}

/// What came of adding the projects below a folder.
#[derive(Debug, Clone, Serialize)]
pub struct Onboarded {
    /// The folder.
    pub folder: PathBuf,
    /// What came of it.
    pub report: Report,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("moved", &self.moved).finish_non_exhaustive()
    }
}

impl Desk {
    /// Begins to look. It ends when the desk is told to, or with the process.
    pub fn begin(host: &Host, transcripts: Transcripts) -> Arc<Self> {
        let patience = Patience::silent(host.patience.limit);
        let host = Host { patience, notice: None, ..host.clone() };
        let moved = Arc::new(AtomicU64::new(1));
        let desk = Arc::new(Self {
            host,
            transcripts,
            now: Mutex::default(),
            stood: Recent::new(STANDS),
            verified: Recent::new(VERIFIED),
            shelf: Arc::default(),
            windows: Windows::default(),
            questions: Questions::new(&moved),
            moved,
            wake: Condvar::new(),
            over: AtomicBool::new(false),
            began: Instant::now(),
            asked: AtomicU64::new(0),
        });
        let own = Arc::clone(&desk);
        let tell: Tell = Arc::new(move |news| own.hear(news));
        let kept = Arc::clone(&desk.transcripts);
        let watched = Arc::clone(&desk);
        worker::begin(&desk.host, move |host| kept(host), move || watched.pace(), &tell);
        let own = Arc::clone(&desk);
        thread::spawn(move || own.keep_up());
        desk
    }

    /// Ends what looks in the background.
    pub fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.wake.notify_all();
    }

    /// How often anything has changed.
    pub fn moved(&self) -> u64 {
        self.attend();
        self.moved.load(Ordering::Acquire)
    }

    /// Somebody looks.
    fn attend(&self) {
        let now = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.asked.store(now, Ordering::Relaxed);
    }

    /// How long to rest between two looks.
    fn pace(&self) -> Duration {
        let asked = Duration::from_millis(self.asked.load(Ordering::Relaxed));
        let is_watched = self.began.elapsed().saturating_sub(asked) < ATTENTION;
        if is_watched { EVERY } else { IDLE }
    }

    /// Something was done that pages show: it is looked and scanned at once.
    pub fn stir(&self) {
        self.lock().is_stale = true;
        self.move_on();
        self.wake.notify_all();
    }

    /// What goes on now; none before it was first looked.
    pub fn board(&self) -> Option<Arc<Board>> {
        self.attend();
        let now = self.lock();
        now.looked.then(|| Arc::clone(&now.board))
    }

    /// Why it could not be looked.
    pub fn failed(&self) -> Option<String> {
        self.lock().failed.clone()
    }

    /// What today cost, once that is known.
    pub fn cost_today(&self) -> Option<CostToday> {
        self.lock().cost.clone()
    }

    /// What came of the last scan.
    pub fn scanned(&self) -> ScanState {
        self.lock().scan.clone()
    }

    /// What clients keep of their conversations.
    pub fn transcripts(&self) -> Vec<Kept> {
        (self.transcripts)(&self.host)
    }

    /// The rows of the index, if there is one yet.
    pub fn rows(&self) -> Result<Option<Lent>, AppError> {
        self.shelf.lend(&self.host)
    }

    /// The part of a transcript that a place is in; without one, the last.
    pub fn window(&self, found: &Found, at: Option<u64>) -> io::Result<Arc<Read>> {
        self.windows.of(found, at)
    }

    /// The keys.
    pub fn ring(&self) -> Result<Keyring, AppError> {
        self.host.keyring()
    }

    /// The project with that id.
    pub fn project(&self, id: &str) -> Result<ListedProject, AppError> {
        index::project(&self.host, id)
    }

    /// Looks at a project: at its main work tree.
    pub fn view(&self, listed: &ListedProject) -> Result<View<'_>, AppError> {
        Ok(View::with(&self.host, listed.project.clone(), self.ring()?))
    }

    /// Where a session stands for whoever looks at it now.
    pub fn stood(&self, view: &View<'_>, glance: &Glance) -> Result<Arc<Stood>, AppError> {
        let (id, moved) = (&glance.session.id, self.moved());
        self.stood.of(view, id, moved, || glance.stood(view))
    }

    /// What checking all records of a session found.
    pub fn verified(
        &self,
        view: &View<'_>,
        session: &SessionId,
    ) -> Result<Arc<Vec<Verified>>, AppError> {
        self.verified.of(view, session, 0, || verify::verify(view, Some(session.as_str())))
    }

    /// Scans now, and says what came of it.
    pub fn scan(&self) -> Result<Report, AppError> {
        let found = index::scan(&self.host, &self.transcripts(), &mut |_, _, _| {});
        let mut now = self.lock();
        now.scan.scans += 1;
        match &found {
            Ok(report) => {
                (now.scan.failed, now.scan.error) = (report.failed.clone(), None);
                now.scan.warnings.clone_from(&report.warnings);
            }
            Err(error) => now.scan.error = Some(error.message.clone()),
        }
        found
    }

    /// Adds the projects below a folder, and keeps what came of it.
    pub fn onboard(&self, folder: PathBuf) -> Result<Onboarded, AppError> {
        let (kept, folders) = (self.transcripts(), std::slice::from_ref(&folder));
        let report = index::onboard(&self.host, &kept, folders, &mut |_, _, _| {})?;
        let onboarded = Onboarded { folder, report };
        self.lock().onboarded = Some(onboarded.clone());
        Ok(onboarded)
    }

    /// What came of adding projects the last time.
    pub fn onboarded(&self) -> Option<Onboarded> {
        self.lock().onboarded.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn move_on(&self) {
        self.moved.fetch_add(1, Ordering::AcqRel);
    }

    fn hear(&self, news: News) -> bool {
        let mut now = self.lock();
        match news {
            News::Board(board) => {
                (now.board, now.looked, now.failed) = (Arc::new(board), true, None);
                now.is_stale = true;
                self.wake.notify_all();
            }
            News::Cost(cost) if now.cost.as_ref() == Some(&cost) => return !self.is_over(),
            News::Cost(cost) => now.cost = Some(cost),
            News::Failed(message) if now.failed.as_ref() == Some(&message) => {
                return !self.is_over();
            }
            News::Failed(message) => now.failed = Some(message),
        }
        drop(now);
        self.move_on();
        !self.is_over()
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Scans whenever something changed, and now and then.
    fn keep_up(&self) {
        while !self.is_over() {
            let begun = Instant::now();
            self.lock().is_stale = false;
            self.list();
            self.shelf.tidy();
            let found = self.scan();
            let is_new = match &found {
                Ok(report) => report.rebuilt || report.synced + report.removed > 0,
                Err(_) => false,
            };
            if is_new {
                self.move_on();
            }
            let rest = begun.elapsed() * SHARE;
            thread::sleep(rest.min(SCAN_EVERY));
            let now = self.lock();
            let waits = |now: &mut Now| !now.is_stale && !self.is_over();
            let limit = SCAN_EVERY.max(rest);
            drop(self.wake.wait_timeout_while(now, limit, waits));
        }
    }

    /// Lists the projects in which a conversation began: people who open the pages want to see them.
    fn list(&self) {
        let board = self.lock().board.clone();
        let unlisted = board.rows.iter().filter(|row| row.project_id.is_none());
        let found: Vec<_> = unlisted.filter_map(|row| project::require(&row.root).ok()).collect();
        if !found.is_empty() {
            // Where the list cannot be written, scanning says so.
            let _ = index::list(&self.host, &found);
        }
    }
}
