//! Who else is at work in the work tree, and which files they changed since when: one answer for status, brief and
//! whoever is told at a prompt.

use std::collections::BTreeSet;

use waypost_core::alongside::{OtherConversation, TOLD};
use waypost_core::id::ConversationId;
use waypost_store::seen;

use crate::view::{Session, View, edits};

/// How many files of each are told, the latest.
const MAX_FILES: usize = 10;

/// The conversations that are at work and changed files here lately, whatever session they are in, but `asker`.
pub fn changing(view: &View<'_>, asker: &ConversationId) -> Vec<OtherConversation> {
    let mut found = edits::of_others(view, asker, TOLD);
    if !found.is_empty() {
        // What is told now is too old after a while, and who is at work may be gone, without any file changing.
        seen::beyond_files();
    }
    for other in &mut found {
        other.files.truncate(MAX_FILES);
    }
    found
}

/// What one of them changed, on one line.
pub fn changed_by(
    view: &View<'_>,
    changing: &[OtherConversation],
    conversation: &ConversationId,
) -> Option<String> {
    let found = changing.iter().find(|other| other.conversation == *conversation)?;
    Some(found.changed(view.host.now()))
}

/// The conversations that changed files here, and after them those that are attached to a session and changed nothing here.
pub(super) fn all(
    view: &View<'_>,
    session: &Session,
    asker: &ConversationId,
) -> Vec<OtherConversation> {
    let changing = changing(view, asker);
    let known: BTreeSet<&ConversationId> =
        changing.iter().map(|other| &other.conversation).collect();
    let attached = session.state.conversations.iter().filter(|(_, known)| known.attached);
    let quiet = attached.filter(|(id, _)| *id != asker && !known.contains(id));
    let quiet = quiet.map(|(id, known)| OtherConversation {
        harness: known.harness.clone(),
        conversation: id.clone(),
        session_id: session.id.clone(),
        files: Vec::new(),
    });
    let quiet: Vec<OtherConversation> = quiet.collect();
    changing.into_iter().chain(quiet).collect()
}
