//! Where a command ran: a command of the same name somewhere else proves nothing about the project.

use std::path::{Component, Path, PathBuf};

use waypost_core::gate::proof::ran::WatchedRun;
use waypost_core::runner::Reach;
use waypost_core::shell::Simple;
use waypost_store::look;

/// Why a run that begins in `cwd` is not the one that is watched for; `None` if it is. `reach` is what is known
/// of its runner: a command that nobody knows may do the same anywhere in the project.
pub fn objection(
    root: &Path,
    cwd: &Path,
    watched: &WatchedRun,
    reach: Option<&Reach>,
) -> Option<String> {
    let elsewhere = reach.and_then(|reach| reach.elsewhere.as_deref());
    let folder = elsewhere.map_or_else(|| cwd.to_owned(), |at| without_dots(&cwd.join(at)));
    if !folder.starts_with(root) {
        return Some(format!("it ran outside of {}", root.display()));
    }
    let WatchedRun { pattern, folder: wanted, paths, .. } = watched;
    let about = wanted.as_deref().or_else(|| paths.as_deref().map(plain_part)).unwrap_or_default();
    let about = root.join(about);
    let Some(reach) = reach else {
        // A command that is named by a path from the project is another one elsewhere.
        let is_bound = wanted.is_some() || pattern.starts_with("./") || pattern.starts_with("../");
        let there = if wanted.is_some() { &about } else { root };
        return (is_bound && folder != *there)
            .then(|| format!("it did not run in {}", there.display()));
    };
    let tests = |folder: &Path, about: &Path| {
        let (top, needed) = (top(root, folder, &reach.tops), top(root, about, &reach.tops));
        // Its files may be about less than a package, and a run of the whole is always enough for those.
        top == needed || (needed.starts_with(top) && (reach.below || wanted.is_none()))
    };
    let has_top = reach.tops.is_empty() || has_any(root, &reach.tops);
    let is_free = about == *root && !has_top;
    if reach.everywhere || is_free || tests(&folder, &about) || is_of_tests(&folder, &about, reach)
    {
        return None;
    }
    let shown = |folder: &Path| match folder.strip_prefix(root) {
        Ok(inside) if inside.as_os_str().is_empty() => "the top of the project".to_owned(),
        _ => folder.strip_prefix(root).unwrap_or(folder).display().to_string(),
    };
    Some(format!("it ran in {}, and this is about {}", shown(&folder), shown(&about)))
}

/// The folder in which a runner works that was started in `folder`: the nearest one upwards with one of
/// the files that it looks for.
fn top<'a>(root: &Path, folder: &'a Path, files: &[String]) -> &'a Path {
    let mut upwards = folder.ancestors().take_while(|at| at.starts_with(root));
    upwards.find(|at| has_any(at, files)).unwrap_or(folder)
}

fn has_any(folder: &Path, files: &[String]) -> bool {
    files.iter().any(|file| look::is_file(folder.join(file)))
}

/// Whether it is the folder that holds all tests, which a runner that looks in folders below may be told
/// to look in by its name as well.
fn is_of_tests(folder: &Path, about: &Path, reach: &Reach) -> bool {
    const NAMES: [&str; 3] = ["test", "tests", "spec"];
    let below = folder.strip_prefix(about).ok().and_then(Path::to_str);
    let Some(name) = below.filter(|name| reach.below && NAMES.contains(name)) else { return false };
    let others = NAMES.iter().filter(|other| **other != name);
    !others.into_iter().any(|other| look::is_folder(about.join(other)))
}

