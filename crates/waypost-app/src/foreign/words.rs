//! What marks and short texts in checklists and reports mean: done or not, and evidence that says
//! itself that nothing was done. Judges words, never files.

/// What stands in a box, or a word in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// It is done.
    Done,
    /// It is not, in these words.
    NotDone(String),
    /// It does not apply.
    NotApplicable,
}

/// Signs that mean yes.
const YES: &[char] = &['✅', '✓', '✔', '☑', '🗹', '👍', '🟢'];
const DONE: &[&str] = &[
    "x",
    "pass",
    "passed",
    "passing",
    "done",
    "complete",
    "completed",
    "yes",
    "y",
    "true",
    "ok",
    "okay",
    "verified",
    "satisfied",
    "met",
    "compliant",
    "success",
    "succeeded",
    "approved",
];
const NOT_APPLICABLE: &[&str] =
    &["n/a", "na", "n.a.", "not applicable", "notapplicable", "not_applicable", "not-applicable"];

/// What a cell or a value says of whether something is done. Nothing is not done.
pub(super) fn said(text: &str) -> Said {
    let plain = plain(text);
    if plain.starts_with(YES) {
        return Said::Done;
    }
    let word = match plain.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((within, _)) => within.trim(),
        None => plain.as_str(),
    };
    if word.starts_with(YES) {
        return Said::Done;
    }
    if NOT_APPLICABLE.iter().any(|na| begins_with(word, na)) {
        return Said::NotApplicable;
    }
    let first = word.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if DONE.contains(&first) { Said::Done } else { Said::NotDone(plain) }
}

/// Whether a text begins with a box, whatever stands in it, and nothing that could be a link's text.
pub(super) fn is_box(text: &str) -> bool {
    let plain = plain(text);
    let within = plain.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let short = |within: &str| within.chars().count() <= 16;
    within.is_some_and(|(within, after)| short(within) && !after.starts_with(['(', '[', ':']))
}

/// In small letters, without emphasis, code marks and escapes.
pub(super) fn plain(text: &str) -> String {
    let kept: String =
        text.chars().filter(|c| !matches!(c, '*' | '`' | '\\' | '\u{fe0f}' | '\u{200d}')).collect();
    kept.trim().trim_matches('_').trim().to_lowercase()
}

