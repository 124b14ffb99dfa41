//! Logs in Markdown: a title, fields in bold, sections, checklists.

use super::log::{Log, says_something, status};
use crate::foreign::named_session::NamedSession;
use crate::foreign::session::times::Times;
use crate::foreign::session::{ForeignFile, Reading};
use crate::foreign::session_log;

/// Reads a log; `None` if it is none.
pub(super) fn read(file: &ForeignFile<'_>, text: &str, times: &Times<'_>) -> Option<Reading> {
    let page = Page::of(text);
    let title = page.title.to_ascii_lowercase();
    let named = NamedSession::at_start_of(file.name).is_some();
    let is_titled = title.contains("session") && !title.contains("protocol");
    let objective = page.field(&["objective", "session objective", "goal", "task"]);
    let objective =
        objective.or_else(|| page.section(&["objective", "session objective", "goal", "task"]));
    let found = session_log::read("log.md", text.as_bytes()).ok();
    let items = found.as_ref().map(|found| found.items.as_slice()).unwrap_or_default();
    let word = page.field(&["status", "outcome"]);
    let date = page.field(&["date", "started", "started at", "session date"]);
    let known = named || date.is_some() || found.as_ref().is_some_and(|log| log.number.is_some());
    let says = !items.is_empty() || objective.is_some() || word.is_some();
    if !known || !says || !(named || is_titled) {
        return None;
    }
    let topic =
        objective.clone().filter(|text| says_something(text)).or_else(|| subject(&page.title));
    let mut log = Log {
        name: file.stem().to_owned(),
        objective: topic,
        branch: page.field(&["branch"]).map(|text| first_word(&text)),
        starting_commit: page
            .field(&["starting commit", "start commit"])
            .map(|text| first_word(&text)),
        started: date.and_then(|text| times.read(&first_word(&text))),
        status: word.and_then(|word| status(&word)),
        has_end: page
            .sections
            .iter()
            .any(|(name, _)| name.contains("session end") || name.contains("end checklist")),
        ..Log::default()
    };
    log.check(items);
    for (_, text) in
        page.fields.iter().filter(|(name, _)| name.contains("commit") && name != "starting commit")
    {
        log.commit(&first_word(text));
    }
    for item in items {
        if let Some((_, sha)) = item.evidence.split_once("SHA:") {
            log.commit(&first_word(sha));
        }
    }
    for (names, kind) in [
        (&["decision", "key decisions"][..], "decision"),
        (&["work log", "session log", "work performed", "work completed", "changes"][..], "work"),
        (&["blocker", "blocked"][..], "blocker"),
        (&["open question", "questions"][..], "question"),
    ] {
        for (_, text) in
            page.sections.iter().filter(|(name, _)| names.iter().any(|one| name.contains(one)))
        {
            log.note(kind, text, None);
        }
    }
    log.next_notes =
        page.section(&["next session", "next steps", "handoff", "notes for next session"]);
    Some(Reading::Sessions(vec![log.brought(file, times)]))
}

/// What a title says beyond that it is a session's.
fn subject(title: &str) -> Option<String> {
    let rest = title.split_once(':').or_else(|| title.split_once(" - "))?.1.trim();
    (!rest.is_empty()).then(|| rest.to_owned())
}

/// The first word of a field: what follows is somebody's remark.
fn first_word(text: &str) -> String {
    let text = text.trim().trim_start_matches('`');
    text.split([' ', '`', ',', ';', '(']).next().unwrap_or_default().to_owned()
}

/// A page, line by line.
#[derive(Debug, Default)]
pub(in crate::foreign) struct Page {
    /// The first heading.
    pub(in crate::foreign) title: String,
    /// Fields in bold, with their names in small letters.
    pub(in crate::foreign) fields: Vec<(String, String)>,
    /// Sections of the second and third level, with their names in small letters and their text, that of deeper ones too.
    pub(in crate::foreign) sections: Vec<(String, String)>,
}

impl Page {
    /// Takes a text apart. What stands in code is text.
    pub(in crate::foreign) fn of(text: &str) -> Self {
        const MAX_LINES: usize = 20_000;
        let mut page = Self::default();
        let mut fence = false;
        for line in text.lines().take(MAX_LINES) {
            let trimmed = line.trim();
            if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
                fence = !fence;
            }
            let level = trimmed.chars().take_while(|c| *c == '#').count();
            let is_heading =
                !fence && (1..=6).contains(&level) && trimmed[level..].starts_with(' ');
            if is_heading && level == 1 && page.title.is_empty() {
                trimmed[level..].trim().clone_into(&mut page.title);
            } else if is_heading && level <= 3 {
                page.sections.push((trimmed[level..].trim().to_lowercase(), String::new()));
            } else {
                if !fence && let Some((name, value)) = field(trimmed) {
                    page.fields.push((name, value));
                }
                if let Some((_, section)) = page.sections.last_mut() {
                    section.push_str(line);
                    section.push('\n');
                }
            }
        }
        page
    }

    /// The first field of one of these names.
    pub(in crate::foreign) fn field(&self, names: &[&str]) -> Option<String> {
        let found = self
            .fields
            .iter()
            .find(|(name, value)| names.contains(&name.as_str()) && !value.is_empty());
        found.map(|(_, value)| value.clone())
    }

    /// The text of the first section that is called so.
    pub(in crate::foreign) fn section(&self, names: &[&str]) -> Option<String> {
        let found =
            self.sections.iter().find(|(name, _)| names.iter().any(|one| name.starts_with(one)))?;
        let text = found.1.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
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
    let is_name = !name.is_empty() && name.len() <= 60;
    is_name.then(|| (name.trim().to_lowercase(), value.trim().to_owned()))
}
