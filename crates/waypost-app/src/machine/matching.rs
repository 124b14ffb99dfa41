//! Files of the project that fit a pattern.

use std::path::Path;

use waypost_core::gate::facts::FoundFile;
use waypost_core::glob;
use waypost_core::key::sha256_hex;
use waypost_store::look;

/// No more files than this are given.
const MAX_FOUND: usize = 50;
/// No more entries than this are looked at.
const MAX_LOOKED_AT: usize = 20_000;
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The files that fit `pattern`, in order of their paths. A pattern without `*` and `?` costs one
/// look; with them, only the folders that it can lead to are looked into.
pub fn fitting(root: &Path, pattern: &str) -> Vec<FoundFile> {
    some_fitting(root, pattern, MAX_FOUND, |_| true)
}

/// The same, of those that `wanted` takes, and so many at most.
pub fn some_fitting(
    root: &Path,
    pattern: &str,
    most: usize,
    wanted: impl Fn(&str) -> bool,
) -> Vec<FoundFile> {
    let mut found = Vec::new();
    each(root, pattern, &mut |path| {
        if wanted(&path) {
            found.push(FoundFile { path, sha256: None });
        }
        found.len() < most
    });
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Adds what the content of the files hashes to.
pub fn hash(root: &Path, found: &mut [FoundFile]) {
    for file in found {
        file.sha256 = hash_of(root, &file.path);
    }
}

/// Whether any file fits `pattern`. Nothing is read.
pub fn any_fits(root: &Path, pattern: &str) -> bool {
    let mut found = false;
    each(root, pattern, &mut |_| {
        found = true;
        false
    });
    found
}

/// Visits files that fit `pattern` while `visit` wants more.
fn each(root: &Path, pattern: &str, visit: &mut dyn FnMut(String) -> bool) {
    let pattern = pattern.trim_start_matches("./");
    if !pattern.contains(['*', '?']) {
        if look::is_file(root.join(pattern)) {
            visit(pattern.to_owned());
        }
        return;
    }
    let plain: Vec<&str> =
        pattern.split('/').take_while(|part| !part.contains(['*', '?'])).collect();
    let deep = pattern.split('/').any(|part| part == "**");
    let depth = if deep { usize::MAX } else { pattern.split('/').count() - plain.len() };
    let mut walk = Walk { root, pattern, budget: MAX_LOOKED_AT, visit };
    walk.folder(&plain.join("/"), depth);
}

/// What the content of a file of the project hashes to, where it can be read.
pub fn hash_of(root: &Path, path: &str) -> Option<String> {
    let content = waypost_store::files::read(&root.join(path), MAX_BYTES).ok()??;
    Some(sha256_hex(&[&content]))
}

/// A walk through folders.
struct Walk<'a> {
    root: &'a Path,
    pattern: &'a str,
    /// How many entries more are looked at.
    budget: usize,
    visit: &'a mut dyn FnMut(String) -> bool,
}

impl Walk<'_> {
    /// Walks through a folder and so many levels below it; whether there is more to visit.
    fn folder(&mut self, below: &str, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return true };
        for entry in look::folder(self.root.join(below)).into_iter().flatten().flatten() {
            if self.budget == 0 {
                return false;
            }
            self.budget -= 1;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
            let more = match entry.file_type() {
                // Links are not followed, and git's own folder is nobody's file.
                Ok(kind) if kind.is_dir() && name != ".git" => self.folder(&path, depth),
                Ok(kind) if kind.is_file() && glob::matches_path(self.pattern, &path) => {
                    (self.visit)(path)
                }
                _ => true,
            };
            if !more {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn patterns_find_what_they_say() {
        let folder = tempfile::tempdir().unwrap();
        for path in ["a.md", "docs/a.md", "docs/deep/b.md", "docs/c.txt", ".git/x.md"] {
            fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            fs::write(folder.path().join(path), path).unwrap();
        }
        for (pattern, expected) in [
            ("a.md", &["a.md"][..]),
            ("missing.md", &[]),
            ("docs/*.md", &["docs/a.md"]),
            ("docs/**", &["docs/a.md", "docs/c.txt", "docs/deep/b.md"]),
            ("**/*.md", &["a.md", "docs/a.md", "docs/deep/b.md"]),
        ] {
            let found = fitting(folder.path(), pattern);
            let paths: Vec<&str> = found.iter().map(|file| file.path.as_str()).collect();
            assert_eq!(paths, expected, "{pattern}");
        }
    }
}
