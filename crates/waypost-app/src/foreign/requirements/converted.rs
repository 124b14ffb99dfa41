//! A requirement as a gate.

use waypost_core::gate::proof::approval::ApprovalProof;
use waypost_core::gate::proof::check::CheckProof;
use waypost_core::gate::proof::git::GitProof;
use waypost_core::gate::proof::skill::SkillProof;
use waypost_core::gate::{Before, Gate, OnError, Proof, Scope, Source, When};

use super::cascade::Given;
use super::fields::{Fields, milliseconds};
use super::hooks::Hooks;
use super::places::Places;
use super::{evidence, messages, skills, triggers};
use crate::config::Problem;
use crate::foreign::yaml::Node;

/// Branches that a guard protects where it names none.
const PROTECTED: &[&str] = &["master", "main"];
/// How long approving what is calculated holds where nothing is said.
const APPROVED: i64 = 300_000;
/// The longest name of a gate.
const MAX_ID: usize = 64;

/// The gate of a requirement that was checked; `None` where it never stands before anything.
pub(super) fn gate(
    fields: &Fields<'_>,
    hooks: &Hooks,
    places: &Places,
    notes: &mut Vec<Problem>,
) -> Result<Option<Gate>, Problem> {
    let id = id(fields)?;
    let mut before = triggers::of(fields, notes);
    let stop_only = fields.is_true("stop_only");
    // What holds of the branch or of others while files change is no matter of the turn's end, unless it says so.
    let is_asked = fields.kind() != "guard" || stop_only;
    let at_stop = is_asked && hooks.verifies(fields.scope());
    if stop_only && !at_stop {
        let why =
            "it is `stop_only`, and its scope is not verified at a stop: it never holds anything";
        notes.push(fields.note(&fields.at, why));
        return Ok(None);
    }
    let Some(proof) = proof(fields, places, notes) else { return Ok(None) };
    if before.is_empty() {
        return Ok(None);
    }
    notes.extend(deprecation(fields));
    notes.extend(
        ["replan_ttl", "approval_ttl"].into_iter().filter_map(|field| no_time(fields, field)),
    );
    let scope = scope(fields, &before);
    if at_stop {
        before.push(Before::Stop);
    }
    let unless = places.facts.plans.iter().map(|pattern| (*pattern).to_owned()).collect();
    // Where no branch is checked out, nothing could count on it.
    let branch = (scope == Scope::Branch).then(|| "?*".to_owned());
    let when = When { branch, triggered: at_stop, stop_only, unless, ..When::default() };
    let until_end = hooks.until_end && scope == Scope::Conversation;
    let carried = hooks.carries(fields.scope()).filter(|_| fields.kind() != "guard" && !until_end);
    Ok(Some(Gate {
        scope,
        when,
        on_error: OnError::Allow,
        carry_over: carried.filter(|_| scope == Scope::Conversation),
        imported: true,
        until_end,
        message: messages::of(fields, places, notes),
        source: Source::new(fields.at.file.to_string(), fields.at.line),
        ..Gate::new(id, before, proof)
    }))
}

/// Its name, as names of gates are written.
fn id(fields: &Fields<'_>) -> Result<String, Problem> {
    name(fields.name).ok_or_else(|| {
        let why = format!("its name must have 1 to {MAX_ID} characters");
        fields.dropped(&fields.at, &why)
    })
}

/// The name of a requirement's gate; `None` if it has none that a gate can have.
pub(in crate::foreign) fn name(requirement: &str) -> Option<String> {
    let plain =
        |unit: char| if unit.is_alphanumeric() || "-_.".contains(unit) { unit } else { '-' };
    let id: String = requirement.trim().chars().map(plain).collect();
    (!id.is_empty() && id.chars().count() <= MAX_ID).then_some(id)
}

/// What is for one use is used up by a command or a tool, not by each change of a file: there, such a requirement is
/// never used up.
fn scope(fields: &Fields<'_>, before: &[Before]) -> Scope {
    let is_edit = |one: &Before| match one {
        Before::Edit => true,
        Before::Tool(name) => {
            matches!(name.as_str(), "Edit" | "Write" | "MultiEdit" | "NotebookEdit")
        }
        _ => false,
    };
    match fields.scope() {
        "branch" if fields.kind() != "dynamic" => Scope::Branch,
        "permanent" if fields.kind() != "dynamic" => Scope::Permanent,
        "single_use" if fields.kind() != "dynamic" && !before.iter().all(is_edit) => {
            Scope::SingleUse
        }
        _ => Scope::Conversation,
    }
}

