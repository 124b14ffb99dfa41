//! A session as a state, as Brain's own schema wants it.

use serde_json::{Map, Value, json};
use waypost_core::text::shortened;
use waypost_core::text::spoken::count;
use waypost_core::time::Timestamp;

use super::workflow::{Reader, Source};
use super::{current, lost, new_commits, since, status};
use crate::foreign::brain::{STATE, carried, kept};
use crate::foreign::session::{Leaving, Written};

/// Why other agents have other names there.
const ITS_AGENTS: &str = "Brain knows only its own agents, and the orchestrator stands there";

pub(super) fn write(session: &Leaving<'_>) -> Written {
    let imported = session.came_as(STATE);
    let came = imported.and_then(|imported| {
        imported.original.iter().find(|(_, original)| kept::state_of(original).is_some())
    });
    let name = came.map_or_else(|| format!("{}.json", session.id), |(name, _)| name.clone());
    let came = came.map(|(_, original)| original);
    let note = came.and_then(Value::as_str);
    if let (Some(original), true) = (came, session.state.is_as_imported()) {
        let text = match original {
            Value::String(text) => text.clone(),
            other => serde_json::to_string_pretty(other).unwrap_or_default() + "\n",
        };
        return Written { name, text, lost: beside(session) };
    }
    let mut state = came.and_then(kept::state_of).unwrap_or_default();
    // It was made of other content.
    let was_signed = state.remove("_signature").is_some();
    fill(&mut state, session);
    let text = serde_json::to_string_pretty(&state).unwrap_or_default() + "\n";
    let text = note.and_then(|note| kept::with_state(note, &text)).unwrap_or(text);
    let mut lost = lost(session);
    let told =
        since(session.notes, session.imported).filter(|note| note.kind != "decision").count();
    if told > 0 {
        lost.push("who wrote notes that are no decisions, and when".to_owned());
    }
    lost.extend(lost_of_agents(&session.source()));
    if was_signed {
        lost.push("its signature, which was made of other content".to_owned());
    }
    Written { name, text, lost }
}

/// What goes out as it came, and is more than one file.
fn beside(session: &Leaving<'_>) -> Vec<String> {
    lost(session).into_iter().filter(|told| told.contains("beside")).collect()
}

fn fill(state: &mut Map<String, Value>, session: &Leaving<'_>) {
    let now = session.state;
    let is_new = state.is_empty();
    let time = |time: Option<Timestamp>| time.or(now.started_at).map(|time| time.to_string());
    let mode = now.mode.clone().unwrap_or_else(|| "coding".to_owned());
    let mut put = |key: &str, value: Value| drop(state.insert(key.to_owned(), value));
    put("version", now.version.into());
    put("updatedAt", time(now.updated_at).into());
    put("protocolEndComplete", now.lifecycle.is_over().into());
    if let Some(feature) = &now.focus.feature {
        put("activeFeature", feature.clone().into());
    }
    if let Some(task) = &now.focus.task {
        put("activeTask", task.clone().into());
    }
    if is_new || now.mode.is_some() {
        put("currentMode", mode.clone().into());
    }
    let mut fill = |key: &str, value: Value| {
        state.entry(key).or_insert(value);
    };
    fill("createdAt", time(now.started_at).into());
    fill("protocolStartComplete", true.into());
    fill("protocolStartEvidence", json!({}));
    fill("protocolEndEvidence", json!({}));
    current::history(state, &session.source());
    carry(state, session, is_new);
    orchestrate(state, session);
}

/// What a state has no place of its own for.
fn carry(state: &mut Map<String, Value>, session: &Leaving<'_>, is_new: bool) {
    let now = session.state;
    let commits: Vec<String> = new_commits(session)
        .into_iter()
        .map(|(sha, message)| format!("{sha} {}", message.lines().next().unwrap_or_default()))
        .collect();
    if is_new {
        let texts =
            [("id", Some(session.id.as_str().to_owned())), ("objective", now.objective.clone())];
        let places = [("branch", now.branch.clone()), ("commit", now.commit.clone())];
        carried::put(state, &texts);
        carried::put(state, &places);
    }
    let status = Some(status(session)).filter(|word| ["paused", "failed"].contains(word));
    let mut told = vec![
        ("status", status.map(str::to_owned)),
        ("summary", session.summary.map(str::to_owned)),
        ("next", session.next_notes.map(str::to_owned)),
    ];
    let pause = now.pause.as_ref().filter(|_| status == Some("paused"));
    told.push(("pause", pause.map(|pause| pause.reason.clone())));
    told.push(("context", pause.and_then(|pause| pause.context.clone())));
    if !commits.is_empty() {
        told.push(("commits", Some(commits.join("\n"))));
    }
    carried::put(state, &told);
    for note in since(session.notes, session.imported).filter(|note| note.kind != "decision") {
        carried::put_note(state, note.seq, &note.kind, &note.text);
    }
}

fn orchestrate(state: &mut Map<String, Value>, session: &Leaving<'_>) {
    let brought = state.get("orchestratorWorkflow").and_then(Value::as_object).cloned();
    let is_new = brought.is_none();
    let workflow = session.source().workflow(brought, Reader::Brain);
    if is_new && workflow.is_some() && session.state.focus.workflow_phase.is_none() {
        // Brain wants a phase, and there is none.
        carried::put(state, &[("phase", Some("unset".to_owned()))]);
    }
    // A state without one says that nobody orchestrates.
    state.insert("orchestratorWorkflow".to_owned(), workflow.map_or(Value::Null, Value::Object));
}

/// What Brain's schema has no place for of what agents did.
fn lost_of_agents(source: &Source<'_>) -> Vec<String> {
    let mut lost = Vec::new();
    let decided = source.decided_by_others();
    if decided > 0 {
        let decisions = count(decided, "decision");
        lost.push(format!("who made {decisions}: {ITS_AGENTS}"));
    }
    let unknown: Vec<&str> = source.unknown_agents().into_iter().collect();
    if !unknown.is_empty() {
        lost.push(format!("what {} are called: {ITS_AGENTS}", listed(&unknown)));
    }
    let archived = source.state.orchestration.archived;
    if archived > 0 {
        lost.push(format!("{} that left the state", count(archived, "agent's work")));
    }
    let pending = source.agents.handoffs.iter().filter(|known| known.accepted.is_none());
    let checked = pending.filter(|known| !known.handoff.checklist.is_empty()).count();
    if checked > 0 {
        lost.push(format!("the checklists of {}", count(checked, "handoff")));
    }
    lost
}

fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(5).map(|name| shortened(name, 40)).collect();
    let more = names.len().saturating_sub(shown.len());
    let shown = shown.join(", ");
    if more > 0 { format!("{shown} and {more} others") } else { shown }
}
