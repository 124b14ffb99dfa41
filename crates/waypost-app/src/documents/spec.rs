//! What a session's `spec.md` says of goals, open questions and decisions.
//!
//! People and agents write it in their own way: headings are matched loosely, and what is not
//! understood is passed over. It never fails, and `spec.md` is never written.

mod blocking;
mod written;

use serde::Serialize;
use waypost_core::gate::facts::work::{SpecFact, Written};
use waypost_core::id::SessionId;
use waypost_core::session::SessionState;
use waypost_core::text::{one_line, shortened};

use crate::documents::artifacts;
use crate::documents::markdown::{Block, Kind, blocks};
use crate::documents::plan;
use crate::error::AppError;
use crate::machine::plain_files;
use crate::view::View;
use crate::view::copy;

/// The spec.
pub const FILE: &str = "spec.md";

const MAX_BYTES: u64 = 1024 * 1024;
/// No more of each sort are kept.
const MAX_FOUND: usize = 200;
/// The longest text that is kept, in characters.
const MAX_TEXT: usize = 1000;

/// What a spec says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Spec {
    /// Its goals, in the order of its headings.
    pub goals: Vec<Goals>,
    /// The questions that nobody has answered.
    pub open_questions: Vec<String>,
    /// Those of them that are marked as blocking.
    pub blocking: Vec<String>,
    /// The questions that are answered, with the answer where one is written.
    pub answered: Vec<(String, String)>,
    /// What was decided.
    pub decisions: Vec<Decision>,
}

/// The goals of one level.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Goals {
    /// The heading's words without "goals", such as `High-Level`; empty where there is none.
    pub level: String,
    /// The goals.
    pub goals: Vec<String>,
}

/// Something that was decided.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Decision {
    /// What.
    pub title: String,
    /// Why.
    pub rationale: Option<String>,
    /// When, as it is written.
    pub made: Option<String>,
}

/// What the spec of a session in this work tree says; nothing if it cannot be read.
pub fn of(view: &View<'_>, id: &SessionId) -> Spec {
    text_of(view, id).ok().flatten().map(|text| read(&text)).unwrap_or_default()
}

/// How much of the spec of a session is written, and what blocks it.
pub fn state(view: &View<'_>, id: &SessionId, state: &SessionState) -> SpecFact {
    let file = copy::folder_of(view, id).join(FILE).display().to_string();
    let (written, blocking) = match text_of(view, id) {
        Err(error) => (Written::Unreadable(error.message), Vec::new()),
        Ok(None) => (Written::Absent, Vec::new()),
        Ok(Some(text)) if written::is_written(&text, &artifacts::spec(id, state)) => {
            (Written::Content, read(&text).blocking)
        }
        Ok(Some(_)) => (Written::Template, Vec::new()),
    };
    SpecFact { file, written, blocking }
}

/// The text of the spec of a session in this work tree, if there is one.
pub fn text_of(view: &View<'_>, id: &SessionId) -> Result<Option<String>, AppError> {
    let below = copy::folder_of(view, id);
    if !plain_files::is_folder(&view.project.root, &below) {
        return Ok(None);
    }
    let path = view.project.root.join(below).join(FILE);
    let file = plain_files::look_at(&path, MAX_BYTES)?;
    Ok(file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()))
}

/// What a part of a spec is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Goals,
    Questions,
    Decisions,
    Other,
}

/// Reads a spec's text.
pub fn read(text: &str) -> Spec {
    let mut spec = Spec::default();
    let mut subject = Subject::Other;
    let mut top = 0;
    let mut body: Vec<Block> = Vec::new();
    let mut heading = String::new();
    for block in whole(blocks(text)) {
        match block.kind {
            Kind::Heading(level) if level <= top || subject == Subject::Other => {
                spec.take(subject, &heading, &body);
                body.clear();
                (subject, top) = (about(&block.text), level);
                heading = block.text;
            }
            _ => body.push(block),
        }
    }
    spec.take(subject, &heading, &body);
    spec.goals.retain(|level| !level.goals.is_empty());
    spec
}

