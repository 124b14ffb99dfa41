//! Taking over a session that is here only as a folder in the work tree: a clone's published copy,
//! or what another program wrote.

use waypost_core::command::{Command, redact_import};
use waypost_core::event::SessionImported;
use waypost_core::id::{SessionId, StreamId};
use waypost_core::manifest;
use waypost_core::next_step::{Look, Mend, amid, to};
use waypost_core::session::SessionState;

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
        // Its records are whole, and the manifest is made from them.
        Kept::Damaged if copy.saved_elsewhere => adopt_copy(view, &copy),
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
    let commit = commit_for(view, &*view.load(&copy.id)?);
    let adopt = Command::Adopt { worktree: view.project.worktree(), commit };
    view.execute(&copy.id, &view.actor(), adopt)?;
    Ok(())
}

fn convert(view: &View<'_>, copy: Copy) -> Result<(), AppError> {
    let text = copy.manifest.unwrap_or_default();
    let manifest = copy::foreign_manifest(&text).map_err(|what| {
        AppError::refused(format!("{}: {what}", copy.folder.join(copy::MANIFEST).display()))
    })?;
    if manifest::is_ours(&manifest) {
        let what = "is Waypost's own, and the records that it was made from are missing";
        return Err(AppError::integrity(format!(
            "{} {what}",
            copy.folder.join(copy::MANIFEST).display()
        ))
        .hint("put events.jsonl back beside it, from git or from wherever it was published"));
    }
    let imported = copy::imported(view, manifest);
    import(view, &copy.id, imported)?;
    let commit = commit_for(view, &*view.load(&copy.id)?);
    let resumed = Command::Resume { now: view.host.now(), attended: false, commit };
    view.execute(&copy.id, &view.actor(), resumed).map(drop)
}

/// What is checked out, where a session does not know which commit it began at: what it changes from now on is told
/// by that.
pub fn commit_for(view: &View<'_>, state: &SessionState) -> Option<String> {
    state.commit.is_none().then(|| view.commit()).flatten()
}

/// Keeps a session from now on that another program kept, as it is: nothing is resumed, and nothing is written in the
/// work tree. Whether anything was new.
pub fn import(
    view: &View<'_>,
    id: &SessionId,
    mut imported: SessionImported,
) -> Result<bool, AppError> {
    // Before its workflow is kept by hash.
    redact_import(&mut imported);
    if let Some(definition) = &imported.definition {
        view.blobs.keep_definition(definition)?;
    }
    view.make_room(id)?;
    let executed = view.execute(id, &view.actor(), Command::Import(Box::new(imported)))?;
    Ok(!executed.events.is_empty())
}
