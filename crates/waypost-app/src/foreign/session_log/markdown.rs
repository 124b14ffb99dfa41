//! Logs in Markdown: checklists in tables of several shapes and as lists with boxes. Rows and items
//! that name their level count wherever they stand; those without one only below a heading that
//! speaks of the protocol.

use super::item::{ItemLevel, ItemState, LogItem, says_side};
use super::{LogRefusal, MAX_ITEMS, SessionLog};
use crate::foreign::lines::{LineKind, Lines, lines, lines_and_code};
use crate::foreign::named_session::{NamedSession, is_day};
use crate::foreign::words::{has_words, is_box, plain};

const WANTED: &str = "write one as a table with the rows `| MUST | what | [x] | evidence |`";

pub(super) fn read(text: &str) -> Result<SessionLog, LogRefusal> {
    let found = lines(text);
    let unclosed = found.unclosed;
    let mut reading = Reading::of(found);
    if reading.items.is_empty() && unclosed.is_none() {
        // Some keep their checklists in code blocks, as the protocol shows them.
        reading = Reading::of(lines_and_code(text));
    }
    if reading.items.is_empty() {
        return Err(LogRefusal::NoChecklist { unclosed, wanted: WANTED });
    }
    Ok(SessionLog { items: reading.items, number: reading.number, day: reading.day })
}

#[derive(Default)]
struct Reading {
    items: Vec<LogItem>,
    number: Option<(u32, u64)>,
    day: Option<(String, u64)>,
    /// The headings that the text stands below, by level.
    headings: Vec<(usize, String)>,
    /// The same as they are written.
    written: Vec<String>,
    /// The columns of the table that is being read.
    columns: Option<Columns>,
    /// A row that may turn out to be a table's head.
    before: Option<(u64, Vec<String>)>,
}

/// What the columns of a table are for.
#[derive(Debug, Default)]
struct Columns {
    level: Option<usize>,
    step: Option<usize>,
    status: Option<usize>,
    evidence: Option<usize>,
    /// The level of every row, where the head says so.
    of_all: Option<ItemLevel>,
}

impl Reading {
    fn of(found: Lines) -> Self {
        let mut reading = Self::default();
        for line in found.lines {
            if reading.items.len() >= MAX_ITEMS {
                break;
            }
            reading.take(line.number, line.kind);
        }
        reading.settle();
        reading
    }

    fn take(&mut self, line: u64, kind: LineKind) {
        match kind {
            LineKind::Row(cells) => {
                self.settle();
                self.before = Some((line, cells));
                return;
            }
            // What stood before it was the head.
            LineKind::Delimiter => {
                self.columns = self.before.take().map(|(_, head)| Columns::of(&head));
                return;
            }
            _ => self.settle(),
        }
        self.columns = None;
        match kind {
            LineKind::Heading(level, text) => self.heading(line, level, &text),
            LineKind::Box(mark, text) => self.bullet(line, &mark, &text),
            LineKind::Text(text) => self.text(line, &text),
            LineKind::Row(_) | LineKind::Delimiter | LineKind::Blank => {}
        }
    }

    /// The row that was held back is none of a head.
    fn settle(&mut self) {
        if let Some((line, cells)) = self.before.take() {
            let columns = self.columns.take().unwrap_or_default();
            self.row(line, &cells, &columns);
            self.columns = Some(columns);
        }
    }

    fn heading(&mut self, line: u64, level: usize, text: &str) {
        if level == 1 && self.number.is_none() {
            self.number = number_in(text).map(|number| (number, line));
        }
        self.headings.retain(|(above, _)| *above < level);
        self.written.truncate(self.headings.len());
        self.headings.push((level, plain(text)));
        self.written.push(text.trim_matches(['*', '`', ' ', ':']).to_owned());
    }

    /// `- **Date**: 2026-11-15`
    fn text(&mut self, line: u64, text: &str) {
        let Some((key, value)) = text.split_once(':') else { return };
        if self.day.is_none() && plain(key) == "date" && is_day(&plain(value)) {
            self.day = Some((plain(value), line));
        }
    }

    fn bullet(&mut self, line: u64, mark: &str, text: &str) {
        // Elsewhere, signs and levels stand in all sorts of sentences.
        let level = if self.in_protocol() {
            ItemLevel::within(text).unwrap_or(ItemLevel::Must)
        } else {
            let begins = text.trim_start_matches(|c: char| !c.is_alphanumeric());
            let named = ["MUST", "SHALL", "SHOULD", "MAY"].iter().any(|w| begins.starts_with(w));
            let Some(level) = ItemLevel::within(text).filter(|_| named && mark.starts_with('['))
            else {
                return;
            };
            level
        };
        let (step, evidence) = match text.split_once(" - ").or_else(|| text.split_once(" — ")) {
            Some((step, evidence)) => (step, evidence),
            None => (text, ""),
        };
        let (step, evidence, state) = (step.to_owned(), evidence.to_owned(), ItemState::of(mark));
        let list = self.list();
        self.items.push(LogItem { line, level, step, list, state, evidence });
    }

