//! Which repository elsewhere belongs to a project: by the addresses of its remotes, read by hand, since git is not
//! started on the hook's hot path.

use waypost_store::files;

use crate::machine::project::Project;

const MAX_BYTES: u64 = 256 * 1024;

/// Whether a repository that a host calls so may be the project's. Where the project's own addresses say nothing, or
/// the name is a number, it may be.
pub fn may_be_ours(project: &Project, name: &str) -> bool {
    let Some(git) = project.git.as_ref() else { return false };
    let content = files::read(&git.common.join("config"), MAX_BYTES).ok().flatten();
    let content = content.unwrap_or_default();
    let text = String::from_utf8_lossy(&content);
    let mut addresses = addresses(&text).peekable();
    if addresses.peek().is_none() || !name.contains('/') {
        return true;
    }
    addresses.any(|address| is_of(address, name))
}

/// The addresses of all remotes.
fn addresses(config: &str) -> impl Iterator<Item = &str> {
    let mut in_remote = false;
    config.lines().filter_map(move |line| {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[') {
            in_remote = section.trim_start().to_ascii_lowercase().starts_with("remote ");
            return None;
        }
        let (key, value) = line.split_once('=')?;
        let is_address = matches!(key.trim().to_ascii_lowercase().as_str(), "url" | "pushurl");
        (in_remote && is_address).then(|| value.trim().trim_matches('"'))
    })
}

/// Whether an address ends in a repository's name.
fn is_of(address: &str, name: &str) -> bool {
    let plain =
        |text: &str| text.trim_end_matches('/').trim_end_matches(".git").to_ascii_lowercase();
    let (address, name) = (plain(address), plain(name));
    let before = address.strip_suffix(name.as_str());
    before.is_some_and(|before| before.is_empty() || before.ends_with(['/', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_the_projects_if_a_remote_ends_in_its_name() {
        let config = "[core]\n\turl = x\n[remote \"origin\"]\n\turl = git@github.com:Acme/site.git\n\
                      [Remote \"up\"]\n\tpushurl = \"https://host.example/group/sub/site/\"\n[branch \"main\"]\n\turl = no\n";
        let found: Vec<&str> = addresses(config).collect();
        assert_eq!(found, ["git@github.com:Acme/site.git", "https://host.example/group/sub/site/"]);
        assert!(is_of(found[0], "acme/site") && is_of(found[1], "group/sub/site"));
        assert!(!is_of(found[0], "cme/site") && !is_of(found[0], "acme/other"));
    }
}