/// What somebody filled in, the paragraphs of an item as one text.
fn whole(blocks: Vec<Block>) -> Vec<Block> {
    let mut whole: Vec<Block> = Vec::new();
    for block in blocks {
        let is_row = matches!(block.kind, Kind::Heading(_) | Kind::Row(_));
        match whole.last_mut() {
            _ if block.emphasised && !is_row => {}
            Some(item) if block.kind == Kind::Paragraph && block.depth > 0 => {
                item.text.push('\n');
                item.text.push_str(&block.text);
            }
            _ => whole.push(block),
        }
    }
    whole
}

/// What a heading announces, whatever number or other words stand in it.
fn about(heading: &str) -> Subject {
    let lower = heading.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let asks = [
        "open",
        "unresolved",
        "outstanding",
        "remaining",
        "resolved",
        "answered",
        "blocking",
        "clarifying",
    ];
    let questions = has(&["question", "questions"]) && (has(&asks) || words.len() == 1);
    if questions || has(&["blockers"]) {
        Subject::Questions
    } else if has(&["decisions"]) {
        Subject::Decisions
    } else if has(&["goals", "goal"]) && !has(&["non", "not", "nongoals", "out"]) {
        Subject::Goals
    } else {
        Subject::Other
    }
}

impl Spec {
    fn take(&mut self, subject: Subject, heading: &str, body: &[Block]) {
        match subject {
            Subject::Goals => self.take_goals(heading, body),
            Subject::Questions => {
                self.take_questions(body);
                self.block(&blocking::in_questions(heading, body));
            }
            Subject::Decisions => self.take_decisions(body),
            // What is marked blocks wherever it is asked.
            Subject::Other => self.block(&blocking::elsewhere(body)),
        }
    }

    fn take_goals(&mut self, heading: &str, body: &[Block]) {
        for (heading, body) in parts(heading, body) {
            let items = body.iter().filter(|block| is_item(block) && block.depth == 1);
            let items = items.map(|item| item.text.as_str());
            let mut goals: Vec<String> = items.filter_map(said).collect();
            // Some write sentences instead of lists.
            if goals.is_empty() {
                goals.extend(paragraphs(body).filter_map(said));
            }
            goals.truncate(MAX_FOUND);
            if self.goals.len() < MAX_FOUND {
                self.goals.push(Goals { level: level_of(heading), goals });
            }
        }
    }

    fn take_questions(&mut self, body: &[Block]) {
        for block in body {
            let Kind::Item { ticked, struck } = block.kind else { continue };
            let asks = block.depth == 1 || ticked.is_some();
            let Some(text) = said(&block.text).filter(|_| asks) else { continue };
            if written::is_stub(&text) {
                continue;
            }
            let answered = ticked == Some(true) || struck;
            if answered && self.answered.len() < MAX_FOUND {
                self.answered.push(answer(&text));
            } else if !answered && self.open_questions.len() < MAX_FOUND {
                self.open_questions.push(text);
            }
        }
    }

    /// What blocks, as far as it is a question that somebody asked.
    fn block(&mut self, questions: &[String]) {
        let questions = questions.iter().filter_map(|text| said(text));
        self.blocking.extend(questions.filter(|text| !written::is_stub(text)));
        self.blocking.truncate(MAX_FOUND);
    }

    fn take_decisions(&mut self, body: &[Block]) {
        for (heading, body) in parts("", body) {
            if let Some(title) = said(heading) {
                self.decided(Decision { title: unnumbered(&title), ..reasons(body) });
                continue;
            }
            for (place, block) in body.iter().enumerate() {
                match &block.kind {
                    Kind::Row(cells) if !is_heading(cells) => self.decided(from_row(cells)),
                    Kind::Item { .. } if block.depth == 1 => {
                        let title = said(block.text.lines().next().unwrap_or_default());
                        let below = body[place + 1..].iter();
                        let own = below.take_while(|block| is_item(block) && block.depth > 1);
                        let own: Vec<Block> = std::iter::once(block).chain(own).cloned().collect();
                        let title = title.unwrap_or_default();
                        self.decided(Decision { title, ..reasons(&own) });
                    }
                    _ => {}
                }
            }
        }
    }

