//! Walking a TOML file with tolerance: whatever is not understood is told with its line.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use waypost_core::text::{did_you_mean, one_line, shortened};

/// No more problems than this are told.
const MAX_PROBLEMS: usize = 200;

/// Something in a configuration file that could not be understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, as the project calls it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what was probably meant.
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// Walks a parsed file and collects what it does not understand.
pub(super) struct Reader<'a> {
    /// The file, as the project calls it.
    pub(super) file: &'a str,
    text: &'a str,
    problems: Vec<Problem>,
    /// The gate that is being read.
    pub(super) gate: String,
}

impl<'a> Reader<'a> {
    /// A reader of a file's text.
    pub(super) fn new(file: &'a str, text: &'a str) -> Self {
        Self { file, text, problems: Vec::new(), gate: String::new() }
    }

    /// Reads the text as TOML.
    pub(super) fn parse(&self) -> Result<Spanned<DeTable<'a>>, Problem> {
        DeTable::parse(self.text).map_err(|error| Problem {
            file: self.file.to_owned(),
            line: self.line_at(error.span().map_or(0, |span| span.start)),
            message: one_line(error.message()),
        })
    }

    /// What could not be understood so far.
    pub(super) fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// What could not be understood, in the order of lines.
    pub(super) fn into_problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.line);
        self.problems
    }

    /// The line of a place in the text, from 1.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
    }

    /// Tells what is wrong at a place in the text.
    pub(super) fn problem(&mut self, offset: usize, message: impl Into<String>) {
        // Nobody reads more, and finding the line of each costs.
        if self.problems.len() >= MAX_PROBLEMS {
            return;
        }
        let (file, line) = (self.file.to_owned(), self.line_at(offset));
        self.problems.push(Problem { file, line, message: message.into() });
    }

    /// Tells what is wrong with the value of a key.
    pub(super) fn problem_at(&mut self, table: &DeTable<'_>, key: &str, message: &str) {
        let offset = table.get(key).map_or(0, |value| value.span().start);
        self.problem(offset, format!("`{key}`: {message}"));
    }

    /// Tells which keys nobody knows, and what was probably meant.
    pub(super) fn unknown_keys(&mut self, table: &DeTable<'_>, known: &[&str], place: &str) {
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let shown = shortened(&one_line(name), 40);
            let mut message = format!("`{shown}` is not a key of {place}");
            if let Some(meant) = did_you_mean(name, known) {
                message.push_str(&format!("; did you mean `{meant}`?"));
            }
            self.problem(key.span().start, message);
        }
    }

    /// The table under a key, if there is one.
    pub(super) fn table<'t, 'i>(
        &mut self,
        table: &'t DeTable<'i>,
        key: &str,
    ) -> Option<&'t DeTable<'i>> {
        let value = table.get(key)?;
        let found = value.get_ref().as_table();
        if found.is_none() {
            self.wrong_type(key, "a table", value);
        }
        found
    }

    /// The string under a key, if there is one.
    pub(super) fn string<'t>(&mut self, table: &'t DeTable<'_>, key: &str) -> Option<&'t str> {
        let value = table.get(key)?;
        let found = value.get_ref().as_str();
        if found.is_none() {
            self.wrong_type(key, "a string", value);
        }
        found
    }

    /// The yes or no under a key, if there is one.
    pub(super) fn flag(&mut self, table: &DeTable<'_>, key: &str) -> Option<bool> {
        let value = table.get(key)?;
        let found = value.get_ref().as_bool();
        if found.is_none() {
            self.wrong_type(key, "true or false", value);
        }
        found
    }

    /// Tells that a value is not of the type that is wanted.
    pub(super) fn wrong_type(&mut self, key: &str, wanted: &str, value: &Spanned<DeValue<'_>>) {
        let found = value.get_ref().type_str();
        self.problem(value.span().start, format!("`{key}` must be {wanted}, not {found}"));
    }
}
