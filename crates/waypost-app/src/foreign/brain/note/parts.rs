//! What stands in the sections of a note: criteria, observations, decisions, links, commits, pauses.

use waypost_core::event::{PastNote, PastPause, PastStep};
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;

use crate::foreign::protocol_session::{Page, steps};
use crate::foreign::session::times::Times;
use crate::foreign::session_log;

/// No more lines than this are looked at.
const MAX_LINES: usize = 20_000;
/// No more entries than this are taken of one sort.
const MAX: usize = 500;
/// How much of a text is in a note, in characters.
const MAX_TEXT: usize = 2_000;
/// Sections whose boxes are what has to be so in the end.
const CRITERIA: &[&str] = &["acceptance criteria", "verification checklist", "checklist"];
/// Sections whose items are of one kind, where an item does not say its own.
const KINDS: &[(&str, &str)] = &[
    ("key decisions", "decision"),
    ("decisions", "decision"),
    ("open questions", "question"),
    ("blockers", "blocker"),
    ("work log", "work"),
    ("work performed", "work"),
    ("work completed", "work"),
    ("changes made", "work"),
];
/// Kinds that say themselves that something is still to be done.
const OPEN_KINDS: &[&str] =
    &["pending", "in-progress", "in_progress", "deferred", "blocked", "todo"];

/// A line of a section, outside of code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'t> {
    /// The heading of the second level above it.
    pub(super) section: &'t str,
    /// The heading of the third level above it, else that of the second.
    below: &'t str,
    text: &'t str,
}

/// The lines of a note with where they stand.
pub(super) fn lines(body: &str) -> Vec<Line<'_>> {
    let (mut section, mut below, mut fence) = ("", "", false);
    let mut all = Vec::new();
    for text in body.lines().take(MAX_LINES).map(str::trim) {
        if text.starts_with("```") || text.starts_with("~~~") {
            fence = !fence;
        } else if fence {
        } else if let Some(heading) = text.strip_prefix("## ") {
            (section, below) = (heading.trim(), heading.trim());
        } else if let Some(heading) = text.strip_prefix("### ") {
            below = heading.trim();
        } else {
            all.push(Line { section, below, text });
        }
    }
    all
}

impl<'t> Line<'t> {
    fn is_in(&self, name: &str) -> bool {
        let starts = |heading: &str| {
            heading.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        starts(self.section) || starts(self.below)
    }

    /// The heading that calls what stands here criteria.
    fn criteria(&self) -> &'t str {
        let own = Line { section: self.below, ..*self };
        if own.is_criterion() { self.below } else { self.section }
    }

    fn is_criterion(&self) -> bool {
        CRITERIA.iter().any(|name| self.is_in(name))
    }

    /// Its item of a list, and whether its box is ticked, if it has one.
    fn item(&self) -> Option<(&'t str, Option<bool>)> {
        let digits = self.text.trim_start_matches(|c: char| c.is_ascii_digit());
        let numbered = digits.strip_prefix(". ").filter(|_| digits.len() < self.text.len());
        let dashed = ["- ", "* ", "+ "].iter().find_map(|mark| self.text.strip_prefix(mark));
        let item = dashed.or(numbered)?.trim();
        for (mark, done) in [("[x]", true), ("[X]", true), ("[ ]", false), ("[]", false)] {
            if let Some(rest) = item.strip_prefix(mark) {
                return Some((rest.trim(), Some(done)));
            }
        }
        Some((item, None))
    }
}

/// An observation's category and its text.
fn category(item: &str) -> Option<(&str, &str)> {
    let (kind, text) = item.strip_prefix('[')?.split_once(']')?;
    let is_word = |c: char| c.is_alphanumeric() || " -_/".contains(c);
    let is_kind = (1..=30).contains(&kind.len()) && kind.chars().all(is_word);
    (is_kind && text.starts_with(' ')).then(|| (kind.trim(), text.trim()))
}