fn proof(fields: &Fields<'_>, places: &Places, notes: &mut Vec<Problem>) -> Option<Proof> {
    let lasts = fields.seconds("replan_ttl").filter(|_| fields.scope() != "permanent");
    let skill = |name: String| Proof::Skill(SkillProof { name, anybody: true, lasts });
    let mut skills: Vec<Proof> = skills::of(fields).into_iter().map(skill).collect();
    let approval = |ttl| Proof::Approval(ApprovalProof { signed_by: None, ttl });
    match fields.kind() {
        "guard" => guard(fields, notes).map(|proof| {
            skills.insert(0, proof);
            skills.push(approval(None));
            Proof::Any(skills)
        }),
        "dynamic" => size(fields, notes).map(|proof| {
            let ttl = fields.get("approval_ttl").and_then(milliseconds).unwrap_or(APPROVED);
            skills.insert(0, proof);
            skills.push(approval(Some(ttl)));
            Proof::Any(skills)
        }),
        _ => {
            let plan = evidence::of(fields, places, notes);
            if skills.is_empty() || plan.is_some() {
                skills.push(approval(None));
            }
            let satisfied = one_or(skills, Proof::Any);
            Some(match plan {
                Some(plan) => Proof::All(vec![satisfied, plan]),
                None => satisfied,
            })
        }
    }
}

fn one_or(proofs: Vec<Proof>, several: fn(Vec<Proof>) -> Proof) -> Proof {
    match <[Proof; 1]>::try_from(proofs) {
        Ok([only]) => only,
        Err(proofs) => several(proofs),
    }
}

fn guard(fields: &Fields<'_>, notes: &mut Vec<Problem>) -> Option<Proof> {
    if fields.text("guard_type") == Some("single_session") {
        return Some(Proof::Alone);
    }
    let given = fields.get("protected_branches").and_then(Given::plain).and_then(Node::as_list);
    let named = given.map(|items| items.iter().filter_map(Node::as_str).collect());
    let branches: Vec<&str> = named.unwrap_or_else(|| PROTECTED.to_vec());
    let off = |branch: &&str| Proof::Git(GitProof::Off((*branch).trim().to_owned()));
    let off: Vec<Proof> =
        branches.iter().filter(|branch| !branch.trim().is_empty()).map(off).collect();
    if off.is_empty() {
        notes.push(fields.note(&fields.at, "it protects no branch, so it never holds anything"));
        return None;
    }
    Some(one_or(off, Proof::All))
}

/// Below the threshold. What has no branch to compare with has no size.
fn size(fields: &Fields<'_>, notes: &mut Vec<Problem>) -> Option<Proof> {
    let block = fields.get("thresholds").and_then(|thresholds| thresholds.get("block"));
    let block = block.and_then(Given::plain).map(|node| {
        let as_number = |yes: bool| f64::from(u8::from(yes));
        node.as_number().or_else(|| node.as_bool().map(as_number)).unwrap_or(f64::NAN)
    });
    let block = block.filter(|block| block.is_finite());
    let Some(block) = block else {
        notes.push(
            fields.note(&fields.at, "its threshold is never reached, so it never holds anything"),
        );
        return None;
    };
    // Lines are whole: what is below 399.5 is below 400.
    let lines = format!("{:.0}", block.ceil());
    let is = |name: &&str| format!("branch.name == \"{name}\"");
    let own: Vec<String> = PROTECTED.iter().map(is).collect();
    let expression = format!("{} || branch.size < {lines}", own.join(" || "));
    Some(Proof::Check(CheckProof { expression }))
}

/// That a field which should be a number of seconds is none, and counts for nothing.
fn no_time(fields: &Fields<'_>, field: &str) -> Option<Problem> {
    let given =
        fields.get(field).filter(|given| given.is_true() && milliseconds(given).is_none())?;
    let what = given.type_name();
    let why = format!("`{field}` must be a number of seconds, not {what}; it counts for nothing");
    Some(fields.note(&given.at, &why))
}

fn deprecation(fields: &Fields<'_>) -> Option<Problem> {
    if !fields.is_true("deprecated") {
        return None;
    }
    let why = fields.text("deprecated_message").unwrap_or("it is deprecated");
    Some(fields.note(&fields.at, why))
}
