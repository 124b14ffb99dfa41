//! `evidence`: a plan that has to lie in the project beside whatever else satisfies a requirement.

use std::path::{Component, Path};

use waypost_core::gate::Proof;
use waypost_core::gate::facts::plan::WantedPlan;

use super::cascade::Given;
use super::fields::{Fields, milliseconds, shown};
use super::places::Places;
use crate::config::Problem;
use crate::foreign::yaml::Node;

/// The plan that has to be there, if one has to.
pub(super) fn of(fields: &Fields<'_>, places: &Places, notes: &mut Vec<Problem>) -> Option<Proof> {
    let given = fields.get("evidence").filter(|given| given.is_true())?;
    if given.as_map().is_none() {
        let what =
            format!("`evidence` must be a map, not {}; no plan is asked for", given.type_name());
        notes.push(fields.note(&given.at, &what));
        return None;
    }
    let mut folders = texts(given.get("dirs"));
    if folders.is_empty() {
        folders.push(places.facts.plans_in.to_owned());
    }
    folders.retain(|folder| {
        let is_inside = is_inside(folder);
        if !is_inside {
            let what = format!("the folder `{}` of plans lies outside the project", shown(folder));
            notes.push(fields.note(&given.at, &what));
        }
        is_inside
    });
    if folders.is_empty() {
        return None;
    }
    let verdict = texts(given.get("require_verdict")).into_iter().next();
    let within = given.get("max_age_seconds").and_then(milliseconds);
    Some(Proof::Plan(WantedPlan {
        folders,
        texts: texts(given.get("require_markers")),
        verdict,
        within,
    }))
}

/// A text, or the texts of a list.
fn texts(given: Option<&Given>) -> Vec<String> {
    let Some(node) = given.and_then(Given::plain) else { return Vec::new() };
    let all = node.as_list().unwrap_or(std::slice::from_ref(node));
    all.iter().filter_map(Node::as_str).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

fn is_inside(folder: &str) -> bool {
    let stays = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    Path::new(folder).components().all(stays) && !folder.contains(['*', '?'])
}
