//! In which folder a command works that its own words name.

use super::profile::List;
use super::{Argument, program};

/// The folders that the words of a command name, each seen from the one before.
#[derive(Debug, Clone, Default)]
pub(super) struct Folders<'a>(Vec<Argument<'a>>);

impl<'a> Folders<'a> {
    /// How many words at the beginning name a folder; it is kept.
    pub(super) fn take(&mut self, flags: List<'_>, words: &[Argument<'a>]) -> Option<usize> {
        let (value, length) = flags.iter().find_map(|flag| value_of(flag, words))?;
        self.0.push(value);
        Some(length)
    }

    /// The same for flags that name a file in the folder, each given with the name of that file.
    pub(super) fn take_file(&mut self, flags: List<'_>, words: &[Argument<'a>]) -> Option<usize> {
        let (value, length) = flags.iter().find_map(|flag| {
            let (flag, file) = flag.split_once(' ')?;
            let (value, length) = value_of(flag, words)?;
            (program::name_of(value.text) == file).then_some((value, length))
        })?;
        let folder = value.text.rsplit_once('/').map_or(".", |(folder, _)| folder);
        self.0.push(Argument { text: if folder.is_empty() { "/" } else { folder }, ..value });
        Some(length)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// All of them together, if that is another folder than the one it is started in.
    pub(super) fn joined(&self) -> Result<Option<String>, String> {
        let mut joined = String::new();
        for Argument { text, literal } in &self.0 {
            if !literal || text.starts_with('~') {
                return Err(format!("what `{text}` stands for cannot be told"));
            }
            if text.starts_with('/') || joined.is_empty() {
                joined.clear();
            } else if !joined.ends_with('/') {
                joined.push('/');
            }
            joined.push_str(text);
        }
        let is_here = joined.split('/').all(|part| matches!(part, "" | "."));
        Ok(Some(joined).filter(|folder| folder.starts_with('/') || !is_here))
    }
}

/// The value of a flag that stands at the beginning, and how many words both take.
fn value_of<'a>(flag: &str, words: &[Argument<'a>]) -> Option<(Argument<'a>, usize)> {
    let (word, rest) = words.split_first()?;
    let behind = word.text.strip_prefix(flag.trim_end_matches('*'))?;
    if behind.is_empty() {
        return rest.first().map(|value| (*value, 2));
    }
    let value = match behind.strip_prefix('=') {
        Some(value) => value,
        None if flag.ends_with('*') => behind,
        None => return None,
    };
    Some((Argument { text: value, ..*word }, 1))
}
