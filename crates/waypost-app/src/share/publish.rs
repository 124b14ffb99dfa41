//! Writing the published copy: the records and the manifest, in the work tree, where git carries
//! them to others. What lies there is compared first, and nothing of it is lost.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use waypost_core::command::Command;
use waypost_core::event::Known;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::sha256_hex;
use waypost_core::manifest::{self, Account};
use waypost_core::next_step::{Mend, NextStep, amid, to};
use waypost_core::record::Position;
use waypost_store::{Relation, Work, files, look};

use crate::config::Publish;
use crate::documents::artifacts;
use crate::documents::dev_notes;
use crate::documents::dev_notes::Learnt;
use crate::documents::plan;
use crate::error::AppError;
use crate::machine::host::{Appended, Subscriber};
use crate::machine::plain_files;
use crate::share::adopt;
use crate::view::View;
use crate::view::activity;
use crate::view::copy::{self, Copy, EVENTS, Kept, MANIFEST};

/// What publishing did.
#[derive(Debug, Serialize)]
pub struct Published {
    /// The session.
    pub session_id: SessionId,
    /// The folder that it is published in.
    pub folder: PathBuf,
    /// The last record.
    pub version: u64,
    /// Whether anything was written.
    pub written: bool,
    /// What somebody should be told.
    pub warnings: Vec<String>,
}

/// Publishes sessions after what others should see.
#[derive(Debug)]
pub struct Publishing;

