//! When a published copy is written: with what others should see, and before it is staged. Never
//! between staging and commit, so that the work tree is clean once a commit is done.

use waypost_core::event::Known;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::next_step::{Mend, amid};
use waypost_core::session::SessionState;
use waypost_store::{Work, look};

use crate::config::Publish;
use crate::documents::plan;
use crate::error::AppError;
use crate::machine::host::{Appended, Subscriber};
use crate::machine::{git_midway, plain_files};
use crate::share::publish::{Extent, can_be_published, publish, publish_to};
use crate::view::View;
use crate::view::copy::{self, EVENTS, MANIFEST};

/// Publishes sessions after what others should see.
#[derive(Debug)]
pub struct Publishing;

impl Subscriber for Publishing {
    fn appended(&self, appended: &Appended<'_>) -> Option<Vec<String>> {
        let Appended { host, project, ring, stream, events } = *appended;
        let StreamId::Session(session) = stream else { return None };
        let shown = events.iter().map(shown_in).max().unwrap_or_default();
        if shown == ShownIn::Nothing {
            return None;
        }
        let view = View::with(host, project.clone(), ring.clone());
        let written = after(&view, session, shown);
        Some(written.unwrap_or_else(|error| vec![not_written(&view, &error)]))
    }
}

/// What is written in the work tree after an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum ShownIn {
    /// It waits for the next time that something is written.
    #[default]
    Nothing,
    /// The plan's files: there are many tasks to a checkpoint, and the copy follows with the next of
    /// those.
    Plan,
    /// The whole copy.
    Copy,
    /// The same, and nothing may come after it.
    Last,
}

#[expect(clippy::too_many_lines, reason = "one match over all events")]
fn shown_in(event: &Known) -> ShownIn {
    use Known as K;
    match event {
        K::SessionStarted(_)
        | K::SessionNamed { .. }
        | K::SessionResumed { .. }
        | K::SessionAdopted { .. }
        | K::SessionRestored(_)
        | K::BuildStarted { .. }
        | K::CheckpointStarted { .. }
        | K::CheckpointCompleted { .. }
        | K::TrackStarted(_)
        | K::PhaseEntered { .. }
        | K::PhaseChecked(_)
        | K::PhaseSkipped { .. }
        | K::PhaseRetried { .. }
        | K::RolledBack { .. }
        | K::TrackCompleted { .. } => ShownIn::Copy,
        K::SessionPaused { .. } | K::SessionEnded(_) | K::SessionArchived { .. } => ShownIn::Last,
        K::BuildExtended { .. } | K::TaskCompleted { .. } => ShownIn::Plan,
        K::ProjectInitialised { .. }
        | K::PolicyCompiled(_)
        | K::PolicyLost(_)
        | K::CommitAdded(_)
        | K::GitChanged(_)
        | K::FocusSet(_)
        | K::ConversationAttached(_)
        | K::ConversationDetached { .. }
        | K::PolicyPinned { .. }
        | K::TurnStarted { .. }
        | K::EditObserved { .. }
        | K::EditsFound { .. }
        | K::WorktreeEntered { .. }
        | K::DebtHandedOn { .. }
        | K::SubagentStarted { .. }
        | K::SubagentEnded { .. }
        | K::UsageCounted(_)
        | K::SubagentCalled(_)
        | K::AgentInvoked(_)
        | K::AgentCompleted(_)
        | K::DecisionRecorded(_)
        | K::DecisionReviewed { .. }
        | K::VerdictGiven(_)
        | K::VerdictResolved { .. }
        | K::HandoffCreated(_)
        | K::HandoffAccepted(_)
        | K::HistoryCompacted(_)
        | K::CommandRan(_)
        | K::EvidenceRecorded(_)
        | K::GateMarked(_)
        | K::GateCleared { .. }
        | K::GatesPaused(_)
        | K::GatesUnpaused { .. }
        | K::CarriedOver(_)
        | K::GatesPassed { .. }
        | K::ModeSet { .. }
        | K::Shared(_)
        | K::ConfigTrusted { .. }
        | K::RulingMade(_)
        | K::ViolationRecorded(_)
        | K::ViolationRecovered { .. }
        | K::TrackExtended(_)
        | K::StopAllowed { .. }
        | K::NoteAdded { .. }
        | K::TailCut(_)
        | K::LossAccepted { .. }
        | K::CopySetAside { .. }
        | K::CurrentChosen { .. }
        | K::ProjectRemoved { .. }
        | K::GatesSwitched { .. }
        | K::CopyTrusted { .. }
        // What another program wrote stays as it is until somebody resumes or publishes it.
        | K::SessionImported(_)
        | K::ArtifactsChanged { .. } => ShownIn::Nothing,
    }
}

