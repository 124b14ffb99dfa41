//! Plans that say what they have to.

use std::path::Path;
use std::time::UNIX_EPOCH;

use waypost_core::gate::facts::plan::WantedPlan;
use waypost_core::time::Timestamp;
use waypost_store::look;

use crate::machine::matching;

/// The first plan that says what it has to and is not too old.
pub(super) fn find(root: &Path, plan: &WantedPlan, now: Timestamp) -> Option<String> {
    let patterns =
        plan.folders.iter().map(|folder| format!("{}/**/*.md", folder.trim_end_matches('/')));
    let files =
        patterns.flat_map(|pattern| matching::fitting(root, &pattern)).map(|file| file.path);
    let mut fitting = files.filter(|path| {
        let path = root.join(path);
        is_young(&path, plan, now)
            && matching::text_of(&path).is_some_and(|text| plan.is_said_by(&text))
    });
    fitting.next()
}

fn is_young(path: &Path, plan: &WantedPlan, now: Timestamp) -> bool {
    let Some(within) = plan.within else { return true };
    let changed = look::at(path).and_then(|found| found.modified()).ok();
    let since = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
    let since = since.and_then(|since| i64::try_from(since.as_millis()).ok());
    since.is_some_and(|since| now.as_millis().saturating_sub(since) <= within)
}
