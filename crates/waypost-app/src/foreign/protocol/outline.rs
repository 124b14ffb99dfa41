//! The outline of the file: its sections, the phases in them, and what stands in each. Headings inside of code are
//! none. Phases are known by their section and place, never by their number.

use waypost_core::text::did_you_mean;
use waypost_core::track::Part;

use super::document::{Block, Kind};
use crate::config::Problem;

/// What a phase can be said to be, in parentheses.
const TYPES: &[(&str, PhaseType)] = &[
    ("BLOCKING", PhaseType::Blocking),
    ("REQUIRED", PhaseType::Required),
    ("MANDATORY", PhaseType::Required),
    ("MUST", PhaseType::Required),
    ("RECOMMENDED", PhaseType::Recommended),
    ("ADVISORY", PhaseType::Recommended),
    ("SHOULD", PhaseType::Recommended),
    ("OPTIONAL", PhaseType::Optional),
    ("MAY", PhaseType::Optional),
];

/// How much a phase insists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhaseType {
    /// Nothing after it goes on without it.
    Blocking,
    /// It is done before the end.
    Required,
    /// It is better done.
    Recommended,
    /// It can be left out.
    Optional,
}

impl PhaseType {
    /// The word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Blocking => "BLOCKING",
            Self::Required => "REQUIRED",
            Self::Recommended => "RECOMMENDED",
            Self::Optional => "OPTIONAL",
        }
    }
}

/// A phase and what stands in it.
#[derive(Debug)]
pub(super) struct Outlined<'b> {
    /// "Phase 1.5".
    pub(super) label: String,
    pub(super) name: String,
    pub(super) section: String,
    pub(super) part: Part,
    pub(super) kind: Option<PhaseType>,
    /// When it is that, if not always.
    pub(super) condition: Option<String>,
    pub(super) line: usize,
    pub(super) blocks: Vec<&'b Block>,
}

/// What stands outside of phases, below one heading.
#[derive(Debug)]
pub(super) struct Elsewhere<'b> {
    /// The heading, and the ones above it.
    pub(super) headings: Vec<String>,
    pub(super) blocks: Vec<&'b Block>,
}

/// The outline of a file.
#[derive(Debug, Default)]
pub(super) struct Outline<'b> {
    pub(super) title: String,
    pub(super) phases: Vec<Outlined<'b>>,
    pub(super) elsewhere: Vec<Elsewhere<'b>>,
}

/// Divides the pieces of a file into phases and the rest.
pub(super) fn outline<'b>(
    file: &str,
    blocks: &'b [Block],
    problems: &mut Vec<Problem>,
) -> Outline<'b> {
    let mut outline = Outline::default();
    // The headings above what is read, each with its level.
    let mut above: Vec<(u8, String)> = Vec::new();
    let mut phase_level = None;
    let mut started_ending = false;
    for block in blocks {
        let Kind::Heading(level) = block.kind else {
            match (phase_level, outline.phases.last_mut()) {
                (Some(_), Some(phase)) => phase.blocks.push(block),
                _ => rest(&mut outline, &above).blocks.push(block),
            }
            continue;
        };
        let inner = phase_level.is_some_and(|phase| level > phase);
        if outline.title.is_empty() && level == 1 {
            outline.title.clone_from(&block.text);
        }
        match heading(&block.text) {
            Some(found) => {
                above.retain(|(higher, _)| *higher < level);
                let section = section(&above, &outline.title);
                let part =
                    part_of(&above).unwrap_or(if started_ending { Part::End } else { Part::Start });
                started_ending |= part == Part::End;
                let (kind, condition, name) = typed(file, block, found.name, problems);
                outline.phases.push(Outlined {
                    label: format!("Phase {}", found.number),
                    name,
                    section,
                    part,
                    kind,
                    condition,
                    line: block.line,
                    blocks: Vec::new(),
                });
                phase_level = Some(level);
            }
            None if inner => {
                if let Some(phase) = outline.phases.last_mut() {
                    phase.blocks.push(block);
                }
            }
            None => {
                let lower = block.text.to_lowercase();
                let parted = lower
                    .strip_prefix("phase")
                    .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
                if parted && block.text.contains(':') {
                    let message =
                        "it looks like a phase, and has no number: `Phase 1: NAME (TYPE)`";
                    problems.push(problem(file, block.line, message));
                }
                above.retain(|(higher, _)| *higher < level);
                above.push((level, block.text.clone()));
                phase_level = None;
            }
        }
    }
    outline
}

