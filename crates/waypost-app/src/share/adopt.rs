//! Taking over a session that is here only as a folder in the work tree: a clone's published copy,
//! or what another program wrote.

use waypost_core::command::Command;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::next_step::{Look, Mend, amid, to};
use waypost_core::session::Basics;
use waypost_core::track::{TrackStarted, builtin};

use crate::error::AppError;
use crate::view::View;
use crate::view::copy::{self, Copy, Kept};

/// Makes the session one of this repository's. It is active afterwards.
pub fn adopt(view: &View<'_>, id: &SessionId) -> Result<(), AppError> {
    let copy = copy::of(view, id)?
        .ok_or_else(|| AppError::refused(format!("there is no copy of session {id}")))?;
    match copy.kept {
        Kept::Copy | Kept::Live => adopt_copy(view, &copy),
        Kept::Legacy => convert(view, copy),
        Kept::Unverified => Err(unverified(&copy)),
        Kept::Newer => Err(newer(&copy)),
        Kept::Damaged => {
            let what = format!("session {id}: {}", copy.remark.unwrap_or_default());
            Err(AppError::integrity(what)
                .hint("get it back as it was committed: git checkout -- its folder"))
        }
    }
}

/// Why a copy that only a newer Waypost can read is left alone.
pub fn newer(copy: &Copy) -> AppError {
    let what = copy.remark.clone().unwrap_or_default();
    AppError::integrity(format!("session {}: {what}", copy.id)).hint(Mend::UseNewer)
}

/// Why a copy that nobody here vouches for is not used, and what a human can do.
pub fn unverified(copy: &Copy) -> AppError {
    let id = &copy.id;
    let remark = copy.remark.clone().unwrap_or_default();
    AppError::refused(format!("the copy of session {id} is unverified: {remark}"))
        .hint(amid("if you have the key: ", Mend::TrustKey, " takes it from standard input"))
        .hint(
            amid("or look at it (", Look::Session(id.clone()), ") ")
                .and(to("and accept it", Mend::TrustCopy(id.clone()))),
        )
}

fn adopt_copy(view: &View<'_>, copy: &Copy) -> Result<(), AppError> {
    let stream = StreamId::Session(copy.id.clone());
    view.make_room(&copy.id)?;
    view.log.take_over(&stream, &copy.folder.join(copy::EVENTS), &copy.events)?;
    view.changed(&stream);
    let adopt = Command::Adopt { worktree: view.project.worktree() };
    view.execute(&copy.id, &view.actor(), adopt)?;
    Ok(())
}

fn convert(view: &View<'_>, copy: Copy) -> Result<(), AppError> {
    let text = copy.manifest.unwrap_or_default();
    let manifest = serde_json::from_slice(&text).map_err(|error| {
        AppError::refused(format!("{}: {error}", copy.folder.join(copy::MANIFEST).display()))
            .because(error)
    })?;
    let basics = Basics::read(&manifest);
    let imported = copy::imported(view, manifest);
    view.make_room(&copy.id)?;
    let actor = view.actor();
    let mut commands = vec![Command::Import(imported)];
    // It goes on in the phase that it was in; building remains where it was done with.
    if let Some(definition) = builtin::workflow(&basics.session_type) {
        let at = basics.resumes_in.unwrap_or(basics.current_phase);
        let at = Some(at).filter(|at| definition.phase(at).is_some());
        view.blobs.keep_definition(&definition)?;
        let track = TrackStarted { at, ..TrackStarted::new(None, definition) };
        commands.push(Command::StartTrack(track, Vec::new()));
    }
    view.execute_all(&copy.id, &actor, commands).map(drop)
}
