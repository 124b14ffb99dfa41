//! What goes on in all projects of this machine, for whoever looks after several agents: what waits for a person, who is
//! at work, what rests, what was done today.
//!
//! Everything is told from where other surfaces have it: the small index of each work tree, the state of sessions in
//! which something may wait, the registry of conversations, `standing/lapses`. Nothing is written, and no database is
//! needed. Who looks again and again reads only what has changed since.

mod agents;
mod beside;
mod places;
mod rows;
mod sight;
mod today;
pub mod worker;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::PathBuf;
use std::thread;

use serde::Serialize;
use waypost_core::id::SessionId;
use waypost_core::key::Keyring;
use waypost_core::session::Lifecycle;
use waypost_core::time::Timestamp;

use crate::error::AppError;
use crate::index;
use crate::machine::host::Host;
use crate::machine::local_time::day_begins;
use crate::machine::project;
use places::Place;

pub use agents::{AgentNow, SubagentNow, agents};
pub use today::{CostToday, cost_today};

/// How many projects are read at the same time, at most.
const AT_ONCE: usize = 4;

/// What there is to see first of a session. Of several things, the one that stands first here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchState {
    /// Its records cannot be read as a whole.
    Damaged,
    /// An agent put something to the user.
    Question,
    /// A gate that held an agent asks for a human's approval.
    Approval,
    /// Work was handed over, and nobody accepted it.
    Handoff,
    /// Files changed while no hook was asked.
    Unenforced,
    /// A stop went through with changes unproven.
    Unproven,
    /// A stop is held.
    Held,
    /// A copy of it went another way, and was kept apart.
    Diverged,
    /// It is a published copy, signed with a key that is not known here.
    Unverified,
    /// What the project's files say waits for a human.
    Config,
    /// A budget is near its end.
    Budget,
    /// An agent is at work.
    Working,
    /// An agent waits for the next prompt.
    Waiting,
    /// Nobody works in it.
    Resting,
    /// It ended today.
    Done,
}

/// The part of the screen that a session is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// Somebody has to see to it.
    NeedsYou,
    /// An agent is at work.
    Working,
    /// It is open, and nothing happens in it.
    Open,
    /// It ended today.
    Done,
}

impl WatchState {
    /// The part of the screen that it belongs to.
    pub fn group(self) -> Group {
        match self {
            Self::Damaged
            | Self::Question
            | Self::Approval
            | Self::Handoff
            | Self::Unenforced
            | Self::Unproven
            | Self::Held
            | Self::Diverged
            | Self::Unverified
            | Self::Config
            | Self::Budget => Group::NeedsYou,
            Self::Working => Group::Working,
            Self::Waiting | Self::Resting => Group::Open,
            Self::Done => Group::Done,
        }
    }

    /// A word or two for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Damaged => "damaged",
            Self::Question => "question",
            Self::Approval => "approval",
            Self::Handoff => "handoff",
            Self::Unenforced => "unenforced",
            Self::Unproven => "unproven",
            Self::Held => "held",
            Self::Diverged => "diverged",
            Self::Unverified => "unverified",
            Self::Config => "config",
            Self::Budget => "budget",
            Self::Working => "at work",
            Self::Waiting => "waiting",
            Self::Resting => "resting",
            Self::Done => "done",
        }
    }
}

/// A session, or what there is to tell of a work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WatchRow {
    /// What there is to see first.
    pub state: WatchState,
    /// The part of the screen.
    pub group: Group,
    /// What that is, in words.
    pub text: String,
    /// What else there is to see to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// The gates that ask for an approval, or hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<String>,
    /// The session; none where it is about the work tree.
    pub session_id: Option<SessionId>,
    /// What it is for.
    pub objective: Option<String>,
    /// Where it is in its life.
    pub lifecycle: Option<Lifecycle>,
    /// What people call the project.
    pub project: String,
    /// The project's id in the index, where it is listed there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<String>,
    /// The folder of the work tree.
    pub root: PathBuf,
    /// The linked work tree; none is the main one.
    pub worktree: Option<String>,
    /// The session's branch.
    pub branch: Option<String>,
    /// The phase of its workflow, if it follows one.
    pub phase: Option<String>,
    /// When something last happened, or when it ended.
    pub since: Option<Timestamp>,
    /// The session's last record.
    pub version: u64,
    /// How many agents are at work in it: in a turn of theirs, with nothing of it waiting for somebody.
    pub working: usize,
}

