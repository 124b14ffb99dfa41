//! An overview for people: the project's sessions, where the one at hand stands, and who works beside it.

use waypost_app::error::AppError;
use waypost_app::sessions::list::{self, Filter, ListedSession, Sessions};
use waypost_app::standing::status::{self, SessionStatus};
use waypost_app::view::View;
use waypost_core::brief::WaitingHandoff;
use waypost_core::standing::ShownGate;
use waypost_core::text::{one_line, shortened};
use waypost_core::time::Timestamp;

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
        (Ok(status), _) => lines.extend(current(&status, view.host.now())),
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

fn current(status: &SessionStatus, now: Timestamp) -> Vec<String> {
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
    if !status.agents_at_work.is_empty() {
        lines.push(format!("- at work: {}", cell(&status.agents_at_work.join(", "))));
    }
    let open: Vec<String> = status::unmet(status).map(gate).collect();
    if open.is_empty() {
        lines.push("- open gates: none".to_owned());
    }
    let waiting = status.pending_handoffs.iter().map(handoff).collect();
    let wanted = status.open_verdicts.iter().map(|concern| listed(&concern.line())).collect();
    let others = status.others.iter().map(|other| listed(&other.told(now))).collect();
    for (title, list) in [
        ("Open gates", open),
        ("Handed over", waiting),
        ("Open conditions and blockers", wanted),
        ("Changed in this work tree lately", others),
    ] {
        if !list.is_empty() {
            lines.extend([String::new(), format!("### {title}"), String::new()]);
            lines.extend(list);
        }
    }
    lines
}

fn listed(text: &str) -> String {
    format!("- {}", escaped(text))
}

fn gate(gate: &ShownGate) -> String {
    let ShownGate { gate, level, why, next, .. } = gate;
    format!("- **{gate}** ({level}): {}. Next: {}", cell(why), cell(next))
}

fn handoff(waiting: &WaitingHandoff) -> String {
    let WaitingHandoff { handoff_id, from_agent, to_agent, reason, accept, .. } = waiting;
    let what = cell(&format!("from {from_agent} to {to_agent}: {reason}"));
    format!("- **{handoff_id}** {what}. Next: {}", cell(accept))
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
    escaped(&shortened(&one_line(text), MAX_TEXT))
}

/// Text on one line that is nothing but text.
fn escaped(text: &str) -> String {
    one_line(text)
        .chars()
        .flat_map(|c| {
            let escaped = matches!(c, '|' | '`' | '<' | '[' | '\\' | '*');
            escaped.then_some('\\').into_iter().chain([c])
        })
        .collect()
}
