//! A page of Markdown: its title, its fields in bold, and its sections with what lies below them. Takes text apart and
//! knows nothing of sessions.

use crate::foreign::lines::cells;

/// No more lines than this are looked at.
pub(super) const MAX_LINES: usize = 20_000;
/// No more sections than this are told apart.
const MAX_PARTS: usize = 2_000;
/// The longest name of a field, in bytes.
const MAX_NAME: usize = 60;

/// A page, line by line.
#[derive(Debug, Default)]
pub(in crate::foreign) struct Page {
    /// The first heading.
    pub(in crate::foreign) title: String,
    /// Fields in bold, with their names in small letters.
    pub(in crate::foreign) fields: Vec<(String, String)>,
    /// Sections of the second and third level, with their names in small letters and their text, that of deeper ones too.
    pub(in crate::foreign) sections: Vec<(String, String)>,
    /// The lines in which those begin, from 0.
    pub(super) begins: Vec<usize>,
    /// All sections with only their own text, in order. The first is what stands before any of them.
    pub(super) parts: Vec<Part>,
}

/// A section without those below it.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Its heading's level; zero for what stands before any.
    pub(super) level: usize,
    /// Its heading, as it is written.
    pub(super) heading: String,
    /// Its own text.
    pub(super) text: String,
    /// Its fields, as those of the page.
    pub(super) fields: Vec<(String, String)>,
}

impl Part {
    /// Its heading in small letters, without signs and numbers around it.
    pub(super) fn name(&self) -> String {
        let name = self.heading.to_lowercase();
        name.trim_matches(|c: char| !c.is_alphabetic()).to_owned()
    }
}

impl Page {
    /// Takes a text apart. What stands in code is text.
    pub(in crate::foreign) fn of(text: &str) -> Self {
        let mut page = Self { parts: vec![Part::default()], ..Self::default() };
        let mut fence: Option<(char, usize)> = None;
        for (number, line) in text.lines().take(MAX_LINES).enumerate() {
            let trimmed = line.trim();
            let (was_code, mark) = (fence.is_some(), fence_of(trimmed));
            match (fence, mark) {
                (None, Some((sign, length, _))) => fence = Some((sign, length)),
                (Some((sign, length)), Some((other, run, true)))
                    if other == sign && run >= length =>
                {
                    fence = None;
                }
                _ => {}
            }
            let is_code = was_code || fence.is_some();
            match heading(trimmed).filter(|_| !is_code) {
                Some((level, heading)) => page.begin(number, level, heading),
                None => page.line(line, trimmed, is_code),
            }
        }
        page
    }

    fn begin(&mut self, line: usize, level: usize, heading: &str) {
        if level == 1 && self.title.is_empty() {
            heading.clone_into(&mut self.title);
            return;
        }
        if level <= 3 {
            self.sections.push((heading.to_lowercase(), String::new()));
            self.begins.push(line);
        }
        if self.parts.len() < MAX_PARTS {
            self.parts.push(Part { level, heading: heading.to_owned(), ..Part::default() });
        }
    }

    fn line(&mut self, line: &str, trimmed: &str, is_code: bool) {
        let found = field(trimmed).filter(|_| !is_code);
        if let Some(part) = self.parts.last_mut() {
            let found = found.clone().or_else(|| pair(trimmed).filter(|_| !is_code));
            part.fields.extend(found);
            part.text.push_str(line);
            part.text.push('\n');
        }
        self.fields.extend(found);
        if let Some((_, section)) = self.sections.last_mut() {
            section.push_str(line);
            section.push('\n');
        }
    }

    /// The first field of one of these names.
    pub(in crate::foreign) fn field(&self, names: &[&str]) -> Option<String> {
        first(&self.fields, names)
    }

    /// The text of the first section that is called so.
    pub(in crate::foreign) fn section(&self, names: &[&str]) -> Option<String> {
        let found =
            self.sections.iter().find(|(name, _)| names.iter().any(|one| name.starts_with(one)))?;
        let text = found.1.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Where the sections below one end.
    pub(super) fn end_of(&self, at: usize) -> usize {
        let level = self.parts[at].level;
        let below = self.parts[at + 1..].iter().take_while(|part| part.level > level);
        at + 1 + below.count()
    }

    /// The text of a section with those below it, and their headings.
    pub(super) fn whole(&self, at: usize) -> String {
        let mut text = self.parts[at].text.clone();
        for part in &self.parts[at + 1..self.end_of(at)] {
            text.push_str(&format!("\n{} {}\n{}", "#".repeat(part.level), part.heading, part.text));
        }
        text
    }
}

/// The first of these fields that has one of these names and says something.
pub(super) fn first(fields: &[(String, String)], names: &[&str]) -> Option<String> {
    let found =
        fields.iter().find(|(name, value)| names.contains(&name.as_str()) && !value.is_empty());
    found.map(|(_, value)| value.clone())
}

/// The sign, its length and whether nothing follows, where a line can begin or end a code block.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let sign = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let run = line.chars().take_while(|c| *c == sign).count();
    let rest = &line[run..];
    let begins = run >= 3 && !(sign == '`' && rest.contains('`'));
    begins.then(|| (sign, run, rest.trim().is_empty()))
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.chars().take_while(|c| *c == '#').count();
    let is_one = (1..=6).contains(&level) && line[level..].starts_with([' ', '\t']);
    is_one.then(|| (level, line[level..].trim().trim_end_matches('#').trim_end()))
}

/// A field in bold: `**Name**: value`, also as an item of a list.
fn field(line: &str) -> Option<(String, String)> {
    let line = line.trim_start_matches(['-', '*', '>', ' ']);
    // The marks before the name may have gone with those of the list.
    let line = line.trim_start_matches('*');
    let (name, value) = line.split_once("**")?;
    let (name, value) = match (name.strip_suffix(':'), value.trim_start().strip_prefix(':')) {
        (Some(name), _) => (name, value),
        (None, Some(value)) => (name, value),
        (None, None) => return None,
    };
    let is_name = !name.is_empty() && name.len() <= MAX_NAME;
    is_name.then(|| (name.trim().to_lowercase(), value.trim().to_owned()))
}

/// A field as a row of a table of two columns.
fn pair(line: &str) -> Option<(String, String)> {
    let row = Some(line).filter(|line| line.starts_with('|')).map(cells)?;
    let [name, value] = <[String; 2]>::try_from(row).ok()?;
    let name = name.trim_matches(['*', ':', ' ']).to_lowercase();
    let is_name = name.starts_with(char::is_alphabetic) && name.len() <= MAX_NAME;
    is_name.then_some((name, value))
}

/// The first word of a field: what follows is somebody's remark.
pub(super) fn first_word(text: &str) -> String {
    let text = text.trim().trim_start_matches(['`', '*', '[']);
    text.split([' ', '`', ',', ';', '(', ']', '*']).next().unwrap_or_default().to_owned()
}