    fn decided(&mut self, decision: Decision) {
        if !decision.title.is_empty() && self.decisions.len() < MAX_FOUND {
            self.decisions.push(decision);
        }
    }
}

/// The parts of a section: what stands before its first heading, and what stands below each.
fn parts<'a>(first: &'a str, body: &'a [Block]) -> Vec<(&'a str, &'a [Block])> {
    let mut parts = Vec::new();
    let (mut heading, mut begin) = (first, 0);
    for (place, block) in body.iter().enumerate() {
        if let Kind::Heading(_) = block.kind {
            parts.push((heading, &body[begin..place]));
            (heading, begin) = (&block.text, place + 1);
        }
    }
    parts.push((heading, &body[begin..]));
    parts
}

fn is_item(block: &Block) -> bool {
    matches!(block.kind, Kind::Item { .. })
}

fn paragraphs(body: &[Block]) -> impl Iterator<Item = &str> {
    let paragraphs = body.iter().filter(|block| block.kind == Kind::Paragraph);
    paragraphs.map(|block| block.text.as_str())
}

/// A text on one line, if it says anything and is nobody's template.
fn said(text: &str) -> Option<String> {
    let text = shortened(&one_line(text), MAX_TEXT);
    let says = text.chars().any(char::is_alphanumeric) && !plan::has_placeholder(&text);
    says.then_some(text)
}

fn level_of(heading: &str) -> String {
    let is_level = |word: &&str| !word.to_lowercase().starts_with("goal");
    let words: Vec<&str> = heading.split_whitespace().filter(is_level).collect();
    unnumbered(&one_line(&words.join(" ")))
}

fn unnumbered(text: &str) -> String {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(['.', ')']) {
        Some(rest) if rest.len() < text.len() => rest.trim_start().to_owned(),
        _ => text.to_owned(),
    }
}

/// A question and its answer, which an arrow stands before. Arrows in the question itself come before
/// its question mark.
fn answer(text: &str) -> (String, String) {
    let from = text.find('?').unwrap_or(0);
    let arrow = |from: usize| {
        let found = ["→", "->", "=>"]
            .into_iter()
            .filter_map(|arrow| text[from..].find(arrow).map(|place| (from + place, arrow.len())));
        found.min()
    };
    match arrow(from).or_else(|| arrow(0)) {
        Some((place, length)) => {
            (text[..place].trim().to_owned(), text[place + length..].trim().to_owned())
        }
        None => (text.to_owned(), String::new()),
    }
}

/// Why and when something was decided, as far as it is said below it.
fn reasons(body: &[Block]) -> Decision {
    let mut decision = Decision::default();
    let mut in_rationale = false;
    let said_below = body.iter().filter(|block| is_item(block) || block.kind == Kind::Paragraph);
    for line in said_below.flat_map(|block| block.text.lines()) {
        let (name, rest) = line.split_once(':').unwrap_or(("", line));
        match name.trim().to_lowercase().as_str() {
            "rationale" | "why" | "reason" => {
                in_rationale = true;
                decision.rationale = said(rest);
            }
            "made" | "date" | "decided" => {
                in_rationale = false;
                decision.made = said(rest);
            }
            "decision" | "source" | "status" | "made by" => in_rationale = false,
            _ if in_rationale => {
                let more = said(line);
                let both = [decision.rationale.take(), more].into_iter().flatten();
                decision.rationale = said(&both.collect::<Vec<_>>().join(" "));
            }
            _ => {}
        }
    }
    decision
}

fn is_heading(cells: &[String]) -> bool {
    cells.first().is_some_and(|cell| cell.trim().to_lowercase().starts_with("decision"))
}

fn from_row(cells: &[String]) -> Decision {
    let mut cells = cells.iter().map(|cell| said(cell));
    let mut next = || cells.next().flatten();
    Decision { title: next().unwrap_or_default(), rationale: next(), made: next() }
}

#[cfg(test)]
mod tests;
