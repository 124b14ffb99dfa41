//! Who is at work in a work tree: conversations whose process is known, and runs.

use std::collections::BTreeMap;

use waypost_core::id::ConversationId;

use crate::machine::process::Process;
use crate::view::View;

/// The conversations and their harnesses; none where that cannot be told.
pub(super) fn at_work(view: &View<'_>) -> Option<BTreeMap<ConversationId, String>> {
    let here = &view.place().project.root;
    let mut found = BTreeMap::new();
    for entry in view.index().ok()?.open.iter().filter(|entry| entry.attached > 0) {
        let Ok(state) = view.glance(&entry.id) else { continue };
        for (id, known) in state.conversations.iter().filter(|(_, known)| known.attached) {
            let Ok(Some(entry)) = view.registered(&known.harness, id) else { continue };
            if entry.root == *here && entry.process.is_some_and(Process::is_running) {
                found.insert(id.clone(), known.harness.clone());
            }
        }
    }
    Some(found)
}
