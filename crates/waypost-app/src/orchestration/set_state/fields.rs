//! Fields of JSON that somebody gives: each is what it has to be, or is refused by its name.

use serde_json::{Map, Value};
use waypost_core::text::{did_you_mean, one_line, shortened};

use crate::error::AppError;

/// The fields of an object that somebody gives.
#[derive(Debug, Clone)]
pub(super) struct Fields<'a> {
    /// Where it stands in the whole; empty for the whole itself.
    at: String,
    fields: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// Of an object that has no other fields than these.
    pub(super) fn of(
        at: &str,
        fields: &'a Map<String, Value>,
        known: &[&str],
    ) -> Result<Self, AppError> {
        let found = Self { at: at.to_owned(), fields };
        match fields.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(found),
            Some(name) => {
                let guess =
                    did_you_mean(name, known).map(|known| format!("; did you mean `{known}`?"));
                let name = found.path(&shortened(&one_line(name), 60));
                let message =
                    format!("`{name}` is no field of a state{}", guess.unwrap_or_default());
                Err(AppError::refused(message).hint(format!("known here: {}", known.join(", "))))
            }
        }
    }

    /// Of any value, which has to be an object.
    pub(super) fn of_value(at: &str, value: &'a Value, known: &[&str]) -> Result<Self, AppError> {
        let fields = value.as_object().ok_or_else(|| is_no(at, "an object"))?;
        Self::of(at, fields, known)
    }

    /// What a field is called in the whole.
    pub(super) fn path(&self, name: &str) -> String {
        if self.at.is_empty() { name.to_owned() } else { format!("{}.{name}", self.at) }
    }

    /// What stands there; `null` stands for nothing.
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// The field, `null` included.
    pub(super) fn raw(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name)
    }

    /// A text.
    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, AppError> {
        let text =
            |value: &'a Value| value.as_str().ok_or_else(|| is_no(&self.path(name), "a text"));
        self.get(name).map(text).transpose()
    }

    /// A text that has to be there.
    pub(super) fn needed(&self, name: &str) -> Result<String, AppError> {
        let text = self.text(name)?.map(str::to_owned);
        text.ok_or_else(|| {
            AppError::refused(format!("`{}` is missing", self.path(name))).hint("give it")
        })
    }

    /// A text, or nothing at all.
    pub(super) fn or_empty(&self, name: &str) -> Result<String, AppError> {
        Ok(self.text(name)?.unwrap_or_default().to_owned())
    }

    /// A list.
    pub(super) fn list(&self, name: &str) -> Result<Option<&'a [Value]>, AppError> {
        let list =
            |value: &'a Value| value.as_array().ok_or_else(|| is_no(&self.path(name), "a list"));
        Ok(self.get(name).map(list).transpose()?.map(Vec::as_slice))
    }

    /// A list of texts.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, AppError> {
        let items = self.list(name)?.unwrap_or_default().iter();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let texts: Option<Vec<String>> = items.map(text).collect();
        texts.ok_or_else(|| is_no(&self.path(name), "a list of texts"))
    }

    /// An object.
    pub(super) fn object(&self, name: &str) -> Result<Option<Map<String, Value>>, AppError> {
        let object = |value: &Value| {
            value.as_object().cloned().ok_or_else(|| is_no(&self.path(name), "an object"))
        };
        self.get(name).map(object).transpose()
    }
}

/// A field is not what it has to be.
pub(super) fn is_no(name: &str, what: &str) -> AppError {
    AppError::refused(format!("`{name}` is not {what}")).hint("correct it, and give it again")
}

/// Something would be other than what is recorded.
pub(super) fn forged(name: &str, why: &str) -> AppError {
    AppError::refused(format!("`{name}` {why}: what is recorded is never changed"))
        .hint("read the state again, and add only what is new, behind what its lists hold")
}