/// So many bytes of a text at most, and no part of a character.
pub(super) fn beginning(text: &str, max: usize) -> &str {
    let end = (0..=max.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

/// Whether `text` begins with `start` and then no letter or digit follows.
fn begins_with(text: &str, start: &str) -> bool {
    let rest = text.strip_prefix(start);
    rest.is_some_and(|rest| !rest.chars().next().is_some_and(char::is_alphanumeric))
}

/// The protocol's own words for what is left out with reason: what changed is looked at elsewhere.
const LEFT_OUT: &[&str] = &["skipped: docs-only", "skipped: investigation-only"];
/// Evidence that begins so says that it was not done.
const NOTHING_AT_START: &[&str] = &[
    "skip",
    "skipped",
    "todo",
    "tbd",
    "pending",
    "later",
    "deferred",
    "not run",
    "not done",
    "not yet",
    "not performed",
    "not started",
    "not executed",
    "will run",
    "will be",
    "will do",
    "did not run",
    "ran 0",
    "running 0",
    "0 tests",
    "0 files",
    "zero tests",
    "zero files",
    "no tests ran",
    "no tests run",
    "no files linted",
    "no files checked",
    "failed",
    "blocked",
];
/// So does evidence that has one of these anywhere: what ran on nothing found nothing.
const ZERO: &[&str] = &[
    "running 0 tests",
    "ran 0 tests",
    "0 tests ran",
    "0 tests run",
    "0 files linted",
    "0 files checked",
    "no tests ran",
    "no tests run",
    "collected 0 items",
];
/// And so does evidence that has one of these before anything that was done.
const OUT_OF_REACH: &[&str] = &[
    "unreachable",
    "not reachable",
    "could not be reached",
    "unavailable",
    "not available",
    "connection refused",
    "timed out",
    "not responding",
    "not installed",
];
/// Words that tell of something that was done.
const WAS_DONE: &[&str] = &[
    "read",
    "loaded",
    "used",
    "ran",
    "queried",
    "created",
    "completed",
    "listed",
    "passed",
    "called",
    "returned",
    "verified",
    "confirmed",
    "committed",
    "recorded",
    "written",
    "updated",
    "activated",
    "checked",
    "reviewed",
    "captured",
    "saved",
    "wrote",
    "stored",
    "added",
    "pass",
    "complete",
    "active",
    "satisfied",
];

/// Whether evidence says itself that nothing was done. None at all says nothing of the kind.
pub(super) fn says_not_done(evidence: &str) -> bool {
    let text = plain(evidence);
    let text = text.trim_start_matches(['[', '(', '-', '–', '—', ':', ' ']);
    if text.is_empty() || LEFT_OUT.iter().any(|known| begins_with(text, known)) {
        return false;
    }
    NOTHING_AT_START.iter().any(|start| begins_with(text, start))
        || ZERO.iter().any(|part| has_words(text, part))
        || first_of(text, OUT_OF_REACH).is_some_and(|at| !tells_of_work(&text[..at]))
}

/// Where the first of these words begins.
fn first_of(text: &str, words: &[&str]) -> Option<usize> {
    words.iter().filter_map(|words| places(text, words).next()).min()
}

/// Whether a text tells of something that was done, and does not take it back in the same breath.
fn tells_of_work(text: &str) -> bool {
    let denied = |at: usize| {
        let before = text[..at].trim_end().rsplit(' ').next().unwrap_or_default();
        matches!(before, "not" | "never" | "no" | "be" | "to") || before.ends_with("n't")
    };
    WAS_DONE.iter().any(|word| places(text, word).any(|at| !denied(at)))
}

/// The reason that goes with "does not apply"; `None` where none is given.
pub(super) fn reason(evidence: &str) -> Option<String> {
    let text = plain(evidence);
    let mut rest = text.as_str().trim_start_matches(['[', '(']);
    if let Some(na) = NOT_APPLICABLE.iter().find(|na| begins_with(rest, na)) {
        rest = &rest[na.len()..];
    }
    let empty = ["none", "skip", "skipped", "todo", "tbd", "pending", "later", "na"];
    let rest = rest.trim_matches(|c: char| !c.is_alphanumeric());
    (!rest.is_empty() && !empty.contains(&rest)).then(|| rest.to_owned())
}

/// Whether evidence says that something does not apply.
pub(super) fn says_not_applicable(evidence: &str) -> bool {
    let text = plain(evidence);
    let text = text.trim_start_matches(['[', '(']);
    NOT_APPLICABLE.iter().any(|na| begins_with(text, na))
}

/// Whether evidence says that what was forbidden was done after all.
pub(super) fn says_it_happened(evidence: &str) -> bool {
    const HAPPENED: &[&str] =
        &["updated", "modified", "changed", "added", "edited", "written", "wrote", "appended"];
    const DENIED: &[&str] = &[
        "not",
        "no",
        "never",
        "unchanged",
        "unmodified",
        "untouched",
        "without",
        "n/a",
        "didn't",
        "wasn't",
        "read-only",
        "preserved",
    ];
    let text = plain(evidence);
    let any = |words: &[&str]| words.iter().any(|word| has_words(&text, word));
    any(HAPPENED) && !any(DENIED)
}

/// Whether `text` has `words` in it, as words of their own.
pub(super) fn has_words(text: &str, words: &str) -> bool {
    places(text, words).next().is_some()
}

/// Where `text` has `words` in it, as words of their own.
fn places(text: &str, words: &str) -> impl Iterator<Item = usize> {
    text.match_indices(words).filter_map(|(start, found)| {
        let before = text[..start].chars().next_back();
        let after = text[start + found.len()..].chars().next();
        // `fix/store-unavailable` is a name.
        let part = |c: Option<char>| {
            c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/'))
        };
        (!part(before) && !part(after)).then_some(start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_mean_what_people_mean_by_them() {
        for done in
            ["[x]", "[X]", "✅ PASS", "[✓]", "**PASS**", "`[x]`", "Complete", "☑️", "[x] ok"]
        {
            assert_eq!(said(done), Said::Done, "{done}");
        }
        for not in ["[ ]", "", "[SKIPPED]", "❌ FAIL", "Incomplete", "not done", "[⏸️]", "xyz", "-"]
        {
            assert!(matches!(said(not), Said::NotDone(_)), "{not}");
        }
        for neither in ["[N/A]", "N/A (docs-only)", "not_applicable", "Not applicable"] {
            assert_eq!(said(neither), Said::NotApplicable, "{neither}");
        }
        assert!(is_box("[ ] later") && is_box("**[x]**"));
        assert!(!is_box("[a link](x)") && !is_box("text [x]"));
    }

    #[test]
    fn evidence_that_says_that_nothing_was_done_is_none() {
        for nothing in [
            "Serena unreachable",
            "Tool output error (unavailable)",
            "Serena MCP not available",
            "SKIPPED",
            "TODO",
            "pending final run",
            "running 0 tests",
            "0 files linted",
            "Skipped: no time",
            "Serena not reachable; used the files instead",
            "could not be loaded: unavailable",
            "linter ran, 0 files linted",
        ] {
            assert!(says_not_done(nothing), "{nothing}");
        }
        for something in [
            "",
            "Tool output present",
            "14434 passed, 21 skipped",
            "10 tests ran",
            "SKIPPED: docs-only",
            "SKIPPED: investigation-only",
            "No markdown files changed",
            "the todo list was updated",
            "Commit SHA: 0f00d5",
            "Read usage.md directly (Serena unavailable)",
            "On fix/12-store-unavailable",
            "instructions loaded; the other tool was unavailable",
        ] {
            assert!(!says_not_done(something), "{something}");
        }
    }

    #[test]
    fn what_does_not_apply_needs_a_reason() {
        assert_eq!(reason("N/A - no export").as_deref(), Some("no export"));
        assert_eq!(reason("Sub-agent").as_deref(), Some("sub-agent"));
        for none in ["", "N/A", "n/a.", "[N/A]", "TBD", "-", "N/A: skipped"] {
            assert_eq!(reason(none), None, "{none}");
        }
    }

    #[test]
    fn what_was_forbidden_and_done_is_told_from_what_was_left_alone() {
        for done in ["Updated the table", "File modified", "Added session to the list"] {
            assert!(says_it_happened(done), "{done}");
        }
        for left in ["HANDOFF.md unchanged", "Not modified", "No changes made", "read-only", "x"] {
            assert!(!says_it_happened(left), "{left}");
        }
    }
}
