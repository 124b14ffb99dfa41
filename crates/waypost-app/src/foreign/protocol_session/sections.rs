//! What the sections of a log in Markdown tell: what it is for, what was done and decided, and what is left.

use super::log::{Log, day_session, says_something};
use super::page::{Page, Part, first_word};
use crate::foreign::named_session::{NamedSession, is_day};
use crate::foreign::session_log::LogItem;

/// What sections are about, by how they are called. Boilerplate of the protocol's own is about nothing.
const KINDS: &[(Kind, &[&str])] = &[
    (Kind::None, &["work blocked until", "blocking", "session start", "session end"]),
    (
        Kind::Next,
        &[
            "notes for next session",
            "next session",
            "next steps",
            "next actions",
            "context for next session",
            "follow-up",
            "follow up",
            "handoff notes",
            "handoff to",
        ],
    ),
    (Kind::Note("decision"), &["decision", "decisions", "key decision", "technical decision"]),
    (Kind::Note("question"), &["open question", "question"]),
    (Kind::Note("blocker"), &["blocker", "blocked"]),
    (Kind::Note("learning"), &["learning", "key learning", "lesson"]),
    (Kind::Summary, &["outcome", "session outcome", "summary", "session summary", "conclusion"]),
    (
        Kind::Note("work"),
        &[
            "work log",
            "session log",
            "work performed",
            "work completed",
            "work done",
            "work summary",
            "changes",
            "actions taken",
            "tasks completed",
            "what was done",
        ],
    ),
];
/// Fields within a section that a list of something follows.
const LISTS: &[(&str, &[&str])] =
    &[("decision", &["decisions made", "decisions", "key decisions", "decision"])];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Note(&'static str),
    Summary,
    Next,
    None,
}

/// What a section is about, as its heading says.
fn kind(part: &Part) -> Option<Kind> {
    let name = part.name();
    let is = |known: &&str| {
        name.strip_prefix(*known).is_some_and(|rest| {
            let rest = rest.strip_prefix('s').unwrap_or(rest);
            !rest.starts_with(char::is_alphanumeric)
        })
    };
    KINDS.iter().find(|(_, names)| names.iter().any(is)).map(|(kind, _)| *kind)
}

/// The objective, where a section tells it.
pub(super) fn objective(page: &Page, names: &[&str]) -> Option<String> {
    let found = page.parts.iter().filter(|part| names.contains(&part.name().as_str()));
    let mut texts = found.map(|part| clean(&part.text));
    texts.find(|text| says_something(text))
}

/// What a log is called: as its file, if that says which session it is, else by its own day and number.
pub(super) fn name(stem: &str, date: Option<&str>, number: Option<u32>, page: &Page) -> String {
    if day_session(stem).is_some() {
        return stem.to_owned();
    }
    let in_title = NamedSession::in_name(&page.title).map(|named| named.id());
    let day = date.map(first_word).filter(|day| is_day(day));
    let by_day = day.zip(number).map(|(day, number)| NamedSession { day, number }.id());
    in_title.or(by_day).unwrap_or_else(|| stem.to_owned())
}

/// Hashes in fields, in evidence, and in lists of commits.
pub(super) fn commits(page: &Page, items: &[LogItem], log: &mut Log) {
    for part in page.parts.iter().filter(|part| part.name().starts_with("commits")) {
        for line in part.text.lines() {
            let line = line.trim().trim_start_matches(['-', '|', '*', ' ', '`', '[']);
            let end = line.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(line.len());
            let message = line[end..].trim_matches(['`', ' ', '|', ':', '-', '*', ']', '–', '—']);
            log.commit(&line[..end], message);
        }
    }
    let is_one = |name: &str| ["commit", "commits", "commit sha", "ending commit"].contains(&name);
    for (_, text) in page.fields.iter().filter(|(name, _)| is_one(name)) {
        log.commit(&first_word(text), "");
    }
    for item in items {
        if let Some((_, sha)) = item.evidence.split_once("SHA:") {
            log.commit(&first_word(sha), "");
        }
    }
}

