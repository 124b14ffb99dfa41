//! Comparing what Waypost gives with the fields of an example.

use std::collections::BTreeSet;

use serde_json::Value;

const LIST: &str = include_str!("../../../../docs/compatibility.md");

/// What a field is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Is {
    Text,
    Number,
    Flag,
    List,
    Object,
    /// Text, or nothing yet.
    TextOrNull,
    NumberOrNull,
}

impl Is {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Number => value.is_number(),
            Self::Flag => value.is_boolean(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
            Self::TextOrNull => value.is_string() || value.is_null(),
            Self::NumberOrNull => value.is_number() || value.is_null(),
        }
    }
}

/// What was compared, and the list of what may differ.
pub(crate) struct Compared {
    listed: BTreeSet<(String, String)>,
    met: BTreeSet<(String, String)>,
    wrong: Vec<String>,
}

impl Compared {
    pub(crate) fn with_the_list() -> Self {
        let rows = LIST.lines().filter_map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let [shape, field, here, why] = cells.as_slice() else { return None };
            let code = |cell: &str| cell.strip_prefix('`')?.strip_suffix('`').map(str::to_owned);
            assert!(!here.is_empty() && !why.is_empty(), "no reason is given: {line}");
            Some((code(shape)?, code(field)?))
        });
        let listed: BTreeSet<_> = rows.collect();
        assert!(listed.len() > 5, "the list was not found");
        Self { listed, met: BTreeSet::new(), wrong: Vec::new() }
    }

    /// Compares the fields of an example, as pointers without the first slash, with what was found.
    pub(crate) fn shape(&mut self, shape: &str, found: &Value, fields: &[(&str, Is)]) {
        for (field, is) in fields {
            let value = found.pointer(&format!("/{field}"));
            let there = value.is_some_and(|value| is.fits(value));
            let key = (shape.to_owned(), (*field).to_owned());
            match (there, self.listed.contains(&key)) {
                (true, false) => {}
                (false, true) => drop(self.met.insert(key)),
                (false, false) => {
                    self.wrong.push(format!("{shape}: {field} is no {is:?}: {value:?}"));
                }
                (true, true) => self.wrong.push(format!("{shape}: {field} is there, but listed")),
            }
        }
    }

    pub(crate) fn finish(self) {
        assert!(self.wrong.is_empty(), "{:#?}", self.wrong);
        let never: Vec<_> = self.listed.difference(&self.met).collect();
        assert!(never.is_empty(), "listed, and in no example: {never:?}");
    }
}
