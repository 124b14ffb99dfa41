//! Fits lines of output to templates.
//!
//! A template is the text of a line, in which
//! - a space stands for one or more, two for two or more;
//! - `*` stands for any text;
//! - `<number>` is a number, and `<time>` one with a unit, as `0.12s`;
//! - `<passed>`, `<failed>`, `<skipped>`, `<total>` and `<ran>` are numbers that count;
//! - `<counts>` is a list such as `5 passed, 1 failed (2 slow)` or `Failures: 1 Errors: 0`, with the words
//!   of its format and no others;
//! - `<name>` names a failed test, and `<name:*::*>` one that fits this pattern.
//!
//! Indentation is passed over, unless the template begins with `^` or spaces.

use super::super::profile::Words;
use crate::glob;

/// What is found in a line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found<'l> {
    pub(super) counts: [Option<u64>; Kind::COUNTED],
    pub(super) name: Option<&'l str>,
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Passed,
    Failed,
    Skipped,
    Total,
    Ran,
    Other,
}

impl Kind {
    /// How many of them are counted.
    pub(super) const COUNTED: usize = 5;

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "passed" => Self::Passed,
            "failed" => Self::Failed,
            "skipped" => Self::Skipped,
            "total" => Self::Total,
            "ran" => Self::Ran,
            "number" => Self::Other,
            _ => return None,
        })
    }
}

impl Found<'_> {
    fn add(&mut self, kind: Kind, count: u64) {
        if let Some(counted) = self.counts.get_mut(kind as usize) {
            *counted = Some(counted.unwrap_or(0).saturating_add(count));
        }
    }
}

/// A piece of a template.
#[derive(Debug, Clone, Copy)]
enum Part<'t> {
    Text(&'t str),
    Spaces(usize),
    Any,
    Hole(&'t str),
}

/// The first piece of a template, and the rest.
fn first(template: &str) -> Option<(Part<'_>, &str)> {
    let start = template.chars().next()?;
    Some(match start {
        ' ' => {
            let rest = template.trim_start_matches(' ');
            (Part::Spaces(template.len() - rest.len()), rest)
        }
        '*' => (Part::Any, &template[1..]),
        '<' => {
            let end = template.find('>')?;
            (Part::Hole(&template[1..end]), &template[end + 1..])
        }
        _ => {
            let end = template.find([' ', '*', '<']).unwrap_or(template.len());
            (Part::Text(&template[..end]), &template[end..])
        }
    })
}

/// What is wrong with a template; `None` if nothing is.
pub fn problem(mut template: &str) -> Option<String> {
    if template.trim_matches(['^', ' ', '*']).is_empty() {
        return Some("it fits any line".to_owned());
    }
    while !template.is_empty() {
        let Some((part, rest)) = first(template) else {
            return Some(format!("`{template}` has no `>`"));
        };
        if let Part::Hole(hole) = part {
            let name = hole.split(':').next().unwrap_or(hole);
            let is_known =
                matches!(name, "time" | "counts" | "name") || Kind::named(hole).is_some();
            if !is_known {
                return Some(format!("there is no `<{hole}>`"));
            }
        }
        template = rest;
    }
    None
}

/// By what lines are told apart at a glance that cannot fit any of some templates.
#[derive(Debug, Default)]
pub(super) struct Glance<'p> {
    /// With which bytes a line may begin, behind its indentation.
    first: [u64; 4],
    /// Texts of which it has one, where it may begin with anything.
    texts: Vec<&'p str>,
}

