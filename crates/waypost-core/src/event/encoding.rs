//! Events as they stand in records, with their type and version.

use serde::Deserialize;
use serde_json::Value;

use super::{Event, Known};

/// The version of every event type so far.
const VERSION: u64 = 1;

impl From<Known> for Event {
    fn from(event: Known) -> Self {
        Self::Known(event)
    }
}

impl Event {
    /// The event as it stands in a record.
    pub fn to_value(&self) -> Result<Value, serde_json::Error> {
        match self {
            Self::Known(event) => {
                let mut value = serde_json::to_value(event)?;
                if let Value::Object(fields) = &mut value {
                    fields.insert("v".to_owned(), VERSION.into());
                }
                Ok(value)
            }
            Self::Other(value) => Ok(value.clone()),
        }
    }

    /// Reads an event; what is not known is kept.
    pub fn from_json(json: &str) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        struct Versioned {
            v: u64,
        }
        let version = serde_json::from_str(json).ok().map(|Versioned { v }| v);
        if version == Some(VERSION)
            && let Ok(known) = serde_json::from_str(json)
        {
            return Ok(Self::Known(known));
        }
        serde_json::from_str(json).map(Self::Other)
    }

    /// The type's name.
    pub fn type_name(&self) -> String {
        let value = self.to_value().unwrap_or_default();
        value.get("type").and_then(Value::as_str).unwrap_or("unknown").to_owned()
    }
}
