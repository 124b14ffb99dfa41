//! A session note in Markdown: front matter, acceptance criteria, observations and wikilinks.

use std::collections::BTreeMap;

use waypost_core::event::{Past, PastNote, PastStep};
use waypost_core::text::{one_line, shortened};

use super::NOTE;
use crate::foreign::protocol_session::Page;
use crate::foreign::session::times::Times;
use crate::foreign::session::{Brought, ForeignFile, Outline, Reading, Status};
use crate::foreign::session_log;

/// No more lines of front matter than this are read.
const MAX_LINES: usize = 200;
/// No more notes and links than this are taken.
const MAX: usize = 500;
/// How much of a text is in a note, in characters.
const MAX_TEXT: usize = 2_000;
/// Sections whose boxes are what has to be so in the end.
const CRITERIA: &[&str] = &["acceptance criteria", "verification checklist", "checklist"];
const STATUSES: [(&str, Status); 8] = [
    ("in_progress", Status::Active),
    ("in progress", Status::Active),
    ("active", Status::Active),
    ("paused", Status::Paused),
    ("complete", Status::Complete),
    ("completed", Status::Complete),
    ("failed", Status::Failed),
    ("abandoned", Status::Failed),
];

/// Reads a note; `None` if it is none of a session.
pub(super) fn read(file: &ForeignFile<'_>, text: &str, times: &Times<'_>) -> Option<Reading> {
    let (matter, body) = front_matter(text)?;
    let is_typed = matter.get("type").is_some_and(|kind| kind.eq_ignore_ascii_case("session"));
    let is_named =
        file.name.to_ascii_uppercase().starts_with("SESSION-") && matter.contains_key("status");
    if !is_typed && !is_named {
        return None;
    }
    Some(Reading::Sessions(vec![brought(file, &matter, body, times)]))
}

/// The fields between the first lines of `---`, and what follows. Notes that were put together by hand are not always
/// YAML, so that each line is read by itself.
pub(super) fn front_matter(text: &str) -> Option<(BTreeMap<String, String>, &str)> {
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let mut fields = BTreeMap::new();
    let mut read = 0;
    for line in rest.split_inclusive('\n').take(MAX_LINES) {
        read += line.len();
        let line = line.trim_end();
        if line == "---" {
            return Some((fields, &rest[read..]));
        }
        if let Some((key, value)) = line.split_once(':')
            && !line.starts_with([' ', '-', '#'])
        {
            let value = value.trim().trim_matches(['"', '\'']);
            fields.entry(key.trim().to_lowercase()).or_insert_with(|| value.to_owned());
        }
    }
    None
}

fn brought(
    file: &ForeignFile<'_>,
    matter: &BTreeMap<String, String>,
    body: &str,
    times: &Times<'_>,
) -> Brought {
    let page = Page::of(body);
    let field = |keys: &[&str]| {
        let own =
            keys.iter().find_map(|key| matter.get(*key).filter(|text| !text.is_empty()).cloned());
        own.or_else(|| page.field(keys))
    };
    let mut remarks = Vec::new();
    let status = status(field(&["status"]).as_deref(), &mut remarks);
    let name = file.stem().to_owned();
    let topic =
        page.field(&["objective", "topic"]).or_else(|| page.section(&["topic", "objective"]));
    let topic = topic.or_else(|| Some(page.title.clone()).filter(|title| !title.is_empty()));
    let topic = topic.or_else(|| matter.get("title").cloned()).unwrap_or_else(|| name.clone());
    let time = |keys: &[&str]| field(keys).and_then(|text| times.read(&text));
    let day = || name.strip_prefix("SESSION-").and_then(|rest| times.read(rest.get(..10)?));
    let created_at = time(&["created", "date"]).or_else(day);
    let updated_at = time(&["updated", "completed", "ended"]).or(created_at);
    let starting = field(&["starting-commit", "starting commit"]);
    let outline = Outline {
        session_id: field(&["permalink"]).unwrap_or_else(|| name.clone()),
        topic: shortened(&one_line(&topic), 500),
        status,
        created_at,
        updated_at,
        branch: field(&["branch"]).map(|text| {
            text.split([' ', '`']).find(|word| !word.is_empty()).unwrap_or_default().to_owned()
        }),
        commits: commits(&page),
        ..Outline::default()
    };
    let past = Past {
        workflow: Some("none".to_owned()),
        ended_at: updated_at.filter(|_| status == Status::Complete),
        starting_commit: starting.map(|text| text.split(' ').next().unwrap_or_default().to_owned()),
        checklist: checklist(&page, body),
        notes: notes(&page, body),
        next_notes: page.section(&[
            "next session",
            "next steps",
            "context to reload",
            "pause point",
        ]),
        ..Past::default()
    };
    if times.took_naive() && [time(&["created"]), time(&["updated"])].iter().any(Option::is_some) {
        times.took_naive();
    }
    Brought {
        name,
        format: NOTE,
        manifest: outline.manifest(),
        past,
        definition: None,
        original: file.original(),
        remarks,
    }
}

