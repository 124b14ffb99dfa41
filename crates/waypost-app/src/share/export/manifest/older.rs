//! What the first version of the format keeps twice: phases with words of their own, and how far the plan is.

use serde_json::{Map, Value};

/// What the first version calls phases that are completed and phases that are under way, and where it keeps when they
/// were completed.
const PHASES: [(&str, &str, &str, &str); 4] = [
    ("spec", "finalized", "draft", "finalized_at"),
    ("plan", "finalized", "in_progress", "finalized_at"),
    ("build", "completed", "in_progress", "completed_at"),
    ("docs", "completed", "in_progress", "completed_at"),
];

/// Lets what an older manifest has beside what every manifest has say the same. What has not changed stays.
pub(super) fn follow(value: &mut Value, came: &Value, now: &Value) {
    if let Some(Value::Object(phases)) = value.get_mut("phases") {
        for phase in PHASES {
            follow_phase(phases, phase, came, now);
        }
    }
    let (before, progress) = (came.get("build_progress"), now.get("build_progress"));
    let Some(Value::Object(progress)) = progress.filter(|progress| Some(*progress) != before)
    else {
        return;
    };
    if let Some(Value::Object(state)) = value.get_mut("plan_state") {
        for key in ["checkpoints_total", "checkpoints_completed", "current_checkpoint"] {
            state.insert(key.to_owned(), progress.get(key).cloned().unwrap_or_default());
        }
        let updated = now.get("updated_at").cloned().unwrap_or_default();
        state.insert("last_updated".to_owned(), updated);
    }
}

fn follow_phase(
    phases: &mut Map<String, Value>,
    (name, completed_word, begun_word, completed_key): (&str, &str, &str, &str),
    came: &Value,
    now: &Value,
) {
    let at = |manifest: &Value, what: &str| {
        let history = manifest.get("phase_history");
        history
            .and_then(|history| history.get(format!("{name}_{what}")))
            .cloned()
            .unwrap_or_default()
    };
    let (started, completed) = (at(now, "started_at"), at(now, "completed_at"));
    if started == at(came, "started_at") && completed == at(came, "completed_at") {
        return;
    }
    let entry = phases.entry(name).or_insert_with(|| Value::Object(Map::new()));
    let Value::Object(phase) = entry else { return };
    let word = if completed.is_null() { begun_word } else { completed_word };
    phase.insert("status".to_owned(), word.into());
    if started != at(came, "started_at") {
        phase.insert("started_at".to_owned(), started);
    }
    if completed != at(came, "completed_at") {
        phase.insert(completed_key.to_owned(), completed);
    }
}
