//! A session's phases: the workflow as far as the file tells, and what became of each phase.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use waypost_core::event::PastPhase;
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;
use waypost_core::track::{Definition, Phase, PhaseResult};

use super::extent::Extent;
use super::source::Source;
use super::verdict::Verdict;
use crate::config::workflow::COMPLETE;
use crate::foreign::session::times::Times;

/// How long a name may be, in characters.
const MAX_NAME: usize = 200;
/// How many files or commands of a phase are taken.
const MAX_OF_PHASE: usize = 500;
/// The file of a spec that names phases, and the option that says where the spec is.
const TASKS: (&str, &str) = ("tasks.md", "spec_path");

/// The workflow that a session follows, as far as its file tells.
pub(super) fn definition(
    source: &Source<'_>,
    workflow: &str,
    extent: &Extent,
    verdict: &Verdict,
) -> Definition {
    let mut taken = BTreeSet::new();
    let phases = (source.first..=verdict.last).map(|number| {
        let name = name(source, number).filter(|name| taken.insert(name.clone()));
        let name = name.unwrap_or_else(|| {
            let plain = format!("Phase {number}");
            // Another phase may be called so.
            let others = (1..).map(|other| format!("{plain} ({other})"));
            let mut all = std::iter::once(plain.clone()).chain(others);
            let free = all.find(|name| !taken.contains(name)).unwrap_or_else(|| plain.clone());
            taken.insert(free.clone());
            free
        });
        Phase { name, ..Phase::default() }
    });
    let mut definition = Definition::new(workflow, phases.collect());
    definition.first = source.first;
    definition.version =
        source.structure("workflow_version").and_then(Value::as_str).map(str::to_owned);
    if extent.open && !verdict.complete {
        definition.phases_from = Some(TASKS.0.to_owned());
        definition.target_option = Some(TASKS.1.to_owned());
    }
    definition
}

/// What a phase is called, if that can be a name here.
fn name(source: &Source<'_>, number: u64) -> Option<String> {
    let in_artifact = || source.artifacts.get(&number)?.get("phase_name")?.as_str();
    let name = source.names.get(&number).copied().or_else(in_artifact)?;
    let name = shortened(&one_line(name), MAX_NAME);
    let is_name = !name.is_empty() && name != COMPLETE && name.parse::<f64>().is_err();
    is_name.then_some(name)
}

/// What became of each phase.
pub(super) fn known(
    source: &Source<'_>,
    definition: &Definition,
    verdict: &Verdict,
    created_at: Option<Timestamp>,
    times: &Times<'_>,
    remarks: &mut Vec<String>,
) -> Vec<PastPhase> {
    let mut before = created_at;
    let mut deduced = false;
    let mut known = Vec::new();
    for (number, phase) in (definition.first..).zip(&definition.phases) {
        let mut one = past_phase(source, number, &phase.name, times);
        let is_begun =
            source.is_closed(number) || source.is_tried(number) || number == verdict.current;
        if !source.has_timings && is_begun && one.started_at.is_none() {
            one.started_at = before;
            deduced |= before.is_some();
        }
        before = one.completed_at;
        known.push(one);
    }
    if deduced {
        remarks.push(
            "when its phases began is not in the file: each is taken to have begun when the one before was completed, \
             the first with the session"
                .to_owned(),
        );
    }
    known
}

fn past_phase(source: &Source<'_>, number: u64, name: &str, times: &Times<'_>) -> PastPhase {
    let timing = source.timings.get(&number);
    let time = |key: &str| times.value(timing?.get(key)?);
    let artifact = source.artifacts.get(&number);
    let handed_in = || times.value(artifact?.get("timestamp")?);
    let completed_at =
        time("completed_at").or_else(|| source.is_closed(number).then(handed_in).flatten());
    let counted = timing.and_then(|timing| timing.get("attempts")?.as_u64());
    let attempts = counted.unwrap_or_else(|| source.is_tried(number).into());
    let result = source.result(number);
    let list = |key: &str, read: fn(&Value) -> Vec<String>| {
        artifact.and_then(|artifact| artifact.get(key)).map(read).unwrap_or_default()
    };
    PastPhase {
        number,
        name: name.to_owned(),
        result,
        started_at: time("started_at"),
        completed_at,
        skipped: skip_reason(source, number).filter(|_| result == PhaseResult::Skipped),
        attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
        evidence: source.evidence(number).cloned().unwrap_or_default(),
        outputs: [list("outputs", outputs), list("file_path", texts)].concat(),
        commands: [list("commands_executed", commands), list("commands", commands)].concat(),
    }
}

fn skip_reason(source: &Source<'_>, number: u64) -> Option<String> {
    source.skips.get(&number).map(|reason| (*reason).to_owned())
}

/// Files: a list of them, or an object whose values are such.
fn outputs(value: &Value) -> Vec<String> {
    let of_object =
        |map: &Map<String, Value>| map.values().flat_map(texts).take(MAX_OF_PHASE).collect();
    value.as_object().map_or_else(|| texts(value), of_object)
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => {
            list.iter().filter_map(Value::as_str).take(MAX_OF_PHASE).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Commands: texts, or objects that have one.
fn commands(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten().take(MAX_OF_PHASE);
    list.filter_map(|one| one.as_str().or_else(|| one.get("command")?.as_str()))
        .map(str::to_owned)
        .collect()
}