impl Subscriber for Publishing {
    fn appended(&self, appended: &Appended<'_>) -> Option<Vec<String>> {
        let Appended { host, project, ring, stream, events } = *appended;
        let StreamId::Session(session) = stream else { return None };
        let shown = events.iter().map(shown_in).max().unwrap_or_default();
        let view = || View::with(host, project.clone(), ring.clone());
        match shown {
            ShownIn::Nothing => None,
            ShownIn::Plan => Some(plan_after(&view(), session)),
            ShownIn::Copy => Some(after(&view(), session)),
        }
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
}

fn shown_in(event: &Known) -> ShownIn {
    use Known as K;
    match event {
        K::SessionStarted(_)
        | K::SessionNamed { .. }
        | K::SessionPaused { .. }
        | K::SessionResumed {}
        | K::SessionEnded(_)
        | K::SessionArchived { .. }
        | K::SessionAdopted { .. }
        | K::SessionImported(_)
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
        | K::SubagentStarted { .. }
        | K::SubagentEnded { .. }
        | K::CommandRan(_)
        | K::EvidenceRecorded(_)
        | K::GateMarked(_)
        | K::GateCleared { .. }
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
        | K::CopyTrusted { .. }
        | K::ArtifactsChanged { .. } => ShownIn::Nothing,
    }
}

/// Publishes the session after something that others should see. Returns what somebody should be
/// told: that the copy could not be written takes nothing back of what was recorded.
fn after(view: &View<'_>, session: &SessionId) -> Vec<String> {
    if view.configuration().publish == Publish::None {
        return Vec::new();
    }
    let state = match view.load(session) {
        Ok(state) => state,
        Err(error) => return vec![not_written(view, &error)],
    };
    // One without a name is local, and one of another work tree is published there.
    if state.objective.is_none() || state.worktree != view.project.worktree() {
        return Vec::new();
    }
    match publish(view, session) {
        Ok(published) => published.warnings,
        Err(error) => vec![not_written(view, &error)],
    }
}

/// Puts the plan's files alone right, after something that only they tell of. Returns what somebody
/// should be told.
fn plan_after(view: &View<'_>, session: &SessionId) -> Vec<String> {
    if view.configuration().publish == Publish::None {
        return Vec::new();
    }
    let below = copy::folder_of(view, session);
    let kept = (|| {
        let state = view.load(session)?;
        let is_here = state.worktree == view.project.worktree()
            && plain_files::is_folder(&view.project.root, &below);
        if state.objective.is_none() || !is_here {
            return Ok(Vec::new());
        }
        let _lock = view.log.lock(Work::Copy(&StreamId::Session(session.clone())))?;
        let folder = view.project.root.join(&below);
        let began_elsewhere = view.story(session)?.began_elsewhere;
        Ok(plan::keep(&folder, session, &state.build, began_elsewhere))
    })();
    kept.unwrap_or_else(|error: AppError| vec![not_written(view, &error)])
}

fn not_written(view: &View<'_>, error: &AppError) -> String {
    let why = format!("the published copy was not written: {error}; ");
    amid(why, Mend::Publish(None), " tries again").words(view.voice())
}

/// Publishes a session that has a name.
pub fn publish(view: &View<'_>, id: &SessionId) -> Result<Published, AppError> {
    if view.load(id)?.objective.is_none() {
        return Err(AppError::refused(format!("session {id} has no name yet, so it stays local"))
            .hint(to("name it", NextStep::Name)));
    }
    let stream = StreamId::Session(id.clone());
    let _lock = view.log.lock(Work::Copy(&stream))?;
    let below = copy::folder_of(view, id);
    let is_new = !plain_files::is_folder(&view.project.root, &below);
    let mut warnings = Vec::new();
    if let Some(copy) = copy::of(view, id)? {
        warnings.extend(reconcile(view, &copy)?);
    }
    let folder = plain_files::make_folder(&view.project.root, &below)?;
    // Whoever was killed while it published would leave them for git to take.
    files::sweep_temporary(&folder);
    if is_new {
        artifacts::draft(&folder, id, &*view.load(id)?)?;
    }
    let mut reading = Reading::of(view, &stream)?;
    let build = &reading.account.state().build;
    warnings.extend(plan::keep(&folder, id, build, reading.began_elsewhere));
    let unkept = dev_notes::keep(&folder, id, &reading.learnt);
    warnings.extend(unkept.iter().map(|told| told.words(view.voice())));
    if note_artifacts(view, id, &folder, &reading.account)? {
        reading.go_on(view, &stream)?;
    }
    let Reading { whole: (bytes, position), account, .. } = reading;
    let lifecycle = view.lifecycle(account.state());
    let shown = account.into_manifest(id, &position.hash, lifecycle);
    let text = manifest::seal(&shown, view.log.ring().current())?;
    for name in [EVENTS, MANIFEST] {
        warnings.extend(clear(view, id, &folder.join(name))?);
    }
    // The manifest last: it may be that of an earlier record, never of one that is not there.
    let mut written = put(&folder.join(EVENTS), &bytes)?;
    written |= put(&folder.join(MANIFEST), text.as_bytes())?;
    if view.configuration().publish == Publish::Full {
        match activity::excerpt(view, id) {
            Some(excerpt) => written |= put(&folder.join("activity.jsonl"), excerpt.as_bytes())?,
            None => warnings.push("there is no activity to publish".to_owned()),
        }
    }
    Ok(Published { session_id: id.clone(), folder, version: position.seq, written, warnings })
}

/// A session's records as they are published, read once: their bytes, and what they tell.
struct Reading {
    whole: (Vec<u8>, Position),
    account: Account,
    learnt: Vec<Learnt>,
    began_elsewhere: bool,
}

impl Reading {
    fn of(view: &View<'_>, stream: &StreamId) -> Result<Self, AppError> {
        let mut reading = Self {
            whole: (Vec::new(), Position::start(stream)),
            account: Account::default(),
            learnt: Vec::new(),
            began_elsewhere: false,
        };
        reading.go_on(view, stream)?;
        Ok(reading)
    }

