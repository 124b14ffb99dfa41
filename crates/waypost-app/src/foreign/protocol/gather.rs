//! What the pieces of a phase, or of a checklist, ask for, one after the other. Nothing is recognised yet.

use waypost_core::gate::Level;
use waypost_core::text::did_you_mean;
use waypost_core::track::Part;

use super::document::{Block, Kind, cells};
use super::outline::{part_named, problem};
use super::paths;
use super::wording::{self, Wording, level_named, plain, sentences, wording};
use crate::config::Problem;

/// Below these labels nothing is asked for that does not say so itself.
const REQUIREMENTS: &[&str] =
    &["requirement", "step", "checklist", "do ", "action", "task", "before "];

/// Something that is asked for.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) wording: Wording,
    /// The line that it stands at.
    pub(super) line: usize,
    pub(super) how: How,
    /// Commands in code below it.
    pub(super) commands: Vec<String>,
    /// What is listed below it.
    pub(super) details: String,
}

/// How something is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// By an item or a row of the phase itself.
    Listed,
    /// In running text, which mostly sums up what is listed.
    Prose,
    /// By an item without any key word: only where it is recognised.
    Unmarked,
    /// By a row or a box of a checklist, which mostly says again what phases say.
    Checklist,
}

impl Found {
    fn new(wording: Wording, line: usize, how: How) -> Self {
        Self { wording, line, how, commands: Vec::new(), details: String::new() }
    }
}

/// Reads the pieces of a phase.
#[derive(Debug)]
pub(super) struct Gathering<'a> {
    file: &'a str,
    /// The level of what says none itself.
    level: Level,
    label: String,
    found: Vec<Found>,
    /// Where the item is that is being read.
    last: Option<usize>,
    depth: usize,
    /// The column of a table that names levels.
    has_levels: bool,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(file: &'a str, level: Level) -> Self {
        let (label, found, problems) = (String::new(), Vec::new(), Vec::new());
        Self { file, level, label, found, last: None, depth: 0, has_levels: false, problems }
    }

    /// What a phase asks for. Checklists in code are told apart by `How`.
    pub(super) fn phase(mut self, blocks: &[&Block]) -> (Vec<Found>, Vec<Problem>) {
        for block in blocks {
            self.take(block);
        }
        (self.found, self.problems)
    }

    fn take(&mut self, block: &Block) {
        match &block.kind {
            Kind::Heading(_) => {
                self.label.clone_from(&block.text);
                self.last = None;
            }
            Kind::Paragraph(depth) => self.paragraph(block, *depth),
            Kind::Item(depth, boxed) => self.item(block, *depth, *boxed),
            Kind::Row(cells) => self.row(cells, block.line),
            Kind::Code(code, _, depth) => {
                let commands = paths::commands(code);
                match self.last.and_then(|last| self.found.get_mut(last)) {
                    Some(found) if *depth > 0 => found.commands.extend(commands),
                    _ => {
                        let listed = in_code(code, block.line, Some(self.level));
                        self.found.extend(listed.into_iter().map(|(_, found)| found));
                    }
                }
            }
        }
    }

    fn paragraph(&mut self, block: &Block, depth: usize) {
        let text = block.text.as_str();
        if depth == 0 {
            self.last = None;
            let label = text.trim_end_matches([' ', ')']);
            let short = text.len() <= 100 && sentences(text).len() == 1;
            if short && (label.ends_with(':') || text.contains(" Checklist")) {
                text.clone_into(&mut self.label);
                return;
            }
            self.label.clear();
        }
        let how = if depth == 0 { How::Prose } else { How::Listed };
        if self.sentences(text, block.line, how) && depth > 0 {
            self.last = self.found.len().checked_sub(1);
        }
    }

    fn sentences(&mut self, text: &str, line: usize, how: How) -> bool {
        let before = self.found.len();
        // What "it" has to be like is no step of the agent's.
        let speaks_of_it = |sentence: &&str| how == How::Prose && sentence.starts_with("It ");
        for sentence in sentences(text).into_iter().filter(|one| !speaks_of_it(one)) {
            self.found.extend(wording(sentence).map(|wording| Found::new(wording, line, how)));
        }
        self.found.len() > before
    }

    fn item(&mut self, block: &Block, depth: usize, boxed: bool) {
        let nested = depth > self.depth && self.last.is_some();
        let place = self.found.len();
        if self.sentences(&block.text, block.line, How::Listed) {
            (self.last, self.depth) = (self.found.len().checked_sub(1), depth);
            return;
        }
        if nested {
            if let Some(found) = self.last.and_then(|last| self.found.get_mut(last)) {
                found.details.push_str(&block.text);
                found.details.push('\n');
            }
            return;
        }
        self.last = None;
        let label = self.label.to_lowercase();
        let asks = label.is_empty() || REQUIREMENTS.iter().any(|word| label.starts_with(word));
        if boxed && !asks {
            self.boxes(block);
        } else if boxed || asks {
            let how = if boxed { How::Listed } else { How::Unmarked };
            let wording = plain(&block.text, self.level, false);
            self.found.push(Found::new(wording, block.line, how));
            (self.last, self.depth) = (Some(place), depth);
        }
    }

    /// Boxes below a label are one thing to do, which has the label's name. How something is verified is none.
    fn boxes(&mut self, block: &Block) {
        let label = self.label.trim_end_matches([':', ' ']).to_owned();
        if label.to_lowercase().starts_with("verif") {
            return;
        }
        let known = self.found.iter_mut().find(|found| found.wording.act.starts_with(&label));
        if let Some(known) = known {
            known.details.push_str(&block.text);
            known.details.push('\n');
            return;
        }
        let unmarked = self.level.max(Level::Should);
        let level = wording::key_word(&label).map_or(unmarked, |word| word.level);
        let wording = Wording { level, forbids: false, act: label, condition: None };
        let details = format!("{}\n", block.text);
        self.found.push(Found { details, ..Found::new(wording, block.line, How::Checklist) });
    }

    fn row(&mut self, cells: &[String], line: usize) {
        self.last = None;
        match row(cells) {
            Some(wording) => self.found.push(Found::new(wording, line, How::Listed)),
            None => self.has_levels = self.header_or_problem(cells, line),
        }
    }

    /// Whether the table names levels. A row of such a table whose level nobody knows is told.
    fn header_or_problem(&mut self, cells: &[String], line: usize) -> bool {
        let first = cells.first().map(|cell| cell.trim()).unwrap_or_default();
        if matches!(first.to_lowercase().as_str(), "req" | "level" | "requirement level") {
            return true;
        }
        let shouted = first.len() > 2 && first.chars().all(|c| c.is_ascii_uppercase() || c == ' ');
        if self.has_levels && shouted {
            let known = ["MUST", "SHOULD", "MAY", "MUST NOT", "SHOULD NOT"];
            let meant = did_you_mean(first, &known);
            let meant =
                meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            let message = format!("`{first}` is no level, so this row asks for nothing{meant}");
            self.problems.push(problem(self.file, line, message));
        }
        self.has_levels
    }
}