fn status(word: Option<&str>, remarks: &mut Vec<String>) -> Status {
    let Some(word) = word else {
        remarks
            .push("it does not say how far it came; it is taken for one that goes on".to_owned());
        return Status::Active;
    };
    let lower = word.to_lowercase();
    let found = STATUSES.iter().find(|(known, _)| lower == *known);
    if let Some((_, status)) = found {
        return *status;
    }
    let begins = STATUSES.iter().rev().find(|(known, _)| lower.starts_with(known));
    let status = begins.map_or(Status::Active, |(_, status)| *status);
    remarks.push(
        format!("its status is `{}`, which is taken as {status:?}", shortened(&one_line(word), 60))
            .to_lowercase(),
    );
    status
}

/// What has to be so in the end, and the tables of its protocol.
fn checklist(page: &Page, body: &str) -> Vec<PastStep> {
    let mut steps = Vec::new();
    for (name, text) in &page.sections {
        if !CRITERIA.iter().any(|known| name.starts_with(known)) {
            continue;
        }
        for line in text.lines().map(str::trim) {
            let ticked = [("- [x] ", true), ("- [X] ", true), ("- [ ] ", false)];
            for (mark, done) in ticked {
                if let Some(step) = line.strip_prefix(mark) {
                    let (level, evidence) = ("MUST".to_owned(), String::new());
                    steps.push(PastStep {
                        level,
                        step: step.to_owned(),
                        done: Some(done),
                        evidence,
                    });
                }
            }
        }
    }
    if let Ok(found) = session_log::read("log.md", body.as_bytes()) {
        let known: Vec<String> = steps.iter().map(|step| step.step.clone()).collect();
        let rows = crate::foreign::protocol_session::steps(&found.items);
        steps.extend(rows.into_iter().filter(|step| !known.contains(&step.step)));
    }
    steps.truncate(MAX);
    steps
}

/// Observations by their categories, decisions, and links.
fn notes(page: &Page, body: &str) -> Vec<PastNote> {
    let mut notes: Vec<PastNote> = Vec::new();
    let mut put = |kind: &str, text: &str| {
        let note = PastNote {
            kind: kind.to_owned(),
            text: shortened(text.trim(), MAX_TEXT),
            by: None,
            time: None,
        };
        if notes.len() < MAX && !text.trim().is_empty() && !notes.contains(&note) {
            notes.push(note);
        }
    };
    for line in body.lines().map(str::trim) {
        let item = line.strip_prefix("- ").unwrap_or_default();
        let item = ["[x] ", "[X] ", "[ ] "]
            .iter()
            .find_map(|mark| item.strip_prefix(mark))
            .unwrap_or(item);
        if let Some((kind, text)) = item.strip_prefix('[').and_then(|rest| rest.split_once("] "))
            && !kind.starts_with('[')
            && kind.len() <= 30
        {
            put(&kind.to_lowercase(), text);
        }
    }
    for (name, text) in &page.sections {
        if name.starts_with("relations") {
            for line in text.lines().map(str::trim).filter(|line| line.contains("[[")) {
                put("link", line.trim_start_matches("- "));
            }
        }
    }
    notes
}

/// Hashes that stand at the beginning of items below `Commits`.
fn commits(page: &Page) -> Vec<(String, String, Option<waypost_core::time::Timestamp>)> {
    let sections = page.sections.iter().filter(|(name, _)| name.starts_with("commits"));
    let lines = sections.flat_map(|(_, text)| text.lines());
    lines
        .filter_map(|line| {
            let line = line.trim().trim_start_matches(['-', '|', '*', ' ', '`']);
            let end = line.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(line.len());
            let is_sha = (7..=40).contains(&end);
            is_sha.then(|| {
                (
                    line[..end].to_owned(),
                    one_line(line[end..].trim_matches(['`', ' ', '|', ':', '-'])),
                    None,
                )
            })
        })
        .take(MAX)
        .collect()
}
