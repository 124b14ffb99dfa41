//! Logs in JSON: checklists as objects of items, in any spelling of their keys, as bare booleans, or
//! as lists. Keys are compared without case, `_` and `-`.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::item::{ItemLevel, ItemState, LogItem, says_side};
use super::{LogRefusal, MAX_ITEMS, SessionLog};

const WANTED: &str = "write one below `protocolCompliance`, with items such as \
    `\"changesCommitted\": { \"level\": \"MUST\", \"complete\": true, \"evidence\": \"…\" }`";
/// Checklists stand no deeper than this.
const MAX_DEPTH: usize = 6;
/// Where checklists stand.
const CHECKLISTS: &[&str] = &[
    "protocolcompliance",
    "compliance",
    "sessionprotocol",
    "checklist",
    "checklists",
    "sessionstart",
    "sessionend",
    "startchecklist",
    "endchecklist",
    "sessionstartchecklist",
    "sessionendchecklist",
];
/// What says whether an item is done.
const MARKS: &[&str] = &["complete", "completed", "done", "checked", "ticked", "status", "state"];
const LEVELS: &[&str] = &["level", "req", "requirementlevel"];
const EVIDENCE: &[&str] =
    &["evidence", "reason", "notes", "note", "artifact", "comment", "details"];
const STEPS: &[&str] = &["step", "name", "item", "requirement", "title", "description"];
/// Items that the format knows as no musts, for those that are written without a level.
const NO_MUSTS: &[&str] = &[
    "retrospectiveinvoked",
    "retrospective",
    "tasksupdated",
    "projectplanupdated",
    "gitstatusverified",
    "cleangitstatus",
    "startingcommitnoted",
    "memoriessearched",
    "memoriesimported",
    "memoriesexported",
];

/// Items that are about something that must not be done. Written without a level, `false` says that it was not, and
/// `true` that it was left alone.
const MUST_NOTS: &[&str] = &["handoffnotupdated", "handoffnotmodified", "donotupdatehandoff"];

pub(super) fn read(text: &str) -> Result<SessionLog, LogRefusal> {
    let options = ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        ..ParseOptions::default()
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
    let parsed = parsed.map_err(|error| LogRefusal::NotJson {
        line: error.line_display(),
        column: error.column_display(),
        why: error.kind().to_string(),
    })?;
    let mut reading = Reading { text, starts: starts(text), items: Vec::new() };
    let Some(Value::Object(top)) = &parsed.value else { return Err(none()) };
    reading.search(top, 0);
    if reading.items.is_empty() {
        return Err(none());
    }
    let (number, day) = (reading.number(top), reading.day(top));
    Ok(SessionLog { items: reading.items, number, day })
}

fn none() -> LogRefusal {
    LogRefusal::NoChecklist { unclosed: None, wanted: WANTED }
}

struct Reading<'a> {
    text: &'a str,
    /// Where lines begin.
    starts: Vec<usize>,
    items: Vec<LogItem>,
}

