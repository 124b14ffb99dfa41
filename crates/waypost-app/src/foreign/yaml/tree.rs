//! The tree that a file becomes.

use serde_json::{Map, Number};

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its line, from 1.
    pub line: usize,
    /// What it is.
    pub value: Value,
}

/// A plain value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false, in any of YAML 1.1's words for it.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number, and a whole one that is too large.
    Float(f64),
    /// Text; dates too.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Keys with their values, in the order of the file, each key once.
    Map(Vec<Entry>),
}

/// A key of a map and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key, as it is written: `on` stays `on`.
    pub key: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its value.
    pub node: Node,
}

impl Node {
    /// The value under a key, if it is a map and has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// The key and the value under it, if it is a map and has it.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.as_map()?.iter().find(|entry| entry.key == key)
    }

    /// Its entries, if it is a map.
    pub fn as_map(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Its items, if it is a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// Its text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Yes or no, if it is one of them.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(yes) => Some(yes),
            _ => None,
        }
    }

    /// The whole number, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        match self.value {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }

    /// The number, if it is one, whole or not.
    pub fn as_number(&self) -> Option<f64> {
        match self.value {
            #[expect(clippy::cast_precision_loss, reason = "what is counted here is small")]
            Value::Int(number) => Some(number as f64),
            Value::Float(number) => Some(number),
            _ => None,
        }
    }

    /// Whether nothing stands there.
    pub fn is_null(&self) -> bool {
        self.value == Value::Null
    }

    /// What sort of value it is, for people.
    pub fn type_name(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Int(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }

    /// The same as JSON. What JSON has no number for becomes the word for it.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(yes) => Json::Bool(*yes),
            Value::Int(number) => Json::Number((*number).into()),
            Value::Float(number) => Number::from_f64(*number)
                .map_or_else(|| Json::String(number.to_string()), Json::Number),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
            Value::Map(entries) => {
                let pair = |entry: &Entry| (entry.key.clone(), entry.node.to_json());
                Json::Object(entries.iter().map(pair).collect::<Map<_, _>>())
            }
        }
    }
}
