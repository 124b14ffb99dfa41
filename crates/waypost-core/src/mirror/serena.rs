//! The memories that Serena keeps of sessions: the one that goes on, the last ones, and what was missed.

use super::words::{cell, line};
use crate::time::Timestamp;

/// The memory of the session that goes on.
pub const CURRENT: &str = "session-current-state";
/// The memory of the last ones.
pub const HISTORY: &str = "session-history";
/// The memory of what was missed in any of them.
pub const VIOLATIONS: &str = "session-violations-log";
/// All of them.
pub const ALL: [&str; 3] = [CURRENT, HISTORY, VIOLATIONS];

/// How many sessions are in the history.
pub const MAX_HISTORY: usize = 10;

/// A session that goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Current {
    /// Its id.
    pub id: String,
    /// What it is for.
    pub objective: String,
    /// Its branch.
    pub branch: Option<String>,
    /// The commit that it began at.
    pub commit: Option<String>,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// The phase that it is in.
    pub phase: String,
    /// How each phase or gate stands: name, status, what shows it.
    pub phases: Vec<(String, String, String)>,
    /// What is asked for at the start.
    pub start: Vec<Step>,
    /// What is asked for at the end.
    pub end: Vec<Step>,
}

/// A step of a checklist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    /// MUST, SHOULD or MAY.
    pub level: String,
    /// What it asks for.
    pub asks: String,
    /// Whether it is done.
    pub done: bool,
    /// What shows it.
    pub evidence: String,
}

/// A session among the last ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// Its id.
    pub id: String,
    /// What it was for.
    pub objective: String,
    /// What came of it.
    pub outcome: String,
    /// Its last commit.
    pub commit: Option<String>,
    /// What was decided.
    pub decisions: Vec<String>,
    /// What whoever comes next should know.
    pub next_notes: Option<String>,
}

/// What was missed in a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Missed {
    /// The session.
    pub id: String,
    /// What.
    pub rows: Vec<MissedRow>,
}

/// Something that was missed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissedRow {
    /// When.
    pub time: Option<Timestamp>,
    /// In which phase.
    pub phase: String,
    /// What was required.
    pub requirement: String,
    /// `must`, `should` or `may`.
    pub severity: String,
    /// How it came to hold after all.
    pub recovery: Option<String>,
}

/// The memory of the session that goes on.
pub fn current(session: &Current) -> String {
    let mut text = "# Session State\n\n## Metadata\n\n".to_owned();
    let started = session.started_at.map(whole_seconds).unwrap_or_default();
    let fields = [
        ("Session ID", session.id.as_str()),
        ("Objective", &session.objective),
        ("Branch", session.branch.as_deref().unwrap_or_default()),
        ("Starting Commit", session.commit.as_deref().unwrap_or_default()),
        ("Started At", &started),
        ("Current Phase", &session.phase),
    ];
    for (name, told) in fields {
        text.push_str(format!("- **{name}**: {}", line(told)).trim_end());
        text.push('\n');
    }
    text.push_str(
        "\n## Phase Status\n\n| Phase | Status | Evidence |\n|-------|--------|----------|\n",
    );
    for (phase, status, evidence) in &session.phases {
        text.push_str(&row(&[cell(phase), cell(status), cell(evidence)]));
    }
    for (name, steps) in [("Start", &session.start), ("End", &session.end)] {
        text.push_str(&format!(
            "\n## Checklist ({name})\n\n| Req | Step | Status | Evidence |\n|-----|------|--------|----------|\n"
        ));
        for step in steps {
            let mark = if step.done { "[x]" } else { "[ ]" };
            let cells =
                [cell(&step.level), cell(&step.asks), mark.to_owned(), cell(&step.evidence)];
            text.push_str(&row(&cells));
        }
    }
    text
}

/// The memory of the last sessions, the latest first.
pub fn history(sessions: &[Past]) -> String {
    let mut text = format!("# Session History\n\n## Recent Sessions (Last {MAX_HISTORY})\n");
    for past in sessions.iter().take(MAX_HISTORY) {
        text.push_str(&format!("\n### {}\n\n", line(&past.id)));
        text.push_str(&format!("- **Objective**: {}\n", line(&past.objective)));
        text.push_str(&format!("- **Outcome**: {}\n", line(&past.outcome)));
        if let Some(commit) = &past.commit {
            text.push_str(&format!("- **Commit SHA**: {}\n", line(commit)));
        }
        if !past.decisions.is_empty() {
            text.push_str("- **Key Decisions**:\n");
            for decision in &past.decisions {
                text.push_str(&format!("  - {}\n", line(decision)));
            }
        }
        if let Some(next) = &past.next_notes {
            text.push_str(&format!("- **Next Session Notes**: {}\n", line(next)));
        }
    }
    text
}

/// The memory of what was missed, the latest session first. `more` sessions had no room.
pub fn violations(sessions: &[Missed], more: usize) -> String {
    let mut text = "# Session Violations Log\n\n## Purpose\n\n\
        Audit trail of protocol violations for retrospective analysis and skill extraction.\n\n## Violations\n"
        .to_owned();
    for missed in sessions {
        text.push_str(&format!(
            "\n### {}\n\n| Timestamp | Phase | Requirement | Severity | Recovery |\n\
             |-----------|-------|-------------|----------|----------|\n",
            line(&missed.id)
        ));
        if missed.rows.is_empty() {
            text.push_str("| (none recorded) | | | | |\n");
        }
        for missed in &missed.rows {
            let cells = [
                missed.time.map(time_of_day).unwrap_or_default(),
                cell(&missed.phase),
                cell(&missed.requirement),
                severity(&missed.severity).to_owned(),
                cell(missed.recovery.as_deref().unwrap_or_default()),
            ];
            text.push_str(&row(&cells));
        }
    }
    if more > 0 {
        text.push_str(&format!("\nViolations of {more} earlier sessions are in Waypost alone.\n"));
    }
    text
}

/// How bad it is, in the words of that log.
fn severity(level: &str) -> &'static str {
    match level.to_ascii_lowercase().as_str() {
        "must" | "critical" => "CRITICAL",
        "should" | "warning" => "WARNING",
        _ => "INFO",
    }
}

/// A row; an empty cell is a space wide, as in the tables that people write.
fn row(cells: &[String]) -> String {
    let mut row = "|".to_owned();
    for cell in cells {
        row.push(' ');
        row.push_str(cell);
        row.push_str(if cell.is_empty() { "|" } else { " |" });
    }
    row.push('\n');
    row
}

fn whole_seconds(time: Timestamp) -> String {
    let time = time.to_string();
    time.split_once('.').map_or_else(|| time.clone(), |(whole, _)| format!("{whole}Z"))
}

fn time_of_day(time: Timestamp) -> String {
    let time = whole_seconds(time);
    time.get(11..19).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
