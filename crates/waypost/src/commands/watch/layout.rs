//! What stands where on the screen: a pure function of what is shown and of how large the screen is.

use anstyle::Style;
use waypost_app::watch::{Board, CostToday, Group, WatchRow, WatchState};
use waypost_core::text::spoken;
use waypost_core::time::Timestamp;

use super::line::{Line, Size, cut, filled};
use super::page::Page;
use crate::ui::{self, BAD, BOLD, DIM, GOOD, WARN};

/// What the keys do, where there is room to say it.
const KEYS: &str = "↑↓ move  o open  a approve  b brief  ? keys  q quit";
const STATE: usize = 10;
const PROJECT: usize = 14;
const AGE: usize = 8;
/// On a narrower screen what a session is for is told, and not what is to be seen of it.
const WIDE: usize = 72;
/// How many lines tell of the row that is chosen.
const CHOSEN: usize = 2;
/// Below this many lines the rows alone are shown.
const HIGH: usize = 10;
/// How the row that is chosen stands out.
const MARKED: Style = Style::new().invert();

/// What is shown.
#[derive(Debug)]
pub(super) struct Shown<'a> {
    pub(super) board: &'a Board,
    /// What today cost, once it was counted.
    pub(super) cost: Option<&'a CostToday>,
    /// The row that is chosen.
    pub(super) chosen: usize,
    /// What stands over the rows.
    pub(super) page: Option<&'a Page>,
    /// What came of the last key.
    pub(super) message: Option<&'a str>,
    pub(super) now: Timestamp,
}

/// The lines of the screen, exactly as many as it has.
pub(super) fn lines(shown: &Shown<'_>, size: Size) -> Vec<Line> {
    let mut lines = match shown.page {
        Some(page) => page.lines(size, shown.message),
        None => overview(shown, size),
    };
    lines.truncate(size.lines);
    lines.resize(size.lines, Line::default());
    lines.into_iter().map(|line| line.cut(size.columns)).collect()
}

fn overview(shown: &Shown<'_>, size: Size) -> Vec<Line> {
    let mut lines = vec![totals(shown)];
    let is_high = size.lines >= HIGH;
    let below = if is_high { CHOSEN + 2 } else { 1 };
    let room = size.lines.saturating_sub(lines.len() + below);
    lines.extend(window(shown, size.columns, room));
    lines.resize(1 + room, Line::default());
    if is_high {
        lines.push(Line::of(DIM, &"─".repeat(size.columns)));
        lines.extend(chosen(shown, size.columns));
    }
    lines.push(match shown.message {
        Some(message) => Line::of(BOLD, message),
        None => Line::of(DIM, KEYS),
    });
    lines
}

/// How many there are of each sort, and what today cost.
fn totals(shown: &Shown<'_>) -> Line {
    let totals = shown.board.totals;
    let needs = if totals.needs_you == 0 { DIM } else { WARN.bold() };
    let unenforced = if totals.unenforced == 0 { DIM } else { BAD };
    let mut line = Line::of(BOLD, "waypost  ");
    for (style, number, what) in [
        (needs, totals.needs_you, needs_you(totals.needs_you)),
        (Style::new(), totals.working, "at work"),
        (Style::new(), totals.held, "held"),
        (Style::new(), totals.done, "done today"),
        (unenforced, totals.unenforced, "unenforced"),
    ] {
        line = line.with(style, &format!("{number} {what}")).with(DIM, " · ");
    }
    line.with(Style::new(), &cost(shown.cost))
}

pub(super) fn needs_you(count: usize) -> &'static str {
    if count == 1 { "needs you" } else { "need you" }
}

/// What today cost; with a `+` where more was used whose price nobody knows.
pub(super) fn cost(cost: Option<&CostToday>) -> String {
    match cost {
        None => "counting what today cost".to_owned(),
        Some(cost) if cost.usd == 0.0 && cost.unpriced_tokens > 0 => {
            "price of today unknown".to_owned()
        }
        Some(cost) => {
            let more = if cost.unpriced_tokens > 0 { "+" } else { "" };
            format!("{:.2}{more} USD today", cost.usd)
        }
    }
}

/// The rows below the titles of their groups, as many as there is room for, with the one that is chosen among them.
fn window(shown: &Shown<'_>, columns: usize, room: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut at = 0;
    let mut group = None;
    for (place, row) in shown.board.rows.iter().enumerate() {
        if group != Some(row.group) {
            if group.is_some() {
                lines.push(Line::default());
            }
            lines.push(Line::of(BOLD, title(row.group)));
            group = Some(row.group);
        }
        if place == shown.chosen {
            at = lines.len();
        }
        lines.push(row_line(row, columns, place == shown.chosen, shown.now));
    }
    lines.extend(remarks(shown.board));
    let last = lines.len().saturating_sub(room);
    // The title above the first row is seen with it.
    let first = if at < room { 0 } else { (at + 1).saturating_sub(room.div_ceil(2)) };
    lines.into_iter().skip(first.min(last)).take(room).collect()
}

