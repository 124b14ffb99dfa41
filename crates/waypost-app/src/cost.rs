//! What conversations used and cost, by the transcripts that clients keep. A message counts once, however often and in how
//! many files it stands; the words of subagents are in files of their own, and count too.

mod conversation;
mod sessions;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use waypost_core::cost::{
    Block, PriceList, Priced, Sum, Told, blocks, day, day_number, month, week,
};
use waypost_core::time::Timestamp;
use waypost_core::usage::Place;

use crate::config;
use crate::index::{self, Wanted};
use crate::machine::host::Host;
use crate::machine::local_time::Zone;
use crate::machine::project;
use crate::transcripts::{Kept, Scope};
use crate::usage::messages::{self, Message, Recorded};
use crate::usage::{UNKNOWN, prices};
use sessions::Sessions;

pub use conversation::{Used, UsedOf, of_conversation};

/// What conversations stand under that no session knows.
const NO_SESSION: &str = "no session";
/// What the words of the agent itself stand under, that a human talks to.
const MAIN: &str = "main";

/// What it is summed up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The day.
    Day,
    /// The Monday on which the week begins.
    Week,
    /// The month.
    Month,
    /// Five hours.
    Block,
    /// The model.
    Model,
    /// The project's folder.
    Project,
    /// The session.
    Session,
    /// The conversation.
    Conversation,
    /// The sort of subagent, or the agent itself.
    Agent,
    /// The phase that the session was in.
    Phase,
    /// The checkpoint of the session that was worked on.
    Checkpoint,
}

impl By {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Block,
        Self::Model,
        Self::Project,
        Self::Session,
        Self::Conversation,
        Self::Agent,
        Self::Phase,
        Self::Checkpoint,
    ];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Block => "block",
            Self::Model => "model",
            Self::Project => "project",
            Self::Session => "session",
            Self::Conversation => "conversation",
            Self::Agent => "agent",
            Self::Phase => "phase",
            Self::Checkpoint => "checkpoint",
        }
    }

    /// The one that people call so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.name() == name)
    }

    /// Whether it tells one time from another.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Day | Self::Week | Self::Month | Self::Block)
    }

    /// Whether it may change at any time.
    fn is_exact(self) -> bool {
        matches!(self, Self::Session | Self::Agent | Self::Phase | Self::Checkpoint)
    }
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Only conversations of this folder.
    pub root: Option<PathBuf>,
    /// Only what was used at this time or later.
    pub since: Option<Timestamp>,
    /// Only what was used before this time.
    pub until: Option<Timestamp>,
    /// What it is summed up by.
    pub by: By,
}

/// What was used and what it cost.
#[derive(Debug, Serialize)]
pub struct Cost {
    /// In US dollars, of the models whose price is known.
    pub total_usd: f64,
    /// All tokens.
    pub tokens: Told,
    /// By what was asked for.
    pub rows: Vec<Row>,
    /// The models whose price is not known.
    pub unknown_models: Vec<String>,
    /// How many of the tokens are theirs.
    pub unpriced_tokens: u64,
    /// The day on which the prices that are built in were looked up.
    pub prices_as_of: Option<String>,
    /// How many messages were counted.
    pub messages: u64,
    /// How many lines could not be read.
    pub unreadable: u64,
}

/// A part of it.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The day, model, session, …
    pub key: String,
    /// In US dollars; none where no price is known.
    pub usd: Option<f64>,
    /// The tokens.
    pub tokens: Told,
    /// How many of the tokens have no known price.
    pub unpriced_tokens: u64,
    /// For a block of hours: what is known of it besides.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub block: Option<OfBlock>,
}

/// A block of hours.
#[derive(Debug, Clone, Serialize)]
pub struct OfBlock {
    /// When it begins.
    pub begins: Timestamp,
    /// When it is over.
    pub ends: Timestamp,
    /// Whether it is not over yet.
    pub running: bool,
    /// How many tokens an hour were used in it so far, if it is running.
    pub tokens_per_hour: Option<f64>,
    /// What an hour of it cost so far, if it is running.
    pub usd_per_hour: Option<f64>,
}

/// What is known where a message is put into a row.
struct Rows<'h> {
    host: &'h Host,
    asked: &'h Asked,
    blocks: Vec<Block>,
    zone: Option<Zone>,
    /// Days, weeks or months by the number of their day.
    dates: BTreeMap<i64, String>,
    roots: BTreeMap<Arc<Path>, PathBuf>,
    sessions: BTreeMap<PathBuf, Sessions>,
}

