//! Serena's memories of sessions: the one that goes on, the last ones, and what was missed.

use waypost_core::event::{PastPhase, PastViolation};
use waypost_core::track::PhaseResult;

use super::log::Log;
use super::page::{MAX_LINES, Page};
use super::status::{of_phase, status};
use crate::foreign::lines::cells;
use crate::foreign::named_session::NamedSession;
use crate::foreign::session::times::Times;
use crate::foreign::session::{Content, ForeignFile, Reading, Status};
use crate::foreign::session_log;

/// No more rows than this are taken.
const MAX_ROWS: usize = 2_000;

/// What a memory is about, by its title.
const TITLES: [&str; 3] = ["session state", "session history", "session violations log"];

/// Reads a memory; `None` if it is none of sessions.
pub(super) fn read(file: &ForeignFile<'_>, text: &str, times: &Times<'_>) -> Option<Reading> {
    match TITLES.iter().position(|known| *known == title(text))? {
        0 => current(file, text, times),
        1 => Some(history(file, text, times)),
        _ => Some(violations(file, text, times)),
    }
}

/// Whether a text is a memory of sessions.
pub(super) fn is_one(text: &str) -> bool {
    TITLES.contains(&title(text).as_str())
}

fn title(text: &str) -> String {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let title = first.strip_prefix('#').unwrap_or_default();
    title.trim_start_matches('#').trim().to_lowercase()
}

/// The session that goes on.
fn current(file: &ForeignFile<'_>, text: &str, times: &Times<'_>) -> Option<Reading> {
    let page = Page::of(text);
    let name = page.field(&["session id"])?;
    let phase = page.field(&["current phase"]);
    let mut log = Log {
        name,
        objective: page.field(&["objective"]),
        branch: page.field(&["branch"]),
        starting_commit: page.field(&["starting commit"]),
        status: Some(phase.as_deref().map(of_phase).unwrap_or_default()),
        phases: phases(&page),
        phase,
        ..Log::default()
    };
    let started = page.field(&["started at"]);
    log.started = started.and_then(|time| log.time(&time, times));
    if let Ok(found) = session_log::read("log.md", text.as_bytes()) {
        log.check(&found.items);
    }
    Some(Reading::Sessions(vec![log.brought(file, times)]))
}

fn phases(page: &Page) -> Vec<PastPhase> {
    let Some(table) = page.section(&["phase status"]) else { return Vec::new() };
    let rows = rows(&table).filter(|row| row.len() >= 2);
    (0..)
        .zip(rows)
        .map(|(number, row)| PastPhase {
            number,
            name: row[0].clone(),
            result: match status(&row[1]) {
                Some(Status::Complete) => PhaseResult::Passed,
                Some(Status::Failed) => PhaseResult::Failed,
                _ if row[1].to_ascii_lowercase().contains("skip") => PhaseResult::Skipped,
                _ => PhaseResult::Pending,
            },
            outputs: row.get(2).filter(|told| !told.is_empty()).cloned().into_iter().collect(),
            ..PastPhase::default()
        })
        .collect()
}

/// The rows of a table, without its heading.
fn rows(table: &str) -> impl Iterator<Item = Vec<String>> {
    let lines = table.lines().map(str::trim).filter(|line| line.starts_with('|')).take(MAX_ROWS);
    let is_rule =
        |row: &Vec<String>| row.iter().all(|cell| cell.chars().all(|c| "-: ".contains(c)));
    lines.map(cells).skip(1).filter(move |row| !is_rule(row))
}

/// A section that is called like a session.
struct Section {
    /// The session.
    name: String,
    /// What stands below its heading.
    text: String,
    /// A memory of that session alone. The whole would be another with each session that comes to it.
    own: String,
}

impl Section {
    /// Each of them in a memory.
    fn all(memory: &str) -> Vec<Self> {
        let page = Page::of(memory);
        let lines: Vec<&str> = memory.lines().take(MAX_LINES).collect();
        let title = lines.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
        let ends = page.begins.iter().skip(1).copied().chain([lines.len()]);
        let places = page.begins.iter().copied().zip(ends);
        let sections = page.sections.into_iter().zip(places);
        let named = sections.filter_map(|((name, text), (begin, end))| {
            NamedSession::at_start_of(&name)?;
            let name = name.split_whitespace().next().unwrap_or(&name).to_owned();
            let own = lines.get(begin..end)?.join("\n");
            let own = format!("{title}\n\n{}\n", own.trim_end());
            Some(Self { name, text, own })
        });
        named.collect()
    }

    /// The file, as if it told of that session alone.
    fn of<'s>(&'s self, file: &ForeignFile<'s>) -> ForeignFile<'s> {
        ForeignFile { content: Content::Text(&self.own), ..file.clone() }
    }
}

/// The last sessions.
fn history(file: &ForeignFile<'_>, text: &str, times: &Times<'_>) -> Reading {
    let all = Section::all(text).into_iter().map(|section| {
        let fields = Page::of(&section.text);
        let outcome = fields.field(&["outcome"]);
        let mut log = Log {
            name: section.name.clone(),
            objective: fields.field(&["objective"]),
            status: Some(outcome.as_deref().and_then(status).unwrap_or(Status::Active)),
            said: outcome.clone(),
            next_notes: fields.field(&["next session notes"]),
            ..Log::default()
        };
        if let Some(sha) = fields.field(&["commit sha"]) {
            log.commit(&sha, "");
        }
        let mut decides = false;
        for line in section.text.lines() {
            let is_field = line.trim_start().starts_with("- **");
            decides = if is_field { line.contains("**Key Decisions**") } else { decides };
            if decides
                && !is_field
                && let Some(item) = line.trim().strip_prefix("- ")
            {
                log.note("decision", item, None);
            }
        }
        log.brought(&section.of(file), times)
    });
    found(all.collect())
}

/// What was missed, by session.
fn violations(file: &ForeignFile<'_>, text: &str, times: &Times<'_>) -> Reading {
    let all = Section::all(text).into_iter().map(|section| {
        let mut log = Log { name: section.name.clone(), ..Log::default() };
        for row in rows(&section.text).filter(|row| row.len() >= 4 && !row[2].is_empty()) {
            let missed = PastViolation {
                time: log.time(&row[0], times),
                phase: Some(row[1].clone()).filter(|phase| !phase.is_empty()),
                requirement: row[2].clone(),
                severity: row[3].clone(),
                recovery: row.get(4).filter(|told| !told.is_empty()).cloned(),
            };
            log.violations.push(missed);
        }
        log.brought(&section.of(file), times)
    });
    found(all.collect())
}

fn found(sessions: Vec<crate::foreign::session::Brought>) -> Reading {
    if sessions.is_empty() {
        return Reading::NoSession("it names no session yet".to_owned());
    }
    Reading::Sessions(sessions)
}
