//! JSON as the same tree of values with lines that YAML becomes. Never deeper than that, nor with more values.

mod plain;

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use waypost_core::text::one_line;

use super::yaml::{Entry, MAX_DEPTH, MAX_NODES, Node, Value};
use crate::config::Problem;

/// A longer text is not read, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Reads a file's text.
pub fn parse(file: &str, text: &str) -> Result<Node, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let refused = |line: usize, message: String| Problem { file: file.to_owned(), line, message };
    if text.len() > MAX_BYTES {
        let message = format!("it has {} bytes; at most {MAX_BYTES} are read", text.len());
        return Err(refused(1, message));
    }
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
        let told = one_line(&error.to_string());
        let message = told.split(" at line ").next().unwrap_or_default();
        refused(error.line().max(1), format!("it is no JSON: {message}"))
    })?;
    let mut reader = Reader { text, nodes: 0, newlines: newlines(text) };
    reader.node(raw, 0).map_err(|(line, message)| refused(line, message))
}

/// Reads a file's text as a plain value: what [`parse`] gives, without its lines.
pub fn value(file: &str, text: &str) -> Result<serde_json::Value, Problem> {
    let whole = text.strip_prefix('\u{feff}').unwrap_or(text);
    let plain = if whole.len() > MAX_BYTES { None } else { plain::read(whole) };
    plain.map_or_else(|| parse(file, text).map(|node| node.to_json()), Ok)
}

fn newlines(text: &str) -> Vec<usize> {
    text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect()
}

struct Reader<'t> {
    text: &'t str,
    nodes: usize,
    newlines: Vec<usize>,
}

impl<'t> Reader<'t> {
    fn line(&self, raw: &RawValue) -> usize {
        // Both are parts of the same text.
        let start = raw.get().as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        self.newlines.partition_point(|newline| *newline < start) + 1
    }

    fn node(&mut self, raw: &'t RawValue, depth: usize) -> Result<Node, (usize, String)> {
        let line = self.line(raw);
        self.nodes += 1;
        if depth > MAX_DEPTH {
            return Err((line, format!("it is nested deeper than {MAX_DEPTH} levels")));
        }
        if self.nodes > MAX_NODES {
            return Err((line, format!("it has more than {MAX_NODES} values")));
        }
        let fail = |error: serde_json::Error| (line, one_line(&error.to_string()));
        let value = match raw.get().as_bytes().first() {
            Some(b'{') => {
                let pairs = serde_json::Deserializer::from_str(raw.get())
                    .deserialize_map(Pairs)
                    .map_err(fail)?;
                let mut entries: Vec<Entry> = Vec::new();
                for (key, raw) in pairs {
                    let entry = Entry {
                        key: key.into_owned(),
                        line: self.line(raw),
                        node: self.node(raw, depth + 1)?,
                    };
                    entries.retain(|known| known.key != entry.key);
                    entries.push(entry);
                }
                Value::Map(entries)
            }
            Some(b'[') => {
                let items = serde_json::Deserializer::from_str(raw.get())
                    .deserialize_seq(Items)
                    .map_err(fail)?;
                let nodes: Result<Vec<Node>, _> =
                    items.into_iter().map(|raw| self.node(raw, depth + 1)).collect();
                Value::List(nodes?)
            }
            _ if is_beyond(raw.get()) => Value::Text(raw.get().to_owned()),
            _ => scalar(serde_json::from_str(raw.get()).map_err(fail)?),
        };
        Ok(Node { line, value })
    }
}

/// Whether a whole number is larger than those that a record can hold as a number: it stays the text that it is.
fn is_beyond(raw: &str) -> bool {
    const LARGEST: u64 = 1 << 53;
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole && !digits.parse::<u64>().is_ok_and(|number| number <= LARGEST)
}

fn scalar(value: serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match value {
        Json::Bool(yes) => Value::Bool(yes),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::Int(whole),
            (None, Some(number)) => Value::Float(number),
            (None, None) => Value::Text(number.to_string()),
        },
        Json::String(text) => Value::Text(text),
        Json::Null | Json::Array(_) | Json::Object(_) => Value::Null,
    }
}

/// The members of an object, in their order.
struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some((key, raw)) = map.next_entry::<String, &RawValue>()? {
            pairs.push((Cow::Owned(key), raw));
        }
        Ok(pairs)
    }
}

/// The items of an array.
struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(raw) = items.next_element::<&RawValue>()? {
            all.push(raw);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, plain, value};

    #[test]
    fn json_becomes_a_tree_with_lines() {
        let text = "{\n  \"a\": [1,\n    \"\\ud83d\\ude80\", 1e3, null],\n  \"b\": {\"c\": true},\n  \"a\": 2\n}";
        let root = parse("x.json", text).unwrap();
        assert_eq!(root.get("a").unwrap().line, 5);
        assert_eq!(root.get("b").unwrap().get("c").unwrap().as_bool(), Some(true));
        let list = parse("x.json", "[1,\n \"\\ud83d\\ude80\", 1e3, null]").unwrap();
        assert_eq!(list.as_list().unwrap()[1].as_str(), Some("🚀"));
        assert_eq!(list.as_list().unwrap()[1].line, 2);
    }

    #[test]
    fn a_plain_value_is_what_the_tree_says() {
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let wide = |items: usize| format!("[{}0]", "0,".repeat(items));
        let texts = [
            r#"{"b": 1, "a": {"c": [true, false, null]}, "b": "later"}"#,
            "\u{feff} [0, -0, 1, -1, 0.5, -0.0, 1e3, 1.0, 1E-2]\n",
            "[9007199254740992, -9007199254740992, 9007199254740993, -9007199254740993]",
            "[18446744073709551615, 18446744073709551616, -9223372036854775809, 1e300, 4e16]",
            r#"["\u00e9\ud83d\ude80", "é", "", "\\n"]"#,
            "3",
            "\"text\"",
            "null",
        ];
        let bounds = [deep(64), deep(65), deep(66), wide(40_000), wide(49_998), wide(49_999)];
        for text in texts.into_iter().map(str::to_owned).chain(bounds) {
            let tree = parse("x.json", &text).map(|node| node.to_json());
            assert_eq!(value("x.json", &text), tree, "{text:.40}");
            assert!(plain::read(&text).is_none_or(|plain| Ok(plain) == tree), "{text:.40}");
        }
        assert!(plain::read(texts[0]).is_some() && plain::read(texts[2]).is_none());
        for text in ["", "{", "[1,]", "{} {}", "nul", "[\"\\ud800\"]"] {
            assert!(plain::read(text).is_none() && value("x.json", text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_line() {
        let refusal = |text: &str| parse("x.json", text).unwrap_err().to_string();
        assert_eq!(refusal("{\n \"a\": 1,\n}"), "x.json:3: it is no JSON: key must be a string");
        assert_eq!(refusal(""), "x.json:1: it is no JSON: EOF while parsing a value");
        assert!(refusal(&"[".repeat(100_000)).contains("EOF"));
        assert!(refusal("[\n\"\\ud800\"]").starts_with("x.json:2: "));
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(refusal(&deep).contains("nested deeper than 64 levels"));
        let deep = format!("{}{}", "[".repeat(70), "]".repeat(70));
        assert!(refusal(&deep).contains("nested deeper than 64 levels"));
        let wide = format!("[{}0]", "0,".repeat(60_000));
        assert!(refusal(&wide).contains("more than 50000 values"));
    }
}
