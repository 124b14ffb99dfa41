//! What whoever takes a handoff over has to look at first: each point is a command that has to be run, a file that has to
//! be read, or words that somebody has to answer.

use waypost_core::evidence::{RecordedEvidence, RecordedRun, Sort};
use waypost_core::gate::policy::Watched;
use waypost_core::gate::proof::ran::WatchedRun;
use waypost_core::id::ConversationId;
use waypost_core::next_step::{NextStep, Running};
use waypost_core::session::{PendingHandoff, SessionState};

/// A point of a checklist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Point<'a> {
    /// `run: COMMAND`: it has to be run by whoever takes over, and to succeed.
    Run(&'a str),
    /// `read: FILE`: it has to be read by whoever takes over.
    Read(&'a str),
    /// Anything else: whoever takes over says what was found.
    Said(&'a str),
}

impl<'a> Point<'a> {
    /// What a line of a checklist means.
    pub fn of(line: &'a str) -> Self {
        let after = |word: &str| {
            let rest = line.get(..word.len()).filter(|head| head.eq_ignore_ascii_case(word));
            rest.map(|_| line[word.len()..].trim().trim_matches('`'))
                .filter(|rest| !rest.is_empty())
        };
        match (after("run:"), after("read:")) {
            (Some(command), _) => Self::Run(command),
            (None, Some(file)) => Self::Read(file.trim_start_matches("./")),
            (None, None) => Self::Said(line),
        }
    }

    /// What would have to be done for it.
    pub fn next(&self) -> NextStep {
        match self {
            Self::Run(command) => NextStep::Run(Running::of(*command)),
            Self::Read(file) => NextStep::Read((*file).to_owned()),
            Self::Said(text) => format!("say what you found of this: {text}").into(),
        }
    }
}

/// Lets hooks and runs look out for what open checklists ask for.
pub fn watch(state: &SessionState, watched: &mut Watched) {
    for point in state.orchestration.handoffs.iter().flat_map(|handoff| &handoff.checklist) {
        match Point::of(point) {
            Point::Run(command) => {
                let wanted = WatchedRun::new(command);
                if !watched.ran.contains(&wanted) {
                    watched.ran.push(wanted);
                }
            }
            Point::Read(file) => {
                if !watched.read.iter().any(|known| known == file) {
                    watched.read.push(file.to_owned());
                }
            }
            Point::Said(_) => {}
        }
    }
}

/// The points that whoever takes over has not been seen to do since the handoff was made. Without a conversation, a human
/// takes over, who answers for it.
pub fn missing<'h>(
    state: &SessionState,
    handoff: &'h PendingHandoff,
    by: Option<&ConversationId>,
) -> Vec<Point<'h>> {
    let Some(by) = by else { return Vec::new() };
    let points = handoff.checklist.iter().map(|line| Point::of(line));
    let ran = |command: &str| {
        let name = WatchedRun::new(command).name();
        let is_it = |known: &RecordedRun| {
            known.seq > handoff.seq
                && known.conversation.as_ref() == Some(by)
                && known.run.provenance.counts()
                && known.run.patterns.contains(&name)
                && !known.run.has_failed()
                && !known.run.is_empty()
        };
        state.ledger.runs.iter().any(is_it)
    };
    let read = |file: &str| {
        let is_it = |known: &RecordedEvidence| {
            known.seq > handoff.seq
                && known.conversation.as_ref() == Some(by)
                && known.evidence.sort == Sort::Read
                && known.evidence.subject == file
                && known.evidence.provenance.counts()
        };
        state.ledger.evidence.iter().any(is_it)
    };
    let is_missing = |point: &Point<'_>| match point {
        Point::Run(command) => !ran(command),
        Point::Read(file) => !read(file),
        Point::Said(_) => false,
    };
    points.filter(is_missing).collect()
}

/// How many points only words can answer.
pub fn to_be_said(handoff: &PendingHandoff) -> Vec<&str> {
    let said = handoff.checklist.iter().filter_map(|line| match Point::of(line) {
        Point::Said(text) => Some(text),
        Point::Run(_) | Point::Read(_) => None,
    });
    said.collect()
}
