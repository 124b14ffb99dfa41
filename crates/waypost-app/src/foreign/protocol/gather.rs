//! What the pieces of a phase, or of a checklist, ask for, one after the other. Nothing is recognised yet.

use waypost_core::gate::Level;
use waypost_core::text::did_you_mean;
use waypost_core::track::Part;

use super::document::{Block, Kind, cells};
use super::outline::{part_named, problem};
use super::paths;
use super::table::{Columns, row};
use super::wording::{self, Wording, demand, plain, raised, sentences, wording};
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
    /// By an item with a key word in small letters, in a file that knows the others: only where it is recognised.
    Small,
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
    /// What was said of everything that is listed below, and how deep that stands.
    asked: Option<(Level, bool, usize)>,
    /// What the heading of the table says that is being read.
    columns: Columns,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(file: &'a str, level: Level) -> Self {
        let (label, found, problems) = (String::new(), Vec::new(), Vec::new());
        let columns = Columns::default();
        Self { file, level, label, found, last: None, depth: 0, asked: None, columns, problems }
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
                self.asked = None;
            }
            Kind::Paragraph(depth) => self.paragraph(block, *depth),
            Kind::Item(depth, boxed) => self.item(block, *depth, *boxed),
            Kind::Head(cells) => {
                self.columns = Columns::of(cells);
                self.last = None;
            }
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
            self.asked = demand(text).map(|(level, forbids)| (level, forbids, 0));
            if self.asked.is_some() {
                self.label.clear();
                return;
            }
            if short && (label.ends_with(':') || text.contains(" Checklist")) {
                text.clone_into(&mut self.label);
                self.labelled(block);
                return;
            }
            self.label.clear();
        }
        let how = if depth == 0 { How::Prose } else { How::Listed };
        if self.sentences(text, block.line, how) && depth > 0 {
            self.last = self.found.len().checked_sub(1);
        }
    }

    /// A label that asks for something itself, as in "You MUST tell the user:", is what its list says more about.
    fn labelled(&mut self, block: &Block) {
        // The boxes of a checklist are joined under its name anyway.
        let asked = wording(&block.text).filter(|_| !block.text.contains("Checklist"));
        let Some(wording) = asked else { return };
        self.found.push(Found::new(wording, block.line, How::Listed));
        (self.last, self.depth) = (self.found.len().checked_sub(1), 0);
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
        self.asked = self.asked.filter(|(_, _, above)| depth > *above);
        if let Some((level, forbids)) = demand(&block.text) {
            self.asked = Some((level, forbids, depth));
            self.last = None;
            return;
        }
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
        if let Some((level, forbids, _)) = self.asked {
            let wording = plain(&block.text, level, forbids);
            self.found.push(Found::new(wording, block.line, How::Listed));
            (self.last, self.depth) = (Some(place), depth);
            return;
        }
        if let Some(wording) = wording(&raised(&block.text)) {
            self.found.push(Found::new(wording, block.line, How::Small));
            (self.last, self.depth) = (Some(place), depth);
            return;
        }
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
        match row(cells, self.columns) {
            Some(wording) => self.found.push(Found::new(wording, line, How::Listed)),
            None => self.tell_level(cells, line),
        }
    }

    /// A row of a table that names levels, whose level nobody knows, is told.
    fn tell_level(&mut self, cells: &[String], line: usize) {
        let first = cells.first().map(|cell| cell.trim()).unwrap_or_default();
        let shouted = first.len() > 2 && first.chars().all(|c| c.is_ascii_uppercase() || c == ' ');
        if self.columns.has_levels() && shouted {
            let known = ["MUST", "SHOULD", "MAY", "MUST NOT", "SHOULD NOT"];
            let meant = did_you_mean(first, &known);
            let meant =
                meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            let message = format!("`{first}` is no level, so this row asks for nothing{meant}");
            self.problems.push(problem(self.file, line, message));
        }
    }
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
            let wording = row(&cells(text), Columns::default());
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
    let mut columns = Columns::default();
    for block in blocks {
        match &block.kind {
            Kind::Head(cells) => columns = Columns::of(cells),
            Kind::Row(cells) => {
                let wording = row(cells, columns);
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
