//! How many phases a session's workflow has, as far as its file tells: the program counted wrongly, or not at all, where
//! phases are those of a spec.

use serde_json::{Map, Value};
use waypost_core::track::MAX_PHASES;

use super::source::{Source, whole};

/// Workflows whose phases are those of a spec, behind one that reads it.
const OF_SPECS: &str = "spec_execution";
/// How many entries such a workflow's own definition has: the second stands for all phases of the spec.
const ENTRIES: u64 = 2;
/// How many phases the workflows have that come with the program, from the first one on.
const OWN: &[(&str, u64)] = &[
    ("spec_creation_v1", 6),
    ("standards_creation_v1", 6),
    ("praxis_os_upgrade_v1", 6),
    ("agent_os_upgrade_v1", 6),
    ("test_generation_v3", 8),
    ("production_code_v2", 6),
];
/// Where the first phase of a spec's workflow says how many it found.
const COUNTS: &[&str] = &[
    "phases_extracted",
    "total_phases",
    "phases_identified",
    "phases_found",
    "phases_parsed",
    "phase_count",
    "phase_list",
    "phases",
];
/// Who is said to be done when a workflow is, in the keys of evidence.
const WHOLE: &[&str] = &[
    "workflow",
    "workflow_execution",
    "spec_execution",
    "session",
    "project",
    "all_phases",
    "all_work",
    "everything",
];
const DONE: &[&str] = &["_complete", "_completed", "_done", "_finished"];
/// How many texts of evidence are searched.
const MAX_TEXTS: usize = 200;

/// How many phases there are.
#[derive(Debug, Default)]
pub(super) struct Extent {
    /// The last phase, where it is known.
    pub(super) last: Option<u64>,
    /// What tells so, where that is no count of the file's own.
    pub(super) basis: Option<String>,
    /// Whether more phases follow that are not known yet.
    pub(super) open: bool,
}

impl Extent {
    pub(super) fn of(source: &Source<'_>, workflow: &str, remarks: &mut Vec<String>) -> Self {
        let extent = Self::told(source, workflow, remarks);
        let most = source.first + MAX_PHASES as u64 - 1;
        let Some(last) = extent.last.filter(|last| *last > most) else { return extent };
        remarks.push(format!(
            "it counts phases up to {last}; a workflow has 1 to {MAX_PHASES}, and those are taken"
        ));
        Self { last: Some(most), ..extent }
    }

    fn told(source: &Source<'_>, workflow: &str, remarks: &mut Vec<String>) -> Self {
        let last_of = |total: u64| source.first.saturating_add(total).saturating_sub(1);
        let counted = |value: Option<&Value>| value.and_then(whole).filter(|total| *total > 0);
        let is_open = source.structure("dynamic").and_then(Value::as_bool) == Some(true);
        if is_open {
            return Self { open: true, ..Self::default() };
        }
        if let Some(total) = counted(source.structure("total_phases")) {
            return Self { last: Some(last_of(total)), ..Self::default() };
        }
        let total = counted(source.fields.get("metadata").and_then(|it| it.get("total_phases")));
        let is_of_spec = workflow.starts_with(OF_SPECS);
        if let Some(total) = total {
            if !is_of_spec || total > ENTRIES {
                return Self { last: Some(last_of(total)), ..Self::default() };
            }
            remarks.push(format!(
                "it counts {total} phases: these are the entries of {workflow}, where one stands for all phases of \
                 the spec, so that the count tells nothing"
            ));
        }
        if is_of_spec {
            return Self::of_spec(source);
        }
        let own = OWN.iter().find(|(name, _)| *name == workflow);
        own.map_or_else(Self::default, |(_, total)| Self {
            last: Some(last_of(*total)),
            basis: Some(format!("{workflow} has {total} phases")),
            open: false,
        })
    }

    /// What the phase that reads the spec found in it.
    fn of_spec(source: &Source<'_>) -> Self {
        let found = source.evidence(source.first).and_then(phases_of_spec);
        let Some((key, count)) = found else {
            // Nobody has looked yet.
            let others = source.named().into_iter().chain(source.current).max().unwrap_or(0);
            let open = others <= source.first && !source.is_closed(source.first);
            return Self { open, ..Self::default() };
        };
        Self {
            last: Some(source.first.saturating_add(count)),
            basis: Some(format!(
                "the evidence of phase {} counts {count} phases of the spec (`{key}`)",
                source.first
            )),
            open: false,
        }
    }
}

/// How many phases the spec has, and where that stands.
fn phases_of_spec(evidence: &Map<String, Value>) -> Option<(String, u64)> {
    let counted = COUNTS.iter().find_map(|key| {
        let count = match evidence.get(*key)? {
            Value::Array(list) => u64::try_from(list.len()).ok()?,
            other => whole(other)?,
        };
        Some(((*key).to_owned(), count))
    });
    let told = || {
        let mut room = MAX_TEXTS;
        evidence.iter().find_map(|(key, value)| Some((key.clone(), in_text(value, 2, &mut room)?)))
    };
    let likely = 1..MAX_PHASES as u64;
    counted
        .filter(|(_, count)| likely.contains(count))
        .or_else(told)
        .filter(|(_, count)| likely.contains(count))
}

/// The number in a text such as `4 phases`.
fn in_text(value: &Value, depth: usize, room: &mut usize) -> Option<u64> {
    if *room == 0 {
        return None;
    }
    match value {
        Value::String(text) => {
            *room -= 1;
            let words: Vec<&str> = text.split_whitespace().take(500).collect();
            let pairs = words.windows(2);
            pairs
                .filter(|pair| pair[1].to_ascii_lowercase().starts_with("phases"))
                .find_map(|pair| pair[0].trim_matches(|c: char| !c.is_ascii_digit()).parse().ok())
        }
        Value::Array(list) if depth > 0 => {
            list.iter().take(MAX_TEXTS).find_map(|it| in_text(it, depth - 1, room))
        }
        Value::Object(map) if depth > 0 => {
            map.values().take(MAX_TEXTS).find_map(|it| in_text(it, depth - 1, room))
        }
        _ => None,
    }
}

/// The key of evidence that says that all is done.
pub(super) fn says_all_done(evidence: &Map<String, Value>) -> Option<&str> {
    let said = evidence.iter().filter(|(_, value)| **value == Value::Bool(true));
    said.map(|(key, _)| key.as_str()).find(|key| {
        let key = key.to_ascii_lowercase();
        DONE.iter().any(|done| key.strip_suffix(done).is_some_and(|who| WHOLE.contains(&who)))
    })
}