impl Reading<'_> {
    /// Looks for checklists, also below what holds the session.
    fn search(&mut self, object: &Object<'_>, depth: usize) {
        for property in &object.properties {
            let key = key(property);
            let inner = |name| matches!(key.as_str(), "session" | "protocol" | "metadata") && name;
            match &property.value {
                value if CHECKLISTS.contains(&key.as_str()) => {
                    self.checklist(property, value, "", 0);
                }
                Value::Object(object) if inner(depth < 2) => self.search(object, depth + 1),
                _ => {}
            }
        }
    }

    /// Takes what is in a checklist: an item, or items below it.
    fn checklist(
        &mut self,
        property: &ObjectProp<'_>,
        value: &Value<'_>,
        list: &str,
        depth: usize,
    ) {
        if depth > MAX_DEPTH || self.items.len() >= MAX_ITEMS {
            return;
        }
        match value {
            Value::BooleanLit(done) if depth > 0 => {
                let (step, state) = (named(property), marked(done.value));
                let (list, evidence) = (Some(list.to_owned()), String::new());
                let line = self.line(property.range().start);
                let level = level_of(&key(property), None, &state);
                self.items.push(LogItem { line, level, step, list, state, evidence });
            }
            Value::Object(object) if is_item(object) => {
                self.item(property.range().start, &named(property), list, object);
            }
            // Of what is no must, details are none either.
            Value::Object(_) if NO_MUSTS.contains(&key(property).as_str()) => {}
            Value::Object(object) => {
                let list = within(list, property);
                for property in &object.properties {
                    self.checklist(property, &property.value, &list, depth + 1);
                }
            }
            Value::Array(elements) => {
                let list = within(list, property);
                for element in elements.elements.iter().take(MAX_ITEMS) {
                    if let Value::Object(object) = element
                        && is_item(object)
                    {
                        let name = text_of(object, STEPS).unwrap_or_else(|| named(property));
                        self.item(object.range.start, &name, &list, object);
                    }
                }
            }
            _ => {}
        }
    }

    /// Takes an item by its name there; what it says itself that its step is, counts.
    fn item(&mut self, start: usize, name: &str, list: &str, object: &Object<'_>) {
        let level = text_of(object, LEVELS);
        let required = values(object, &["required"]).find_map(boolean);
        let level = match (level, required) {
            // Whatever is no level that anybody knows is taken for the strictest.
            (Some(level), _) => Some(ItemLevel::of(&level).unwrap_or(ItemLevel::Must)),
            (None, Some(false)) => Some(ItemLevel::Should),
            (None, _) => None,
        };
        let mut states: Vec<ItemState> = values(object, MARKS).filter_map(state).collect();
        // Of marks that disagree, the one that says that it is not done counts.
        let has_none = states.contains(&ItemState::NotApplicable);
        // What does not apply is not complete either.
        states.retain(|state| !(has_none && *state == marked(false)));
        let not_done = states.iter().position(|state| matches!(state, ItemState::NotDone(_)));
        let state = match (not_done, states.is_empty()) {
            (_, true) => ItemState::Unsaid,
            (Some(place), _) => states.swap_remove(place),
            (None, false) => states.swap_remove(0),
        };
        let evidence = text_of(object, EVIDENCE).unwrap_or_default();
        let level = level_of(&spelt(name), level, &state);
        let says = |text: &String| text.contains(char::is_alphabetic);
        let step = text_of(object, &["step"]).filter(says).unwrap_or_else(|| name.to_owned());
        let list = text_of(object, &["list"]).unwrap_or_else(|| list.to_owned());
        let (line, list) = (self.line(start), Some(list).filter(|list| !list.is_empty()));
        self.items.push(LogItem { line, level, step, list, state, evidence });
    }

    /// The number of the session that it is about.
    fn number(&self, top: &Object<'_>) -> Option<(u32, u64)> {
        let within = object_of(top, "session");
        let found = within.into_iter().flat_map(|session| values_at(session, &["number"]));
        let found = found.chain(values_at(top, &["sessionnumber"])).next()?;
        let number = match found.1 {
            Value::NumberLit(number) => number.value.parse().ok(),
            Value::StringLit(text) => text.value.trim().parse().ok(),
            _ => None,
        };
        number.map(|number| (number, self.line(found.0)))
    }

    /// The day that it is of.
    fn day(&self, top: &Object<'_>) -> Option<(String, u64)> {
        let within = object_of(top, "session");
        let found = within.into_iter().flat_map(|session| values_at(session, &["date"]));
        let (start, found) = found.chain(values_at(top, &["date"])).next()?;
        let day = found.as_string_lit()?.value.trim().get(..10)?.to_owned();
        Some((day, self.line(start)))
    }

    fn line(&self, start: usize) -> u64 {
        debug_assert!(start <= self.text.len());
        u64::try_from(self.starts.partition_point(|begin| *begin <= start)).unwrap_or(u64::MAX)
    }
}

