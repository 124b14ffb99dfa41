//! Whether a requirement can be one: what is checked, and in which order, is what the framework itself checks.

use super::cascade::Given;
use super::fields::Fields;
use super::triggers;
use crate::config::Problem;
use crate::foreign::yaml::{Node, Value};
use waypost_core::text::did_you_mean;

const SCOPES: &[&str] = &["session", "branch", "permanent", "single_use"];
const TYPES: &[&str] = &["blocking", "dynamic", "guard"];
/// The only calculator that there is.
pub(super) const CALCULATOR: &str = "branch_size_calculator";

/// Says what is wrong first.
pub(super) fn check(fields: &Fields<'_>) -> Result<(), Problem> {
    if fields.get("enabled").is_some_and(|given| !is_flag(given)) {
        return Err(fields.wrong("enabled", "must be true or false"));
    }
    one_of(fields, "scope", SCOPES)?;
    triggers::check(fields)?;
    checklist(fields)?;
    text(fields, "message")?;
    one_of(fields, "type", TYPES)?;
    for skill in ["satisfied_by_skill", "auto_resolve_skill"] {
        text(fields, skill)?;
        if fields.get(skill).is_some() && fields.text(skill).is_none() {
            return Err(fields.wrong(skill, "must name a skill"));
        }
    }
    match fields.kind() {
        "guard" => guard(fields),
        "dynamic" => dynamic(fields),
        _ => Ok(()),
    }
}

fn is_flag(given: &Given) -> bool {
    given.plain().is_some_and(|node| node.as_bool().is_some())
}

fn text(fields: &Fields<'_>, field: &str) -> Result<(), Problem> {
    match fields.get(field) {
        Some(given) if given.as_str().is_none() => {
            Err(fields.wrong(field, &format!("must be text, not {}", given.type_name())))
        }
        _ => Ok(()),
    }
}

fn one_of(fields: &Fields<'_>, field: &str, known: &[&str]) -> Result<(), Problem> {
    text(fields, field)?;
    let Some(word) = fields.get(field).and_then(Given::as_str) else { return Ok(()) };
    if known.contains(&word) {
        return Ok(());
    }
    let meant = did_you_mean(word, known);
    let meant = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
    Err(fields.wrong(field, &format!("is one of {}{meant}", known.join(", "))))
}

fn checklist(fields: &Fields<'_>) -> Result<(), Problem> {
    let Some(given) = fields.get("checklist") else { return Ok(()) };
    let Some(items) = given.plain().and_then(Node::as_list) else {
        return Err(fields.wrong("checklist", "must be a list of texts"));
    };
    match items.iter().find(|item| item.as_str().is_none()) {
        Some(item) => {
            let why = format!("`checklist` holds {} among its texts", item.type_name());
            Err(fields.dropped(&given.at_line(item.line), &why))
        }
        None => Ok(()),
    }
}

fn guard(fields: &Fields<'_>) -> Result<(), Problem> {
    match fields.get("guard_type").filter(|given| given.is_true()) {
        None => {
            let missing =
                "a guard must say its `guard_type`: `protected_branch` or `single_session`";
            Err(fields.dropped(&fields.at, missing))
        }
        Some(given) if !matches!(given.as_str(), Some("protected_branch" | "single_session")) => {
            Err(fields.wrong("guard_type", "is `protected_branch` or `single_session`"))
        }
        Some(_) => match fields.get("protected_branches") {
            Some(given) if given.plain().and_then(Node::as_list).is_none() => {
                Err(fields.wrong("protected_branches", "must be a list of branches"))
            }
            _ => Ok(()),
        },
    }
}

fn dynamic(fields: &Fields<'_>) -> Result<(), Problem> {
    match fields.get("calculator").filter(|given| given.is_true()) {
        None => {
            let missing = format!("a dynamic one must name its `calculator`: `{CALCULATOR}`");
            return Err(fields.dropped(&fields.at, &missing));
        }
        Some(given) if given.as_str() != Some(CALCULATOR) => {
            let why = format!("is `{CALCULATOR}`: no other calculator is known here");
            return Err(fields.wrong("calculator", &why));
        }
        Some(_) => {}
    }
    let Some(thresholds) = fields.get("thresholds").and_then(Given::as_map) else {
        return Err(fields.wrong("thresholds", "must be a map with `block` in it"));
    };
    if !thresholds.iter().any(|entry| entry.key == "block") {
        return Err(
            fields.wrong("thresholds", "must have `block`: the number of lines that is too many")
        );
    }
    for entry in thresholds {
        if !entry.given.plain().is_some_and(is_positive) {
            let why = format!("the threshold `{}` must be a positive number", entry.key);
            return Err(fields.dropped(&entry.at, &why));
        }
    }
    Ok(())
}

fn is_positive(node: &Node) -> bool {
    // Nothing is below what is no number, so that one passes there too.
    matches!(node.value, Value::Bool(_))
        || node.as_number().is_some_and(|number| number >= 0.0 || number.is_nan())
}
