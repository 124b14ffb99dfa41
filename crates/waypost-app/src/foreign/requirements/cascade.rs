//! The files laid over each other: maps are merged, whatever else a later file gives takes the place of what was there.

use std::rc::Rc;

use super::files;
use super::places::{Place, Places};
use crate::config::Problem;
use crate::foreign::yaml::{Node, Value};

/// Where something stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct At {
    /// The file, as people call it.
    pub(super) file: Rc<str>,
    /// The line, from 1.
    pub(super) line: usize,
}

impl At {
    /// Something to tell about it.
    pub(super) fn problem(&self, message: impl Into<String>) -> Problem {
        Problem { file: self.file.to_string(), line: self.line, message: message.into() }
    }
}

/// A value, and where the file stands that gave it.
#[derive(Debug, Clone)]
pub(super) struct Given {
    /// Where it stands.
    pub(super) at: At,
    value: Merged,
}

#[derive(Debug, Clone)]
enum Merged {
    Map(Vec<Entry>),
    /// All of it from one file.
    Plain(Node),
}

/// A key and its value.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The key.
    pub(super) key: String,
    /// Where the last file that gives it has it.
    pub(super) at: At,
    /// Its value.
    pub(super) given: Given,
}

impl Given {
    fn of(file: &Rc<str>, node: Node) -> Self {
        let at = At { file: Rc::clone(file), line: node.line };
        let Value::Map(entries) = node.value else {
            return Self { at, value: Merged::Plain(node) };
        };
        let entries = entries.into_iter().map(|entry| Entry {
            key: entry.key,
            at: At { file: Rc::clone(file), line: entry.line },
            given: Self::of(file, entry.node),
        });
        Self { at, value: Merged::Map(entries.collect()) }
    }

    /// Its entries, if it is a map.
    pub(super) fn as_map(&self) -> Option<&[Entry]> {
        match &self.value {
            Merged::Map(entries) => Some(entries),
            Merged::Plain(_) => None,
        }
    }

    /// What it is, if it is no map.
    pub(super) fn plain(&self) -> Option<&Node> {
        match &self.value {
            Merged::Map(_) => None,
            Merged::Plain(node) => Some(node),
        }
    }

    /// Its text, if it is one.
    pub(super) fn as_str(&self) -> Option<&str> {
        self.plain()?.as_str()
    }

    /// The value under a key, if it is a map that has it.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.as_map()?.iter().find(|entry| entry.key == key).map(|entry| &entry.given)
    }

    /// Whether it says yes, as Python reads it: nothing, zero and what is empty say no.
    pub(super) fn is_true(&self) -> bool {
        match &self.value {
            Merged::Map(entries) => !entries.is_empty(),
            Merged::Plain(node) => is_true(node),
        }
    }

    /// What sort of value it is, for people.
    pub(super) fn type_name(&self) -> &'static str {
        match &self.value {
            Merged::Map(_) => "a map",
            Merged::Plain(node) => node.type_name(),
        }
    }

    /// Another place in the file that it is from.
    pub(super) fn at_line(&self, line: usize) -> At {
        At { line, ..self.at.clone() }
    }
}

fn is_true(node: &Node) -> bool {
    match &node.value {
        Value::Null => false,
        Value::Bool(yes) => *yes,
        Value::Int(number) => *number != 0,
        Value::Float(number) => *number != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Map(entries) => !entries.is_empty(),
    }
}

/// All files, the later over the earlier.
#[derive(Debug, Default)]
pub(super) struct Cascade {
    entries: Vec<Entry>,
    /// What the checkout's own file says, for what asks about that one alone.
    pub(super) of_checkout: Option<Given>,
}

impl Cascade {
    pub(super) fn read(places: &Places, problems: &mut Vec<Problem>) -> Self {
        let mut read = |place: &Place| {
            let node = files::read(place, problems)?;
            let given = Given::of(&Rc::from(place.name.as_str()), node);
            if given.as_map().is_none() && given.is_true() {
                let what =
                    format!("it must be a map, not {}; nothing of it counts", given.type_name());
                problems.push(given.at.problem(what));
            }
            Some(given)
        };
        let of_user = read(&places.of_user());
        let of_project = read(&places.of_project());
        let of_checkout = read(&places.of_checkout());
        let entries = |given: Option<&Given>| {
            given.and_then(Given::as_map).map(<[Entry]>::to_vec).unwrap_or_default()
        };
        let own = entries(of_project.as_ref());
        let inherits = own.iter().find(|entry| entry.key == "inherit");
        let inherits = inherits.is_none_or(|entry| entry.given.is_true());
        let mut merged = if inherits { entries(of_user.as_ref()) } else { Vec::new() };
        merge(&mut merged, own);
        merge(&mut merged, entries(of_checkout.as_ref()));
        Self { entries: merged, of_checkout }
    }

    /// The value under a key.
    pub(super) fn get(&self, key: &str) -> Option<&Given> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.given)
    }
}

fn merge(base: &mut Vec<Entry>, over: Vec<Entry>) {
    for entry in over {
        match base.iter_mut().find(|known| known.key == entry.key) {
            Some(known) => lay_over(known, entry),
            None => base.push(entry),
        }
    }
}

fn lay_over(known: &mut Entry, over: Entry) {
    known.at = over.at;
    match (&mut known.given, over.given) {
        (Given { value: Merged::Map(base), at }, Given { value: Merged::Map(over), at: last }) => {
            *at = last;
            merge(base, over);
        }
        (given, other) => *given = other,
    }
}
