//! Writing the published copy: the records and the manifest, in the work tree, where git carries
//! them to others. What lies there is compared first, and nothing of it is lost.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use waypost_core::command::Command;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::key::sha256_hex;
use waypost_core::manifest::{self, Account};
use waypost_core::next_step::{NextStep, to};
use waypost_core::record::Position;
use waypost_core::session::SessionState;
use waypost_store::{Relation, Work, files, look};

use crate::documents::artifacts;
use crate::documents::dev_notes;
use crate::documents::dev_notes::Learnt;
use crate::documents::plan;
use crate::error::AppError;
use crate::machine::plain_files;
use crate::share::adopt;
use crate::view::View;
use crate::view::activity;
use crate::view::copy::{self, Copy, EVENTS, Kept, MANIFEST};

/// The last lines of activity.
const ACTIVITY: &str = "activity.jsonl";

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

/// Which files of a session's folder are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// All that there is to write.
    Whole,
    /// Only what is there already.
    Present,
}

/// Publishes a session that has a name or follows a workflow.
pub fn publish(view: &View<'_>, id: &SessionId) -> Result<Published, AppError> {
    publish_to(view, id, Extent::Whole)
}

/// The same, as far as `extent` goes.
pub(super) fn publish_to(
    view: &View<'_>,
    id: &SessionId,
    extent: Extent,
) -> Result<Published, AppError> {
    if !can_be_published(&*view.load(id)?) {
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
    let is_written = |name| extent == Extent::Whole || look::is_file(folder.join(name));
    if is_written(plan::READABLE) {
        warnings.extend(plan::keep(&folder, id, build, reading.began_elsewhere));
    }
    if is_written(dev_notes::FILE) {
        let unkept = dev_notes::keep(&folder, id, &reading.learnt);
        warnings.extend(unkept.iter().map(|told| told.words(view.voice())));
    }
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
    if view.configuration().publish_activity && is_written(ACTIVITY) {
        match activity::excerpt(view, id) {
            Some(excerpt) => written |= put(&folder.join(ACTIVITY), excerpt.as_bytes())?,
            None => warnings.push("there is no activity to publish".to_owned()),
        }
    }
    Ok(Published { session_id: id.clone(), folder, version: position.seq, written, warnings })
}

/// Whether others could make anything of it: one with neither a name nor a workflow is local.
pub(super) fn can_be_published(state: &SessionState) -> bool {
    state.objective.is_some() || state.track.is_some()
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
            let kept = keep_apart(view, copy, "written by another program")?;
            Ok(Some(format!("{MANIFEST} was written by another program; it is kept as {kept}")))
        }
    }
}

/// Keeps what lies in the work tree apart. Returns what somebody should be told.
fn set_aside(view: &View<'_>, copy: &Copy, what: &str) -> Result<String, AppError> {
    let kept = keep_apart(view, copy, what)?;
    Ok(format!("the published copy was no copy of this session: {what}; it is kept as {kept}"))
}

/// Keeps what lies in the work tree apart, and records that it was there. Returns where it is kept.
fn keep_apart(view: &View<'_>, copy: &Copy, what: &str) -> Result<String, AppError> {
    keep(view, &copy.id, (&copy.events, copy.manifest.as_deref()), what)
}

/// Keeps records of a session that go another way than those here apart, and records that they came, once. Returns
/// where they are kept.
pub(crate) fn keep_records_apart(
    view: &View<'_>,
    id: &SessionId,
    records: &[u8],
    what: &str,
) -> Result<String, AppError> {
    let hash = sha256_hex(&[records, b""]);
    let kept = format!("aside/{id}/{}", &hash[..12]);
    if look::is_file(view.project.store.join(format!("{kept}-{EVENTS}"))) {
        return Ok(format!("{}/{kept}-*", view.project.store.display()));
    }
    keep(view, id, (records, None), what)
}

fn keep(
    view: &View<'_>,
    id: &SessionId,
    (events, manifest): (&[u8], Option<&[u8]>),
    what: &str,
) -> Result<String, AppError> {
    let folder = view.project.store.join("aside").join(id.as_str());
    files::make_dir(&folder)?;
    let hash = sha256_hex(&[events, manifest.unwrap_or_default()]);
    let name = &hash[..12];
    if !events.is_empty() {
        files::replace(&folder.join(format!("{name}-{EVENTS}")), events, true)?;
    }
    if let Some(manifest) = manifest {
        files::replace(&folder.join(format!("{name}-{MANIFEST}")), manifest, true)?;
    }
    let kept = format!("aside/{id}/{name}");
    let reason = what.to_owned();
    let told = format!("{}/{kept}-*", view.project.store.display());
    let command = Command::SetCopyAside { reason, kept };
    view.execute(id, &view.actor(), command)?;
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
