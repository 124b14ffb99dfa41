//! What records and files of a session tell of what people and agents said and did.

use waypost_core::brief::Previous;
use waypost_core::evidence::{Run, listed};
use waypost_core::id::SessionId;
use waypost_core::session::SessionState;
use waypost_core::story::{Said, Story};
use waypost_core::text::spoken::{ago, quoted};
use waypost_core::time::Timestamp;

use crate::documents::dev_notes::{self, DevNote};
use crate::documents::spec::{self, Spec};
use crate::view::{SessionEntry, View};

/// How much of each sort is told.
const MAX_SAID: usize = 12;
/// How many goals are told, the first ones.
const MAX_GOALS: usize = 5;
/// How many commits and runs are told.
const MAX_DONE: usize = 5;
/// How many sessions that ended are looked at for what they left.
const MAX_ENDED: usize = 8;
/// The longest command and message, in characters.
const MAX_TEXT: usize = 120;

/// What was said in a session, of each sort the latest last.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) blockers: Vec<Said>,
    pub(super) goals: Vec<Said>,
    pub(super) questions: Vec<Said>,
    pub(super) decisions: Vec<Said>,
    pub(super) handoffs: Vec<Said>,
    pub(super) commits: Vec<String>,
}

impl Heard {
    pub(super) fn of(view: &View<'_>, session: &SessionId, story: &Story) -> Self {
        let mut heard = Self::default();
        heard.add_spec(spec::of(view, session));
        for note in dev_notes::of(view, session) {
            heard.add_note(note);
        }
        heard.blockers.extend(story.blockers.iter().cloned());
        add_new(&mut heard.goals, &story.goals);
        add_new(&mut heard.questions, &story.questions);
        add_new(&mut heard.decisions, &story.decisions);
        heard.handoffs.extend(story.handoffs.iter().cloned());
        heard.commits.extend(story.commits.iter().map(|(sha, message)| {
            let sha: String = sha.chars().take(12).collect();
            format!("{sha} {}", quoted(message, MAX_TEXT))
        }));
        heard.goals.truncate(MAX_GOALS);
        for list in
            [&mut heard.blockers, &mut heard.questions, &mut heard.decisions, &mut heard.handoffs]
        {
            last(list, MAX_SAID);
        }
        last(&mut heard.commits, MAX_DONE);
        heard
    }

    /// What stands in the specification.
    fn add_spec(&mut self, spec: Spec) {
        let said = |text: String| Said { by: spec::FILE.to_owned(), text };
        let goals = spec.goals.into_iter().flat_map(|level| level.goals);
        self.goals.extend(goals.map(said));
        self.questions.extend(spec.open_questions.into_iter().map(said));
        self.decisions.extend(spec.decisions.into_iter().map(|decision| {
            said(match decision.rationale {
                Some(why) => format!("{}: {why}", decision.title),
                None => decision.title,
            })
        }));
    }

    /// What somebody wrote into the notes by hand; the others are in the records.
    fn add_note(&mut self, note: DevNote) {
        if note.record.is_none() {
            self.hear(&note.category, Said { by: dev_notes::FILE.to_owned(), text: note.content });
        }
    }

    fn hear(&mut self, kind: &str, said: Said) {
        match kind {
            "blocker" => self.blockers.push(said),
            // What was resolved stands no longer in the way.
            "resolution" => drop(self.blockers.pop()),
            "decision" => self.decisions.push(said),
            "question" => self.questions.push(said),
            "handoff" => self.handoffs.push(said),
            _ => {}
        }
    }
}

/// Adds what is not said already: who writes a specification often writes the same beside it.
fn add_new(list: &mut Vec<Said>, said: &[Said]) {
    for one in said {
        if !list.iter().any(|known| known.text == one.text) {
            list.push(one.clone());
        }
    }
}

fn last<T>(list: &mut Vec<T>, count: usize) {
    let surplus = list.len().saturating_sub(count);
    list.drain(..surplus);
}

/// The commands that ran last, and how that is known.
pub(super) fn runs(state: &SessionState, now: Timestamp) -> Vec<String> {
    let runs = &state.ledger.runs;
    let latest = runs.iter().skip(runs.len().saturating_sub(MAX_DONE));
    latest
        .map(|known| {
            let since = ago(now.as_millis() - known.time.as_millis());
            let command = quoted(&known.run.command, MAX_TEXT);
            format!("{command} {} {since} ({})", came_of(&known.run), known.run.provenance)
        })
        .collect()
}

/// What came of a run, and which tests failed in it.
fn came_of(run: &Run) -> String {
    let status = match (run.status, run.has_failed()) {
        (0, false) => "succeeded".to_owned(),
        (0, true) => "failed".to_owned(),
        (status, _) => format!("failed with status {status}"),
    };
    let counted = run.tests.map(|_| format!(" ({})", run.tests_told())).unwrap_or_default();
    let names: Vec<String> = run.failed.iter().map(|test| quoted(test, MAX_TEXT)).collect();
    let names = if names.is_empty() { String::new() } else { format!(": {},", listed(&names)) };
    format!("{status}{counted}{names}")
}

/// What the session before left: of those of this work tree that ended, the last one that left something. To
/// one that goes on, whatever ended is of use; one that is over is told what came before it.
pub(super) fn previous(
    view: &View<'_>,
    session: &SessionId,
    state: &SessionState,
) -> Option<Previous> {
    let until = if state.lifecycle.is_over() { state.started_at? } else { view.host.now() };
    let index = view.index().ok()?;
    let here = index.over.iter().filter(|other| other.id != *session && other.is_named());
    let here = here.filter(|other| other.worktree == state.worktree);
    let ended = here.filter(|other| other.ended_at.is_some_and(|ended| ended <= until));
    latest_left(view, ended)
}

/// The last of these sessions that left something for whoever comes next.
pub(in crate::standing) fn latest_left<'a>(
    view: &View<'_>,
    ended: impl Iterator<Item = &'a SessionEntry>,
) -> Option<Previous> {
    let mut ended: Vec<&SessionEntry> = ended.collect();
    ended.sort_by_key(|other| std::cmp::Reverse((other.ended_at, other.id.clone())));
    ended.into_iter().take(MAX_ENDED).find_map(|other| {
        let story = view.story(&other.id).ok()?;
        let (session_id, summary, notes) = (other.id.clone(), story.summary, story.next_notes);
        (summary.is_some() || notes.is_some()).then_some(Previous { session_id, summary, notes })
    })
}
