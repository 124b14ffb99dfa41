//! What a session's file says of its phases, by number, whatever the keys are called. Judges nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use waypost_core::track::{MAX_PHASES, PhaseResult};

use super::{AS_OF, ASIDE};

/// More of a list is not looked at.
const MAX_ITEMS: usize = 5_000;

/// What a session's file says.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) fields: &'a Map<String, Value>,
    /// What stands in its metadata since it was last taken out of here.
    aside: Option<&'a Map<String, Value>>,
    /// The phase that it calls its current one, which need not be one.
    pub(super) current: Option<u64>,
    /// The number of the first phase: 0 or 1.
    pub(super) first: u64,
    /// Those that it calls completed; none where it has no such list.
    completed: Option<BTreeSet<u64>>,
    pub(super) checkpoints: BTreeMap<u64, PhaseResult>,
    pub(super) artifacts: BTreeMap<u64, &'a Map<String, Value>>,
    submitted: BTreeMap<u64, &'a Map<String, Value>>,
    pub(super) timings: BTreeMap<u64, &'a Map<String, Value>>,
    /// Whether it has a place for times of phases.
    pub(super) has_timings: bool,
    pub(super) names: BTreeMap<u64, &'a str>,
    pub(super) skips: BTreeMap<u64, &'a str>,
}

impl<'a> Source<'a> {
    pub(super) fn new(fields: &'a Map<String, Value>, remarks: &mut Vec<String>) -> Self {
        let mut numbers = Numbers { beyond: false };
        let completed = fields.get("completed_phases").and_then(Value::as_array).map(|list| {
            list.iter().take(MAX_ITEMS).filter_map(|value| numbers.of(value)).collect()
        });
        let aside = fields.get("metadata").and_then(|it| it.get(ASIDE)?.as_object());
        let beside = |key: &str| aside.and_then(|aside| aside.get(key));
        let mut names = numbers.map(beside("phase_names"), Value::as_str);
        names.extend(numbers.map(fields.get("phase_names"), Value::as_str));
        let mut skips = numbers.map(fields.get("skip_reasons"), Value::as_str);
        let mut checkpoints = numbers.map(fields.get("checkpoints"), result);
        for (number, reason) in numbers.map(beside("skip_reasons"), Value::as_str) {
            // The program has no word for what was skipped.
            if checkpoints.get(&number) == Some(&PhaseResult::Passed) {
                checkpoints.insert(number, PhaseResult::Skipped);
                skips.entry(number).or_insert(reason);
            }
        }
        let mut timings = numbers.map(fields.get("phase_timings"), Value::as_object);
        timings.extend(numbers.map(fields.get("phase_timing"), Value::as_object));
        let mut source = Self {
            fields,
            aside,
            current: fields.get("current_phase").and_then(|value| numbers.of(value)),
            first: 0,
            completed,
            checkpoints,
            artifacts: numbers.map(fields.get("phase_artifacts"), Value::as_object),
            submitted: numbers.map(fields.get("evidence_submitted"), Value::as_object),
            has_timings: ["phase_timings", "phase_timing"]
                .iter()
                .any(|key| fields.get(*key).is_some_and(Value::is_object)),
            timings,
            names,
            skips,
        };
        if numbers.beyond {
            remarks.push(format!(
                "phases with numbers of {MAX_PHASES} and more are not taken: a workflow has 1 to {MAX_PHASES} phases"
            ));
        }
        let lowest = source.named().into_iter().chain(source.current).min();
        let said =
            source.structure("starting_phase").and_then(Value::as_u64).filter(|first| *first < 2);
        // One that names phase 0 begins there, whatever it says.
        source.first = match lowest {
            Some(lowest) => said.unwrap_or(lowest).min(lowest).min(1),
            None => said.unwrap_or(0),
        };
        source
    }

    /// The numbers that anything but the current phase names.
    pub(super) fn named(&self) -> BTreeSet<u64> {
        let mut named = self.without_timings();
        named.extend(self.timings.keys());
        named
    }

    /// The same, but for phases that nothing but a time is known of.
    pub(super) fn without_timings(&self) -> BTreeSet<u64> {
        let mut named: BTreeSet<u64> = self.completed.iter().flatten().copied().collect();
        named.extend(self.checkpoints.keys());
        named.extend(self.artifacts.keys());
        named.extend(self.submitted.keys());
        named.extend(self.names.keys());
        named.extend(self.skips.keys());
        named
    }

    /// Whether a phase is done with.
    pub(super) fn is_closed(&self, number: u64) -> bool {
        match (self.checkpoints.get(&number), &self.completed) {
            (Some(PhaseResult::Failed), _) => false,
            (Some(PhaseResult::Skipped), _) => true,
            (_, Some(completed)) => completed.contains(&number),
            (checkpoint, None) => checkpoint == Some(&PhaseResult::Passed),
        }
    }

