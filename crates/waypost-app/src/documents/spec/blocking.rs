//! Which open questions of a spec are marked as blocking.
//!
//! A mark is a word of its own: in brackets, before a colon or a dash, at the end, in capitals. The word in
//! the midst of a sentence is part of the question ("blocking or non-blocking calls?").

use waypost_core::text::one_line;

use super::parts;
use super::written::is_stub;
use crate::documents::markdown::{Block, Kind};

const WORDS: &[&str] = &["blocking", "blocker", "blocks build", "blocked"];
const SIGNS: &[&str] = &["🛑", "⛔", "🚫"];
const NO: &[&str] = &["no", "false", "none", "nothing", "n/a", "not", "-", "–", "✗", "❌"];
const ANSWERS: &[&str] = &["answer", "answered", "decision", "decided", "resolution", "resolved"];

/// The open questions of a section that are marked, or stand below a heading that marks them.
pub(super) fn in_questions(heading: &str, body: &[Block]) -> Vec<String> {
    let all = is_marking(heading);
    let mut found = Vec::new();
    for (heading, body) in parts("", body) {
        let below = all || is_marking(heading);
        found.extend(in_rows(body));
        let is_asked = heading.contains('?') && is_marked(heading);
        if is_asked && !lines_of(body).any(answers) {
            found.push(heading.to_owned());
        }
        for (place, block) in body.iter().enumerate() {
            if is_question(block, below) && is_open(block, &body[place + 1..], below) {
                found.push(block.text.clone());
            }
        }
    }
    found
}

/// Questions with a box that are marked, outside of the sections for questions.
pub(super) fn elsewhere(body: &[Block]) -> Vec<String> {
    let asked = body.iter().enumerate().filter(|(place, block)| {
        let boxed = matches!(block.kind, Kind::Item { ticked: Some(false), .. });
        boxed && block.text.contains('?') && is_open(block, &body[place + 1..], false)
    });
    asked.map(|(_, block)| block.text.clone()).collect()
}

fn is_question(block: &Block, below: bool) -> bool {
    match block.kind {
        Kind::Item { ticked, .. } => block.depth == 1 || ticked.is_some(),
        Kind::Paragraph => !below && is_marked(&block.text),
        Kind::Heading(_) | Kind::Row(_) => false,
    }
}

/// Whether a question is marked and nobody has answered it. What is listed below it may say either; `below`:
/// the heading marks it.
fn is_open(question: &Block, after: &[Block], below: bool) -> bool {
    let is_below =
        |block: &&Block| matches!(block.kind, Kind::Item { .. }) && block.depth > question.depth;
    let own: Vec<Block> = after.iter().take_while(is_below).cloned().collect();
    let is_done = match question.kind {
        Kind::Item { ticked, struck } => ticked == Some(true) || struck,
        Kind::Heading(_) | Kind::Paragraph | Kind::Row(_) => false,
    };
    let lines = || question.text.lines().skip(1).chain(lines_of(&own));
    let first = question.text.lines().next().unwrap_or_default();
    let marked = below || is_marked(&one_line(&question.text)) || lines().any(says_so);
    marked && !is_done && !is_denied(first) && !lines().any(answers)
}

fn lines_of(body: &[Block]) -> impl Iterator<Item = &str> {
    body.iter().flat_map(|block| block.text.lines())
}

/// Whether a text carries the mark.
fn is_marked(text: &str) -> bool {
    let first = text.trim_start();
    let own = first.trim_start_matches(['*', '_', '`']);
    SIGNS.iter().any(|sign| own.starts_with(sign))
        || tags(text).any(is_tag)
        || begins_with_mark(own)
        || ends_with_mark(text)
        || has_capitals(text)
}

/// Whether a question says of itself that it is not blocking, whatever stands above it.
fn is_denied(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["non-blocking", "not blocking", "non blocking", "blocking: no"]
        .iter()
        .any(|denied| tags(&lower).any(|tag| tag.trim() == *denied) || lower.starts_with(denied))
}

/// Whether a line below a question says that it is blocking: `Blocking: yes`, `Priority: blocker`.
fn says_so(line: &str) -> bool {
    let Some((label, value)) = line.split_once(':') else { return is_tag(line) };
    let (label, value) = (plain(label), plain(value));
    let no = |value: &str| NO.iter().any(|word| value == *word || starts_with_word(value, word));
    match label.as_str() {
        "blocking" | "blocker" | "is blocking" => !value.is_empty() && !no(&value),
        "priority" | "severity" | "status" | "impact" | "type" => is_tag(&value),
        _ => false,
    }
}

/// Whether a heading says that the questions below it are blocking.
fn is_marking(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let marks = |word: &&str| ["blocking", "blocker", "blockers"].contains(word);
    words.iter().any(marks) && !words.iter().any(|word| ["non", "not"].contains(word))
}

/// Whether a line below a question answers it.
fn answers(line: &str) -> bool {
    let Some((label, value)) = line.split_once(':') else { return false };
    let value = value.trim();
    ANSWERS.contains(&plain(label).as_str()) && !value.is_empty() && !is_stub(value)
}

