//! Gathering what the brief of a session is made of.

mod said;

use waypost_core::brief::{Brief, DonePhase, InProtocol, MetGate, Timing, WaitingHandoff};
use waypost_core::gate::modes;
use waypost_core::id::{ConversationId, SessionId};
use waypost_core::session::{Lifecycle, Pause, SessionState};
use waypost_core::story::Story;
use waypost_core::track::Track;

use crate::error::AppError;
use crate::machine::local_time::utc_offset;
use crate::machine::plain_files;
use crate::rulings::facts;
use crate::standing::lapses::Lapses;
use crate::standing::{self, Stand, alongside, also};
use crate::tracks::protocol::Protocol;
use crate::view::{Session, View, activity, copy};

pub(super) use said::latest_left;
pub use waypost_core::brief::BUDGET;

/// How many files that were touched are told.
const MAX_FILES: usize = 30;

/// The brief of a session for whoever asks.
pub fn of(view: &View<'_>, session: Option<&str>) -> Result<Brief, AppError> {
    tell(view, &standing::of(view, session)?, &view.asker())
}

/// Tells where a session stands to `conversation`.
pub fn tell(
    view: &View<'_>,
    stand: &Stand,
    conversation: &ConversationId,
) -> Result<Brief, AppError> {
    // Git may be asked.
    (view.host.expect_longer)();
    let Session { id, state } = &stand.session;
    let now = view.host.now();
    let course = &stand.story.course;
    let said = said::Heard::of(view, id, &stand.story);
    let met = stand.standing.gates.iter().filter(|gate| !gate.skipped && !gate.is_open());
    let mut remarks = remarks(state);
    remarks.extend(stand.remarks.iter().cloned());
    remarks.extend(Lapses::of(view, Some(id)).lines());
    let brief = Brief {
        session_id: id.clone(),
        version: state.version,
        time: now,
        utc_offset: utc_offset(now),
        status: String::new(),
        lifecycle: view.lifecycle(state),
        objective: state.objective.clone(),
        first_prompt: also::first_prompt(view, id, state),
        folder: folder(view, id),
        pause: pause(state),
        progress: stand.progress.clone(),
        done: DonePhase::all(course),
        failed: stand.failed.clone(),
        build: stand.planned.build.clone(),
        task: stand.planned.task.clone(),
        focus: Some(state.focus.to_string()).filter(|_| !state.focus.is_empty()),
        mode: Some(stand.mode.clone()).filter(|mode| mode != modes::CODING),
        protocol: stand.protocol.as_ref().map(in_protocol),
        open: stand.open(),
        met: met.map(|gate| MetGate { gate: gate.gate.clone(), why: gate.why.clone() }).collect(),
        evidence: said::runs(state, now),
        blockers: said.blockers,
        goals: said.goals,
        questions: said.questions,
        decisions: said.decisions,
        handoffs: said.handoffs,
        pending_handoffs: waiting(stand),
        further_handoffs: Vec::new(),
        open_verdicts: stand.story.concerns.clone(),
        agents: stand.story.agents.clone(),
        previous: said::previous(view, id, state),
        files: files(view, id, &stand.story),
        commits: said.commits,
        others: alongside::all(view, &stand.session, conversation),
        also: also::to_take_up(view, Some(id), conversation, stand.voice),
        remarks,
        timing: Some(Timing::of(course, state.started_at, state.updated_at)),
        next: stand.next(),
        left_out: 0,
        terse: false,
    };
    Ok(brief.in_a_word())
}

fn in_protocol(protocol: &Protocol) -> InProtocol {
    let track = protocol.track().filter(|track| track.is_running());
    let blocked_by = track.into_iter().flat_map(Track::blocked_by).map(str::to_owned).collect();
    let name = protocol.definition.name.clone();
    InProtocol { name, phase: track.map(|track| track.phase.clone()), blocked_by }
}

/// The handoffs that nobody has accepted yet, in the words of whoever asks.
pub(super) fn waiting(stand: &Stand) -> Vec<WaitingHandoff> {
    let handed = stand.story.handed.iter().cloned();
    handed.map(|handed| WaitingHandoff::of(handed, stand.voice)).collect()
}

/// The folder that people and agents write in, if it is there.
fn folder(view: &View<'_>, session: &SessionId) -> Option<String> {
    let below = copy::folder_of(view, session);
    let there = plain_files::is_folder(&view.project.root, &below);
    there.then(|| below.to_string_lossy().into_owned())
}

/// Why it rests; or why it rested last, as long as the phase lasts in which it did.
fn pause(state: &SessionState) -> Option<Pause> {
    let entered = state.track.as_deref().map(|track| track.entered_at);
    let lately = |pause: &&Pause| entered.is_none_or(|entered| pause.since >= entered);
    let rests = state.lifecycle == Lifecycle::Paused;
    state.pause.as_ref().filter(|pause| rests || lately(pause)).cloned()
}

/// The files that were changed in the session: as this machine saw it, as records tell, and by its latest commits.
fn files(view: &View<'_>, session: &SessionId, story: &Story) -> Vec<String> {
    let mut files = activity::files_of(view, session);
    files.extend(story.edited.iter().cloned());
    let commits: Vec<&str> = story.commits.iter().map(|(sha, _)| sha.as_str()).collect();
    files.extend(facts::files_in(view, &commits));
    files.into_iter().take(MAX_FILES).collect()
}

fn remarks(state: &SessionState) -> Vec<String> {
    let unseen = state.conversations.values().any(|known| known.unenforced);
    let told = "files changed here during a turn in which no hook saw a tool call, so gates may not have been enforced.";
    unseen.then(|| told.to_owned()).into_iter().collect()
}