/// What people and agents wrote down.
pub(super) fn notes(page: &Page, log: &mut Log) {
    let (mut summaries, mut next) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < page.parts.len() {
        let kind = kind(&page.parts[at]).filter(|_| page.parts[at].level > 1);
        let end = page.end_of(at);
        match kind {
            Some(Kind::Note("work")) => work(page, at, log),
            Some(Kind::Note(kind)) => listed(&page.whole(at), kind, log),
            Some(Kind::Summary) => summaries.push(clean(&page.whole(at))),
            Some(Kind::Next) => next.push(clean(&page.whole(at))),
            Some(Kind::None) | None => {
                within(&page.parts[at], log);
                at += 1;
                continue;
            }
        }
        at = end;
    }
    log.summary = joined(summaries);
    log.next_notes = joined(next);
}

/// A log of work: an entry for each section below it, and what some of them are about instead.
fn work(page: &Page, at: usize, log: &mut Log) {
    log.note("work", &clean(&page.parts[at].text), None);
    within(&page.parts[at], log);
    let end = page.end_of(at);
    let mut below = at + 1;
    while below < end {
        let part = &page.parts[below];
        let text = clean(&page.whole(below));
        match kind(part) {
            Some(Kind::Note(kind)) if kind != "work" => listed(&text, kind, log),
            _ if says_something(&text) => {
                log.note("work", &format!("{}\n\n{text}", part.heading), None);
                for one in &page.parts[below..page.end_of(below)] {
                    within(one, log);
                }
            }
            _ => {}
        }
        below = page.end_of(below);
    }
}

/// Lists that a field in bold begins. Items of theirs may begin in bold, too, unless the field is one of a list.
fn within(part: &Part, log: &mut Log) {
    for (kind, names) in LISTS {
        let mut list: Option<(bool, String)> = None;
        for line in part.text.lines() {
            let is_item = line.starts_with("- **") && line.contains("**:");
            let in_list = list.as_ref().is_some_and(|(is_item, _)| *is_item);
            let begins = names.iter().any(|name| is_field(line, name));
            if line.starts_with("**") || begins || is_item && in_list {
                if let Some((_, text)) = list.take() {
                    listed(&text, kind, log);
                }
                list = begins.then(|| (is_item, String::new()));
            } else if let Some((_, text)) = &mut list {
                text.push_str(line.strip_prefix("  ").filter(|_| in_list).unwrap_or(line));
                text.push('\n');
            }
        }
        if let Some((_, text)) = list {
            listed(&text, kind, log);
        }
    }
}

/// Whether a line is a field of this name that says nothing itself.
fn is_field(line: &str, name: &str) -> bool {
    let line = line.trim_start_matches(['-', '*', ' ']).to_lowercase();
    line.strip_prefix(name).is_some_and(|rest| rest.trim_matches(['*', ':', ' ']).is_empty())
}

/// A note for each item of a list, or one for a text that is none.
fn listed(text: &str, kind: &str, log: &mut Log) {
    let text = clean(text);
    let mut items: Vec<String> = Vec::new();
    let mut is_list = false;
    for line in text.lines() {
        match item(line) {
            Some(begins) => {
                is_list = true;
                items.push(begins.to_owned());
            }
            None if !is_list && !line.trim().is_empty() => {
                log.note(kind, &text, None);
                return;
            }
            None => {
                if let Some(last) = items.last_mut() {
                    last.push('\n');
                    last.push_str(line);
                }
            }
        }
    }
    for item in items {
        log.note(kind, &item, None);
    }
}

/// Whether a text begins with an item of a list.
pub(super) fn is_list(text: &str) -> bool {
    text.lines().next().is_some_and(|line| item(line).is_some())
}

/// What stands behind the mark of an item that is not indented.
fn item(line: &str) -> Option<&str> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+']),
        _ => line[digits..].strip_prefix(['.', ')']),
    };
    rest.filter(|rest| rest.starts_with(' ')).map(str::trim)
}

/// A text without rules and comments around it.
fn clean(text: &str) -> String {
    let is_rule =
        |line: &str| line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '*' | '_'));
    let is_comment = |line: &str| line.starts_with("<!--") && line.ends_with("-->");
    let kept = text.lines().filter(|line| !is_rule(line.trim()) && !is_comment(line.trim()));
    kept.collect::<Vec<&str>>().join("\n").trim().to_owned()
}

fn joined(texts: Vec<String>) -> Option<String> {
    let texts: Vec<String> = texts.into_iter().filter(|text| says_something(text)).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}