fn title(group: Group) -> &'static str {
    match group {
        Group::NeedsYou => "NEEDS YOU",
        Group::Working => "AT WORK",
        Group::Open => "OPEN",
        Group::Done => "DONE TODAY",
    }
}

/// What there is to say besides the rows.
fn remarks(board: &Board) -> Vec<Line> {
    let mut told = Vec::new();
    if board.rows.is_empty() {
        let looked = spoken::count(board.projects, "project");
        told.push(Line::of(DIM, &format!("nothing goes on in {looked}")));
    }
    if !board.more_in.is_empty() {
        let names = board.more_in.join(", ");
        told.push(Line::of(DIM, &format!("there are more open sessions in {names}")));
    }
    told.extend(board.warnings.iter().map(|warning| Line::of(WARN, warning)));
    if !told.is_empty() && !board.rows.is_empty() {
        told.insert(0, Line::default());
    }
    told
}

fn row_line(row: &WatchRow, columns: usize, is_chosen: bool, now: Timestamp) -> Line {
    let mark = if is_chosen { "▸ " } else { "  " };
    let others = 2 + STATE + 1 + PROJECT + 1 + 1 + AGE;
    let room = columns.saturating_sub(others);
    let what = what(row);
    let text = if columns < WIDE || row.session_id.is_none() {
        filled(&ui::on_one_line(what), room)
    } else {
        let first = room / 2;
        let (what, text) = (ui::on_one_line(what), ui::on_one_line(&row.text));
        format!("{} {}", filled(&what, first), filled(&text, room - first - 1))
    };
    let line = Line::of(Style::new(), mark)
        .with(style_of(row.state), &filled(row.state.word(), STATE))
        .with(BOLD, &format!(" {}", filled(&ui::on_one_line(&row.project), PROJECT)))
        .with(Style::new(), &format!(" {text}"))
        .with(DIM, &format!(" {:>AGE$}", age(row, now)));
    if is_chosen { line.cut(columns).marked(MARKED, columns) } else { line }
}

fn what(row: &WatchRow) -> &str {
    match (&row.objective, &row.session_id) {
        (Some(objective), _) => objective,
        (None, Some(_)) => "(no name)",
        (None, None) => &row.text,
    }
}

/// How long ago something last happened.
pub(super) fn age(row: &WatchRow, now: Timestamp) -> String {
    let Some(since) = row.since else { return String::new() };
    match now.as_millis().saturating_sub(since.as_millis()) {
        ..60_000 => "now".to_owned(),
        millis => spoken::short(millis),
    }
}

/// The colour of a state.
pub(super) fn style_of(state: WatchState) -> Style {
    match state {
        WatchState::Damaged | WatchState::Unenforced | WatchState::Unproven => BAD,
        WatchState::Question
        | WatchState::Approval
        | WatchState::Handoff
        | WatchState::Held
        | WatchState::Diverged
        | WatchState::Unverified
        | WatchState::Config
        | WatchState::Budget => WARN,
        WatchState::Working => GOOD,
        WatchState::Waiting | WatchState::Resting | WatchState::Done => DIM,
    }
}

/// What there is to know of the row that is chosen: which session it is, and all that is to be seen of it.
fn chosen(shown: &Shown<'_>, columns: usize) -> Vec<Line> {
    let Some(row) = shown.board.rows.get(shown.chosen) else {
        return vec![Line::default(); CHOSEN];
    };
    let mut told = std::iter::once(&row.text).chain(&row.also).cloned().collect::<Vec<_>>();
    told.dedup();
    vec![Line::of(DIM, &cut(&place(row), columns)), Line::of(Style::new(), &told.join("; "))]
}

/// Which session a row is about, and where it is.
pub(super) fn place(row: &WatchRow) -> String {
    let session = row.session_id.as_ref().map(ToString::to_string);
    let branch = row.branch.as_ref().map(|branch| format!("on {branch}"));
    let phase = row.phase.as_ref().map(|phase| format!("in {phase}"));
    let root = Some(row.root.display().to_string());
    let parts: Vec<String> = [session, branch, phase, root].into_iter().flatten().collect();
    parts.join("  ")
}

#[cfg(test)]
mod tests;
