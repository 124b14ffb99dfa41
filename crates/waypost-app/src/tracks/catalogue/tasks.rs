//! Phases that become known only on the way: those that a file below the workflow's target names.

mod criteria;
mod found;
mod read;
mod words;

use std::path::{Component, Path, PathBuf};

use waypost_core::text::{one_line, shortened};
use waypost_core::track::{Definition, MAX_PHASES, Phase};
use waypost_store::look;

use self::found::FoundPhase;
use crate::config::workflow::COMPLETE;
use crate::config::{MAX_BYTES, text_inside};
use crate::error::AppError;
use crate::view::View;

/// The definition with the phases that a file below the target names.
pub fn unfold(
    view: &View<'_>,
    definition: &Definition,
    file: &str,
    target: Option<&str>,
) -> Result<Definition, AppError> {
    let root = &view.project.root;
    let path = place(root, file, target)?;
    let shown = view.project.relative(&path);
    let text = text_inside(root, &path, MAX_BYTES).map_err(|problem| {
        AppError::refused(format!("the phases that follow should be in {shown}: {problem}"))
            .hint(format!("write them there: {SHAPE}"))
    })?;
    let found = read::phases(&text);
    if found.is_empty() {
        return Err(AppError::refused(format!("{shown} names no phases"))
            .hint(format!("write them there: {SHAPE}")));
    }
    let total = definition.phases.len() + found.len();
    if total > MAX_PHASES {
        let told = format!("{shown} makes it {total} phases; a workflow has 1 to {MAX_PHASES}");
        return Err(AppError::refused(told).hint("join some of them"));
    }
    let mut unfolded = Definition { phases_from: None, ..definition.clone() };
    for FoundPhase { phase, criteria } in found {
        let name = unique(&unfolded, &phase.name);
        let gates = criteria::gate(&shown, &name, &criteria).into_iter().collect();
        unfolded.phases.push(Phase { name, gates, ..phase });
    }
    Ok(unfolded)
}

const SHAPE: &str = "a heading `## Phase 1: NAME` each, below it tasks, `- [ ] **Task 1.1**: NAME` or \
                     `### Task 1.1: NAME`, and what has to be true at its end, `**Validation Gate:**` with a list";

/// The file below the target, or the target if it is a file itself.
fn place(root: &Path, file: &str, target: Option<&str>) -> Result<PathBuf, AppError> {
    let target = target.unwrap_or_default();
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let given = Path::new(target);
    let below = given.strip_prefix(root).unwrap_or(given);
    if !below.components().all(plain) {
        let shown = shortened(&one_line(target), 200);
        return Err(AppError::refused(format!("the target {shown} lies outside the project"))
            .hint("begin the workflow on a file or folder of the project"));
    }
    let path = root.join(below);
    Ok(if look::is_file(&path) { path } else { path.join(file) })
}

fn unique(definition: &Definition, name: &str) -> String {
    let mut name = name.to_owned();
    if name == COMPLETE || name.parse::<f64>().is_ok() {
        name = format!("Phase {name}");
    }
    if definition.phase(&name).is_none() {
        return name;
    }
    let numbers = definition.first + definition.phases.len() as u64..;
    let names = numbers.map(|number| format!("{name} ({number})"));
    names.into_iter().find(|name| definition.phase(name).is_none()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
