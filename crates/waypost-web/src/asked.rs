//! What somebody asks for: the parts of the path that have names, the query, the words of a form.

use std::collections::BTreeMap;

use waypost_app::error::AppError;
use waypost_app::machine::since::Since;

/// The longest value that is looked at, in bytes.
const MAX_VALUE: usize = 64 * 1024;

/// What somebody asks for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    values: BTreeMap<String, String>,
}

impl Asked {
    /// The words of a query or a form. Of several with one name the first one counts.
    pub(crate) fn parse(text: &str) -> Self {
        let mut values = BTreeMap::new();
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            if value.len() <= MAX_VALUE {
                values.entry(name.into_owned()).or_insert_with(|| value.into_owned());
            }
        }
        Self { values }
    }

    /// The same with a named part of the path, which no query can replace.
    pub(crate) fn with(&mut self, name: &str, value: String) {
        self.values.insert(name.to_owned(), value);
    }

    /// What is given for a name, unless that is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The same, where it has to be there.
    pub(crate) fn needed(&self, name: &str) -> Result<&str, AppError> {
        self.get(name).ok_or_else(|| {
            AppError::configuration(format!("`{name}` is missing in what was asked"))
        })
    }

    /// A number, where one is given.
    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, AppError> {
        let parse = |text: &str| {
            let wrong = || AppError::configuration(format!("`{name}` is no number: {text}"));
            text.parse().map_err(|_| wrong())
        };
        self.get(name).map(parse).transpose()
    }

    /// Which page of a long list, from 1.
    pub(crate) fn page(&self) -> Result<u32, AppError> {
        let page = self.number("page")?.unwrap_or(1).clamp(1, 1_000_000);
        Ok(u32::try_from(page).unwrap_or(1))
    }

    /// The same question with another value, as a query.
    pub(crate) fn query_with(&self, names: &[&str], name: &str, value: Option<&str>) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for known in names {
            let own = if *known == name { value } else { self.get(known) };
            if let Some(own) = own {
                query.append_pair(known, own);
            }
        }
        let query = query.finish();
        if query.is_empty() { query } else { format!("?{query}") }
    }
}

/// A query of these names and values; nothing where there are none.
pub(crate) fn query(pairs: &[(&str, &str)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    if query.is_empty() { query } else { format!("?{query}") }
}

/// A time as people say it.
pub(crate) fn moment(name: &str, text: &str) -> Result<Since, AppError> {
    text.parse().map_err(|hint: String| {
        AppError::configuration(format!("`{name}` is no time: {text}")).hint(hint)
    })
}

/// A part of a path, with everything escaped that would end it.
pub(crate) fn segment(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

/// A part of a path as it was meant.
pub(crate) fn unescaped(segment: &str) -> String {
    // The only difference between a path's words and a form's is what `+` means.
    let text = segment.replace('+', "%2B");
    form_urlencoded::parse(text.as_bytes()).next().map_or_else(String::new, |(name, _)| name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_paths_come_back_as_they_were() {
        for text in ["plain", "a b", "a+b", "a/b", "a%2Fb", "ü?#&=", "..", ""] {
            let escaped = segment(text);
            assert!(!escaped.contains(['/', '?', '#', ' ']), "{escaped}");
            assert_eq!(unescaped(&escaped), text);
        }
    }

    #[test]
    fn the_first_of_several_counts_and_the_path_before_all() {
        let mut asked = Asked::parse("a=1&a=2&b=%20&c=x+y&page=0");
        assert_eq!(asked.get("a"), Some("1"));
        assert_eq!(asked.get("b"), None);
        assert_eq!(asked.get("c"), Some("x y"));
        assert_eq!(asked.page().unwrap(), 1);
        asked.with("a", "3".to_owned());
        assert_eq!(asked.get("a"), Some("3"));
        assert_eq!(asked.query_with(&["a", "c"], "c", Some("z")), "?a=3&c=z");
        assert_eq!(asked.query_with(&["a"], "a", None), "");
        assert!(Asked::parse("page=x").page().is_err());
    }
}
