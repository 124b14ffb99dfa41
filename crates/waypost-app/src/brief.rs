//! Gathering what the brief of a session is made of.

mod planned;
mod said;

use waypost_core::brief::{
    Brief, DonePhase, FailedPhase, InProtocol, MetGate, OpenGate, Progress, Timing,
};
use waypost_core::gate::{Before, Level, Status, modes};
use waypost_core::id::{ConversationId, SessionId, StreamId};
use waypost_core::record::Record;
use waypost_core::session::{Lifecycle, Pause, SessionState};
use waypost_core::track::Track;
use waypost_core::track::course::Course;

use crate::error::AppError;
use crate::judge::Rules;
use crate::view::View;
use crate::{copy, facts, plain, status};

pub use waypost_core::brief::BUDGET;

/// How many files that were touched are told.
const MAX_FILES: usize = 30;

/// The brief of a session for whoever asks.
pub fn of(view: &View<'_>, session: Option<&str>) -> Result<Brief, AppError> {
    let session = view.session(session)?;
    let rules = status::rules(view, &session)?;
    let asker = status::asker(view);
    for_conversation(view, (&session.id, &session.state), &rules, &asker)
}

/// The brief of `session` for `conversation`.
pub fn for_conversation(
    view: &View<'_>,
    (session, state): (&SessionId, &SessionState),
    rules: &Rules,
    conversation: &ConversationId,
) -> Result<Brief, AppError> {
    // All of its records are read, and git may be asked.
    (view.host.expect_longer)();
    let records = view.log.records(&StreamId::Session(session.clone()))?;
    let now = view.host.now();
    let course = Course::of(&records).at(now);
    let (open, met) = gates(view, state, rules, conversation)?;
    let track = state.track.as_deref();
    let protocol = rules.protocol.as_deref();
    let said = said::Heard::of(view, session, &records);
    let planned = planned::Planned::of(view, (session, state), &course);
    let failed = FailedPhase::of(&course);
    let open = match &failed {
        // What keeps a phase from being complete is told with its failure.
        Some(_) => open.into_iter().filter(|open| !stands_before_phases(open)).collect(),
        None => open,
    };
    let brief = Brief {
        session_id: session.clone(),
        version: state.version,
        time: now,
        status: String::new(),
        lifecycle: view.lifecycle(state),
        objective: state.objective.clone(),
        first_prompt: first_prompt(view, session, state),
        folder: folder(view, session),
        pause: pause(state),
        progress: Progress::of(
            &course,
            track.and_then(|track| track.target.as_deref()),
            track.is_some_and(|track| track.unfolding),
        ),
        done: DonePhase::all(&course),
        failed,
        build: planned.build,
        task: planned.task,
        focus: Some(state.focus.to_string()).filter(|_| !state.focus.is_empty()),
        mode: Some(rules.mode(state)).filter(|mode| *mode != modes::CODING).map(str::to_owned),
        protocol: protocol.map(|name| in_protocol(name, state, conversation)),
        open,
        met,
        evidence: said::runs(state, now),
        blockers: said.blockers,
        goals: said.goals,
        questions: said.questions,
        decisions: said.decisions,
        handoffs: said.handoffs,
        previous: said::previous(view, session, state),
        files: files(view, state, &records),
        commits: said.commits,
        others: others(state, conversation),
        remarks: remarks(state),
        timing: Some(Timing::of(&course, state.started_at, state.updated_at)),
        next: String::new(),
        left_out: 0,
        terse: false,
    };
    Ok(brief.with_next_step())
}

fn stands_before_phases(open: &OpenGate) -> bool {
    open.before.iter().all(|before| matches!(before, Before::Phase(_)))
}

/// The gates that are not met, the strictest first, and those that are.
pub fn gates(
    view: &View<'_>,
    state: &SessionState,
    rules: &Rules,
    conversation: &ConversationId,
) -> Result<(Vec<OpenGate>, Vec<MetGate>), AppError> {
    let findings = rules.examine(view, state, conversation)?;
    let (met, unmet): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| finding.status == Status::Met);
    let mut open: Vec<OpenGate> = unmet
        .into_iter()
        .map(|finding| OpenGate { before: rules.stands_before(&finding.gate).to_vec(), finding })
        .collect();
    open.sort_by_key(|open| match open.finding.level {
        Level::Must => 0,
        Level::Should => 1,
        Level::May => 2,
    });
    let met = met.into_iter().map(|found| MetGate { gate: found.gate, why: found.why });
    Ok((open, met.collect()))
}

fn in_protocol(name: &str, state: &SessionState, conversation: &ConversationId) -> InProtocol {
    let track = state.track(Some(conversation)).filter(|track| track.is_running());
    let blocked_by = track.into_iter().flat_map(Track::blocked_by).map(str::to_owned).collect();
    InProtocol { name: name.to_owned(), phase: track.map(|track| track.phase.clone()), blocked_by }
}

/// The folder that people and agents write in, if it is there.
fn folder(view: &View<'_>, session: &SessionId) -> Option<String> {
    let below = copy::folder_of(view, session);
    let there = plain::is_folder(&view.project.root, &below);
    there.then(|| below.to_string_lossy().into_owned())
}

/// The first prompt of a session that has no objective yet, as this machine remembers it.
fn first_prompt(view: &View<'_>, session: &SessionId, state: &SessionState) -> Option<String> {
    if state.objective.is_some() {
        return None;
    }
    let all = view.registry().all();
    let mut here = all.into_iter().filter(|known| known.session == *session);
    here.find_map(|known| known.prompt)
}

/// Why it rests; or why it rested last, as long as the phase lasts in which it did.
fn pause(state: &SessionState) -> Option<Pause> {
    let entered = state.track.as_deref().map(|track| track.entered_at);
    let lately = |pause: &&Pause| entered.is_none_or(|entered| pause.since >= entered);
    let rests = state.lifecycle == Lifecycle::Paused;
    state.pause.as_ref().filter(|pause| rests || lately(pause)).cloned()
}

/// The files that differ from the commit that the session began at; without git, those whose change
/// was recorded.
fn files(view: &View<'_>, state: &SessionState, records: &[Record]) -> Vec<String> {
    let since = state.commit.as_deref();
    let mut files = match since.and_then(|commit| facts::files_since(view, commit)) {
        Some(files) => files,
        None => said::edited(records),
    };
    files.truncate(MAX_FILES);
    files
}

fn remarks(state: &SessionState) -> Vec<String> {
    let unseen = state.conversations.values().any(|known| known.unenforced);
    let told = "files changed here in a turn of which no hook saw a tool call: gates may not have \
                been enforced.";
    unseen.then(|| told.to_owned()).into_iter().collect()
}

/// The other conversations that are attached.
pub fn others(state: &SessionState, conversation: &ConversationId) -> Vec<String> {
    let attached = state.conversations.iter().filter(|(_, known)| known.attached);
    attached
        .filter(|(id, _)| *id != conversation)
        .map(|(id, known)| format!("{} {id}", known.harness))
        .collect()
}
