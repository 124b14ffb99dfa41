//! A session as a state, as Brain's own schema wants it.

use serde_json::{Map, Value, json};
use waypost_core::chronicle::Note;
use waypost_core::event::WorkflowPhase;
use waypost_core::key::sha256_hex;
use waypost_core::text::spoken::count;
use waypost_core::time::Timestamp;

use super::{lost, new_commits, since, status};
use crate::foreign::brain::{STATE, carried, kept};
use crate::foreign::session::{Leaving, Written};

/// The agents that Brain knows; it accepts no other.
const AGENTS: &[&str] = &[
    "orchestrator",
    "analyst",
    "architect",
    "planner",
    "implementer",
    "critic",
    "qa",
    "security",
    "devops",
    "retrospective",
    "memory",
    "skillbook",
    "independent-thinker",
    "high-level-advisor",
    "explainer",
    "task-generator",
    "pr-comment-responder",
];

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
    let told = since(session).filter(|note| note.kind != "decision").count();
    if told > 0 {
        lost.push("who wrote notes that are no decisions, and when".to_owned());
    }
    let by_others = |note: &&Note| !note.by.as_deref().is_some_and(|by| AGENTS.contains(&by));
    let decided = since(session).filter(|note| note.kind == "decision").filter(by_others).count();
    if decided > 0 {
        let decisions = count(decided, "decision");
        lost.push(format!("who made {decisions}: Brain knows only its own agents, and the orchestrator stands there"));
    }
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
    let changed =
        now.mode.as_ref().map(|mode| json!({"mode": mode, "timestamp": time(now.started_at)}));
    fill("modeHistory", changed.into_iter().collect());
    carry(state, session, is_new);
    orchestrate(state, session, time(now.started_at).as_ref());
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
    for note in since(session).filter(|note| note.kind != "decision") {
        carried::put_note(state, note.seq, &note.kind, &note.text);
    }
}

fn orchestrate(state: &mut Map<String, Value>, session: &Leaving<'_>, started: Option<&String>) {
    let now = session.state;
    let decisions: Vec<Value> = since(session)
        .filter(|note| note.kind == "decision")
        .map(|note| decision(session, note, started))
        .collect();
    let is_over = now.lifecycle.is_over();
    if !decisions.is_empty()
        && now.focus.workflow_phase.is_none()
        && !state.contains_key("orchestratorWorkflow")
    {
        // Brain wants a phase, and there is none.
        carried::put(state, &[("phase", Some("unset".to_owned()))]);
    }
    let workflow = state.entry("orchestratorWorkflow").or_insert(Value::Null);
    if !workflow.is_object() {
        // A state without one says that nobody orchestrates.
        if decisions.is_empty() && now.focus.workflow_phase.is_none() {
            return;
        }
        *workflow = json!({"activeAgent": null, "agentHistory": [], "decisions": [], "verdicts": [],
            "pendingHandoffs": [], "compactionHistory": [], "startedAt": started, "lastAgentChange": started});
    }
    workflow["workflowPhase"] = match (is_over, &now.focus.workflow_phase) {
        (true, _) => "complete".into(),
        // What goes on is not complete, though it was when it came.
        (false, Some(WorkflowPhase::Complete) | None) => "implementation".into(),
        (false, Some(phase)) => serde_json::to_value(phase).unwrap_or_default(),
    };
    let list = workflow["decisions"].as_array_mut();
    match list {
        Some(list) => list.extend(decisions),
        None if !decisions.is_empty() => workflow["decisions"] = decisions.into(),
        None => {}
    }
}

fn decision(session: &Leaving<'_>, note: &Note, started: Option<&String>) -> Value {
    let by = note.by.as_deref().filter(|by| AGENTS.contains(by)).unwrap_or("orchestrator");
    let time = note.time.map(|time| time.to_string()).or_else(|| started.cloned());
    json!({
        "id": uuid(session, note), "type": "technical", "description": note.text, "rationale": "", "decidedBy": by,
        "approvedBy": [], "rejectedBy": [], "timestamp": time,
    })
}

/// An id in the form that Brain wants, the same each time.
fn uuid(session: &Leaving<'_>, note: &Note) -> String {
    let seq = note.seq.to_string();
    let hash = sha256_hex(&[
        session.id.as_str().as_bytes(),
        b"\0",
        seq.as_bytes(),
        b"\0",
        note.text.as_bytes(),
    ]);
    format!(
        "{}-{}-8{}-8{}-{}",
        &hash[..8],
        &hash[8..12],
        &hash[12..15],
        &hash[15..18],
        &hash[18..30]
    )
}