pub(super) fn problem(file: &str, line: usize, message: impl Into<String>) -> Problem {
    Problem { file: file.to_owned(), line, message: message.into() }
}

fn rest<'o, 'b>(outline: &'o mut Outline<'b>, above: &[(u8, String)]) -> &'o mut Elsewhere<'b> {
    let headings: Vec<String> = above.iter().map(|(_, text)| text.clone()).collect();
    if outline.elsewhere.last().is_none_or(|last| last.headings != headings) {
        outline.elsewhere.push(Elsewhere { headings, blocks: Vec::new() });
    }
    let last = outline.elsewhere.len() - 1;
    &mut outline.elsewhere[last]
}

fn section(above: &[(u8, String)], title: &str) -> String {
    above.last().map_or_else(|| title.to_owned(), |(_, text)| text.clone())
}

struct PhaseHeading<'t> {
    number: &'t str,
    name: &'t str,
}

/// `Phase 1.5: Name`, however its number is parted from its name.
fn heading(text: &str) -> Option<PhaseHeading<'_>> {
    // What decorates it, such as a rocket, is no part of it.
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (word, rest) = text.trim().split_once(' ')?;
    if !word.eq_ignore_ascii_case("phase") {
        return None;
    }
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
    let number = rest.get(..end)?.trim_end_matches('.');
    if !number.starts_with(|c: char| c.is_ascii_digit()) || number.len() > 16 {
        return None;
    }
    let name = rest.get(end..)?;
    let name = name
        .trim_start_matches([
            ':', '-', '.', ')', ' ', '\u{2013}', '\u{2014}', '\u{fe0f}', '\u{20e3}',
        ])
        .trim();
    Some(PhaseHeading { number, name: if name.is_empty() { text.trim() } else { name } })
}

/// Takes the type off a phase's name.
fn typed(
    file: &str,
    block: &Block,
    name: &str,
    problems: &mut Vec<Problem>,
) -> (Option<PhaseType>, Option<String>, String) {
    let whole = || (None, None, name.to_owned());
    let round = name.strip_suffix(')').and_then(|name| name.rsplit_once('('));
    let square = || name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    let Some((front, inner)) = round.or_else(square) else {
        return whole();
    };
    let (word, rest) = inner.trim().split_once(' ').unwrap_or((inner.trim(), ""));
    let word = word.trim_end_matches([',', ':', ';']);
    let front = front.trim();
    let alone = inner.trim().eq_ignore_ascii_case(word);
    let is_type = |known: &str| known == word || (alone && known.eq_ignore_ascii_case(word));
    let Some((_, kind)) = TYPES.iter().find(|(known, _)| is_type(known)) else {
        let words: Vec<&str> = TYPES.iter().map(|(word, _)| *word).collect();
        let shouted = word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase());
        if let Some(meant) = did_you_mean(word, &words).filter(|_| shouted) {
            let message = format!("`{word}` is no type of a phase; did you mean `{meant}`?");
            problems.push(problem(file, block.line, message));
        }
        return whole();
    };
    let rest = rest.trim();
    let conditions = ["when", "if", "unless", "where", "for", "only", "in"];
    let first = rest.split(' ').next().unwrap_or_default().to_lowercase();
    let condition = conditions.contains(&first.as_str()).then(|| rest.to_owned());
    let name = if front.is_empty() { name.to_owned() } else { front.to_owned() };
    (Some(*kind), condition, name)
}

/// Whether a heading, or one above it, speaks of the beginning or the end.
fn part_of(above: &[(u8, String)]) -> Option<Part> {
    above.iter().rev().find_map(|(_, text)| part_named(text))
}

/// Whether a heading speaks of the beginning or the end of the work.
pub(super) fn part_named(heading: &str) -> Option<Part> {
    const START: &[&str] = &[
        "start",
        "starting",
        "startup",
        "begin",
        "beginning",
        "opening",
        "before",
        "initialization",
        "kickoff",
    ];
    const END: &[&str] = &[
        "end",
        "ending",
        "close",
        "closing",
        "closeout",
        "wrap",
        "wrapup",
        "finish",
        "finishing",
        "completion",
        "shutdown",
        "after",
        "mid",
        "middle",
        "during",
    ];
    let lower = heading.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    // What a parenthesis adds, as in "Session Start (COMPLETE ALL before work)", comes later.
    words.find_map(|word| {
        if START.contains(&word) {
            Some(Part::Start)
        } else {
            END.contains(&word).then_some(Part::End)
        }
    })
}
