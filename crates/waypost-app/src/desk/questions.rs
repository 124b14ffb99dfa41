//! What takes long to find out: what was used and what that cost, what claims were worth, how projects and budgets are doing.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use serde::Serialize;
use waypost_core::key::sha256_hex;
use waypost_core::time::Timestamp;

use super::Desk;
use super::answers::{Answer, Answers, FIRST, Looked};
use super::budgets::{self, Budget};
use super::health::{self, ProjectHealth};
use crate::audit::{self, Audit};
use crate::cost::{self, Asked, By, Cost};
use crate::error::AppError;
use crate::index::{self, ListedProject, Status};
use crate::machine::since::Since;
use crate::transcripts::{Kept, Scope, files};

/// For how long what was found out stays as it is, at least.
const COST: Duration = Duration::from_secs(2);
const AUDIT: Duration = Duration::from_secs(2);
const HEALTH: Duration = Duration::from_secs(60);
const BUDGETS: Duration = Duration::from_secs(5);
/// The only question about the disk.
const DISK: &str = "";
/// How deep the folder of the machine's state is added up.
const MAX_DEPTH: usize = 6;

/// What was found out, by question.
#[derive(Debug)]
pub(super) struct Questions {
    cost: Arc<Answers<Cost>>,
    audit: Arc<Answers<Audit>>,
    health: Arc<Answers<ProjectHealth>>,
    budgets: Arc<Answers<Vec<Budget>>>,
    disk: Arc<Answers<Disk>>,
}

/// What somebody asks of what was used.
#[derive(Debug, Clone)]
pub struct AskedCost {
    /// Only this project's conversations, and by its prices.
    pub root: Option<PathBuf>,
    /// What it is summed up by.
    pub by: By,
    /// From when on.
    pub since: Option<Since>,
    /// Until when.
    pub until: Option<Since>,
}

/// How the index stands, and how much room all that is kept on this machine takes.
#[derive(Debug, Serialize)]
pub struct Disk {
    /// How the index stands; none where that cannot be told.
    pub index: Option<Status>,
    /// How large the index and what belongs to it is.
    pub index_bytes: u64,
    /// How large activity is.
    pub activity_bytes: u64,
    /// How large all of the folder is in which they lie.
    pub state_bytes: u64,
    /// That folder.
    pub folder: PathBuf,
}

impl Questions {
    pub(super) fn new(moved: &Arc<AtomicU64>) -> Self {
        Self {
            cost: Answers::new(moved),
            audit: Answers::new(moved),
            health: Answers::new(moved),
            budgets: Answers::new(moved),
            disk: Answers::new(moved),
        }
    }
}

impl Desk {
    /// The projects that are there and not put away.
    pub fn projects(&self) -> Result<Vec<ListedProject>, AppError> {
        Ok(index::projects(&self.host)?.projects)
    }

    /// What was used and what that cost.
    pub fn cost(&self, asked: &AskedCost) -> Answer<Cost> {
        let (host, transcripts) = (self.host.clone(), Arc::clone(&self.transcripts));
        let (question, asked) = (format!("{asked:?}"), asked.clone());
        self.questions.cost.ask(&question, COST, &self.host, move |_, _| {
            let now = host.moment();
            let bounded = Asked {
                since: asked.since.map(|since| since.begins(now)),
                until: asked.until.map(|until| until.ends(now)),
                by: asked.by,
                root: asked.root,
            };
            let at = bounded.root.clone().unwrap_or_else(|| host.cwd.clone());
            Looked::Found(cost::cost(&host, &transcripts(&host), &at, &bounded), None)
        })
    }

    /// What agents claimed, and what it was worth. It is read again when a transcript changed.
    pub fn audit(&self, root: Option<PathBuf>, since: Option<Since>) -> Answer<Audit> {
        let (host, transcripts) = (self.host.clone(), Arc::clone(&self.transcripts));
        let question = format!("{root:?} {since:?}");
        self.questions.audit.ask(&question, AUDIT, &self.host, move |mark, tell| {
            let kept = transcripts(&host);
            let since = since.map(|since| since.before(host.moment()));
            let stamps = stamps(&kept, since);
            if mark == Some(stamps.as_str()) {
                return Looked::Same;
            }
            let found = audit::audit_telling(&kept, &Scope { root, since }, tell);
            Looked::Found(found, Some(stamps))
        })
    }

    /// How projects are doing, in their order, and how much room all takes. It is waited once for all of that.
    pub fn health(&self, projects: &[ListedProject]) -> (Vec<Answer<ProjectHealth>>, Answer<Disk>) {
        for listed in projects {
            let (host, of) = (self.host.clone(), listed.clone());
            self.questions.health.begin(&listed.id, HEALTH, &self.host, move |_, _| {
                Looked::Found(health::look(&host, &of), None)
            });
        }
        self.begin_disk();
        let until = Instant::now() + FIRST;
        let ids: Vec<&str> = projects.iter().map(|listed| listed.id.as_str()).collect();
        let found = self.questions.health.known(&ids, until);
        let disk = self.questions.disk.known(&[DISK], until).pop();
        (found, disk.unwrap_or_else(Answer::none))
    }

    /// How near open sessions are to what they may use.
    pub fn budgets(&self) -> Answer<Vec<Budget>> {
        let host = self.host.clone();
        self.questions
            .budgets
            .ask("", BUDGETS, &self.host, move |_, _| Looked::Found(budgets::budgets(&host), None))
    }

    fn begin_disk(&self) {
        let host = self.host.clone();
        self.questions.disk.begin(DISK, HEALTH, &self.host, move |_, _| {
            let folder = host.state_dir.clone();
            let size = |name: &str| health::size(&folder.join(name), MAX_DEPTH);
            let disk = Disk {
                index: index::status(&host, false).ok(),
                index_bytes: size("index"),
                activity_bytes: size("activity"),
                state_bytes: health::size(&folder, MAX_DEPTH),
                folder: folder.clone(),
            };
            Looked::Found(disk, None)
        });
    }
}

/// What tells whether any transcript changed that was added to since.
fn stamps(kept: &[Kept], since: Option<Timestamp>) -> String {
    let mut all = String::new();
    for (found, stamp) in files(kept) {
        if since.is_none_or(|since| stamp.changed >= since.as_millis()) {
            all.push_str(&format!("{} {stamp:?}\n", found.file.display()));
        }
    }
    sha256_hex(&[all.as_bytes()])
}
