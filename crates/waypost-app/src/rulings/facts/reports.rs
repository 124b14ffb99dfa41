//! Reports: files that say how something went.

use std::path::Path;

use waypost_core::gate::facts::{AskedReport, FoundReport};

use crate::foreign::qa_report;
use crate::machine::matching;

/// No more reports than this are looked at: projects keep hundreds.
const MAX_LOOKED_AT: usize = 5_000;
/// And no more than this are kept, of which those that say what is asked for come first.
const MAX_KEPT: usize = 50;

/// The reports that fit `pattern`: those that say what is asked for, those that are about the session
/// that is asked about, and some of the others.
pub(super) fn fitting(root: &Path, pattern: &str, asked: &[AskedReport]) -> Vec<FoundReport> {
    let files = matching::some_fitting(root, pattern, MAX_LOOKED_AT, |_| true);
    let mut kept: [Vec<FoundReport>; 3] = [Vec::new(), Vec::new(), Vec::new()];
    for file in files {
        let max = u64::try_from(qa_report::MAX_BYTES).unwrap_or(u64::MAX);
        let content = waypost_store::files::head(&root.join(&file.path), max);
        let report = qa_report::read(&file.path, &content.ok().flatten().unwrap_or_default());
        let class = if asked.iter().any(|asked| asked.fits(&report)) {
            0
        } else if asked.iter().any(|asked| asked.concerns(&report)) {
            1
        } else {
            2
        };
        if kept[class].len() < MAX_KEPT {
            kept[class].push(report);
        }
    }
    kept.into_iter().flatten().take(MAX_KEPT).collect()
}
