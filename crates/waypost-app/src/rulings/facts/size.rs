//! How large a branch has become: lines that differ from where it began, committed or not.

use std::fs;

use waypost_store::look;

use crate::machine::git::{self, Deadline};
use crate::view::View;

/// Names that the branch may have begun at, the likeliest first.
const BASES: &[&str] = &["origin/HEAD", "origin/main", "origin/master", "main", "master"];

/// The number of lines, or why it cannot be told.
pub(super) fn lines(view: &View<'_>) -> Result<u64, String> {
    if view.project.git.is_none() {
        return Err("this is not a git repository".to_owned());
    }
    let now = view.tree();
    let tree = now.id().ok_or_else(|| "the work tree could not be read".to_owned())?;
    let base = base(view)?;
    let cache = view.project.store.join("trees/size");
    let key = format!("{base} {tree} ");
    let known = look::text(&cache).unwrap_or_default();
    if let Some(count) = known.strip_prefix(&key).and_then(|rest| rest.trim().parse().ok()) {
        return Ok(count);
    }
    let count = view.place().trees(view).lines(&base, tree).map_err(|error| error.to_string())?;
    // Derived: without it, it is counted again.
    let _ = fs::write(&cache, format!("{key}{count}\n"));
    Ok(count)
}

/// The commit that the branch began at: the nearest that it shares with the main one.
fn base(view: &View<'_>) -> Result<String, String> {
    let deadline = Deadline::after(git::LIMIT);
    let ask = |args: &[&str]| {
        let output = git::output(git::command(&view.place().project.root), args, deadline).ok()?;
        Some(String::from_utf8_lossy(&output).trim().to_owned()).filter(|text| !text.is_empty())
    };
    let own = view.branch();
    let others = BASES.iter().filter(|base| own.as_deref() != Some(**base));
    others
        .into_iter()
        .find_map(|base| ask(&["merge-base", "HEAD", base]))
        .or_else(|| ask(&["rev-parse", "--verify", "-q", "HEAD"]))
        .ok_or_else(|| "there is no commit to compare with".to_owned())
}
