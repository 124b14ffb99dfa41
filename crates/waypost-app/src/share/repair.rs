//! Out of damage: streams are put together again from everything that still has records of them, and
//! what is gone for good is named in them until a human accepts it.

use std::fs::Permissions;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde::Serialize;
use waypost_core::event::{Event, Known, SessionStarted};
use waypost_core::id::{SessionId, StreamId};
use waypost_core::loss::Loss;
use waypost_core::next_step::{Mend, amid};
use waypost_core::session::SessionState;
use waypost_store::{Repaired, keys, look};

use crate::error::{AppError, Kind};
use crate::machine::host::Host;
use crate::machine::plain_files;
use crate::view::View;
use crate::view::human;

/// What the project's own stream is called where sessions are called by their ids.
pub const PROJECT: &str = "project";

/// A stream that was damaged.
#[derive(Debug, Serialize)]
pub struct Mended {
    /// The stream: a session's id, or `project`.
    pub stream: String,
    /// How many records were found again elsewhere.
    pub restored: u64,
    /// Which acknowledged records could not be found again.
    pub lost: Option<Loss>,
    /// Where what lay there before is kept.
    pub kept: Option<String>,
    /// How many records it has now.
    pub records: u64,
    /// Why it could not be repaired, and what would do it.
    pub failed: Option<String>,
}

/// Repairs the stream that is named, else every one that needs it. With `dry_run` nothing is changed.
pub fn repair(
    view: &View<'_>,
    named: Option<&str>,
    dry_run: bool,
) -> Result<Vec<Mended>, AppError> {
    if let Some(named) = named {
        let stream = stream(view, named)?;
        let mended = one(view, &stream, dry_run)?;
        return Ok(mended.into_iter().collect());
    }
    let sessions = view.log.sessions()?.into_iter().map(StreamId::Session);
    let streams = [StreamId::Project].into_iter().chain(sessions);
    let mut mended = Vec::new();
    for stream in streams.filter(|stream| view.log.exists(stream)) {
        match one(view, &stream, dry_run) {
            Ok(done) => mended.extend(done),
            // One that cannot be repaired must not keep the others from it.
            Err(error) if error.kind == Kind::Integrity => mended.push(Mended {
                stream: name_of(&stream),
                restored: 0,
                lost: None,
                kept: None,
                records: 0,
                failed: Some(error.full_text(view.voice())),
            }),
            Err(error) => return Err(error),
        }
    }
    Ok(mended)
}

/// Makes another key in place of one that cannot be used any more, which is kept aside. What the old
/// one signed is accepted again with `waypost trust copy --all`. Returns the new one's id.
pub fn key(host: &Host) -> Result<String, AppError> {
    human::only(host, "making another key")?;
    if host.secret.is_some() {
        return Err(AppError::refused("the key comes from the environment")
            .hint("set WAYPOST_SESSION_SECRET to what it was before"));
    }
    if host.keyring().is_ok() {
        return Err(AppError::refused("the key can be used: nothing is damaged").hint(amid(
            "to sign with another one, run ",
            Mend::RotateKey,
            "",
        )));
    }
    let path = host.key_file();
    if look::link(&path).is_ok() {
        let mut aside = path.clone().into_os_string();
        aside.push(format!(".aside-{}", host.now().as_millis()));
        std::fs::rename(&path, aside).map_err(plain_files::failed("cannot move away", &path))?;
    }
    keys::create(&path)?;
    Ok(host.keyring()?.current().id().to_owned())
}

/// The stream that somebody means by a session's id, or by `project`.
pub fn stream(view: &View<'_>, named: &str) -> Result<StreamId, AppError> {
    match named {
        PROJECT => Ok(StreamId::Project),
        named => Ok(StreamId::Session(view.id_by_prefix(named)?)),
    }
}

/// What people call a stream.
pub fn name_of(stream: &StreamId) -> String {
    match stream {
        StreamId::Project => PROJECT.to_owned(),
        StreamId::Session(id) => id.to_string(),
    }
}

fn one(view: &View<'_>, stream: &StreamId, dry_run: bool) -> Result<Option<Mended>, AppError> {
    let begin = match stream {
        StreamId::Project => initialised(),
        StreamId::Session(id) => begun(view, id),
    };
    let repaired = if dry_run {
        view.log.examine(stream)?
    } else {
        give_back(&view.log.place(stream))?;
        view.log.repair(stream, view.host.now(), Some(begin))?
    };
    if !dry_run && repaired.is_some() {
        view.changed(stream);
    }
    Ok(repaired.map(|Repaired { restored, lost, kept, records }| Mended {
        stream: name_of(stream),
        restored,
        lost,
        kept,
        records,
        failed: None,
    }))
}

/// A file of its owner's that its owner may not read is all there: it only has to be opened again.
fn give_back(path: &Path) -> Result<(), AppError> {
    let Err(error) = look::open(path) else { return Ok(()) };
    if error.kind() != ErrorKind::PermissionDenied {
        return Ok(());
    }
    std::fs::set_permissions(path, Permissions::from_mode(0o600))
        .map_err(plain_files::failed("cannot give back to its owner", path))
}

/// How a session begins of which no record is left: with what else is known of it.
fn begun(view: &View<'_>, id: &SessionId) -> Event {
    let SessionState { objective, workflow, branch, worktree, commit, .. } = view.salvage(id);
    let started = SessionStarted { objective, workflow, branch, worktree, commit };
    Known::SessionStarted(started).into()
}

fn initialised() -> Event {
    let waypost = env!("CARGO_PKG_VERSION").to_owned();
    Known::ProjectInitialised { waypost, worktree: None }.into()
}
