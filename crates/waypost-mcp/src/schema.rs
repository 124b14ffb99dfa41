//! The schemas of a tool's input and output, with what all tools share added in one place.

use std::sync::Arc;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::arguments::common_schemas;

/// The schema of a tool's arguments, with those that every tool takes.
pub(crate) fn input<T: JsonSchema>() -> Arc<JsonObject> {
    let mut schema = bare::<T>();
    let properties = object_at(&mut schema, "properties");
    for (name, described) in common_schemas() {
        properties.insert(name.to_owned(), described);
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    Arc::new(schema)
}

/// The schema of a tool's answer. A refusal is an answer too, and clients check it against the same
/// schema: either everything that the tool promises is there, or `error` is.
pub(crate) fn output<T: JsonSchema>() -> Arc<JsonObject> {
    let mut schema = bare::<T>();
    object_at(&mut schema, "properties").insert("error".to_owned(), refusal());
    let required = schema.remove("required").unwrap_or_else(|| json!([]));
    schema.insert("anyOf".to_owned(), json!([{"required": required}, {"required": ["error"]}]));
    Arc::new(schema)
}

fn refusal() -> Value {
    json!({
        "type": "object",
        "description": "Only if the call was refused.",
        "properties": {
            "kind": {"enum": ["refused", "configuration", "integrity", "conflict"]},
            "message": {"type": "string"},
            "next": {"type": "array", "items": {"type": "string"}},
            "expected": {"type": "integer"},
            "actual": {"type": "integer"}
        },
        "required": ["kind", "message", "next"]
    })
}

fn bare<T: JsonSchema>() -> JsonObject {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    let mut schema = match schema.to_value() {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    // The names and comments of wire types are for those who read the source.
    schema.remove("title");
    schema.remove("description");
    schema.entry("type").or_insert_with(|| json!("object"));
    schema
}

fn object_at<'a>(schema: &'a mut JsonObject, key: &str) -> &'a mut JsonObject {
    let entry = schema.entry(key).or_insert_with(|| json!({}));
    if !entry.is_object() {
        *entry = json!({});
    }
    match entry {
        Value::Object(object) => object,
        _ => unreachable!("it was made an object above"),
    }
}