    /// The last phase that is done with.
    pub(super) fn last_closed(&self) -> Option<u64> {
        self.named().into_iter().rev().find(|number| self.is_closed(*number))
    }

    /// Those that it calls completed while their checkpoint failed.
    pub(super) fn completed_in_vain(&self) -> Vec<u64> {
        let failed = |number: &u64| self.checkpoints.get(number) == Some(&PhaseResult::Failed);
        self.completed.iter().flatten().copied().filter(failed).collect()
    }

    /// What became of a phase.
    pub(super) fn result(&self, number: u64) -> PhaseResult {
        match self.checkpoints.get(&number) {
            Some(result) if *result != PhaseResult::Pending => *result,
            _ if self.is_closed(number) => PhaseResult::Passed,
            _ => PhaseResult::Pending,
        }
    }

    /// Whether a phase was begun, and is not done with.
    pub(super) fn is_begun(&self, number: u64) -> bool {
        let begun = self
            .timings
            .get(&number)
            .is_some_and(|timing| timing.get("started_at").is_some_and(|time| !time.is_null()));
        begun && !self.is_closed(number)
    }

    /// Whether anything was given for a phase.
    pub(super) fn is_tried(&self, number: u64) -> bool {
        self.artifacts.contains_key(&number) || self.submitted.contains_key(&number)
    }

    /// What was given for a phase.
    pub(super) fn evidence(&self, number: u64) -> Option<&'a Map<String, Value>> {
        let artifact = self.artifacts.get(&number).and_then(|it| it.get("evidence")?.as_object());
        artifact.filter(|given| !given.is_empty()).or_else(|| self.submitted.get(&number).copied())
    }

    /// A flag of its life.
    pub(super) fn lifecycle(&self, key: &str) -> Option<&'a Value> {
        let here = || {
            // What holds for another time does not hold: the program has gone on since.
            let aside = self.aside?;
            (aside.get(AS_OF) == self.fields.get("updated_at")).then(|| aside.get("lifecycle"))?
        };
        self.fields.get("lifecycle").or_else(here)?.get(key)
    }

    /// What it says of its workflow.
    pub(super) fn structure(&self, key: &str) -> Option<&'a Value> {
        let here = || self.aside?.get("workflow_structure");
        self.fields.get("workflow_structure").or_else(here)?.get(key)
    }

    /// How it calls itself.
    pub(super) fn status(&self) -> &'a str {
        self.fields.get("status").and_then(Value::as_str).unwrap_or_default().trim()
    }
}

/// Reads numbers of phases, and notices those that are too large.
struct Numbers {
    beyond: bool,
}

impl Numbers {
    fn of(&mut self, value: &Value) -> Option<u64> {
        let number = whole(value)?;
        let fits = usize::try_from(number).is_ok_and(|number| number < MAX_PHASES);
        self.beyond |= !fits;
        fits.then_some(number)
    }

    fn map<'a, T>(
        &mut self,
        value: Option<&'a Value>,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> BTreeMap<u64, T> {
        let entries = value.and_then(Value::as_object).into_iter().flatten().take(MAX_ITEMS);
        let mut found = BTreeMap::new();
        for (key, value) in entries {
            let Ok(number) = key.trim().parse::<u64>() else { continue };
            if let (Some(number), Some(value)) = (self.of(&number.into()), read(value)) {
                found.insert(number, value);
            }
        }
        found
    }
}

/// A whole number, also one that is written as 1.0 or as a text.
pub(super) fn whole(value: &Value) -> Option<u64> {
    if let Value::String(text) = value {
        return text.trim().parse().ok();
    }
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        let fits = number.fract() == 0.0 && (0.0..1e9).contains(&number);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range is checked"
        )]
        fits.then_some(number as u64)
    })
}

/// What became of a phase: a word, whether it passed, or an object with either.
fn result(value: &Value) -> Option<PhaseResult> {
    let word = match value {
        Value::String(word) => word,
        Value::Bool(true) => return Some(PhaseResult::Passed),
        Value::Bool(false) => return Some(PhaseResult::Failed),
        Value::Object(fields) => {
            let told = ["status", "result", "passed"].iter().find_map(|key| fields.get(*key))?;
            return (!told.is_object()).then(|| result(told))?;
        }
        _ => return None,
    };
    match word.trim().to_ascii_lowercase().as_str() {
        "passed" | "pass" | "completed" | "complete" => Some(PhaseResult::Passed),
        "failed" | "fail" => Some(PhaseResult::Failed),
        "pending" | "in_progress" | "active" => Some(PhaseResult::Pending),
        "skipped" | "skip" => Some(PhaseResult::Skipped),
        _ => None,
    }
}