/// How many there are of each sort.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Those that somebody has to see to.
    pub needs_you: usize,
    /// The agents that are at work, in whatever session.
    pub working: usize,
    /// Those whose stop is held.
    pub held: usize,
    /// Those that ended today.
    pub done: usize,
    /// Those in which files changed while no hook was asked.
    pub unenforced: usize,
    /// Those that are open, and nothing happens in them.
    pub open: usize,
}

/// Everything that goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Board {
    /// How many there are of each sort.
    pub totals: Totals,
    /// The sessions: those that need somebody first, and of each sort those where something happened last.
    pub rows: Vec<WatchRow>,
    /// How many projects were looked at.
    pub projects: usize,
    /// The projects that have more open sessions than are told here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more_in: Vec<String>,
    /// What somebody should be told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Board {
    fn of(places: &BTreeMap<PathBuf, Place>, warning: Option<String>) -> Self {
        let mut board = Self { projects: places.len(), ..Self::default() };
        board.warnings.extend(warning);
        for place in places.values() {
            let rows = place.rows().cloned();
            board.rows.extend(rows.map(|row| WatchRow { project_id: place.id.clone(), ..row }));
            board.warnings.extend(place.failed.clone());
            board.more_in.extend(place.more.then(|| place.name.clone()));
        }
        board.rows.sort_by_cached_key(order);
        board.totals = Totals::of(&board.rows);
        board
    }

    /// How many there are of each sort in a project, by its id.
    pub fn totals_in(&self, project: &str) -> Totals {
        Totals::of(self.rows.iter().filter(|row| row.project_id.as_deref() == Some(project)))
    }
}

/// What needs somebody most comes first, and of that where something happened last.
fn order(row: &WatchRow) -> impl Ord + use<> {
    let urgency = (row.group == Group::NeedsYou).then_some(row.state);
    (row.group, urgency, Reverse(row.since), row.session_id.clone(), row.root.clone())
}

impl Totals {
    fn of<'r>(rows: impl IntoIterator<Item = &'r WatchRow>) -> Self {
        let mut totals = Self::default();
        for row in rows {
            match row.group {
                Group::NeedsYou => totals.needs_you += 1,
                Group::Open => totals.open += 1,
                Group::Done => totals.done += 1,
                Group::Working => {}
            }
            totals.working += row.working;
            totals.held += usize::from(row.state == WatchState::Held);
            totals.unenforced += usize::from(row.state == WatchState::Unenforced);
        }
        totals
    }
}

/// Looks at all projects, again and again.
#[derive(Debug)]
pub struct Watch<'h> {
    host: &'h Host,
    ring: Keyring,
    places: BTreeMap<PathBuf, Place>,
    /// The folders of conversations by the names of their entries, which never move to another one.
    conversations: BTreeMap<String, PathBuf>,
    /// What somebody should be told of how they were found.
    warning: Option<String>,
}

impl<'h> Watch<'h> {
    /// Nothing is looked at yet.
    pub fn new(host: &'h Host) -> Result<Self, AppError> {
        let ring = host.keyring();
        // Where nothing was ever set up, that is what is missing, and not a key.
        if ring.is_err() && index::projects(host).is_ok_and(|known| known.projects.is_empty()) {
            project::require(&host.cwd)?;
        }
        let (places, conversations) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self { host, ring: ring?, places, conversations, warning: None })
    }

    /// What is seen at a glance: the projects that are known, the one here, and those in which a conversation runs.
    pub fn glance(&mut self) -> Result<Board, AppError> {
        let warning = self.find(false)?;
        Ok(self.read(warning))
    }

    /// The same, and the projects of every conversation that is registered.
    pub fn look(&mut self) -> Result<Board, AppError> {
        self.warning = self.find(true)?;
        Ok(self.same())
    }

    /// The projects that were found the last time, as they are now.
    pub fn same(&mut self) -> Board {
        self.read(self.warning.clone())
    }

    /// Looks for conversations that never called the hooks, which takes reading what clients keep of them. What comes of
    /// it stays for the looks that follow.
    pub fn look_for_lapses(&mut self) {
        for place in self.places.values_mut() {
            place.look_for_lapses(self.host, &self.ring);
        }
    }

    fn read(&mut self, warning: Option<String>) -> Board {
        let today = day_begins(self.host.moment());
        let (host, ring) = (self.host, &self.ring);
        let mut places: Vec<&mut Place> = self.places.values_mut().collect();
        let at_once = thread::available_parallelism().map_or(1, NonZero::get).min(AT_ONCE);
        let each = places.len().div_ceil(at_once).max(1);
        thread::scope(|scope| {
            for part in places.chunks_mut(each) {
                scope
                    .spawn(move || part.iter_mut().for_each(|place| place.read(host, ring, today)));
            }
        });
        Board::of(&self.places, warning)
    }
}