/// The questions that a table marks in a column of its own, or in their own text.
fn in_rows(rows: &[Block]) -> Vec<String> {
    let mut head: Option<(usize, Option<usize>)> = None;
    let mut found = Vec::new();
    for row in rows {
        let Kind::Row(cells) = &row.kind else {
            head = None;
            continue;
        };
        let column = |wanted: &[&str]| {
            let fits = |cell: &String| wanted.iter().any(|word| plain(cell).contains(word));
            cells.iter().position(fits)
        };
        let Some((question, blocking)) = head else {
            head = Some((column(&["question"]).unwrap_or(0), column(&["blocking", "blocker"])));
            continue;
        };
        let closed = |cell: &String| {
            ["answered", "resolved", "closed", "done", "decided"].contains(&plain(cell).as_str())
        };
        let marked = |cell: &String| is_marked(cell) || is_tag(cell);
        let yes = blocking.and_then(|place| cells.get(place)).is_some_and(|cell| {
            let cell = plain(cell);
            !cell.is_empty()
                && !NO.iter().any(|word| cell == *word || starts_with_word(&cell, word))
        });
        if (yes || cells.iter().any(marked)) && !cells.iter().any(closed) {
            found.push(cells.get(question).cloned().unwrap_or_default());
        }
    }
    found
}

fn plain(text: &str) -> String {
    text.trim().trim_matches(|c: char| matches!(c, '*' | '_' | '`' | '?' | '.')).to_lowercase()
}

fn starts_with_word(text: &str, word: &str) -> bool {
    let rest = text.strip_prefix(word);
    rest.is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()))
}

/// Whether a tag is the mark, with or without what it is about: `blocking`, `blocking: auth`.
fn is_tag(tag: &str) -> bool {
    let tag = plain(tag);
    let tag = tag.trim_start_matches(['#', '@', '!']);
    WORDS.iter().any(|word| {
        tag.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '!']))
    })
}

/// What stands in brackets, and words with a `#`.
fn tags(text: &str) -> impl Iterator<Item = &str> {
    let bracketed = text.split(['(', '[', '{']).skip(1).filter_map(|rest| {
        let end = rest.find([')', ']', '}'])?;
        Some(rest[..end].split([',', ';', '/', '|']))
    });
    let hashed = text.split_whitespace().filter(|word| word.starts_with(['#', '@']));
    bracketed.flatten().chain(hashed)
}

fn begins_with_mark(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["blocking", "blocker"].iter().any(|word| {
        let Some(rest) = lower.strip_prefix(word) else { return false };
        let rest = rest.trim_start_matches(['*', '_', '`']);
        let dashed = rest.trim_start().starts_with(['–', '—']) || rest.starts_with(" - ");
        let value = rest.strip_prefix(':').map(str::trim);
        dashed || value.is_some_and(|value| !NO.contains(&value.trim_end_matches('.')))
    })
}

fn ends_with_mark(text: &str) -> bool {
    let lower = text.trim_end_matches(['.', '!', '*', '_', ' ']).to_lowercase();
    ["blocking", "blocker"].iter().any(|word| {
        let Some(before) = lower.strip_suffix(word) else { return false };
        let before = before.trim_end_matches(['*', '_', '`']);
        before.trim_end().ends_with(['–', '—', ':', '=', '?', '|']) || before.ends_with("- ")
    })
}

/// Whether the word stands there in capitals, and nothing before it denies it.
fn has_capitals(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    words.iter().enumerate().any(|(place, word)| {
        let is_mark = ["BLOCKING", "BLOCKER"].contains(&bare(word).as_str());
        let before = place.checked_sub(1).map(|before| bare(words[before]).to_lowercase());
        is_mark && !before.is_some_and(|before| ["not", "non", "no"].contains(&before.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::{is_marked, is_marking, says_so};

    #[test]
    fn a_mark_is_a_word_of_its_own() {
        for marked in [
            "[BLOCKING] Which database?",
            "(blocking) Which database?",
            "Which database? (high, blocking)",
            "Which database? [blocking: release]",
            "Blocking: which database?",
            "Blocker – which database?",
            "blocking - which database?",
            "Which database? — blocking",
            "Which database? #blocking",
            "Which database? BLOCKING",
            "Which database? Blocking.",
            "🛑 Which database?",
            "Which database? Priority: blocker",
        ] {
            assert!(is_marked(marked), "{marked}");
        }
        for unmarked in [
            "Which database?",
            "Should reads be blocking?",
            "Blocking or non-blocking calls?",
            "Which database? (non-blocking)",
            "Which database? (not blocking)",
            "Which database? — non-blocking",
            "Which database? NOT BLOCKING",
            "Which database? NON-BLOCKING",
            "Blocking: no",
            "Do we use blocking IO (sync)?",
            "Is the main thread blocking",
        ] {
            assert!(!is_marked(unmarked), "{unmarked}");
        }
    }

    #[test]
    fn headings_and_lines_below_a_question_mark_it_too() {
        assert!(is_marking("Blocking Questions") && is_marking("Blockers"));
        assert!(!is_marking("Non-blocking questions") && !is_marking("Open Questions"));
        for (line, is) in [
            ("Blocking: yes", true),
            ("blocking: no", false),
            ("Blocking: no, can wait", false),
            ("Priority: Blocking", true),
            ("Priority: high", false),
            ("blocking", true),
            ("see the blocking call", false),
        ] {
            assert_eq!(says_so(line), is, "{line}");
        }
    }
}
