//! The scenarios with the real client that play a way around: those marked `@way` in their files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// All of them, as `file.name`.
pub(crate) fn marked() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/claude/scenarios");
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "py") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for pair in lines.windows(2).filter(|pair| pair[0] == "@way") {
            let name =
                pair[1].strip_prefix("def ").and_then(|rest| rest.split_once('(')).unwrap().0;
            found.insert(format!("{}.{name}", path.file_stem().unwrap().display()));
        }
    }
    found
}