    fn row(&mut self, line: u64, cells: &[String], columns: &Columns) {
        let at = |column: Option<usize>| column.and_then(|column| cells.get(column));
        let level_column = columns
            .level
            .filter(|column| cells.get(*column).is_some_and(|cell| ItemLevel::of(cell).is_some()));
        let level_column = level_column
            .or_else(|| cells.iter().take(2).position(|cell| ItemLevel::of(cell).is_some()));
        let named = at(level_column).and_then(|cell| ItemLevel::of(cell)).or(columns.of_all);
        let status = columns.status.filter(|column| *column < cells.len());
        let boxed = || cells.iter().rposition(|cell| is_box(cell));
        let status = match status {
            Some(column) if cells[column].is_empty() => boxed().or(Some(column)),
            Some(column) => Some(column),
            None => boxed(),
        };
        let level = match named {
            Some(level) => level,
            // Without a level, only what stands in a checklist is one.
            None if columns.status.is_some() && self.in_protocol() => ItemLevel::Must,
            None => return,
        };
        let evidence = columns.evidence.filter(|column| Some(*column) != status);
        let evidence = evidence.or(status.map(|column| column + 1));
        let state = match (status, at(columns.evidence)) {
            (Some(column), _) => ItemState::of(&cells[column]),
            // In a table that asks for evidence alone, evidence is the mark.
            (None, Some(evidence)) if !evidence.is_empty() => ItemState::Done,
            (None, Some(_)) => ItemState::Unsaid,
            // A table of requirements, not of what became of them.
            (None, None) => return,
        };
        let free = |column: &usize| Some(*column) != level_column && Some(*column) != status;
        let step = columns.step.filter(free).or_else(|| (0..cells.len()).find(free));
        let text = |column: Option<usize>| at(column).cloned().unwrap_or_default();
        let mut evidence = text(evidence);
        if evidence.is_empty() {
            // `N/A (docs-only)`, `[x] Not modified`
            evidence = behind_mark(&text(status));
        }
        let (step, list) = (text(step), self.list());
        self.items.push(LogItem { line, level, step, list, state, evidence });
    }

    /// The list that this stands in: the nearest heading that says for which side of a session it is, else the nearest.
    fn list(&self) -> Option<String> {
        let below = self.headings.iter().zip(&self.written).filter(|((level, _), _)| *level > 1);
        let headings: Vec<&str> = below.map(|(_, text)| text.as_str()).collect();
        let of_side = headings.iter().rev().find(|text| says_side(text));
        let heading = of_side.or(headings.last())?;
        // `Session Start (COMPLETE ALL before work)`, but `Checklist (Start)`
        let short = heading.split(" (").next().filter(|short| says_side(short));
        Some(short.unwrap_or(heading).trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Whether this stands below a heading that speaks of the protocol.
    fn in_protocol(&self) -> bool {
        let below = self.headings.iter().filter(|(level, _)| *level > 1);
        let mut below = below.map(|(_, text)| text.as_str());
        let whole = |text: &str| has_words(text, "protocol compliance");
        let part = |text: &str| {
            let of_session = ["session", "protocol", "start", "end", "must", "requirement"];
            has_words(text, "session start")
                || has_words(text, "session end")
                || text == "checklist"
                || (has_words(text, "checklist") && of_session.iter().any(|w| has_words(text, w)))
        };
        let last = self.headings.last().is_some_and(|(level, text)| *level > 1 && part(text));
        last || below.any(whole)
    }
}

impl Columns {
    fn of(head: &[String]) -> Self {
        let head: Vec<String> = head.iter().map(|cell| plain(cell)).collect();
        let find = |names: &[&str]| head.iter().position(|cell| names.contains(&cell.as_str()));
        let with = |word: &str| head.iter().position(|cell| has_words(cell, word));
        let of_all = head.iter().find_map(|cell| match cell.as_str() {
            cell if has_words(cell, "must not") => Some(ItemLevel::MustNot),
            cell if has_words(cell, "must") => Some(ItemLevel::Must),
            cell if has_words(cell, "should") => Some(ItemLevel::Should),
            _ => None,
        });
        Self {
            level: find(&[
                "req",
                "level",
                "req level",
                "requirement level",
                "rfc 2119",
                "priority",
            ]),
            step: find(&["step", "requirement", "item", "task", "action", "required action"])
                .or_else(|| with("requirement")),
            status: find(&[
                "status",
                "done",
                "complete",
                "completed",
                "state",
                "checked",
                "result",
            ]),
            evidence: find(&["evidence"])
                .or_else(|| with("evidence"))
                .or_else(|| find(&["notes", "note", "comment", "comments", "details"])),
            of_all,
        }
    }
}

/// What a mark's cell says beside the mark.
fn behind_mark(cell: &str) -> String {
    match cell.split_once(']') {
        Some((_, behind)) => behind.trim().to_owned(),
        None => {
            cell.split_once(['(', '-', '–', '—', ':']).map_or("", |(_, behind)| behind).to_owned()
        }
    }
}

/// The number of the session that a title names.
fn number_in(title: &str) -> Option<u32> {
    if let Some(session) = NamedSession::in_name(title) {
        return Some(session.number);
    }
    let title = title.to_lowercase();
    let (_, behind) = title.split_once("session")?;
    let behind = behind.trim_start_matches([' ', '#', ':', '-']);
    let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
    // `Session 2026-11-15` begins with a day.
    let whole = !behind[end..].starts_with(|c: char| c == '-' || c == '/' || c.is_alphanumeric());
    behind[..end].parse().ok().filter(|_| whole && (1..=9).contains(&end))
}
