//! Plans that say what they have to.

use std::path::Path;
use std::time::UNIX_EPOCH;

use waypost_core::gate::facts::plan::WantedPlan;
use waypost_core::time::Timestamp;
use waypost_store::{files, look};

use crate::machine::matching;

/// No larger plan is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// The first plan that says what it has to and is not too old.
pub(super) fn find(root: &Path, plan: &WantedPlan, now: Timestamp) -> Option<String> {
    let patterns =
        plan.folders.iter().map(|folder| format!("{}/**/*.md", folder.trim_end_matches('/')));
    let found =
        patterns.flat_map(|pattern| matching::fitting(root, &pattern)).map(|file| file.path);
    let mut fitting = found.filter(|path| {
        let path = root.join(path);
        is_young(&path, plan, now) && text_of(&path).is_some_and(|text| plan.is_said_by(&text))
    });
    fitting.next()
}

fn text_of(path: &Path) -> Option<String> {
    let content = files::read(path, MAX_BYTES).ok().flatten()?;
    Some(String::from_utf8_lossy(&content).into_owned())
}

fn is_young(path: &Path, plan: &WantedPlan, now: Timestamp) -> bool {
    let Some(within) = plan.within else { return true };
    let changed = look::at(path).and_then(|found| found.modified()).ok();
    let since = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
    let since = since.and_then(|since| i64::try_from(since.as_millis()).ok());
    since.is_some_and(|since| now.as_millis().saturating_sub(since) <= within)
}