/// How much an item of that name matters, where it need not say so.
fn level_of(name: &str, said: Option<ItemLevel>, state: &ItemState) -> ItemLevel {
    let is_not_done = matches!(state, ItemState::NotDone(_));
    said.unwrap_or_else(|| match name {
        name if NO_MUSTS.contains(&name) => ItemLevel::Should,
        name if MUST_NOTS.contains(&name) && is_not_done => ItemLevel::MustNot,
        _ => ItemLevel::Must,
    })
}

/// The list that stands under a name: what lies deeper belongs to the one that says for which side it is.
fn within(list: &str, property: &ObjectProp<'_>) -> String {
    if says_side(list) { list.to_owned() } else { named(property) }
}

/// Whether an object is an item: it is marked, or has a level.
fn is_item(object: &Object<'_>) -> bool {
    let leaf =
        |property: &ObjectProp<'_>| !matches!(property.value, Value::Object(_) | Value::Array(_));
    let known = |property: &&ObjectProp<'_>| {
        let key = key(property);
        MARKS.contains(&key.as_str()) || LEVELS.contains(&key.as_str())
    };
    object.properties.iter().filter(known).any(leaf)
}

/// Where the lines of a text begin.
fn starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0).chain(ends.map(|(place, _)| place + 1)).collect()
}

fn marked(done: bool) -> ItemState {
    if done { ItemState::Done } else { ItemState::NotDone(String::new()) }
}

fn state(value: &Value<'_>) -> Option<ItemState> {
    match value {
        Value::BooleanLit(done) => Some(marked(done.value)),
        Value::StringLit(text) => Some(ItemState::of(&text.value)),
        Value::NullKeyword(_) => Some(ItemState::Unsaid),
        Value::NumberLit(number) if number.value == "1" => Some(ItemState::Done),
        Value::NumberLit(number) => Some(ItemState::NotDone(number.value.to_owned())),
        Value::Object(_) | Value::Array(_) => None,
    }
}

fn boolean(value: &Value<'_>) -> Option<bool> {
    value.as_boolean_lit().map(|value| value.value)
}

/// The values of the properties with one of these names.
fn values<'v, 'a>(
    object: &'v Object<'a>,
    names: &'v [&str],
) -> impl Iterator<Item = &'v Value<'a>> {
    values_at(object, names).map(|(_, value)| value)
}

/// The same with where they begin.
fn values_at<'v, 'a>(
    object: &'v Object<'a>,
    names: &'v [&str],
) -> impl Iterator<Item = (usize, &'v Value<'a>)> {
    let known = |property: &&ObjectProp<'_>| names.contains(&key(property).as_str());
    object.properties.iter().filter(known).map(|found| (found.range.start, &found.value))
}

fn object_of<'v, 'a>(object: &'v Object<'a>, name: &'v str) -> Option<&'v Object<'a>> {
    let mut found = object.properties.iter().filter(|property| key(property) == name);
    found.find_map(|property| property.value.as_object())
}

/// The text of the first property with one of these names that has any; lists as one text.
fn text_of(object: &Object<'_>, names: &[&str]) -> Option<String> {
    let text = |value: &Value<'_>| match value {
        Value::StringLit(text) => Some(text.value.to_string()),
        Value::NumberLit(number) => Some(number.value.to_owned()),
        Value::Array(list) => {
            let texts = list.elements.iter().filter_map(Value::as_string_lit);
            Some(texts.map(|text| text.value.as_ref()).collect::<Vec<_>>().join("; "))
        }
        _ => None,
    };
    let mut ordered = names.iter().flat_map(|name| {
        let found = object.properties.iter().filter(move |property| key(property) == **name);
        found.filter_map(|property| text(&property.value)).collect::<Vec<_>>()
    });
    ordered.find(|text| !text.trim().is_empty())
}

fn named(property: &ObjectProp<'_>) -> String {
    property.name.as_str().to_owned()
}

fn key(property: &ObjectProp<'_>) -> String {
    spelt(property.name.as_str())
}

/// A name without case, `_` and `-`.
fn spelt(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
