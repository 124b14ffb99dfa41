//! What agents claimed, and how often it was so: read from the transcripts that clients keep, whether or not Waypost
//! was there. Nothing is judged that the transcripts do not show.

mod card;
mod changes;
mod judge;
mod page;
mod steps;
mod turns;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Serialize;
use waypost_core::redact::redact;
use waypost_core::text::{one_line, printable, shortened};
use waypost_core::time::Timestamp;
use waypost_store::look;

use crate::machine::project;
use crate::transcripts::{Conversation, Found, Kept, Scope, conversations};
pub use card::card;
use judge::Judge;
pub use page::page;
pub use turns::Worth;
use turns::{Claimed, Turn};

/// What an audit cannot know, for whoever reads its figures.
pub const LIMITS: [&str; 5] = [
    "what was done outside of these conversations: by people, by other programs, in conversations whose transcripts are gone",
    "whether files that a program changed by itself were changed; where that may be, a claim counts as not seen",
    "whether the tests are any good: a run counts if it could fail, whatever it tests",
    "what a run on another machine, such as a pipeline, found out",
    "claims that are not in English, and those in other words than it knows",
];

/// How many claims are shown with their words.
const WORST: usize = 5;
/// How long a quote is at the most, in characters.
const MAX_QUOTE: usize = 160;
const DAY: i64 = 24 * 60 * 60 * 1000;

/// How many turns, and what their claims were worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Turns in which the agent did or said something.
    pub turns: u64,
    /// Those in which something was claimed: the sum of the others.
    pub claims: u64,
    /// A test run that could fail passed after the last change.
    pub verified: u64,
    /// One passed, and then something was changed.
    pub stale: u64,
    /// The last one failed.
    pub failed: u64,
    /// There was none that could fail.
    pub never_ran: u64,
    /// It cannot be known.
    pub not_seen: u64,
}

/// The same of a project, or of a week in one.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The project's folder.
    pub project: PathBuf,
    /// The Monday on which the week begins.
    pub week: String,
    /// How many.
    #[serde(flatten)]
    pub counts: Counts,
}

/// A claim that was not so, or not known to be.
#[derive(Debug, Clone, Serialize)]
pub struct Worst {
    /// The conversation.
    pub conversation: String,
    /// When it was claimed.
    pub time: Option<Timestamp>,
    /// The words, redacted.
    pub quote: String,
    /// What was seen.
    pub why: String,
    /// What it was worth.
    pub class: &'static str,
    /// The project.
    pub project: PathBuf,
    /// The client.
    pub client: &'static str,
    /// The transcript.
    pub file: PathBuf,
    /// Where in it the line begins.
    pub at: u64,
}

/// What was found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Audit {
    /// All of it.
    #[serde(flatten)]
    pub counts: Counts,
    /// The claims that were worth the least.
    pub worst: Vec<Worst>,
    /// Each project and week.
    pub weeks: Vec<Row>,
    /// How many of these turns a gate that waits for a test run before a stop would have held.
    pub would_hold: u64,
    /// The gates of the projects that do so now.
    pub gates: Vec<String>,
    /// How many conversations were read.
    pub conversations: u64,
    /// How many lines of them could not be.
    pub unreadable: u64,
}

impl Worth {
    /// How it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Stale => "stale",
            Self::Failed => "failed",
            Self::NeverRan => "never_ran",
            Self::NotSeen => "not_seen",
        }
    }
}

impl Counts {
    /// These and those.
    pub fn sum(&mut self, other: &Self) {
        for (own, more) in [
            (&mut self.turns, other.turns),
            (&mut self.claims, other.claims),
            (&mut self.verified, other.verified),
            (&mut self.stale, other.stale),
            (&mut self.failed, other.failed),
            (&mut self.never_ran, other.never_ran),
            (&mut self.not_seen, other.not_seen),
        ] {
            *own += more;
        }
    }

    fn add(&mut self, turn: &Turn) {
        self.turns += 1;
        let Some(claimed) = &turn.claimed else { return };
        self.claims += 1;
        let place = match claimed.worth {
            Worth::Verified => &mut self.verified,
            Worth::Stale => &mut self.stale,
            Worth::Failed => &mut self.failed,
            Worth::NeverRan => &mut self.never_ran,
            Worth::NotSeen => &mut self.not_seen,
        };
        *place += 1;
    }
}

/// Reads the conversations and counts.
pub fn audit(kept: &[Kept], scope: &Scope) -> Audit {
    audit_telling(kept, scope, &mut |_, _| {})
}

/// The same for whoever wants to hear how many conversations were read, and how many there are.
pub fn audit_telling(kept: &[Kept], scope: &Scope, tell: &mut dyn FnMut(u64, u64)) -> Audit {
    let mut collected = Collected::default();
    let conversations = in_all_trees(kept, scope);
    let all = conversations.len() as u64;
    for (done, conversation) in (0..).zip(&conversations) {
        tell(done, all);
        collected.add(conversation, scope.since);
    }
    collected.finish()
}

