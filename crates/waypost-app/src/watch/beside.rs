//! What waits beside the sessions that are at work: copies of sessions, and what the project's files say.

use std::collections::BTreeSet;

use waypost_core::gate::{Gate, Proof};
use waypost_core::id::{ConversationId, SessionId, StreamId};
use waypost_core::next_step::{Mend, to};
use waypost_core::session::SessionState;
use waypost_core::text::spoken::count;
use waypost_store::look;

use super::sight::{Sight, of_tree};
use super::{WatchRow, WatchState};
use crate::config::Config;
use crate::view::copy::{self, EVENTS, Kept};
use crate::view::{View, policy};

/// So many folders of sessions are looked at, the last by their names, which begin with a date.
const MAX_COPIES: usize = 32;

/// The sessions of which something was kept apart.
pub(super) fn kept_apart(view: &View<'_>) -> BTreeSet<String> {
    names(&view.project.store.join("aside")).into_iter().collect()
}

/// That records of a session were kept apart, because they go another way.
pub(super) fn diverged(view: &View<'_>, session: &SessionId) -> Option<Sight> {
    let folder = view.project.store.join("aside").join(session.as_str());
    let copies = names(&folder).iter().filter(|name| name.ends_with(EVENTS)).count();
    if copies == 0 {
        return None;
    }
    let folder = folder.display();
    let told = match copies {
        1 => format!("a copy of it went another way, and is kept in {folder}"),
        several => format!("{several} copies of it went another way, and are kept in {folder}"),
    };
    Some(Sight::new(WatchState::Diverged, told))
}

/// What the project's files say differently, and that waits for a human.
pub(super) fn config(
    view: &View<'_>,
    state: &SessionState,
    conversation: &ConversationId,
) -> Option<Sight> {
    let waiting = view.waiting_for(state, conversation).ok()?;
    let first = waiting.first()?;
    let more = match waiting.len() {
        1 => String::new(),
        several => format!(" and {}", count(several - 1, "more change")),
    };
    let told = format!("{first}{more}: that waits for your next prompt");
    Some(Sight::new(WatchState::Config, told))
}

/// What there is to tell of a project that no session of it tells.
pub(super) fn of(view: &View<'_>, project: &str, is_at_work: bool) -> Vec<WatchRow> {
    // Where nothing was ever kept, looking would make a folder.
    if !look::is_folder(&view.project.store) {
        return Vec::new();
    }
    let mut rows = unverified(view, project);
    if is_at_work && let Some(sight) = untrusted(view) {
        rows.push(of_tree(view, project, sight, None));
    }
    rows
}

/// The published copies that nobody here can vouch for.
fn unverified(view: &View<'_>, project: &str) -> Vec<WatchRow> {
    let folder = view.project.root.join(view.sessions_dir());
    let mut ids: Vec<SessionId> =
        names(&folder).into_iter().filter_map(|name| name.parse().ok()).collect();
    ids.sort();
    let last = ids.into_iter().rev().take(MAX_COPIES);
    let foreign = last.filter(|id| !view.log.exists(&StreamId::Session(id.clone())));
    let copies = foreign.filter_map(|id| copy::of(view, &id).ok().flatten());
    let unverified = copies.filter(|copy| copy.kept == Kept::Unverified);
    let told = unverified.map(|copy| {
        let state = SessionState::fold(&copy.records);
        let way_out = to("accept it as it is", Mend::TrustCopy(copy.id.clone()));
        let why = copy.remark.unwrap_or_default();
        let text = format!("its copy is {why}; {}", way_out.words(view.voice()));
        let sight = Sight::new(WatchState::Unverified, text);
        WatchRow {
            session_id: Some(copy.id),
            objective: state.objective.clone(),
            lifecycle: Some(state.lifecycle),
            branch: state.branch.clone(),
            phase: state.track.is_some().then(|| state.phase().to_owned()),
            version: state.version,
            ..of_tree(view, project, sight, state.updated_at)
        }
    });
    told.collect()
}

/// That what the configuration wants to have run or sent waits for a human's yes: since it was changed after somebody
/// trusted it, or because something is to be sent.
fn untrusted(view: &View<'_>) -> Option<Sight> {
    let config = view.configuration();
    if config.sha256.is_none() || policy::is_trusted(view, config) || !asks_for_trust(config) {
        return None;
    }
    let was_trusted = view.project_state().ok()?.trusted_config.is_some();
    if !was_trusted && config.telemetry.is_none() {
        return None;
    }
    let way_out = to("accept it", Mend::TrustConfig).words(view.voice());
    let what = if was_trusted { "was changed since you trusted it" } else { "is not trusted" };
    let told =
        format!("waypost.toml {what}: nothing that it names is run or sent by itself; {way_out}");
    Some(Sight::new(WatchState::Config, told))
}

/// Whether anything in it is not done before a human trusts it.
fn asks_for_trust(config: &Config) -> bool {
    let runs = |gate: &Gate| {
        let mut runs = false;
        gate.proof.each(&mut |proof| runs |= matches!(proof, Proof::Ran(_)));
        runs
    };
    config.telemetry.is_some() || !config.prices.is_empty() || config.policy.gates.iter().any(runs)
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let entries = look::folder(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
