//! What the rows of tables ask for: which column names the level, by its words or by its heading, and which the step.

use waypost_core::gate::Level;

use super::wording::{Wording, level_named, plain, wording};

/// What the heading of a table says about its columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Columns {
    /// The one that names levels.
    level: Option<usize>,
    /// The one that says yes to what has to be.
    required: Option<usize>,
    /// The one that says what is to be done.
    step: Option<usize>,
}

impl Columns {
    pub(super) fn of(head: &[String]) -> Self {
        let place = |names: &[&str]| {
            head.iter().position(|cell| {
                let lower = cell.to_lowercase();
                let lower = lower.trim_matches(|c: char| !c.is_alphanumeric());
                names.contains(&lower)
            })
        };
        let level = place(&[
            "req",
            "level",
            "requirement level",
            "importance",
            "priority",
            "severity",
            "rfc 2119",
            "strength",
        ]);
        let required =
            place(&["required", "mandatory", "must", "obligatory", "blocking", "compulsory"]);
        let step = place(&[
            "step",
            "steps",
            "requirement",
            "what",
            "what to do",
            "task",
            "action",
            "item",
            "check",
            "todo",
            "description",
        ]);
        Self { level, required, step }
    }

    /// Whether the table names levels.
    pub(super) fn has_levels(self) -> bool {
        self.level.is_some()
    }

    /// The step of a row, if the heading says where it stands; where the level does, it is no step.
    fn step(self, cells: &[String], level: usize) -> Option<&String> {
        cells.get(self.step.filter(|step| *step != level)?).filter(|cell| !cell.trim().is_empty())
    }
}

/// What a row asks for that names a level.
pub(super) fn row(cells: &[String], columns: Columns) -> Option<Wording> {
    let Some(place) = cells.iter().position(|cell| is_level(cell)) else {
        return below_heading(cells, columns);
    };
    let (level, forbids, _) = level_named(cells.get(place)?)?;
    step(cells, place, level, forbids, columns)
}

/// What a row asks for whose level only counts because of the heading above it: `Must`, or `yes`.
fn below_heading(cells: &[String], columns: Columns) -> Option<Wording> {
    let said = |place: Option<usize>| {
        let cell = cells.get(place?)?;
        Some(cell.trim_matches(|c: char| c.is_whitespace() || c == '_' || c == '`').to_uppercase())
    };
    if let Some(said) = said(columns.required) {
        let yes = matches!(said.as_str(), "YES" | "Y" | "X" | "TRUE" | "ALWAYS" | "✓" | "✔" | "✅");
        let place = columns.required?;
        return yes.then(|| step(cells, place, Level::Must, false, columns))?;
    }
    let said = said(columns.level)?;
    let (level, forbids, rest) = level_named(&said)?;
    rest.is_empty().then(|| step(cells, columns.level?, level, forbids, columns))?
}

fn step(
    cells: &[String],
    place: usize,
    level: Level,
    forbids: bool,
    columns: Columns,
) -> Option<Wording> {
    let says = |cell: &&String| !cell.trim().is_empty() && !is_box(cell);
    // Mostly the step stands behind its level; a number or an id before it is none.
    let before =
        || cells.iter().take(place).rev().find(says).filter(|cell| cell.trim().contains(' '));
    let behind = || cells.iter().skip(place + 1).find(says);
    let text = columns.step(cells, place).or_else(before).or_else(behind)?;
    // "MUST | MUST NOT edit `x`": the step's own word is the nearer one.
    let own =
        wording(text).filter(|own| text.trim_start().starts_with("MUST") && own.level == level);
    Some(own.unwrap_or_else(|| plain(text, level, forbids)))
}

fn is_box(cell: &str) -> bool {
    let inner = cell.trim().strip_prefix('[').and_then(|cell| cell.strip_suffix(']'));
    inner.is_some_and(|inner| inner.trim().len() <= 1)
}

fn is_level(cell: &str) -> bool {
    level_named(cell).is_some_and(|(_, _, rest)| rest.is_empty())
}
