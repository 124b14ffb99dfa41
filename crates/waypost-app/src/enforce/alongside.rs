//! A run that failed by what somebody else did: where its output names files that other conversations changed lately,
//! and none but these, whoever ran it is told. It is never more than a hint: a failure stays one.

use std::collections::BTreeSet;
use std::path::Path;

use waypost_core::alongside::{NamedFiles, OtherConversation, TOLD};
use waypost_core::id::ConversationId;
use waypost_store::look;

use crate::machine::place::without_dots;
use crate::view::{View, edits};

/// Whose files a failed run in `folder` named, if they are all of others.
pub(super) fn blamed(
    view: &View<'_>,
    own: &ConversationId,
    folder: &Path,
    printed: NamedFiles,
) -> Option<String> {
    let named: Vec<String> = named(view, folder, printed)?.into_iter().collect();
    let others = edits::of_others_at(view, own, TOLD, &named);
    if others.is_empty() {
        return None;
    }
    let own = edits::of(view, own);
    let is_theirs = |file: &String| {
        let theirs = |other: &OtherConversation| other.files.iter().any(|one| one.file == *file);
        !own.contains(file) && others.iter().any(theirs)
    };
    if named.is_empty() || !named.iter().all(is_theirs) {
        return None;
    }
    let now = view.host.moment();
    let told = others.iter().filter_map(|other| other.within(now, TOLD, &named));
    let told: Vec<String> = told.map(|other| other.told(now)).collect();
    let files = match named.as_slice() {
        [_] => "the only file of the project that it names was",
        _ => "the only files of the project that it names were",
    };
    Some(format!("this run failed, and {files} changed by others: {}", told.join("; ")))
}

/// The files of the work tree that an output names; those with a line, where there are any: what else it names is
/// what it looked at. `None` if that cannot be told.
fn named(view: &View<'_>, folder: &Path, printed: NamedFiles) -> Option<BTreeSet<String>> {
    let root = &view.place().project.root;
    let there = |file: &str| {
        let places = [folder.join(file), root.join(file)];
        let found =
            places.iter().map(|path| without_dots(path)).find(|path| look::is_file(path))?;
        found.starts_with(root).then(|| found.to_string_lossy().into_owned())
    };
    let (mut all, mut located) = (Vec::new(), Vec::new());
    for (file, has_line) in printed.finish()? {
        let Some(found) = there(&file) else { continue };
        all.push(found.clone());
        located.extend(has_line.then_some(found));
    }
    let named = if located.is_empty() { all } else { located };
    Some(edits::real_names(view, &named).into_iter().collect())
}
