//! An overview for people: the project's sessions, and where the one at hand stands.

use waypost_app::error::AppError;
use waypost_app::sessions::list::{self, Filter, ListedSession, Sessions};
use waypost_app::standing::status::{self, SessionStatus};
use waypost_app::view::View;
use waypost_core::text::{one_line, shortened};

/// How many sessions are listed, the newest of them.
const MAX_SESSIONS: usize = 30;
/// The longest foreign text in a line, in characters.
const MAX_TEXT: usize = 120;

/// The overview as Markdown.
pub(super) fn of(view: &View<'_>, session: Option<&str>) -> Result<String, AppError> {
    let Sessions { sessions, more } = list::list(view, &Filter::default())?;
    let mut lines = vec!["# Waypost".to_owned(), String::new()];
    // Without a session at hand there are still others to see; one that was named has to be there.
    match (status::of(view, session), session) {
        (Ok(status), _) => lines.extend(current(&status)),
        (Err(error), Some(_)) => return Err(error),
        (Err(error), None) => lines.push(error.message),
    }
    lines.extend([String::new(), "## Sessions".to_owned(), String::new()]);
    lines.push("| session | status | branch | updated | objective |".to_owned());
    lines.push("|---|---|---|---|---|".to_owned());
    lines.extend(sessions.iter().rev().take(MAX_SESSIONS).map(row));
    match sessions.len().saturating_sub(MAX_SESSIONS) {
        0 if !more => {}
        _ if more => lines.extend([String::new(), "and many older ones".to_owned()]),
        older => lines.extend([String::new(), format!("and {older} older ones")]),
    }
    lines.push(String::new());
    Ok(lines.join("\n"))
}

fn current(status: &SessionStatus) -> Vec<String> {
    let objective = status.objective.as_deref().unwrap_or("no name yet");
    let mut lines = vec![
        format!("## {}", status.session_id),
        String::new(),
        format!("- objective: {}", cell(objective)),
        format!("- status: {}, mode {}", status.lifecycle, cell(&status.mode)),
        format!("- version: {}, violations: {}", status.version, status.violations),
    ];
    if let Some(track) = &status.track {
        let (done, total) = (track.completed_phases.len(), track.workflow_structure.total_phases);
        let (workflow, phase) = (cell(&status.workflow), cell(&status.phase));
        lines.push(format!("- workflow: {workflow}, phase {phase}, {done} of {total} done"));
    }
    if let Some(total) = status.build.checkpoints_total {
        let done = status.build.checkpoints_completed.len();
        lines.push(format!("- checkpoints: {done} of {total}"));
    }
    let mut open = status::unmet(status).peekable();
    if open.peek().is_none() {
        lines.push("- open gates: none".to_owned());
        return lines;
    }
    lines.extend([String::new(), "### Open gates".to_owned(), String::new()]);
    lines.extend(open.map(|gate| {
        format!(
            "- **{}** ({}): {}. Next: {}",
            gate.gate,
            gate.level,
            cell(&gate.why),
            cell(&gate.next)
        )
    }));
    lines
}

fn row(session: &ListedSession) -> String {
    format!(
        "| {} | {} | {} | {} | {} |",
        session.session_id,
        session.lifecycle,
        cell(session.branch.as_deref().unwrap_or("")),
        session.updated_at.map(|time| time.to_string()).unwrap_or_default(),
        cell(session.objective.as_deref().unwrap_or("(no name yet)")),
    )
}

/// Foreign text that cannot break out of its cell.
fn cell(text: &str) -> String {
    let text = shortened(&one_line(text), MAX_TEXT);
    text.chars()
        .flat_map(|c| {
            let escaped = matches!(c, '|' | '`' | '<' | '[' | '\\' | '*');
            escaped.then_some('\\').into_iter().chain([c])
        })
        .collect()
}
