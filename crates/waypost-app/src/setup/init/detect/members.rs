//! The packages of a JavaScript workspace, and which scripts they have.

use waypost_store::look;

use super::folder::Folder;
use super::tasks;

/// How many packages are looked at.
const MAX_MEMBERS: usize = 500;

/// Whether a package of the workspace has such a script.
pub(super) fn any_has(folder: Folder<'_>, script: &str) -> bool {
    let members = patterns(folder).into_iter().flat_map(|pattern| fitting(folder, &pattern));
    members.take(MAX_MEMBERS).any(|member| {
        let path = folder.below(&member);
        tasks::written(Folder { root: folder.root, path: &path }, "npm", script).is_some()
    })
}

/// What the workspace calls its packages.
fn patterns(folder: Folder<'_>) -> Vec<String> {
    let mut named = Vec::new();
    if let Some(text) = folder.text("pnpm-workspace.yaml") {
        let listed = text.lines().skip_while(|line| line.trim_end() != "packages:").skip(1);
        let items = listed.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let items = items.map_while(|line| line.strip_prefix('-'));
        named.extend(items.map(|item| item.trim().trim_matches(['\'', '"']).to_owned()));
    }
    for (file, key) in [("package.json", "workspaces"), ("lerna.json", "packages")] {
        let Some(content) = folder.json(file) else { continue };
        let list = content[key].as_array().or_else(|| content[key]["packages"].as_array());
        let texts = list.into_iter().flatten().filter_map(|item| item.as_str());
        named.extend(texts.map(str::to_owned));
    }
    named.retain(|pattern| !pattern.starts_with('!'));
    named
}

/// The folders that fit `packages/*`, `packages/**` or a plain name.
fn fitting(folder: Folder<'_>, pattern: &str) -> Vec<String> {
    let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
    let Some((above, _)) = pattern.split_once('*') else { return vec![pattern.to_owned()] };
    let above = above.rsplit_once('/').map_or("", |(above, _)| above);
    let depth = if pattern.contains("**") { 3 } else { pattern.matches('*').count() };
    let mut level = vec![above.to_owned()];
    let mut found = Vec::new();
    for _ in 0..depth {
        level = level.iter().flat_map(|at| folders_in(folder, at)).take(MAX_MEMBERS).collect();
        found.extend(level.iter().cloned());
    }
    found
}

fn folders_in(folder: Folder<'_>, at: &str) -> Vec<String> {
    let Ok(entries) = look::folder(folder.below(at)) else { return Vec::new() };
    let names = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name != "node_modules").collect();
    names.sort();
    let join = |name: String| if at.is_empty() { name } else { format!("{at}/{name}") };
    names.into_iter().map(join).collect()
}