/// Reads the conversations and sums up. Prices of its own has the project that `at` lies in.
pub fn cost(host: &Host, kept: &[Kept], at: &Path, asked: &Asked) -> Cost {
    let (mut messages, unreadable) = gathered(host, kept, asked);
    let mut rows = Rows::new(host, asked, &messages);
    messages.retain(|message| is_asked(message, asked));
    let (usual, prices_as_of) = prices::built_in(kept.iter().map(|kept| kept.reader));
    let list = PriceList { own: own(at), usual };
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    let (mut total, mut unknown_models) = (Sum::default(), BTreeSet::new());
    let mut of_model: BTreeMap<&str, PriceList> = BTreeMap::new();
    for message in &messages {
        let model = message.model.as_deref().unwrap_or(UNKNOWN);
        let price =
            of_model.entry(model).or_insert_with(|| list.of(model)).price(model, message.time);
        if price.is_none() && message.tokens.all() > 0 {
            unknown_models.insert(model.to_owned());
        }
        total.add(message.tokens, price);
        sums.entry(rows.key(message)).or_default().add(message.tokens, price);
    }
    Cost {
        total_usd: total.cost.usd(),
        tokens: total.tokens.told(),
        rows: sums.into_iter().map(|(key, sum)| rows.row(key, &sum)).collect(),
        unknown_models: unknown_models.into_iter().collect(),
        unpriced_tokens: total.unpriced,
        prices_as_of,
        messages: messages.iter().map(|message| message.count).sum(),
        unreadable,
    }
}

/// What was used, by an index that knows it, or by the transcripts and records themselves.
fn gathered(host: &Host, kept: &[Kept], asked: &Asked) -> (Vec<Message>, u64) {
    let wanted = Wanted {
        root: asked.root.as_deref(),
        bounds: [asked.since, asked.until],
        exact: asked.by.is_exact(),
    };
    if let Ok(Some(found)) = index::used(host, kept, &wanted) {
        return found;
    }
    // A message of long ago may have been copied into a file that changed lately, so all files are read.
    let scope = Scope { root: asked.root.clone(), since: None };
    let (mut messages, unreadable) = messages::read(kept, &scope);
    let told: BTreeSet<Arc<str>> =
        messages.iter().map(|message| Arc::clone(&message.conversation)).collect();
    let roots = asked.root.clone().map_or_else(|| index::roots(host), |root| vec![root]);
    for root in roots {
        let recorded = Sessions::of(host, &root).recorded;
        messages.extend(recorded.into_iter().filter(|one| !told.contains(&one.conversation)));
    }
    (messages, unreadable)
}

fn own(at: &Path) -> Vec<Priced> {
    let file = project::find_or_here(at).ok().map(|project| project.config_file());
    let config = file.and_then(|file| config::read(&file).ok().flatten());
    config.map(|config| config.prices).unwrap_or_default()
}

fn none() -> String {
    "no phase".to_owned()
}

fn is_asked(message: &Message, asked: &Asked) -> bool {
    let bounded = asked.since.is_some() || asked.until.is_some();
    let Some(time) = message.time else { return !bounded };
    asked.since.is_none_or(|since| since <= time) && asked.until.is_none_or(|until| time < until)
}

impl<'h> Rows<'h> {
    fn new(host: &'h Host, asked: &'h Asked, messages: &[Message]) -> Self {
        // Where they begin is the same whatever part of them is asked for.
        let blocks = if asked.by == By::Block {
            let mut times: Vec<Timestamp> =
                messages.iter().filter_map(|message| message.time).collect();
            times.sort_unstable();
            blocks(times)
        } else {
            Vec::new()
        };
        let (zone, roots, sessions, dates) = Default::default();
        Self { host, asked, blocks, zone, dates, roots, sessions }
    }

