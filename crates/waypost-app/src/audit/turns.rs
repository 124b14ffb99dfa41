//! The turns of a conversation, and what its claims were worth: a fold over what happened, in the order of time.

use waypost_core::claims::{self, Claim};
use waypost_core::time::Timestamp;

use super::changes::Change;
use super::judge::Deed;

/// What happened in a conversation, as far as claims are about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Happened {
    /// A prompt came.
    Prompt,
    /// The agent said something.
    Said(String),
    /// The agent called a tool, so that what it said before were not its last words.
    Called,
    /// A tool did something, called by the agent or a subagent.
    Did(Deed),
    /// The conversation was shortened.
    Compacted,
    /// A human stopped the agent.
    Interrupted,
}

/// Something that happened.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) time: Option<Timestamp>,
    /// Which file tells it.
    pub(super) file: usize,
    /// Where in that.
    pub(super) at: u64,
    pub(super) what: Happened,
}

/// What a claim was worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worth {
    /// A run that could fail passed after the last change.
    Verified,
    /// One passed, and then something was changed.
    Stale,
    /// The last one failed.
    Failed,
    /// There was none.
    NeverRan,
    /// It cannot be known.
    NotSeen,
}

/// A turn in which the agent did or said something.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub(super) time: Option<Timestamp>,
    /// Whether something was changed in it.
    pub(super) changed: bool,
    pub(super) claimed: Option<Claimed>,
}

/// A claim, and what it was worth.
#[derive(Debug, Clone)]
pub(super) struct Claimed {
    pub(super) claim: Claim,
    pub(super) worth: Worth,
    pub(super) why: String,
    pub(super) file: usize,
    pub(super) at: u64,
}

/// What is known at some point.
#[derive(Debug, Default)]
struct Known {
    /// The last change that was seen, and when.
    change: Option<(usize, String)>,
    /// The last thing that may have changed something.
    may: Option<(usize, String)>,
    /// The last thing behind which anything may have happened.
    unseen: Option<(usize, String)>,
    /// The last run that could fail: when, which, and why it failed.
    run: Option<(usize, String, Option<String>)>,
    /// The last that proves nothing, and why.
    vain: Option<(usize, String)>,
}

/// A turn that goes on.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each true or not")]
struct Open {
    acted: bool,
    changed: bool,
    words: Vec<String>,
    /// Where the last words are.
    said: Option<(Option<Timestamp>, usize, u64)>,
    is_over: bool,
    interrupted: bool,
    compacted: Option<usize>,
    time: Option<Timestamp>,
}

/// The turns in which the agent did or said something.
pub(super) fn fold(steps: &[Step]) -> Vec<Turn> {
    let (mut known, mut open, mut turns) = (Known::default(), Open::default(), Vec::new());
    for (now, step) in steps.iter().enumerate() {
        open.time = step.time.or(open.time);
        match &step.what {
            Happened::Prompt => turns.extend(std::mem::take(&mut open).close(&known)),
            Happened::Said(text) => open.say(text, step),
            Happened::Called => (open.acted, open.is_over) = (true, true),
            Happened::Did(deed) => {
                open.changed |= matches!(deed, Deed::Changed(Change::Sure(_)));
                known.note(now, deed);
            }
            Happened::Compacted => open.compacted = Some(now),
            Happened::Interrupted => open.interrupted = true,
        }
    }
    turns.extend(open.close(&known));
    turns
}

impl Open {
    fn say(&mut self, text: &str, step: &Step) {
        if std::mem::take(&mut self.is_over) {
            self.words.clear();
        }
        self.acted = true;
        self.words.push(text.to_owned());
        self.said = Some((step.time, step.file, step.at));
        self.interrupted = false;
    }

    fn close(self, known: &Known) -> Option<Turn> {
        let words = self.words.join("\n");
        let claim = (!self.interrupted).then(|| claims::find(&words)).flatten();
        let claimed = claim.zip(self.said).map(|(claim, (_, file, at))| {
            let (worth, why) = known.worth(self.compacted);
            Claimed { claim, worth, why, file, at }
        });
        let time = self.said.and_then(|(time, ..)| time).or(self.time);
        (self.acted || self.changed).then_some(Turn { time, changed: self.changed, claimed })
    }
}

impl Known {
    fn note(&mut self, now: usize, deed: &Deed) {
        match deed {
            Deed::Changed(Change::Sure(file)) => self.change = Some((now, file.clone())),
            Deed::Changed(Change::May(what)) => self.may = Some((now, what.clone())),
            Deed::Unseen(why) => self.unseen = Some((now, why.clone())),
            Deed::Ran { command, failed } => {
                self.run = Some((now, command.clone(), failed.clone()));
            }
            Deed::Vain { command, why } => {
                self.vain = Some((now, format!("`{command}` proves nothing: {why}")));
            }
        }
    }

    /// What a claim is worth now. What was seen alone decides: behind what nobody saw, only a later run tells something.
    fn worth(&self, compacted: Option<usize>) -> (Worth, String) {
        let shortened = compacted.map(|at| (at, "the conversation was shortened".to_owned()));
        let unseen = [self.unseen.clone(), shortened].into_iter().flatten().max();
        let run = self.run.as_ref();
        if let Some((_, why)) = unseen.filter(|(at, _)| run.is_none_or(|(ran, ..)| ran < at)) {
            return (Worth::NotSeen, format!("{why}, and no test run came after that"));
        }
        let Some((ran, command, failed)) = run else {
            let why = match (&self.vain, &self.change) {
                (Some((_, why)), _) => why.clone(),
                (None, Some((_, file))) => format!("no test run at all; {file} was edited"),
                (None, None) => "no test run at all".to_owned(),
            };
            return (Worth::NeverRan, why);
        };
        if let Some(why) = failed {
            return (Worth::Failed, format!("`{command}` failed: {why}"));
        }
        if let Some((_, file)) = self.change.as_ref().filter(|(at, _)| at > ran) {
            return (Worth::Stale, format!("{file} was edited after `{command}` passed"));
        }
        if let Some((_, what)) = self.may.as_ref().filter(|(at, _)| at > ran) {
            return (
                Worth::NotSeen,
                format!("{what} came after `{command}` and may have changed files"),
            );
        }
        (Worth::Verified, format!("`{command}` passed after the last edit"))
    }
}
