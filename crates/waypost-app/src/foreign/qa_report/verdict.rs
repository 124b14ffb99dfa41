//! The verdict that a report gives in its text: `**Verdict**: [PASS]`, `## Verdict: PASS`, a heading
//! with the verdict below it, a row of a table. What is said of single tests is no verdict.

use waypost_core::gate::facts::ReportVerdict;
use waypost_core::text::{one_line, shortened};

use crate::foreign::lines::{Line, LineKind};
use crate::foreign::words::{has_words, plain};

/// Names of a verdict on all of it.
const OVERALL: &[&str] = &[
    "overall verdict",
    "final verdict",
    "overall status",
    "overall result",
    "final status",
    "final result",
    "qa verdict",
    "qa status",
    "qa result",
    "overall",
];
/// Names of a verdict.
const VERDICT: &[&str] = &["verdict", "qa decision", "decision"];
/// Names that mean the verdict only in a report's head, before its parts.
const IN_HEAD: &[&str] = &["status", "result", "outcome", "qa"];
/// Words that a verdict begins with and that say that all is well.
const PASS: &[&str] =
    &["pass", "passed", "passes", "approved", "approve", "verified", "compliant", "success"];
const PASS_SIGNS: &[char] = &['✅', '✓', '✔', '☑'];
/// Words that a verdict begins with and that say that it is not.
const FAIL: &[&str] = &[
    "fail",
    "failed",
    "fails",
    "reject",
    "rejected",
    "blocked",
    "needs",
    "warn",
    "warning",
    "conditional",
    "incomplete",
    "deferred",
    "skipped",
    "pending",
    "critical_fail",
    "critical",
    "partial",
    "not",
    "draft",
    "ready",
];
const FAIL_SIGNS: &[char] = &['❌', '✗', '✘', '⚠', '🔴', '🟡'];

/// How plainly a verdict is one on all of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Overall,
    Verdict,
    Head,
}

/// A verdict that was found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) verdict: ReportVerdict,
    rank: Rank,
}

impl Found {
    /// Whether it says plainly that not all is well.
    pub(super) fn is_failure(&self) -> bool {
        !self.verdict.passed && self.rank != Rank::Head
    }
}

/// The verdict of a text, of which so many lines stand above. Of several that are equally plain, one
/// that says that not all is well counts.
pub(super) fn of(body: &[Line], above: u64) -> Option<Found> {
    let mut found: Option<Found> = None;
    let mut reading = Reading::default();
    for line in body {
        let Some((rank, said)) = reading.take(&line.kind) else { continue };
        let Some(verdict) = self::said(&said, line.number + above) else { continue };
        let counts = match &found {
            None => true,
            Some(known) if rank != known.rank => rank < known.rank,
            Some(known) => known.verdict.passed && !verdict.passed,
        };
        if counts {
            found = Some(Found { verdict, rank });
        }
    }
    found
}

#[derive(Default)]
struct Reading {
    /// A heading that asks for a verdict below it.
    asks: Option<Rank>,
    /// Whether parts of the report have begun.
    parts: bool,
}

impl Reading {
    /// What a line says of the verdict, and how plainly.
    fn take(&mut self, kind: &LineKind) -> Option<(Rank, String)> {
        match kind {
            LineKind::Heading(level, text) => {
                let (key, value) = text.split_once(':').unwrap_or((text.as_str(), ""));
                let rank = rank(key, true);
                self.parts |= *level > 1 && rank.is_none();
                self.asks = rank.filter(|_| value.trim().is_empty());
                let rank = rank.filter(|_| !value.trim().is_empty())?;
                Some((rank, value.to_owned()))
            }
            LineKind::Blank | LineKind::Delimiter => None,
            LineKind::Text(text) => {
                let asked = self.asks.take();
                match (pair(text), asked) {
                    (Some((key, value)), asked) => {
                        let rank = rank(&key, !self.parts).or(asked)?;
                        Some((rank.min(asked.unwrap_or(rank)), value))
                    }
                    (None, Some(rank)) => Some((rank, text.clone())),
                    (None, None) => None,
                }
            }
            LineKind::Box(mark, text) => {
                let asked = self.asks.take();
                asked.map(|rank| (rank, format!("{mark} {text}")))
            }
            LineKind::Row(cells) => {
                self.asks = None;
                let [key, value, ..] = cells.as_slice() else { return None };
                // In a table, `Status` is a column.
                rank(key, false).map(|rank| (rank, value.clone()))
            }
        }
    }
}

/// `**Verdict**: [PASS]`, `Verdict: PASS`
fn pair(text: &str) -> Option<(String, String)> {
    let (key, value) = text.split_once(':')?;
    let short = key.split_whitespace().count() <= 4;
    (short && !value.trim().is_empty()).then(|| (key.to_owned(), value.to_owned()))
}

fn rank(key: &str, head: bool) -> Option<Rank> {
    let key = plain(key);
    let key = key.trim_matches(|c: char| !c.is_alphanumeric());
    match key {
        key if OVERALL.contains(&key) => Some(Rank::Overall),
        key if VERDICT.contains(&key) => Some(Rank::Verdict),
        key if head && IN_HEAD.contains(&key) => Some(Rank::Head),
        _ => None,
    }
}

/// What a text says, if it is a verdict at all.
pub(super) fn said(text: &str, line: u64) -> Option<ReportVerdict> {
    let told = plain(text);
    let word = told.trim_start_matches(['[', '(', ' ', ':', '-', '"']);
    let signed = word.trim_start_matches(PASS_SIGNS);
    let word = signed.trim_start_matches(['[', '(', ' ']);
    let begins = |words: &[&str]| {
        words.iter().any(|known| {
            let rest = word.strip_prefix(known);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    };
    let complete = ["qa complete", "qa passed", "qa pass", "all passing", "all passed", "complete"];
    let failed = begins(FAIL) || word.starts_with(FAIL_SIGNS) || has_words(word, "with gaps");
    let passed = !failed && (begins(PASS) || begins(&complete) || only_signs(&told));
    // `PASS, WARN or FAIL` and `PASS | FAIL` tell what it could be.
    let choice = begins(PASS)
        && FAIL.iter().any(|other| {
            [", ", " | ", "|", "/", " / "]
                .iter()
                .any(|between| word.contains(&format!("{between}{other}")))
        });
    (!choice && (passed || failed)).then(|| ReportVerdict {
        passed,
        said: shortened(&one_line(text.trim_matches(['*', ' '])), 60),
        line,
    })
}

fn only_signs(text: &str) -> bool {
    text.starts_with(PASS_SIGNS) && !text.chars().any(char::is_alphanumeric)
}
