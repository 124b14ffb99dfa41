//! What another program's state has to be for others to read it: each field what it has to be, and no other. What is not
//! so is put right where that invents nothing, else left out; it stays in the original, which its import keeps.

use serde_json::{Map, Value};
use waypost_core::key::sha256_hex;
use waypost_core::time::Timestamp;

/// What stands in a field.
#[derive(Debug, Clone, Copy)]
enum Is {
    Text,
    TextOrNull,
    Time,
    TimeOrNull,
    Uuid,
    Share,
    Many,
    Anything,
    Word(&'static [&'static str]),
    Texts,
    Items(&'static [Field]),
    Object(&'static [Field]),
    ObjectOrNull(&'static [Field]),
}

/// What becomes of an object in which a field is not there, or is something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Without {
    /// It is an object without that field.
    Field,
    /// The field is empty: no text, an empty list, nothing.
    Empty,
    /// It is none.
    Nothing,
}

type Field = (&'static str, Is, Without);

const MODE: Is = Is::Word(&["analysis", "planning", "coding", "disabled"]);
const MODE_ENTRY: &[Field] =
    &[("mode", MODE, Without::Nothing), ("timestamp", Is::Time, Without::Nothing)];
const INPUT: &[Field] = &[
    ("prompt", Is::Text, Without::Empty),
    ("context", Is::Anything, Without::Empty),
    ("artifacts", Is::Texts, Without::Empty),
];
const OUTPUT: &[Field] = &[
    ("artifacts", Is::Texts, Without::Empty),
    ("summary", Is::Text, Without::Empty),
    ("recommendations", Is::Texts, Without::Empty),
    ("blockers", Is::Texts, Without::Empty),
];
const INVOCATION: &[Field] = &[
    ("agent", Is::Text, Without::Nothing),
    ("startedAt", Is::Time, Without::Nothing),
    ("completedAt", Is::TimeOrNull, Without::Empty),
    ("status", Is::Word(&["in_progress", "completed", "failed", "blocked"]), Without::Nothing),
    ("input", Is::Object(INPUT), Without::Empty),
    ("output", Is::ObjectOrNull(OUTPUT), Without::Empty),
    ("handoffFrom", Is::TextOrNull, Without::Empty),
    ("handoffTo", Is::TextOrNull, Without::Empty),
    ("handoffReason", Is::Text, Without::Empty),
];
const DECISION: &[Field] = &[
    ("id", Is::Uuid, Without::Empty),
    ("type", Is::Word(&["architectural", "technical", "process", "scope"]), Without::Nothing),
    ("description", Is::Text, Without::Nothing),
    ("rationale", Is::Text, Without::Empty),
    ("decidedBy", Is::Text, Without::Nothing),
    ("approvedBy", Is::Texts, Without::Empty),
    ("rejectedBy", Is::Texts, Without::Empty),
    ("timestamp", Is::Time, Without::Nothing),
];
const VERDICT: &[Field] = &[
    ("agent", Is::Text, Without::Nothing),
    (
        "decision",
        Is::Word(&["approve", "reject", "conditional", "needs_revision"]),
        Without::Nothing,
    ),
    ("confidence", Is::Share, Without::Nothing),
    ("reasoning", Is::Text, Without::Empty),
    ("conditions", Is::Texts, Without::Field),
    ("blockers", Is::Texts, Without::Field),
    ("timestamp", Is::Time, Without::Nothing),
];
const HANDOFF: &[Field] = &[
    ("fromAgent", Is::Text, Without::Nothing),
    ("toAgent", Is::Text, Without::Nothing),
    ("reason", Is::Text, Without::Empty),
    ("context", Is::Text, Without::Empty),
    ("artifacts", Is::Texts, Without::Empty),
    ("preservedContext", Is::Anything, Without::Field),
    ("createdAt", Is::Time, Without::Nothing),
];
const COMPACTION: &[Field] = &[
    ("notePath", Is::Text, Without::Nothing),
    ("compactedAt", Is::Time, Without::Nothing),
    ("count", Is::Many, Without::Nothing),
];
const WORKFLOW: &[Field] = &[
    ("activeAgent", Is::TextOrNull, Without::Empty),
    ("agentHistory", Is::Items(INVOCATION), Without::Empty),
    ("decisions", Is::Items(DECISION), Without::Empty),
    ("verdicts", Is::Items(VERDICT), Without::Empty),
    ("pendingHandoffs", Is::Items(HANDOFF), Without::Empty),
    ("compactionHistory", Is::Items(COMPACTION), Without::Empty),
    ("startedAt", Is::Time, Without::Field),
    ("lastAgentChange", Is::Time, Without::Field),
];
/// What of a state is taken over as it was brought; all else is told anew.
const STATE: &[Field] = &[
    ("modeHistory", Is::Items(MODE_ENTRY), Without::Empty),
    ("orchestratorWorkflow", Is::ObjectOrNull(WORKFLOW), Without::Empty),
    ("createdAt", Is::Time, Without::Field),
];

/// What of a state another program brought.
pub(super) fn fitted(mut state: Map<String, Value>) -> Map<String, Value> {
    let fit = object(&state, STATE).unwrap_or_default();
    state.retain(|name, _| STATE.iter().all(|(own, ..)| own != name));
    state.extend(fit);
    state
}

fn object(found: &Map<String, Value>, fields: &[Field]) -> Option<Map<String, Value>> {
    let mut fit = Map::new();
    for (name, is, without) in fields {
        let value = match (found.get(*name).and_then(|value| is.fit(value)), without) {
            (Some(value), _) => value,
            (None, Without::Field) => continue,
            (None, Without::Empty) => is.empty(found)?,
            (None, Without::Nothing) => return None,
        };
        fit.insert((*name).to_owned(), value);
    }
    Some(fit)
}

impl Is {
    /// The value as what it has to be; none if it is something else.
    fn fit(self, value: &Value) -> Option<Value> {
        let same = |fits: bool| fits.then(|| value.clone());
        let text = value.as_str();
        match self {
            Self::Text => same(text.is_some()),
            Self::TextOrNull => same(text.is_some() || value.is_null()),
            Self::Time => text.and_then(time),
            Self::TimeOrNull => {
                if value.is_null() {
                    same(true)
                } else {
                    text.and_then(time)
                }
            }
            Self::Uuid => same(text.is_some_and(is_uuid)),
            Self::Share => same(value.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share))),
            Self::Many => same(value.as_u64().is_some_and(|count| count > 0)),
            Self::Anything => same(value.is_object()),
            Self::Word(words) => same(text.is_some_and(|text| words.contains(&text))),
            Self::Texts => {
                let texts = value.as_array()?.iter().filter(|item| item.is_string());
                Some(texts.cloned().collect())
            }
            Self::Items(fields) => {
                let items = value.as_array()?.iter().filter_map(Value::as_object);
                Some(items.filter_map(|item| object(item, fields)).collect())
            }
            Self::ObjectOrNull(_) if value.is_null() => same(true),
            Self::Object(fields) | Self::ObjectOrNull(fields) => {
                object(value.as_object()?, fields).map(Value::Object)
            }
        }
    }

    /// What stands for nothing, in an object that was found so.
    fn empty(self, found: &Map<String, Value>) -> Option<Value> {
        match self {
            Self::Text => Some("".into()),
            Self::TextOrNull | Self::TimeOrNull | Self::ObjectOrNull(_) => Some(Value::Null),
            Self::Anything => Some(Map::new().into()),
            Self::Texts | Self::Items(_) => Some(Vec::<Value>::new().into()),
            Self::Object(fields) => object(&Map::new(), fields).map(Value::Object),
            // The same for the same.
            Self::Uuid => {
                Some(uuid(&sha256_hex(&[Value::from(found.clone()).to_string().as_bytes()])).into())
            }
            Self::Time | Self::Share | Self::Many | Self::Word(_) => None,
        }
    }
}

/// A time as it was written, if it says which moment it is.
fn time(text: &str) -> Option<Value> {
    let moment = Timestamp::lenient(text)?;
    // What is written in another way is a time for few readers.
    let is_usual =
        text.as_bytes().get(10) == Some(&b'T') && text.trim() == text && !text.contains('[');
    Some(if is_usual { text.into() } else { serde_json::to_value(moment).ok()? })
}

/// Whether an id has the usual form.
pub fn is_uuid(id: &str) -> bool {
    let groups: Vec<&str> = id.split('-').collect();
    let is_hex = |group: &&str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) && groups.iter().all(is_hex)
}

/// A hash as an id in the usual form.
pub(super) fn uuid(hash: &str) -> String {
    let part = |from: usize, to: usize| hash.get(from..to).unwrap_or_default();
    format!("{}-{}-8{}-8{}-{}", part(0, 8), part(8, 12), part(12, 15), part(15, 18), part(18, 30))
}
