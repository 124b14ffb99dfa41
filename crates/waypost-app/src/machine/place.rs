//! Where a command ran: a command of the same name somewhere else proves nothing about the project.

use std::path::{Component, Path, PathBuf};

use waypost_core::shell::Simple;
use waypost_store::look;

/// Why a run in `cwd` cannot be the one that `pattern` means; `None` if it can.
pub fn objection(root: &Path, cwd: &Path, pattern: &str) -> Option<String> {
    if !cwd.starts_with(root) {
        return Some(format!("it ran outside of {}", root.display()));
    }
    // A command that is named by a path from the project is another one elsewhere.
    let names_a_path = pattern.starts_with("./") || pattern.starts_with("../");
    (names_a_path && cwd != root).then(|| format!("it did not run in {}", root.display()))
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
    use super::*;
    use waypost_core::shell::analyse;

    #[test]
    fn a_run_elsewhere_is_another_run() {
        let root = Path::new("/p");
        for (line, pattern, counts) in [
            ("cargo test", "cargo test*", true),
            ("cd sub && cargo test", "cargo test*", true),
            ("cd /tmp/x && cargo test", "cargo test*", false),
            ("cd .. && cargo test", "cargo test*", false),
            ("cd $HOME && cargo test", "cargo test*", false),
            ("cd - && cargo test", "cargo test*", false),
            ("cd && cargo test", "cargo test*", false),
            ("pushd /tmp && cargo test", "cargo test*", false),
            ("./check.sh", "./check.sh*", true),
            ("cd . && ./check.sh", "./check.sh*", true),
            ("cd sub && ./check.sh", "./check.sh*", false),
            ("cd sub && cd .. && ./check.sh", "./check.sh*", true),
        ] {
            let folder = folder_after(root, &analyse(line).commands);
            let ok = folder.is_some_and(|folder| objection(root, &folder, pattern).is_none());
            assert_eq!(ok, counts, "{line}");
        }
    }
}