/// What has to be so in the end, and the tables of its protocol; and how many of the former are open.
pub(super) fn checklist(lines: &[Line<'_>], body: &str) -> (Vec<PastStep>, usize, usize) {
    let mut all = Vec::new();
    for line in lines.iter().filter(|line| line.is_criterion()) {
        let Some((item, Some(done))) = line.item() else { continue };
        let step = match category(item) {
            Some((kind, text)) if kind.eq_ignore_ascii_case("requirement") => text,
            _ => item,
        };
        all.push(PastStep {
            level: "MUST".to_owned(),
            step: shortened(step, MAX_TEXT),
            list: Some(line.criteria().to_owned()),
            done: Some(done),
            evidence: String::new(),
        });
    }
    let criteria = all.len();
    let open = all.iter().filter(|step| step.done == Some(false)).count();
    if let Ok(found) = session_log::read("log.md", body.as_bytes()) {
        let is_known = |step: &PastStep| {
            let text = category(&step.step).map_or(step.step.as_str(), |(_, text)| text);
            all.iter().any(|known| known.step == step.step || known.step == text)
        };
        let rows: Vec<PastStep> =
            steps(&found.items).into_iter().filter(|step| !is_known(step)).collect();
        all.extend(rows);
    }
    all.truncate(MAX);
    (all, open, criteria)
}

/// Observations by their categories, decisions, work and links; and how many there were beyond those that are taken.
pub(super) fn notes(lines: &[Line<'_>]) -> (Vec<PastNote>, usize) {
    let (mut notes, mut more): (Vec<PastNote>, usize) = (Vec::new(), 0);
    let mut put = |kind: &str, text: &str| {
        let text = shortened(text.trim(), MAX_TEXT);
        let note = PastNote { kind: kind.to_lowercase(), text, by: None, time: None };
        if note.text.is_empty() || notes.contains(&note) {
        } else if notes.len() < MAX {
            notes.push(note);
        } else {
            more += 1;
        }
    };
    for line in lines.iter().filter(|line| !line.is_criterion()) {
        let Some((item, done)) = line.item() else { continue };
        let item = item.trim_start_matches('#').trim();
        if line.is_in("relations") && item.contains("[[") {
            put("link", item);
            continue;
        }
        let own = || KINDS.iter().find(|(name, _)| line.is_in(name)).map(|(_, kind)| (*kind, item));
        let Some((kind, text)) = category(item).or_else(own) else { continue };
        let says_so = OPEN_KINDS.contains(&kind.to_lowercase().as_str());
        if done == Some(false) && !says_so {
            put(kind, &format!("not done: {text}"));
        } else {
            put(kind, text);
        }
    }
    (notes, more)
}

/// A commit: hash, message, time.
type Commit = (String, String, Option<Timestamp>);

/// Hashes that stand at the beginning of items and rows below `Commits`, and the one that it ended at.
pub(super) fn commits(lines: &[Line<'_>], ending: Option<&str>) -> Vec<Commit> {
    let listed = lines.iter().filter(|line| line.is_in("commits")).map(|line| line.text);
    let mut commits: Vec<Commit> = Vec::new();
    for line in listed.chain(ending) {
        let Some((sha, message)) = commit(line) else { continue };
        let is_known = |(known, _, _): &Commit| known.starts_with(&sha) || sha.starts_with(known);
        if commits.len() < MAX && !commits.iter().any(is_known) {
            commits.push((sha, message, None));
        }
    }
    commits
}

fn commit(line: &str) -> Option<(String, String)> {
    let line = line.trim_start_matches(['-', '|', '*', '+', ' ', '`', '[']);
    let end = line.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(line.len());
    let (sha, rest) = line.split_at(end);
    // A word of seven letters from a to f is no hash.
    let is_sha = (7..=40).contains(&end) && sha.contains(|c: char| c.is_ascii_digit());
    let ends = rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
    // Of a table's row, the cell after the hash.
    let rest = rest.trim_start_matches(['`', ']', ' ', '*']);
    let message = match rest.strip_prefix('|') {
        Some(cells) => cells.split('|').next().unwrap_or_default(),
        None => rest,
    };
    let message = message.trim().trim_matches(['`', ' ', ':', '-', '–', '—', '*']);
    (is_sha && ends).then(|| (sha.to_owned(), one_line(message)))
}

/// Where and why it was paused last, and what to go on with.
pub(super) fn pause(page: &Page, times: &Times<'_>) -> Option<PastPause> {
    let paused = page.sections.iter().rev().find(|(name, _)| name.starts_with("pause point"))?;
    let within = Page::of(&paused.1);
    let reason = within.field(&["pausing because", "reason"]);
    let day =
        paused.0.trim_start_matches("pause point").trim_matches([' ', '-', '–', ':', '(', ')']);
    Some(PastPause {
        reason: reason.unwrap_or_else(|| "it does not say why".to_owned()),
        context: Some(paused.1.trim().to_owned()).filter(|text| !text.is_empty()),
        since: times.read(day),
    })
}
