//! A handoff as a document: what whoever goes on reads first, with what has to be verified before anything else.

use waypost_core::agents::{Agents, Handoff};
use waypost_core::id::SessionId;
use waypost_core::next_step::{NextStep, Voice};
use waypost_core::session::{SessionState, handoff_id};
use waypost_core::text::{one_line, printable};

use super::checklist::Point;

/// The Markdown of a handoff, for whoever asks. Texts of agents stand in it as they were written, but for what steers a
/// terminal or nobody sees.
pub fn markdown(
    session: &SessionId,
    state: &SessionState,
    agents: &Agents,
    handoff: &Handoff,
    voice: Voice,
) -> String {
    let told = &handoff.handoff;
    let mut page = format!(
        "# Handoff {} from {} to {}\n\n",
        handoff_id(handoff.seq),
        one_line(&told.from_agent),
        one_line(&told.to_agent)
    );
    let mut row = |name: &str, value: &str| page.push_str(&format!("- **{name}**: {value}\n"));
    row("Session", session.as_str());
    if let Some(objective) = &state.objective {
        row("Objective", &one_line(objective));
    }
    if let Some(branch) = &state.branch {
        row("Branch", &one_line(branch));
    }
    if let Some(commit) = state.commits.last() {
        row("Last commit", commit);
    }
    row("Handed over", &format!("{} by {}", handoff.time, handoff.actor.label()));
    match &handoff.accepted {
        Some(accepted) => row("Accepted", &format!("{} by {}", accepted.time, accepted.by.label())),
        None => row("Accepted", "not yet"),
    }
    section(&mut page, "Reason", &told.reason);
    section(&mut page, "Context", &told.context);
    list(&mut page, "Files", told.artifacts.iter().map(|file| one_line(file)));
    if let Some(preserved) = &told.preserved_context {
        let json = serde_json::to_string_pretty(preserved).unwrap_or_default();
        section(&mut page, "Preserved context", &format!("```json\n{json}\n```"));
    }
    let open = agents.verdicts.iter().filter(|verdict| verdict.is_open());
    let concerns = open.flat_map(|verdict| {
        let wants = verdict.verdict.blockers.iter().chain(&verdict.verdict.conditions);
        let agent = one_line(&verdict.verdict.agent);
        wants.map(move |want| format!("{agent}: {}", one_line(want)))
    });
    list(&mut page, "Open conditions and blockers", concerns.collect::<Vec<_>>().into_iter());
    let mark = if handoff.accepted.is_some() { "x" } else { " " };
    let points = told.checklist.iter().map(|line| format!("[{mark}] {}", point(line)));
    let accept = NextStep::AcceptHandoff(handoff_id(handoff.seq)).words(voice);
    let last = format!("[{mark}] Accept it: {accept}");
    list(&mut page, "Verify on resume", points.chain([last]).collect::<Vec<_>>().into_iter());
    if let Some(accepted) = handoff.accepted.as_ref().filter(|it| !it.checked.is_empty()) {
        list(&mut page, "What was found", accepted.checked.iter().map(|text| one_line(text)));
    }
    printable(&page)
}

fn point(line: &str) -> String {
    match Point::of(line) {
        Point::Run(command) => format!("Run `{command}`; it has to succeed"),
        Point::Read(file) => format!("Read `{file}`"),
        Point::Said(text) => text.to_owned(),
    }
}

fn section(page: &mut String, title: &str, text: &str) {
    if !text.trim().is_empty() {
        page.push_str(&format!("\n## {title}\n\n{}\n", text.trim_end()));
    }
}

fn list(page: &mut String, title: &str, lines: impl ExactSizeIterator<Item = String>) {
    if lines.len() > 0 {
        page.push_str(&format!("\n## {title}\n\n"));
        lines.for_each(|line| page.push_str(&format!("- {line}\n")));
    }
}