/// The conversations that are meant; of a folder that is a work tree, those of all work trees of its repository.
fn in_all_trees(kept: &[Kept], scope: &Scope) -> Vec<Conversation> {
    let Some(root) = &scope.root else { return conversations(kept, scope) };
    let project = project::find(root).ok().flatten().filter(|project| project.root == *root);
    let trees = project.map_or_else(Vec::new, |project| project.work_trees());
    let others = trees.into_iter().map(|tree| tree.root).filter(|tree| tree != root);
    let mut all = Vec::new();
    let mut known = BTreeSet::new();
    for root in std::iter::once(root.clone()).chain(others) {
        let of_tree = conversations(kept, &Scope { root: Some(root), since: scope.since });
        all.extend(of_tree.into_iter().filter(|one| known.insert((one.client, one.id.clone()))));
    }
    all
}

/// What can be told in passing.
#[derive(Debug)]
pub enum Short {
    /// No conversation is there.
    Nothing,
    /// There is more than is read in passing.
    Much,
    /// All of it.
    Done(Box<Audit>),
}

/// The same for whoever did not ask: no more than so many bytes are read.
pub fn short(kept: &[Kept], scope: &Scope, most: u64) -> Short {
    let conversations = in_all_trees(kept, scope);
    let files: BTreeSet<&Path> =
        conversations.iter().flat_map(|one| &one.files).map(Found::on_disk).collect();
    let size: u64 = files.iter().filter_map(|file| look::at(file).ok()).map(|at| at.len()).sum();
    match (conversations.is_empty(), size > most) {
        (true, _) => Short::Nothing,
        (false, true) => Short::Much,
        (false, false) => Short::Done(Box::new(audit(kept, scope))),
    }
}

#[derive(Default)]
struct Collected {
    audit: Audit,
    judges: BTreeMap<PathBuf, Judge>,
    weeks: BTreeMap<(PathBuf, String), Counts>,
    gates: BTreeSet<String>,
    /// What was counted: clients copy what was said before into files of their own.
    known: BTreeSet<(i64, String)>,
    candidates: Vec<(Worth, Worst)>,
}

impl Collected {
    fn add(&mut self, conversation: &Conversation, since: Option<Timestamp>) {
        let Some(folder) = conversation.folder.clone() else {
            self.audit.unreadable += u64::from(conversation.is_closed());
            return;
        };
        let judge = self.judges.entry(folder.clone()).or_insert_with(|| Judge::of(&folder));
        let told = steps::of(conversation, judge);
        let (project, gates) = (judge.project.clone(), judge.stop_gates());
        self.audit.conversations += 1;
        self.audit.unreadable += told.unreadable;
        for turn in turns::fold(&told.steps) {
            let is_old = matches!((turn.time, since), (Some(time), Some(since)) if time < since);
            if is_old || !self.is_new(&turn) {
                continue;
            }
            self.audit.counts.add(&turn);
            let week = turn.time.map_or_else(String::new, week);
            self.weeks.entry((project.clone(), week)).or_default().add(&turn);
            if let Some(claimed) = turn.claimed.as_ref() {
                self.claimed(&turn, claimed, conversation, &project);
                if is_held(claimed.worth) && turn.changed {
                    self.audit.would_hold += 1;
                    self.gates.extend(gates.iter().cloned());
                }
            }
        }
    }

    fn is_new(&mut self, turn: &Turn) -> bool {
        let Some(time) = turn.time else { return true };
        let words = turn.claimed.as_ref().map_or_else(String::new, |one| one.claim.quote.clone());
        self.known.insert((time.as_millis(), words))
    }

    fn claimed(&mut self, turn: &Turn, claimed: &Claimed, of: &Conversation, project: &Path) {
        if claimed.worth == Worth::Verified {
            return;
        }
        let file = of.files.get(claimed.file).map(|found| found.file.clone()).unwrap_or_default();
        self.candidates.push((
            claimed.worth,
            Worst {
                conversation: of.id.clone(),
                time: turn.time,
                quote: shown(&claimed.claim.quote),
                why: shown(&claimed.why),
                class: claimed.worth.name(),
                project: project.to_owned(),
                client: of.client,
                file,
                at: claimed.at,
            },
        ));
    }

    fn finish(mut self) -> Audit {
        let rank = |worth: Worth| match worth {
            Worth::Failed => 0,
            Worth::NeverRan => 1,
            Worth::Stale => 2,
            Worth::NotSeen => 3,
            Worth::Verified => 4,
        };
        self.candidates.retain(|(worth, _)| is_held(*worth));
        self.candidates.sort_by_key(|(worth, worst)| (rank(*worth), std::cmp::Reverse(worst.time)));
        let worst = self.candidates.into_iter().take(WORST).map(|(_, worst)| worst).collect();
        let weeks =
            self.weeks.into_iter().map(|((project, week), counts)| Row { project, week, counts });
        Audit {
            worst,
            weeks: weeks.collect(),
            gates: self.gates.into_iter().collect(),
            ..self.audit
        }
    }
}

/// Whether a gate that waits for a run before a stop holds it.
fn is_held(worth: Worth) -> bool {
    matches!(worth, Worth::Stale | Worth::Failed | Worth::NeverRan)
}

fn shown(text: &str) -> String {
    shortened(&one_line(&printable(&redact(text))), MAX_QUOTE)
}

/// The Monday of a time's week, in UTC.
fn week(time: Timestamp) -> String {
    let days = time.as_millis().div_euclid(DAY);
    let monday = days - (days + 3).rem_euclid(7);
    Timestamp::saturating_from_millis(monday.saturating_mul(DAY)).day()
}