impl<'p> Glance<'p> {
    /// Takes another template into account.
    pub(super) fn add(&mut self, template: &'p str, words: &Words<'p>) {
        let template = template.strip_prefix('^').unwrap_or(template).trim_start();
        match first(template) {
            Some((Part::Text(text), _)) => self.allow(text),
            Some((Part::Hole("counts"), _)) => {
                let Words { passed, failed, skipped, total, ran, other } = *words;
                let all = [passed, failed, skipped, total, ran, other];
                all.iter().flat_map(|list| list.iter()).for_each(|word| self.allow(word));
                self.allow("no");
                ('0'..='9').for_each(|digit| self.allow(digit.encode_utf8(&mut [0; 4])));
            }
            Some((Part::Hole(hole), _)) if !hole.starts_with("name") => {
                ('0'..='9').for_each(|digit| self.allow(digit.encode_utf8(&mut [0; 4])));
            }
            _ => self.texts.push(longest_text(template)),
        }
    }

    fn allow(&mut self, text: &str) {
        if let Some(byte) = text.bytes().next() {
            self.first[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
    }

    /// Whether a line may fit one of the templates.
    pub(super) fn may_fit(&self, line: &str) -> bool {
        let first = line.trim_start().bytes().next();
        let begins = |byte: u8| self.first[usize::from(byte >> 6)] & (1 << (byte & 63)) != 0;
        first.is_some_and(begins) || self.texts.iter().any(|text| line.contains(text))
    }
}

/// The longest text of a template that stands in every line that fits it.
fn longest_text(mut template: &str) -> &str {
    let mut longest = "";
    while let Some((part, rest)) = first(template) {
        if let Part::Text(text) = part
            && text.len() > longest.len()
        {
            longest = text;
        }
        template = rest;
    }
    longest
}

/// Where a piece of any length began, to let it take more.
#[derive(Clone, Copy)]
struct Open<'t, 'l> {
    /// The template behind it.
    rest: &'t str,
    /// The line where it begins, and up to where it reaches by now.
    line: &'l str,
    taken: usize,
    /// What was found before it.
    found: Found<'l>,
    /// What it has to fit, if it is a name.
    name: Option<&'t str>,
}

impl<'l> Open<'_, 'l> {
    fn grow(&mut self) -> Option<()> {
        self.taken += self.line[self.taken..].chars().next()?.len_utf8();
        Some(())
    }

    fn found(&self) -> Found<'l> {
        let name = self.name.map(|_| self.line[..self.taken].trim_end());
        Found { name: name.or(self.found.name), ..self.found }
    }
}

/// What `line` says if it fits `template`.
pub(super) fn fit<'l>(template: &str, line: &'l str, words: &Words<'_>) -> Option<Found<'l>> {
    let (mut template, mut line) = match template.strip_prefix('^') {
        Some(exact) => (exact, indented(exact, line)?),
        None if template.starts_with(' ') => (template, line),
        None => (template, line.trim_start()),
    };
    let mut found = Found::default();
    let mut open: Option<Open<'_, 'l>> = None;
    loop {
        let after = match first(template) {
            None if line.is_empty() => {
                let fits = |open: Open<'_, '_>| match (open.name, found.name) {
                    (Some(pattern), Some(name)) => glob::matches(pattern, name),
                    _ => true,
                };
                return open.is_none_or(fits).then_some(found);
            }
            None => None,
            Some((Part::Any, "")) => {
                line = "";
                template = "";
                continue;
            }
            Some((Part::Any, rest)) => {
                open = Some(Open { rest, line, taken: 0, found, name: None });
                Some((rest, line))
            }
            Some((Part::Hole(hole), rest)) if hole.starts_with("name") => {
                let name = hole.strip_prefix("name:").unwrap_or("*");
                let mut begun = Open { rest, line, taken: 0, found, name: Some(name) };
                begun.grow()?;
                open = Some(begun);
                found = begun.found();
                Some((rest, &line[begun.taken..]))
            }
            Some((part, rest)) => take(part, line, words, &mut found).map(|line| (rest, line)),
        };
        if let Some((rest, behind)) = after {
            (template, line) = (rest, behind);
            continue;
        }
        // Going back to the last open piece is enough: what came before it took the least it could.
        let again = open.as_mut()?;
        again.grow()?;
        found = again.found();
        (template, line) = (again.rest, &again.line[again.taken..]);
    }
}

