//! The words by which a tasks file tells phases, tasks, gates and summaries apart.

use waypost_core::redact::redact;
use waypost_core::text::{one_line, shortened};

/// What stands before what has to be true at the end of a phase.
const GATES: &[&str] = &[
    "validation gate",
    "quality gate",
    "phase gate",
    "exit gate",
    "exit criteria",
    "completion criteria",
    "definition of done",
];
/// The same, where no task is open: a task has criteria of its own.
const CRITERIA: &[&str] = &["success criteria", "acceptance criteria", "done when", "criteria"];
/// What repeats the phases without being one.
const SUMMARIES: &[&str] = &[
    "summary",
    "overview",
    "dependenc",
    "timeline",
    "schedule",
    "estimate",
    "milestone",
    "checklist",
    "success",
    "acceptance",
    "criteria",
    "testing",
    "risk",
    "rollback",
    "appendix",
    "future",
    "out of scope",
    "breakdown",
    "parallel",
    "traceab",
    "metrics",
    "at a glance",
    "roadmap",
];

pub(super) fn clean(text: &str, max: usize) -> String {
    shortened(&one_line(&redact(text)), max)
}

/// A text without the signs before its first word.
pub(super) fn bare(text: &str) -> &str {
    text.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '`' | '(' | '['))
}

/// The number and the name in `Phase 1: Name`, `Phase 1 (Week 1): Name`, `Task 1.2 - Name`, `Task 3`.
pub(super) fn numbered(word: &str, text: &str) -> Option<(String, String)> {
    let (number, rest) = number_after(word, bare(text))?;
    // A remark in brackets may stand between the number and the name.
    let remark = rest.starts_with(['(', '[']).then(|| rest.find([')', ']'])).flatten();
    let after = remark.map_or(rest, |end| rest[end..].trim_start_matches([')', ']']).trim_start());
    let named = after.strip_prefix([':', '-', '–', '—', '.', ')', '|']);
    let name = match named {
        // A range of phases is none of them.
        Some(name) if name.starts_with(|c: char| c.is_ascii_digit()) => return None,
        Some(name) => name.trim(),
        None if after.is_empty() => rest.trim_matches(['(', '[', ')', ']']),
        None => return None,
    };
    let first = name.lines().next().unwrap_or_default();
    Some((number, first.trim().to_owned()))
}

/// The number and the name of a task that a heading names by its number alone: `1.2 Name`.
pub(super) fn numbered_alone(text: &str) -> Option<(String, String)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number = text[..end].trim_end_matches('.');
    let name = text[end..].trim_start_matches([':', '-', '–', '—', ')', ' ']).trim();
    let dotted = number.contains('.') && number.starts_with(|c: char| c.is_ascii_digit());
    (dotted && !name.is_empty()).then(|| (number.to_owned(), name.to_owned()))
}

fn number_after<'t>(word: &str, text: &'t str) -> Option<(String, &'t str)> {
    let start = text.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word))?;
    let rest = text[start.len()..].strip_prefix(char::is_whitespace)?.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let number = rest[..end].trim_end_matches('.');
    let is_number = number.starts_with(|c: char| c.is_ascii_digit());
    is_number.then(|| (number.to_owned(), rest[end..].trim_start()))
}

/// The number of the phase that a text speaks of.
pub(super) fn phase_in(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let place = lower.find("phase ")?;
    number_after("phase", text.get(place..)?).map(|(number, _)| number)
}

/// Whether a text announces what has to be true at the end of a phase.
pub(super) fn is_gate(text: &str) -> bool {
    let lower = text.to_lowercase();
    let of_a_phase = || {
        let about = ["success", "criteria", "gate", "checkpoint", "done when", "complete when"];
        phase_in(text).is_some() && about.iter().any(|word| lower.contains(word))
    };
    GATES.iter().any(|word| lower.contains(word)) || of_a_phase()
}

/// Whether a heading announces the gates of several phases.
pub(super) fn are_gates(text: &str) -> bool {
    let lower = text.to_lowercase();
    let names = ["gates", "exit criteria", "success criteria", "completion criteria"];
    names.iter().any(|word| lower.contains(word)) && !lower.contains("summary")
}

/// Whether a label announces criteria: of a task where one is open, else of the phase.
pub(super) fn are_criteria(label: &str) -> bool {
    let lower = bare(label).to_lowercase();
    CRITERIA.iter().any(|word| lower.starts_with(word)) || lower.starts_with("accept")
}

/// Whether a label announces criteria that are a task's, where there is one.
pub(super) fn are_of_task(label: &str) -> bool {
    let lower = bare(label).to_lowercase();
    ["acceptance criteria", "criteria", "done when"].iter().any(|word| lower.starts_with(word))
}

/// The text without code in which a fence with a language stands within another; `None` where none does.
pub(super) fn without_nested_fences(text: &str) -> Option<String> {
    let (mut depth, mut nested) = (0_usize, false);
    let mut kept = String::new();
    for line in text.lines() {
        if let Some(info) = line.trim_start().strip_prefix("```") {
            let opens = depth == 0 || !info.trim_start_matches('`').trim().is_empty();
            nested |= opens && depth > 0;
            depth = if opens { depth + 1 } else { depth - 1 };
        } else if depth == 0 {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    nested.then_some(kept)
}

/// Whether a label announces tasks.
pub(super) fn are_tasks(label: &str) -> bool {
    let lower = label.trim_end_matches(':').to_lowercase();
    let last = lower.split_whitespace().last().unwrap_or_default();
    ["tasks", "todo", "todos", "to-do", "checklist", "work"].contains(&last)
}

/// Whether a section repeats phases that stand elsewhere.
pub(super) fn is_summary(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    SUMMARIES.iter().any(|word| lower.contains(word))
}

/// Whether a label within a gate still speaks of its criteria.
pub(super) fn goes_on(label: &str) -> bool {
    let lower = label.to_lowercase();
    let on = ["before ", "advanc", "proceed", "when:", "verify", "criteria", "must"];
    !lower.contains("evidence") && on.iter().any(|word| lower.contains(word))
}

/// A criterion without the box and the signs that somebody put beside it.
pub(super) fn criterion(text: &str, max: usize) -> String {
    let signs = |c: char| matches!(c, '✅' | '❌' | '☐' | '☑' | '✓' | '✗' | '/' | ' ' | '.' | ';');
    let first = text.lines().next().unwrap_or_default();
    clean(first.trim().trim_end_matches(signs).trim_start_matches(['✅', '❌', '☐', ' ']), max)
}
