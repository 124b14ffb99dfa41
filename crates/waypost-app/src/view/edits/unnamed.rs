//! Files that others changed by lines that do not name them, such as scripts and formatters: a file that was changed while a
//! call of theirs was under way, and none of one's own, is theirs. Only asked about files that somebody is about to change.

use waypost_core::alongside::{ChangedFile, OtherConversation};
use waypost_core::id::ConversationId;
use waypost_core::time::Timestamp;
use waypost_store::look;

use super::real_names;
use crate::view::View;
use crate::view::calls::{self, Calls};
use crate::view::registry::Registration;

/// Adds what others changed so of these files within so many milliseconds.
pub(super) fn add(
    view: &View<'_>,
    own: &ConversationId,
    millis: i64,
    paths: &[String],
    found: &mut Vec<OtherConversation>,
) {
    let root = &view.place().project.root;
    // The machine's own clock: it is the one that files are stamped with.
    let now = calls::now();
    let is_recent =
        |at: u64| i64::try_from(now.saturating_sub(at) / 1_000_000).is_ok_and(|age| age < millis);
    let changed_at = |path: &String| calls::changed_at(root, path).filter(|at| is_recent(*at));
    if paths.iter().all(|path| changed_at(path).is_none()) {
        return;
    }
    let is_other = |one: &Registration| one.root == *root && one.conversation != *own;
    let others: Vec<Registration> =
        view.registry().running().into_iter().filter(is_other).collect();
    if others.is_empty() {
        return;
    }
    let is_told = |file: &str, at: Timestamp| {
        let mut told = found.iter().flat_map(|other| &other.files);
        told.any(|known| known.file == file && known.at >= at)
    };
    let files = real_names(view, paths);
    let lately = files.iter().filter(|file| look::is_file(root.join(file))).filter_map(|file| {
        let at = changed_at(file)?;
        let time = Timestamp::saturating_from_millis(i64::try_from(at / 1_000_000).ok()?);
        (!is_told(file, time)).then_some((file, at, time))
    });
    let lately: Vec<(&String, u64, Timestamp)> = lately.collect();
    let own_calls = Calls::of(view, own);
    // Of what a tool was called to change, it is known by name whose it is.
    let is_unnamed =
        |file: &str, at: u64| !own_calls.ran_between(at, at) && !own_calls.was_edited_at(file, at);
    let lately: Vec<(&String, u64, Timestamp)> =
        lately.into_iter().filter(|(file, at, _)| is_unnamed(file, *at)).collect();
    for other in others {
        let calls = Calls::of(view, &other.conversation);
        let theirs = lately.iter().filter(|(_, at, _)| calls.had_under_way(*at));
        let files = theirs.map(|(file, _, at)| ChangedFile {
            file: (*file).clone(),
            at: *at,
            subagent: None,
        });
        let files: Vec<ChangedFile> = files.collect();
        let known = found.iter_mut().find(|known| known.conversation == other.conversation);
        match known {
            _ if files.is_empty() => {}
            Some(known) => {
                known.files.retain(|one| files.iter().all(|new| new.file != one.file));
                known.files.splice(..0, files);
            }
            None => found.push(OtherConversation {
                harness: other.harness,
                conversation: other.conversation,
                session_id: other.session,
                files,
            }),
        }
    }
}
