//! What expressions can refer to. A fact that cannot be found out is null.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use waypost_core::session::SessionState;

use super::size;
use crate::view::View;

/// Branches that nobody should work on directly.
const PROTECTED: &[&str] = &["main", "master", "trunk", "production", "release"];

/// The facts below each name that is asked for.
pub(super) fn facts(
    view: &View<'_>,
    state: &SessionState,
    wanted: &BTreeSet<String>,
) -> Map<String, Value> {
    let branch = view.branch();
    let asks = |name: &str| {
        wanted.iter().any(|one| one == name || name.split('.').next() == Some(one.as_str()))
    };
    // Counting lines costs; everything else is at hand.
    let size = if asks("branch.size") { size::lines(view).ok() } else { None };
    let live = state.conversations.iter().filter(|(id, known)| {
        let found = view.registered(&known.harness, id).ok().flatten();
        known.attached
            && found
                .and_then(|found| found.process)
                .is_none_or(crate::machine::process::Process::is_running)
    });
    let name = branch.clone().unwrap_or_default();
    let all = json!({
        "branch": {
            "name": name,
            "size": size,
            "protected": branch.is_some_and(|name| PROTECTED.contains(&name.as_str())),
        },
        "session": {
            "mode": state.mode,
            "phase": state.phase(),
            "violations": state.violations,
            "resumed": state.resumed,
            "named": state.objective.is_some(),
        },
        "build": {
            "total": state.build.total,
            "completed": state.build.done(),
            "open": state.build.total.saturating_sub(state.build.done()),
            "tasks": state.build.tasks_completed,
        },
        "conversations": { "live": live.count() },
        "usage": state.usage.fact(),
    });
    let Value::Object(mut all) = all else { return Map::new() };
    let roots: BTreeSet<&str> = wanted.iter().filter_map(|name| name.split('.').next()).collect();
    // What a name was meant to be can only be told where all of them are there.
    let known = roots.iter().all(|root| all.contains_key(*root));
    all.retain(|name, _| !known || roots.contains(name.as_str()));
    all
}
