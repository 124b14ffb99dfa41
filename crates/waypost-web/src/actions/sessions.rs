//! What is done to a session: pausing and resuming it, writing a note, choosing it, putting it away. Each is the use case of
//! the command of that name.

use serde_json::json;
use waypost_app::error::AppError;
use waypost_app::sessions::{current, note, pause, resume};
use waypost_app::share::archive;
use waypost_app::view::View;

use super::{Action, Doing, Done, Field};

const PROJECT: Field = Field { name: "project", needed: true, about: "The project's id" };
const SESSION: Field =
    Field { name: "session", needed: true, about: "The session's id, or enough of its beginning" };
const WORKTREE: Field =
    Field { name: "worktree", needed: false, about: "The linked work tree; else the main one" };
const VERSION: Field = Field {
    name: "version",
    needed: false,
    about: "Refuse if the session is at another version by now",
};

pub(super) const PAUSE: Action = Action {
    name: "pause",
    about: "Let a session rest: no new conversation joins it until it is resumed",
    fields: &[
        PROJECT,
        SESSION,
        WORKTREE,
        VERSION,
        Field { name: "reason", needed: true, about: "Why it rests" },
        Field { name: "context", needed: false, about: "What whoever goes on should know" },
    ],
    act: |doing| {
        let view = view(doing)?;
        let (reason, context) = (doing.asked.needed("reason")?, doing.asked.get("context"));
        let (session, warnings) = pause::pause(&view, Some(named(doing)?), reason, context)?;
        done(json!({"session_id": session, "lifecycle": "paused", "warnings": warnings}))
    },
};

pub(super) const RESUME: Action = Action {
    name: "resume",
    about: "Take a session up again; it is the current one of its work tree from then on",
    fields: &[PROJECT, SESSION, WORKTREE, VERSION],
    act: |doing| {
        let resumed = resume::resume(&view(doing)?, Some(named(doing)?))?;
        done(json!({
            "session_id": resumed.session,
            "lifecycle": "active",
            "adopted": resumed.adopted,
            "resumed": resumed.resumed,
            "pause": resumed.pause,
            "current": resumed.current,
            "warnings": resumed.warnings,
        }))
    },
};

pub(super) const NOTE: Action = Action {
    name: "note",
    about: "Write something down in a session",
    fields: &[
        PROJECT,
        SESSION,
        WORKTREE,
        VERSION,
        Field { name: "text", needed: true, about: "The text, kept verbatim" },
        Field { name: "kind", needed: false, about: "What sort of note it is; else `note`" },
    ],
    act: |doing| {
        let (kind, text) = (doing.asked.get("kind"), doing.asked.needed("text")?);
        let kind = kind.unwrap_or("note");
        let (session, warnings) = note::add(&view(doing)?, Some(named(doing)?), kind, text)?;
        done(json!({"session_id": session, "warnings": warnings}))
    },
};

pub(super) const SWITCH: Action = Action {
    name: "switch",
    about: "Choose the current session of a work tree, which new conversations join; without a session none is current",
    fields: &[
        PROJECT,
        Field { name: "session", needed: false, about: "The session's id; else none is current" },
        WORKTREE,
        VERSION,
    ],
    act: |doing| {
        let view = view(doing)?;
        let chosen = match doing.asked.get("session") {
            Some(session) => current::switch(&view, session)?,
            None => current::none(&view)?,
        };
        done(json!({
            "session_id": chosen.session,
            "current": chosen.current,
            "before": chosen.before,
            "pause": chosen.pause,
            "warnings": chosen.warnings,
        }))
    },
};

pub(super) const ARCHIVE: Action = Action {
    name: "archive",
    about: "Put a session away, for people: it is listed no more, and every file of it is kept",
    fields: &[
        PROJECT,
        SESSION,
        WORKTREE,
        VERSION,
        Field { name: "reason", needed: true, about: "Why it is put away" },
    ],
    act: |doing| {
        let reason = doing.asked.needed("reason")?;
        let (session, warnings) = archive::archive(&view(doing)?, Some(named(doing)?), reason)?;
        done(json!({"session_id": session, "lifecycle": "archived", "warnings": warnings}))
    },
};

/// The work tree that is meant, for whoever decides on the version that they saw. One that is gone is not replaced by
/// another: a session would move there.
fn view<'d>(doing: &'d Doing<'_>) -> Result<View<'d>, AppError> {
    let view = doing.view()?;
    let asked = doing.asked.get("worktree").unwrap_or_default();
    let found = view.project.worktree().unwrap_or_default();
    if asked != found {
        return Err(AppError::refused(format!("work tree {asked} is not there any more"))
            .hint("do this from the project's own folder, by the command of that name"));
    }
    Ok(view.expecting(doing.asked.number("version")?))
}

fn named<'d>(doing: &'d Doing<'_>) -> Result<&'d str, AppError> {
    doing.asked.needed("session")
}

#[expect(clippy::unnecessary_wraps, reason = "it is the end of an action")]
fn done(value: serde_json::Value) -> Result<Done, AppError> {
    Ok(Done { value, go: None })
}
