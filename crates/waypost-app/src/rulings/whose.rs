//! Whose changes are: what holds a stop is only what its own conversation may have done. Commits and pushes are
//! asked about the whole work tree all the same.

use waypost_core::gate::action::Action;
use waypost_core::gate::facts::Facts;

use crate::view::View;
use crate::view::calls::Calls;

/// Of how many changed files it is looked whose they are. With more of them, all are the conversation's.
const MAX_LOOKED_AT: usize = 5000;
/// How many of its files are kept with a ruling.
const MAX_KEPT: usize = 50;

/// Finds out which changes are those of the conversation that wants to stop.
pub(super) fn look(view: &View<'_>, action: &Action, facts: &mut Facts) {
    let Some(now) = facts.tree.as_ref().and_then(|tree| tree.id()) else { return };
    if facts.changed.values().all(Vec::is_empty) {
        return;
    }
    let calls = Calls::of(view, &action.conversation);
    for (then, few) in facts.changed.iter().filter(|(_, few)| !few.is_empty()) {
        let files = view.differing_up_to(then, now, MAX_LOOKED_AT + 1);
        let is_known = !files.is_empty() && files.len() <= MAX_LOOKED_AT;
        let own = if is_known { calls.own(then, &files) } else { few.iter().collect() };
        facts.own.insert(then.clone(), own.into_iter().take(MAX_KEPT).cloned().collect());
    }
}