    /// Reads what was appended since.
    fn go_on(&mut self, view: &View<'_>, stream: &StreamId) -> Result<(), AppError> {
        let Self { whole: (bytes, position), account, learnt, began_elsewhere } = self;
        let mut more = view.log.bytes(stream, position, &mut |_, record| {
            *began_elsewhere |= plan::began_elsewhere(&record);
            learnt.extend(dev_notes::learnt(account.state(), &record));
            account.add(&record);
        })?;
        bytes.append(&mut more);
        Ok(())
    }
}

/// Others may have gone on in the session: what git brought of that is taken over before anything is
/// added here. Returns what somebody should be told.
pub fn take_over(view: &View<'_>, id: &SessionId) -> Result<Option<String>, AppError> {
    let Some(copy) = copy::of(view, id)?.filter(|copy| copy.kept == Kept::Copy) else {
        return Ok(None);
    };
    let relation = take_over_copy(view, &copy)?;
    Ok(told(&copy, relation))
}

fn take_over_copy(view: &View<'_>, copy: &Copy) -> Result<Relation, AppError> {
    let stream = StreamId::Session(copy.id.clone());
    let relation = view.log.take_over(&stream, &copy.folder.join(EVENTS), &copy.events)?;
    view.changed(&stream);
    Ok(relation)
}

fn told(copy: &Copy, relation: Relation) -> Option<String> {
    match relation {
        Relation::Equal | Relation::Behind => None,
        Relation::Ahead => Some(format!(
            "records up to {} were taken over from the published copy",
            copy.records.len()
        )),
        Relation::Diverged(number) => Some(format!(
            "the published copy is a second head: from record {number} on it goes another way"
        )),
    }
}

/// Compares what lies in the work tree with the stream: what goes on from the stream's end is taken
/// over, and what says something else is kept apart and told. Returns what somebody should be told.
fn reconcile(view: &View<'_>, copy: &Copy) -> Result<Option<String>, AppError> {
    match copy.kept {
        Kept::Copy | Kept::Live => match take_over_copy(view, copy)? {
            Relation::Diverged(number) => {
                let what = format!("a second head: from record {number} on it goes another way");
                set_aside(view, copy, &what).map(Some)
            }
            relation => Ok(told(copy, relation)),
        },
        // Somebody else's work, perhaps: nothing takes its place before a human looked at it.
        Kept::Unverified => Err(adopt::unverified(copy)
            .hint(format!("or take it away, and publish again: {}", copy.folder.display()))),
        Kept::Newer => Err(adopt::newer(copy)),
        Kept::Damaged => {
            let what = copy.remark.clone().unwrap_or_default();
            set_aside(view, copy, &what).map(Some)
        }
        // Its records, if it ever had any here, are in the stream; the manifest alone is derived.
        Kept::Legacy => {
            let ours = copy
                .manifest
                .as_ref()
                .is_some_and(|text| manifest::open(view.log.ring(), &copy.id, text).is_ok());
            if ours {
                return Ok(None);
            }
            set_aside(view, copy, "written by another program").map(Some)
        }
    }
}

/// Keeps what lies in the work tree apart, and records that it was there.
fn set_aside(view: &View<'_>, copy: &Copy, what: &str) -> Result<String, AppError> {
    let folder = view.project.store.join("aside").join(copy.id.as_str());
    files::make_dir(&folder)?;
    let hash = sha256_hex(&[&copy.events, copy.manifest.as_deref().unwrap_or_default()]);
    let name = &hash[..12];
    if !copy.events.is_empty() {
        files::replace(&folder.join(format!("{name}-{EVENTS}")), &copy.events, true)?;
    }
    if let Some(manifest) = &copy.manifest {
        files::replace(&folder.join(format!("{name}-{MANIFEST}")), manifest, true)?;
    }
    let kept = format!("aside/{}/{name}", copy.id);
    let reason = what.to_owned();
    let told = format!(
        "the published copy was no copy of this session: {reason}; it is kept as {}/{kept}-*",
        view.project.store.display()
    );
    let command = Command::SetCopyAside { reason, kept };
    view.execute(&copy.id, &view.actor(), command)?;
    Ok(told)
}

/// Records which files beside the copy changed; whether any did.
fn note_artifacts(
    view: &View<'_>,
    id: &SessionId,
    folder: &Path,
    account: &Account,
) -> Result<bool, AppError> {
    let changed = artifacts::changed(folder, id, account.state(), account.artifacts());
    if changed.is_empty() {
        return Ok(false);
    }
    view.execute(id, &view.actor(), Command::NoteArtifacts(changed))?;
    Ok(true)
}

/// Moves away what is in the place of a file of the copy and is none: a folder, or a link, which
/// nobody writes through. Returns what somebody should be told.
fn clear(view: &View<'_>, id: &SessionId, path: &Path) -> Result<Option<String>, AppError> {
    let Some(found) = look::link(path).ok().filter(|found| !found.is_file()) else {
        return Ok(None);
    };
    let folder = view.project.store.join("aside").join(id.as_str());
    files::make_dir(&folder)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stamp = format!("{}-{name}", found.ino());
    let to = folder.join(&stamp);
    std::fs::rename(path, &to).map_err(plain_files::failed("cannot move away", path))?;
    let path = view.project.relative(path);
    Ok(Some(format!("{path} was no file; what was there is kept as {}", to.display())))
}

/// Writes a file of the copy unless it is right already; whether it did.
fn put(path: &Path, bytes: &[u8]) -> Result<bool, AppError> {
    let before = plain_files::look_at(path, u64::MAX)?;
    if before.as_ref().is_some_and(|before| before.bytes == bytes) {
        return Ok(false);
    }
    plain_files::write(path, bytes, before.map(|before| before.mode), 0o644)?;
    Ok(true)
}