/// What a pattern for files says before its first special character: the folder that they all lie in.
fn plain_part(pattern: &str) -> &str {
    let plain = pattern.find(['*', '?', '[', '{']).map_or(pattern, |at| &pattern[..at]);
    plain.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folder that these commands lead to; `None` if that cannot be told.
pub fn folder_after(cwd: &Path, commands: &[Simple]) -> Option<PathBuf> {
    let mut folder = cwd.to_owned();
    for command in commands {
        match command.name() {
            Some("cd") => {
                let target = command.words.get(1).filter(|word| word.literal)?;
                if command.words.len() != 2 || target.text.starts_with('-') {
                    return None;
                }
                folder = without_dots(&folder.join(&target.text));
            }
            Some("pushd" | "popd") => return None,
            _ => {}
        }
    }
    Some(folder)
}

/// The path without `.` and `..`, as it is spelt.
pub fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// A path with links followed, as far as it exists.
pub(crate) fn resolved(path: &Path) -> PathBuf {
    if let Ok(real) = look::real(path) {
        return real;
    }
    for folder in path.ancestors().skip(1) {
        if let Ok(real) = look::real(folder) {
            return real.join(path.strip_prefix(folder).unwrap_or(path));
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use waypost_core::shell::analyse;

    fn watched(pattern: &str, folder: Option<&str>, paths: Option<&str>) -> WatchedRun {
        WatchedRun {
            folder: folder.map(str::to_owned),
            paths: paths.map(str::to_owned),
            ..WatchedRun::new(pattern)
        }
    }

    #[test]
    fn a_run_elsewhere_is_another_run() {
        let root = Path::new("/p");
        for (line, pattern, counts) in [
            ("check", "check*", true),
            ("cd sub && check", "check*", true),
            ("cd /tmp/x && check", "check*", false),
            ("cd .. && check", "check*", false),
            ("cd $HOME && check", "check*", false),
            ("cd - && check", "check*", false),
            ("cd && check", "check*", false),
            ("pushd /tmp && check", "check*", false),
            ("./check.sh", "./check.sh*", true),
            ("cd . && ./check.sh", "./check.sh*", true),
            ("cd sub && ./check.sh", "./check.sh*", false),
            ("cd sub && cd .. && ./check.sh", "./check.sh*", true),
        ] {
            let folder = folder_after(root, &analyse(line).commands);
            let watched = watched(pattern, None, None);
            let objection = folder.map(|folder| objection(root, &folder, &watched, None));
            assert_eq!(objection == Some(None), counts, "{line}");
        }
    }

    /// Whether a run of a known runner in `folder` counts for a gate about `folder` or `paths`, in a
    /// project with these files.
    fn counts(
        files: &[&str],
        folder: &str,
        reach: &Reach,
        about: (Option<&str>, Option<&str>),
    ) -> bool {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let watched = watched("test", about.0, about.1);
        objection(root.path(), &root.path().join(folder), &watched, Some(reach)).is_none()
    }

    #[test]
    fn a_run_counts_for_the_folder_that_its_runner_works_in() {
        let (whole, one) = ((None, None), (Some("a"), None));
        let cargo = Reach { tops: vec!["Cargo.toml".to_owned()], ..Reach::default() };
        let members = &["Cargo.toml", "a/Cargo.toml", "a/src/x", "src/x"];
        for (folder, about, expected) in [
            ("", whole, true),
            ("src", whole, true),
            ("a", whole, false),
            ("a", one, true),
            ("a/src", one, true),
            ("", one, false),
            ("", (None, Some("src/**")), true),
            ("a", (None, Some("a/**")), true),
            ("", (None, Some("a/**")), true),
            ("src", (None, Some("a/**")), true),
            ("a", (None, Some("src/**")), false),
            ("a", (None, Some("**/*.rs")), false),
        ] {
            assert_eq!(counts(members, folder, &cargo, about), expected, "{folder} {about:?}");
        }
        let everywhere = Reach { everywhere: true, ..cargo.clone() };
        assert!(counts(members, "a", &everywhere, whole));
        let other = Reach { elsewhere: Some("..".to_owned()), ..cargo.clone() };
        assert!(counts(members, "a", &other, whole));
        let outside = Reach { elsewhere: Some("/tmp".to_owned()), ..cargo.clone() };
        assert!(!counts(members, "a", &outside, whole));
        // Nothing could be run at the top.
        assert!(counts(&["a/Cargo.toml", "b/Cargo.toml"], "a", &cargo, whole));
        assert!(!counts(&["a/Cargo.toml", "b/Cargo.toml"], "b", &cargo, one));
    }

    #[test]
    fn a_runner_that_looks_below_tests_everything_from_above() {
        let pytest = Reach { below: true, ..Reach::default() };
        let files = &["a/tests/x.py", "tests/x.py"];
        for (folder, about, expected) in [
            ("", None, true),
            ("", Some("a"), true),
            ("a", None, false),
            ("a", Some("a"), true),
            ("tests", None, true),
            ("a/tests", Some("a"), true),
            ("a/tests", None, false),
        ] {
            assert_eq!(
                counts(files, folder, &pytest, (about, None)),
                expected,
                "{folder} {about:?}"
            );
        }
        let make = Reach::default();
        assert!(counts(files, "", &make, (None, None)));
        assert!(!counts(files, "tests", &make, (None, None)));
        assert!(!counts(files, "", &make, (Some("a"), None)));
    }
}