/// The line, if it is indented as the template is.
fn indented<'l>(template: &str, line: &'l str) -> Option<&'l str> {
    let indent = |text: &str| text.len() - text.trim_start().len();
    (indent(template) == indent(line)).then_some(line)
}

/// The line behind a piece, if it begins with that.
fn take<'l>(
    part: Part<'_>,
    line: &'l str,
    words: &Words<'_>,
    found: &mut Found<'l>,
) -> Option<&'l str> {
    match part {
        Part::Text(text) => line.strip_prefix(text),
        Part::Spaces(least) => {
            let rest = line.trim_start();
            let taken = line[..line.len() - rest.len()].chars().count();
            (taken >= least).then_some(rest)
        }
        Part::Hole("time") => time(line),
        Part::Hole("counts") => counts(line, words, found),
        Part::Hole(name) => {
            let (count, rest) = number(line)?;
            found.add(Kind::named(name)?, count);
            Some(rest)
        }
        Part::Any => None,
    }
}

fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

fn time(text: &str) -> Option<&str> {
    let is_of_it = |c: char| c.is_alphanumeric() || ".,:".contains(c);
    let end = text.find(|c: char| !is_of_it(c)).unwrap_or(text.len());
    let time = text[..end].trim_end_matches(['.', ',', ':']);
    let is_time =
        time.starts_with(|c: char| c.is_ascii_digit()) && time.contains(char::is_alphabetic);
    is_time.then_some(&text[time.len()..])
}

/// The text behind a list of counts. Where the words end, the list ends.
fn counts<'l>(text: &'l str, words: &Words<'_>, found: &mut Found<'l>) -> Option<&'l str> {
    let mut rest = counted(text, words, found)?;
    loop {
        let next = rest.trim_start_matches([',', ';', '|', '/', '.', ' ', '\t']);
        let next = next.strip_prefix("and ").unwrap_or(next);
        match counted(next, words, found) {
            Some(behind) if next.len() < rest.len() => rest = behind,
            _ => return Some(rest),
        }
    }
}

/// The text behind one count, and behind what stands in parentheses after it.
fn counted<'l>(text: &'l str, words: &Words<'_>, found: &mut Found<'l>) -> Option<&'l str> {
    let none = text.strip_prefix("no ").map(|rest| (0, rest));
    let (kind, count, rest) = if let Some((count, rest)) = number(text).or(none) {
        let (kind, rest) = word(rest.trim_start(), words)?;
        (kind, count, rest)
    } else {
        let (kind, rest) = word(text, words)?;
        let (count, rest) = number(rest.trim_start_matches([':', '=', ' ', '\t']))?;
        (kind, count, rest)
    };
    found.add(kind, count);
    let remark = rest.trim_start().strip_prefix('(').and_then(|remark| remark.split_once(')'));
    Some(remark.map_or(rest, |(_, behind)| behind))
}

/// The longest known word that a text begins with.
fn word<'l>(text: &'l str, words: &Words<'_>) -> Option<(Kind, &'l str)> {
    let Words { passed, failed, skipped, total, ran, other } = *words;
    let known = [
        (Kind::Passed, passed),
        (Kind::Failed, failed),
        (Kind::Skipped, skipped),
        (Kind::Total, total),
        (Kind::Ran, ran),
        (Kind::Other, other),
    ];
    let fitting =
        known.into_iter().flat_map(|(kind, list)| list.iter().map(move |one| (kind, one)));
    let (kind, found) =
        fitting.filter(|(_, one)| stands(one, text)).max_by_key(|(_, one)| one.len())?;
    Some((kind, &text[found.len()..]))
}

/// Whether a text begins with a word, which ends there.
fn stands(word: &str, text: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    text.strip_prefix(word)
        .is_some_and(|rest| !word.ends_with(is_letter) || !rest.starts_with(is_letter))
}
