//! Files of the program that refuses keys which it does not know. What it has no key for stands in the metadata, which
//! are anybody's; whoever reads them knows by a time whether that program has gone on since.

use serde_json::{Map, Value, json};
use waypost_core::course::PhaseResult;

use super::{AS_OF, ASIDE, within};

/// Keys that the program refuses.
const REFUSED: &[&str] =
    &["lifecycle", "workflow_structure", "phase_names", "skip_reasons", "phase_timing"];

/// Whether a file is one of that program's.
pub(super) fn is_strict(original: &Map<String, Value>) -> bool {
    let has = |key: &&str| original.contains_key(*key);
    !has(&"workflow_structure") && ["evidence_submitted", "phase_timings", "status"].iter().any(has)
}

/// Moves aside what the program refuses, and puts what it has no word for in one that it has.
pub(super) fn narrow(fresh: &mut Map<String, Value>) -> Map<String, Value> {
    fresh.remove("phase_artifacts");
    within(fresh, "checkpoints", |all| {
        for result in all.values_mut().filter(|result| **result == json!(PhaseResult::Skipped)) {
            *result = json!(PhaseResult::Passed);
        }
    });
    let moved = |key: &&str| Some(((*key).to_owned(), fresh.remove(*key)?));
    REFUSED.iter().filter_map(moved).filter(|(key, _)| key != "phase_timing").collect()
}

/// Adds what was moved aside.
pub(super) fn add(fields: &mut Map<String, Value>, aside: Map<String, Value>) {
    within(fields, "metadata", |metadata| drop(metadata.insert(ASIDE.to_owned(), aside.into())));
}

/// Says until when that holds. Comes last, since it is the very text of another time.
pub(super) fn date(fields: &mut Map<String, Value>) {
    let as_of = fields.get("updated_at").cloned().unwrap_or_default();
    if let Some(aside) = fields.get_mut("metadata").and_then(|it| it.get_mut(ASIDE)) {
        aside[AS_OF] = as_of;
    }
}
