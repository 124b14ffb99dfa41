//! One line about a session, for the status line of a harness. Asked again and again: it looks at
//! the state alone, and runs nothing.

use waypost_core::id::{ConversationId, StreamId};
use waypost_core::session::{Lifecycle, SessionState, StopState};
use waypost_core::text::{one_line, shortened};
use waypost_store::Loaded;

use crate::view::{Session, View};

/// The longest objective and reason, in characters.
const MAX_TEXT: usize = 40;

/// What is shown of a session that cannot be read.
const DAMAGED: &str = "⚠ records are damaged: waypost repair";

/// Where the session of a conversation stands, else the work tree's only active one; nothing where
/// there is none.
pub fn of(view: &View<'_>, conversation: Option<(&str, &ConversationId)>) -> Option<String> {
    let registry = view.registry();
    let known = conversation.and_then(|(harness, id)| registry.find(harness, id).ok().flatten());
    let session = match known {
        Some(known) => {
            let stream = StreamId::Session(known.session.clone());
            let loaded: Result<Loaded<SessionState>, _> = view.log.load(&stream);
            match loaded {
                Ok(loaded) => Session { id: known.session, state: loaded.state.into() },
                Err(error) if error.is_integrity() => {
                    return Some(DAMAGED.to_owned());
                }
                Err(_) => return None,
            }
        }
        None => match view.active_sessions().ok()?.as_slice() {
            [only] if only.damage.is_some() => return Some(DAMAGED.to_owned()),
            [only] => Session { id: only.id.clone(), state: view.glance(&only.id).ok()? },
            _ => return None,
        },
    };
    let whose = conversation.map(|(_, id)| id);
    Some(line(&session.state, view.lifecycle(&session.state), whose))
}

fn line(state: &SessionState, lifecycle: Lifecycle, whose: Option<&ConversationId>) -> String {
    let short = |text: &str| shortened(&one_line(text), MAX_TEXT);
    let mut parts = vec![state.objective.as_deref().map_or("(no objective yet)".to_owned(), short)];
    if let Some(track) = &state.track {
        let done = track.phases.iter().filter(|phase| track.is_behind(phase)).count();
        let total = track.phases.len();
        parts.push(if track.is_running() {
            let failed = if track.failed { " ✗" } else { "" };
            format!("{}{failed} ({done}/{total})", short(&track.phase))
        } else {
            format!("{} complete", short(&track.name))
        });
    }
    let build = &state.build;
    if build.total > 0 {
        parts.push(format!("checkpoints {}/{}", build.done(), build.total));
    }
    parts.extend(state.focus.task.as_deref().map(short));
    match (lifecycle, &state.pause) {
        (Lifecycle::Active, _) => {}
        (Lifecycle::Paused, Some(pause)) => parts.push(format!("paused: {}", short(&pause.reason))),
        (lifecycle, _) => parts.push(lifecycle.to_string()),
    }
    if let Some(known) = whose.and_then(|id| state.conversations.get(id)) {
        if let Some(track) = known.track.as_ref().filter(|track| track.is_running()) {
            parts.push(track.state().to_owned());
        }
        parts.extend(match known.stop_state() {
            StopState::InProgress => Some("stop is held".to_owned()),
            StopState::Pending => Some("changes to prove".to_owned()),
            StopState::GivenUp => Some("stop was given up".to_owned()),
            StopState::Idle | StopState::Satisfied => None,
        });
        parts.extend(known.unenforced.then(|| "UNENFORCED".to_owned()));
    }
    match state.violations {
        0 => {}
        1 => parts.push("1 violation".to_owned()),
        count => parts.push(format!("{count} violations")),
    }
    parts.join(" · ")
}
