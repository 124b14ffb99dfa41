//! JSON as a plain value, straight from its text. Whatever is out of the ordinary, by its numbers, its depth or its
//! length, is left to the reader that tells where it stands.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::super::yaml::{MAX_DEPTH, MAX_NODES};

/// Whole numbers up to this one can be kept as numbers, and told from what was rounded to one.
const LARGEST: u64 = 1 << 53;

/// The value of a text; none where it is no JSON, or has something that is not taken as it stands.
pub(super) fn read(text: &str) -> Option<Value> {
    let mut nodes = 0;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Plain { nodes: &mut nodes, depth: 0 }.deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    Some(value)
}

/// One value, at a depth, of as many as there may be.
struct Plain<'n> {
    nodes: &'n mut usize,
    depth: usize,
}

impl Plain<'_> {
    fn inside(&mut self) -> Plain<'_> {
        Plain { nodes: self.nodes, depth: self.depth + 1 }
    }
}

impl<'de> DeserializeSeed<'de> for Plain<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        *self.nodes += 1;
        if self.depth > MAX_DEPTH || *self.nodes > MAX_NODES {
            return Err(D::Error::custom("too much"));
        }
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Plain<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a plain value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, yes: bool) -> Result<Value, E> {
        Ok(Value::Bool(yes))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
        if number <= LARGEST { Ok(number.into()) } else { Err(E::custom("a large number")) }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
        let is_small = number.unsigned_abs() <= LARGEST;
        if is_small { Ok(number.into()) } else { Err(E::custom("a large number")) }
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        #[expect(clippy::cast_precision_loss, reason = "a power of two is exact")]
        let is_small = number.abs() < LARGEST as f64;
        if is_small { Ok(number.into()) } else { Err(E::custom("a large number")) }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(value) = items.next_element_seed(self.inside())? {
            all.push(value);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut pairs: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(key) = pairs.next_key::<String>()? {
            all.insert(key, pairs.next_value_seed(self.inside())?);
        }
        Ok(Value::Object(all))
    }
}