    /// The row that a message belongs to.
    fn key(&mut self, message: &Message) -> String {
        let key = match self.asked.by {
            By::Day => message.time.map(|time| self.date(time, day)),
            By::Week => message.time.map(|time| self.date(time, week)),
            By::Month => message.time.map(|time| self.date(time, month)),
            By::Block => message.time.and_then(|time| {
                let last = self.blocks.partition_point(|block| block.begins <= time);
                let block = self.blocks[..last].last().filter(|block| block.holds(time))?;
                Some(block.begins.to_string())
            }),
            By::Model => message.model.clone(),
            By::Project => self.root(message).map(|root| root.to_string_lossy().into_owned()),
            By::Session => Some(self.session(message).unwrap_or_else(|| NO_SESSION.to_owned())),
            By::Conversation => Some(message.conversation.to_string()),
            By::Agent => Some(self.agent(message)),
            By::Phase => Some(self.place(message).map_or_else(
                || NO_SESSION.to_owned(),
                |place| Some(place.phase).filter(|phase| !phase.is_empty()).unwrap_or_else(none),
            )),
            By::Checkpoint => Some(self.checkpoint(message)),
        };
        key.unwrap_or_else(|| UNKNOWN.to_owned())
    }

    /// The day, week or month on clocks here. Whatever lies on one day is told alike.
    fn date(&mut self, time: Timestamp, told: fn(Timestamp, i32) -> String) -> String {
        let offset = self.offset(time);
        let date = self.dates.entry(day_number(time, offset));
        date.or_insert_with(|| told(time, offset)).clone()
    }

    /// By how many seconds clocks here are ahead of UTC. The zone is read once, and where nobody asks for it not at all.
    fn offset(&mut self, time: Timestamp) -> i32 {
        self.zone.get_or_insert_with(Zone::here).offset(time)
    }

    fn root(&mut self, message: &Message) -> Option<PathBuf> {
        let folder = message.folder.clone()?;
        let find = || {
            let found = project::find(&folder).ok().flatten();
            found.map_or_else(|| folder.to_path_buf(), |project| project.root)
        };
        Some(self.roots.entry(Arc::clone(&folder)).or_insert_with(find).clone())
    }

    fn known(&mut self, message: &Message) -> Option<&Sessions> {
        let root = self.root(message)?;
        let host = self.host;
        Some(self.sessions.entry(root.clone()).or_insert_with(|| Sessions::of(host, &root)))
    }

    fn session(&mut self, message: &Message) -> Option<String> {
        if let Some(recorded) = &message.recorded {
            return Some(recorded.session.clone());
        }
        self.known(message)?.at(&message.conversation, message.time)
    }

    /// Where the session of a message was.
    fn place(&mut self, message: &Message) -> Option<Place> {
        if let Some(Recorded { phase, checkpoint, .. }) = &message.recorded {
            return Some(Place { phase: phase.clone(), checkpoint: *checkpoint });
        }
        let session = self.session(message)?;
        self.known(message)?.place(&session, message.time)
    }

    fn checkpoint(&mut self, message: &Message) -> String {
        let Some(session) = self.session(message) else { return NO_SESSION.to_owned() };
        match self.place(message).and_then(|place| place.checkpoint) {
            Some(checkpoint) => format!("{session} #{checkpoint}"),
            None => "no checkpoint".to_owned(),
        }
    }

    fn agent(&mut self, message: &Message) -> String {
        let Some(subagent) = &message.subagent else { return MAIN.to_owned() };
        let known =
            self.known(message).and_then(|known| known.agent(&message.conversation, subagent));
        known.unwrap_or_else(|| "subagent".to_owned())
    }

    fn row(&self, key: String, sum: &Sum) -> Row {
        let block = self.blocks.iter().find(|block| block.begins.to_string() == key);
        let block = block.map(|block| self.of_block(*block, sum));
        Row { key, usd: sum.usd(), tokens: sum.tokens.told(), unpriced_tokens: sum.unpriced, block }
    }

    #[expect(clippy::cast_precision_loss, reason = "only to be shown: 15 digits are enough")]
    fn of_block(&self, block: Block, sum: &Sum) -> OfBlock {
        let now = self.host.moment();
        let running = block.holds(now);
        let counted = Block {
            first: self.asked.since.map_or(block.first, |since| since.max(block.first)),
            ..block
        };
        let until = self.asked.until.map_or(now, |until| until.min(now));
        let hours = running.then(|| counted.hours_at(until));
        OfBlock {
            begins: block.begins,
            ends: block.ends(),
            running,
            tokens_per_hour: hours.map(|hours| sum.tokens.all() as f64 / hours),
            usd_per_hour: hours.zip(sum.usd()).map(|(hours, usd)| usd / hours),
        }
    }
}