/// What a row asks for that names a level.
fn row(cells: &[String]) -> Option<Wording> {
    let place = cells.iter().position(|cell| is_level(cell))?;
    let (level, forbids, _) = level_named(cells.get(place)?)?;
    let says = |cell: &&String| !cell.trim().is_empty() && !is_box(cell);
    // Mostly the step stands behind its level; a number or an id before it is none.
    let before = cells.iter().take(place).rev().find(says).filter(|cell| cell.trim().contains(' '));
    let text = before.or_else(|| cells.iter().skip(place + 1).find(says))?;
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

/// What the checklists in a piece of code ask for, as templates have them, and for which part of the work, if a
/// heading there says so.
pub(super) fn in_code(code: &str, line: usize, level: Option<Level>) -> Vec<(Option<Part>, Found)> {
    let mut part = None;
    let mut found = Vec::new();
    for (number, text) in (line + 1..).zip(code.lines()) {
        let text = text.trim();
        if let Some(heading) = text.strip_prefix('#') {
            part = part_named(heading).or(part);
        } else if text.starts_with('|') {
            let wording = row(&cells(text));
            found
                .extend(wording.map(|wording| (part, Found::new(wording, number, How::Checklist))));
        } else if let Some(text) = boxed(text) {
            let own = wording(text);
            let unmarked = || level.map(|level| plain(text, level, false));
            let wording = own.or_else(unmarked);
            found
                .extend(wording.map(|wording| (part, Found::new(wording, number, How::Checklist))));
        }
    }
    found
}

fn boxed(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(['-', '*', '+'])?.trim_start();
    ["[ ]", "[x]", "[X]"].iter().find_map(|mark| rest.strip_prefix(mark)).map(str::trim)
}

/// What a checklist outside of any phase asks for.
pub(super) fn checklist(blocks: &[&Block]) -> Vec<(Option<Part>, Found)> {
    let mut found = Vec::new();
    for block in blocks {
        match &block.kind {
            Kind::Row(cells) => {
                let wording = row(cells);
                found.extend(
                    wording.map(|wording| (None, Found::new(wording, block.line, How::Checklist))),
                );
            }
            Kind::Item(_, true) => {
                let own = wording(&block.text)
                    .unwrap_or_else(|| plain(&block.text, Level::Should, false));
                found.push((None, Found::new(own, block.line, How::Checklist)));
            }
            Kind::Code(code, _, _) => found.extend(in_code(code, block.line, Some(Level::Should))),
            Kind::Heading(_) | Kind::Paragraph(_) | Kind::Item(_, false) => {}
        }
    }
    found
}
