//! What a word after `git` stands for, where the user gave it a meaning. Read by hand: this is the
//! hook's hot path, and git is not started there. Files that are included are not followed.

use std::path::{Path, PathBuf};

use waypost_store::files;

use crate::machine::host::Host;
use crate::machine::project::Project;

const MAX_BYTES: u64 = 256 * 1024;

/// The alias' meaning, if there is one: the repository's own, else the user's.
pub fn look_up(project: &Project, host: &Host, name: &str) -> Option<String> {
    let git = project.git.as_ref()?;
    let mut places: Vec<PathBuf> = vec![git.own.join("config.worktree"), git.common.join("config")];
    if let Some(config) = host.config_dir.parent() {
        places.push(config.join("git/config"));
        places.extend(config.parent().map(|home| home.join(".gitconfig")));
    }
    places.iter().find_map(|path| in_file(path, name))
}

fn in_file(path: &Path, name: &str) -> Option<String> {
    let content = files::read(path, MAX_BYTES).ok()??;
    let mut in_alias = false;
    let mut found = None;
    for line in String::from_utf8_lossy(&content).lines() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[') {
            in_alias = section.trim_end_matches(']').trim().eq_ignore_ascii_case("alias");
            continue;
        }
        if let (true, Some((key, value))) = (in_alias, line.split_once('='))
            && key.trim().eq_ignore_ascii_case(name)
        {
            let value = value.trim();
            let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
            found = Some(quoted.unwrap_or(value).replace("\\\"", "\""));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::in_file;

    #[test]
    fn the_last_of_an_alias_counts_and_other_sections_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config");
        let text =
            "[user]\n\tpu = no\n[Alias]\n\tpu = fetch\n\tPU = \"push --force\"\n[core]\n\tpu = x\n";
        std::fs::write(&path, text).unwrap();
        assert_eq!(in_file(&path, "pu").as_deref(), Some("push --force"));
        assert_eq!(in_file(&path, "co"), None);
    }
}
