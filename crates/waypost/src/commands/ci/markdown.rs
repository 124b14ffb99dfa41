//! What `waypost ci` tells a reviewer, as Markdown. Text of others is made harmless.

use waypost_app::enforce::ci::{Judged, Report};
use waypost_app::error::AppError;
use waypost_core::gate::{FindingStatus, Level};
use waypost_core::next_step::Voice;
use waypost_core::text::{one_line, shortened};

use super::{UNTOLD, short, worth};

/// No more commits than this are named.
const MAX_COMMITS: usize = 20;

/// The summary of a report.
pub(super) fn summary(report: &Report) -> String {
    let verdict = match (report.passed, &report.judged) {
        (true, Some(_)) => "✅ Waypost: the gates hold",
        (true, None) => "⚪ Waypost: no gate was judged",
        (false, _) => "❌ Waypost: not yet",
    };
    let mut lines = vec![format!("## {verdict}")];
    if !report.failures.is_empty() {
        lines.push(String::new());
    }
    lines.extend(report.failures.iter().map(|failure| format!("- {}", plain(failure))));
    if let Some(judged) = &report.judged {
        add_gates(&mut lines, judged);
    }
    let untold = report.untold.iter().map(|gate| format!("\n{}: {UNTOLD}", plain(gate)));
    lines.extend(untold);
    if !report.copies.is_empty() {
        lines.extend([String::new(), "| session | branch | status | copy |".to_owned()]);
        lines.push("|---|---|---|---|".to_owned());
    }
    for copy in &report.copies {
        let name = copy.objective.as_deref().unwrap_or(copy.session_id.as_str());
        let branch = copy.branch.as_deref().unwrap_or("");
        let (name, branch, worth) = (plain(name), plain(branch), plain(&worth(copy)));
        lines.push(format!("| {name} | {branch} | {} | {worth} |", copy.lifecycle));
    }
    add_commits(&mut lines, report);
    lines.extend(report.notes.iter().map(|note| format!("\nNote: {}", plain(note))));
    lines.join("\n")
}

/// What is told where there is no report.
pub(super) fn failure(error: &AppError) -> String {
    format!("## ❌ Waypost: cannot tell\n\n{}", plain(&error.full_text(Voice::PERSON)))
}

fn add_gates(lines: &mut Vec<String>, judged: &Judged) {
    if judged.gates.is_empty() {
        return;
    }
    lines.extend([String::new(), "| | gate | level | why |".to_owned()]);
    lines.push("|---|---|---|---|".to_owned());
    for found in &judged.gates {
        let mark = match (found.status, found.level) {
            (FindingStatus::Met, _) => "✅",
            (_, Level::Must) => "❌",
            _ => "⚠️",
        };
        let (gate, why) = (plain(&found.gate), plain(&found.why));
        lines.push(format!("| {mark} | {gate} | {} | {why} |", found.level));
    }
    let open = judged.violations.iter().filter(|missed| missed.open).count();
    let all = judged.violations.len();
    if all > 0 {
        lines.push(format!("\nViolations in this session: {all}, still open: {open}."));
    }
}

fn add_commits(lines: &mut Vec<String>, report: &Report) {
    let range = &report.range;
    let Some(base) = &range.base else {
        lines.push("\nWhich commits the branch adds cannot be told: no base was found.".to_owned());
        return;
    };
    let (all, new) = (range.commits, range.unrecorded.len());
    let since = short(base);
    lines.push(format!("\nCommits since `{since}`: {all}, recorded by no session: {new}."));
    for commit in range.unrecorded.iter().take(MAX_COMMITS) {
        lines.push(format!("- `{}` {}", short(&commit.sha), plain(&commit.subject)));
    }
    if new > MAX_COMMITS {
        lines.push(format!("- and {} more", new - MAX_COMMITS));
    }
}

/// Text on one line that means nothing to Markdown, HTML or whoever is mentioned.
fn plain(text: &str) -> String {
    let mut result = String::new();
    for c in shortened(&one_line(text), 300).chars() {
        match c {
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '&' => result.push_str("&amp;"),
            '@' => result.push_str("&#64;"),
            '\\' | '|' | '`' | '*' | '[' | ']' | '#' | '!' => result.extend(['\\', c]),
            c => result.push(c),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn text_of_others_stays_text() {
        let odd = "a|b\n# c <img src=x> @team [l](http://x) `d` **e**";
        let told = plain(odd);
        assert_eq!(told.lines().count(), 1);
        assert!(!told.contains(['<', '>', '@']), "{told}");
        assert!(told.contains("a\\|b") && told.contains("\\[l\\]"), "{told}");
    }
}