/// Publishes the session after something that others should see. Returns what somebody should be
/// told: that the copy could not be written takes nothing back of what was recorded.
fn after(view: &View<'_>, session: &SessionId, shown: ShownIn) -> Result<Vec<String>, AppError> {
    let state = view.load(session)?;
    let is_kept = is_kept(view, session, &state);
    let below = copy::folder_of(view, session);
    let has_folder = plain_files::is_folder(&view.project.root, &below);
    let has_plan = has_folder && keeps_plan(view, &state);
    if !is_kept && !has_plan {
        return Ok(Vec::new());
    }
    // The first copy is no change of anything that was staged, and the work needs its folder.
    if has_folder && git_midway::is_midway(&view.project) {
        return Ok(match shown {
            ShownIn::Last if is_kept => vec![waits(view, session)],
            _ => Vec::new(),
        });
    }
    if is_kept && shown > ShownIn::Plan {
        return publish(view, session).map(|published| published.warnings);
    }
    if !has_folder {
        return Ok(Vec::new());
    }
    let _lock = view.log.lock(Work::Copy(&StreamId::Session(session.clone())))?;
    let folder = view.project.root.join(&below);
    let began_elsewhere = view.story(session)?.began_elsewhere;
    Ok(plan::keep(&folder, session, &state.build, began_elsewhere))
}

/// Brings a copy up to date that is about to be staged: of what git knows alone, with `only_known`, so
/// that nothing new is left beside it. Returns what somebody should be told.
pub fn before_staging(view: &View<'_>, session: &SessionId, only_known: bool) -> Vec<String> {
    let written = view.load(session).and_then(|state| {
        // What is put on top of others' commits is theirs: a newer copy would be in the way of the next.
        if !is_kept(view, session, &state) || git_midway::is_replaying(&view.project) {
            return Ok(Vec::new());
        }
        if only_known && !is_here(view, session) {
            return Ok(Vec::new());
        }
        let extent = if only_known { Extent::Present } else { Extent::Whole };
        publish_to(view, session, extent).map(|published| published.warnings)
    });
    written.unwrap_or_else(|error| vec![not_written(view, &error)])
}

/// Whether the session's copy is kept up to date by itself. One of another work tree is published
/// there.
fn is_kept(view: &View<'_>, session: &SessionId, state: &SessionState) -> bool {
    if state.worktree != view.project.worktree() || !can_be_published(state) {
        return false;
    }
    match view.configuration().publish {
        Publish::Never => false,
        Publish::Always => true,
        Publish::Auto => state.track.is_some() || is_here(view, session),
    }
}

/// Whether somebody published it here once, or git brought it.
fn is_here(view: &View<'_>, session: &SessionId) -> bool {
    let folder = view.project.root.join(copy::folder_of(view, session));
    [EVENTS, MANIFEST].iter().any(|name| look::is_file(folder.join(name)))
}

/// Whether a plan that somebody wrote for a session without a copy follows its build.
fn keeps_plan(view: &View<'_>, state: &SessionState) -> bool {
    state.worktree == view.project.worktree() && view.configuration().publish != Publish::Never
}

fn not_written(view: &View<'_>, error: &AppError) -> String {
    let why = format!("the published copy was not written: {error}; ");
    amid(why, Mend::Publish(None), " tries again").words(view.voice())
}

/// Nothing comes after this that would write it.
fn waits(view: &View<'_>, session: &SessionId) -> String {
    let why = "something is staged, so the published copy was left as it is; after the commit, ";
    amid(why, Mend::Publish(Some(session.clone())), " writes it").words(view.voice())
}
