//! Which files a patch names, in the two forms that agents write: `*** Update File: …` between markers, and what
//! `diff -u` and git print. Never applies one, and never looks whether a file is there.

/// What opens a patch between markers.
const BEGIN: &str = "*** Begin Patch";
/// What stands before a file's name between the markers.
const NAMING: [&str; 4] =
    ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
/// What stands before a file's name where no content is shown.
const RENAMING: [&str; 4] = ["rename from ", "rename to ", "copy to ", "copy from "];

/// Whether a text is a patch between markers, so that whoever is given it changes files.
pub fn is_marked(text: &str) -> bool {
    text.lines().any(|line| line.trim() == BEGIN)
}

/// The files that a patch changes, makes, moves or removes, each once.
pub fn files(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if !name.is_empty() && name != "/dev/null" && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    };
    if is_marked(text) {
        let named = |line: &str| {
            NAMING.iter().find_map(|before| Some(line.strip_prefix(before)?.trim().to_owned()))
        };
        text.lines().filter_map(named).for_each(|name| add(&name));
        return found;
    }
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(old) = line.strip_prefix("--- ") {
            // A line that was taken away may begin like this, too; one that follows names the other side.
            if let Some(new) = lines.peek().and_then(|next| next.strip_prefix("+++ ")) {
                add(side(old, "a/"));
                add(side(new, "b/"));
                lines.next();
            }
        } else if let Some(name) = RENAMING.iter().find_map(|before| line.strip_prefix(before)) {
            add(name.trim());
        }
    }
    found
}

/// The name in a line of `diff`: without the letter that git puts before it, and the time that others put behind it.
fn side<'a>(text: &'a str, letter: &str) -> &'a str {
    let name = text.split('\t').next().unwrap_or_default().trim();
    name.strip_prefix(letter).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_between_markers_names_every_file_that_it_touches() {
        let text = "*** Begin Patch\n*** Add File: new.rs\n+--- a/no.rs\n*** Update File: src/a b.rs\n\
                    *** Move to: src/c.rs\n@@\n-x\n+y\n*** Delete File: old.rs\n*** Update File: new.rs\n*** End Patch\n";
        assert_eq!(files(text), ["new.rs", "src/a b.rs", "src/c.rs", "old.rs"]);
        assert!(is_marked(&format!("  \n{text}")));
        assert!(!is_marked("a text that tells of *** Begin Patch"));
    }

    #[test]
    fn a_diff_names_both_sides_and_renames() {
        let text = "diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n--- old comment\n+new\n\
                    diff --git a/y b/z\nrename from y\nrename to z\n--- /dev/null\n+++ b/made.rs\t2026-01-01\n";
        assert_eq!(files(text), ["x.rs", "y", "z", "made.rs"]);
        assert!(files("no patch at all\n--- a rule\n").is_empty());
    }
}
