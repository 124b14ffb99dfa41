//! Reports of whoever looked at the work, in Markdown, with front matter or without: what they find,
//! and about which session. Takes text, gives what it says; it looks at no file and decides nothing.

mod front_matter;
mod verdict;

use std::collections::BTreeMap;

use waypost_core::gate::facts::FoundReport;

use super::lines::{LineKind, lines};
use super::named_session::{NamedSession, id_in, is_day};
use super::words::plain;

/// A larger report is not read, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;
/// The names under which a report gives its session.
const SESSIONS: &[&str] =
    &["qasessionlog", "sessionlog", "qasession", "sessionid", "qasessionid", "session"];

/// Reads a report. Its path may name the session too.
pub fn read(path: &str, bytes: &[u8]) -> FoundReport {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_BYTES)]);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (fields, body) = front_matter::parse(text);
    let above = text[..text.len() - body.len()].matches('\n').count();
    let above = u64::try_from(above).unwrap_or_default();
    let body = lines(body).lines;
    let said = front_matter::verdict(text, &fields);
    let found = verdict::of(&body, above);
    let verdict = match (said, found) {
        // What it finds further down weighs more than what stands above it.
        (Some(said), Some(found)) if said.passed && found.is_failure() => Some(found.verdict),
        (Some(said), _) => Some(said),
        (None, found) => found.map(|found| found.verdict),
    };
    let session = of_fields(&fields).or_else(|| of_file(path)).or_else(|| of_body(path, &body));
    let plain = fields.into_iter().map(|(key, field)| (key, field.value)).collect();
    FoundReport { path: path.to_owned(), fields: plain, session, verdict }
}

/// A field of the front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    value: String,
    line: u64,
}

type Fields = BTreeMap<String, Field>;

/// A name without case and signs.
fn spelt(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn of_fields(fields: &Fields) -> Option<String> {
    let named = |name: &&str| fields.iter().find(|(key, _)| spelt(key) == **name);
    let mut found = SESSIONS.iter().filter_map(named);
    found.find_map(|(_, field)| id_in(&field.value))
}

/// A report whose name begins with a session is about that one.
fn of_file(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    NamedSession::in_name(name).map(|session| session.id())
}

/// The session that the text names: in a line of its own, as a number together with a day, or as the
/// only one that it speaks of.
fn of_body(path: &str, body: &[super::lines::Line]) -> Option<String> {
    let texts = || {
        body.iter().filter_map(|line| match &line.kind {
            LineKind::Text(text) | LineKind::Heading(_, text) | LineKind::Box(_, text) => {
                Some(text.as_str())
            }
            LineKind::Row(cells) if cells.len() == 2 => Some(cells[1].as_str()),
            LineKind::Row(_) | LineKind::Delimiter | LineKind::Blank => None,
        })
    };
    let pairs = || {
        body.iter().filter_map(|line| match &line.kind {
            LineKind::Text(text) | LineKind::Box(_, text) => text.split_once(':'),
            LineKind::Row(cells) if cells.len() == 2 => Some((&*cells[0], &*cells[1])),
            _ => None,
        })
    };
    let values = |names: &'static [&str]| {
        pairs().filter(move |(key, _)| names.contains(&spelt(key).as_str())).map(|(_, value)| value)
    };
    if let Some(id) = values(SESSIONS).find_map(id_in) {
        return Some(id);
    }
    let title = texts().next();
    let number = values(SESSIONS).find_map(number).or_else(|| title.and_then(number_after_session));
    let day = values(&["date", "created", "day"]).map(plain).find(|day| is_day(day));
    let day = day.or_else(|| {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.get(..10).filter(|day| is_day(day)).map(str::to_owned)
    });
    if let (Some(number), Some(day)) = (number, day) {
        return Some(NamedSession { day, number }.id());
    }
    let mut spoken_of: Vec<NamedSession> = Vec::new();
    for session in texts().flat_map(NamedSession::all_in) {
        if !spoken_of.contains(&session) {
            spoken_of.push(session);
        }
        if spoken_of.len() > 1 {
            return None;
        }
    }
    spoken_of.first().map(NamedSession::id)
}

/// `63`, `Session 63`
fn number(value: &str) -> Option<u32> {
    let value = plain(value);
    let value = value.strip_prefix("session").unwrap_or(&value);
    let value = value.trim_start_matches([' ', '#']);
    let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let whole = !value[end..].starts_with(|c: char| c == '-' || c.is_alphanumeric());
    value[..end].parse().ok().filter(|_| whole && end <= 9)
}

/// `QA Report: Session 63 - Guardrails`
fn number_after_session(title: &str) -> Option<u32> {
    let title = plain(title);
    let (_, behind) = title.split_once("session ")?;
    number(behind)
}

#[cfg(test)]
mod tests;
