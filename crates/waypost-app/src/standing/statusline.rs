//! One line about a session, for the status line of a harness: how far it is, which gates are open
//! and what comes next.

use waypost_core::id::ConversationId;
use waypost_core::next_step::{Mend, Voice, to};
use waypost_core::session::{Lifecycle, SessionState, StopState};
use waypost_core::standing::Standing;
use waypost_core::text::spoken::count;
use waypost_core::text::{one_line, shortened};

use crate::error::{AppError, Kind};
use crate::standing::{Asker, Stand};
use crate::tracks::workflow;
use crate::view::{Session, View};

/// The longest objective and reason, in characters.
const MAX_TEXT: usize = 40;
/// The longest next step.
const MAX_NEXT: usize = 120;
/// So many open gates are named.
const MAX_GATES: usize = 4;

/// Where the session of the conversation that asks stands, else the work tree's only active one;
/// nothing where there is none. A person reads it; what the session used, where that is asked for.
pub fn of(view: &View<'_>, with_cost: bool) -> Option<String> {
    let session = match view.session(None) {
        Ok(session) => session,
        Err(error) if error.is_newer() => {
            return Some("⚠ a newer Waypost wrote the session".to_owned());
        }
        Err(error) if error.kind == Kind::Integrity => {
            let out = to("⚠ records are damaged", Mend::Repair(None));
            return Some(out.words(Voice::PERSON));
        }
        Err(_) => return None,
    };
    let asker = Asker { conversation: view.asker(), voice: Voice::PERSON };
    let mut parts = work(&session.state, view.lifecycle(&session.state), &asker.conversation);
    let used = Some(session.state.usage).filter(|used| with_cost && !used.is_unused());
    parts.extend(used.map(|used| used.words()));
    parts.extend(match stand(view, session, &asker) {
        Ok(stand) => left(&stand.standing),
        Err(error) => vec![format!("⚠ {}", shortened(&one_line(&error.message), MAX_NEXT))],
    });
    Some(parts.join(" · "))
}

fn stand(view: &View<'_>, session: Session, asker: &Asker) -> Result<Stand, AppError> {
    let policy = workflow::policy_in(view, &session)?;
    Stand::of(view, session, policy, asker)
}

/// What is open, and what comes next.
fn left(standing: &Standing) -> Vec<String> {
    let open: Vec<&str> = standing.open().map(|gate| gate.gate.as_str()).collect();
    let next = one_line(&standing.next_words(Voice::PERSON));
    let next = format!("next: {}", shortened(next.trim_end_matches('.'), MAX_NEXT));
    if open.is_empty() { vec![next] } else { vec![format!("open: {}", named(&open)), next] }
}

/// The first of these gates, and how many more there are.
fn named(gates: &[&str]) -> String {
    let first = gates[..gates.len().min(MAX_GATES)].join(", ");
    match gates.len().saturating_sub(MAX_GATES) {
        0 => first,
        more => format!("{first} +{more}"),
    }
}

/// How far the work is.
fn work(state: &SessionState, lifecycle: Lifecycle, whose: &ConversationId) -> Vec<String> {
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
    if let Some(known) = state.conversations.get(whose) {
        if let Some(track) = known.track.as_ref().filter(|track| track.is_running()) {
            let (phase, missed) =
                (short(&track.phase), named(&track.blocked_by().collect::<Vec<_>>()));
            parts.push(match track.state() {
                state if state == track.phase => phase,
                state if missed.is_empty() => format!("{phase}, {state}"),
                state => format!("{phase}, {state} by {missed}"),
            });
        }
        parts.extend(match known.stop_state() {
            StopState::InProgress => Some("stop is held".to_owned()),
            StopState::Pending => Some("changes to prove".to_owned()),
            StopState::GivenUp => Some("stopped with changes unproven".to_owned()),
            StopState::Idle | StopState::Satisfied => None,
        });
        parts.extend(known.unenforced.then(|| "UNENFORCED".to_owned()));
    }
    match state.violations {
        0 => {}
        many => parts.push(count(many, "violation")),
    }
    parts
}
