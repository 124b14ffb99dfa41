//! What agents did, decided, judged and handed over, as notes.

use serde_json::{Map, Value};
use waypost_core::event::PastNote;
use waypost_core::text::shortened;

use crate::foreign::session::times::Times;

/// No more entries than this are taken of one sort.
const MAX: usize = 1_000;
/// How much of a text is in a note, in characters.
const MAX_TEXT: usize = 4_000;

/// The type of decisions that is not told: most have it.
const USUAL: &str = "technical";

/// Notes, as they are put together.
pub(super) struct Told<'a> {
    times: &'a Times<'a>,
    pub(super) notes: Vec<PastNote>,
}

impl<'a> Told<'a> {
    pub(super) fn new(times: &'a Times<'a>) -> Self {
        Self { times, notes: Vec::new() }
    }

    fn put(&mut self, kind: &str, text: &str, by: &str, time: Option<&Value>) {
        self.notes.push(PastNote {
            kind: kind.to_owned(),
            text: shortened(text, MAX_TEXT),
            by: Some(by.to_owned()).filter(|by| !by.is_empty()),
            time: time.and_then(|time| self.times.value(time)),
        });
    }

    /// All that a state tells.
    pub(super) fn state(&mut self, fields: &Map<String, Value>) {
        let orchestration = fields.get("orchestratorWorkflow");
        let list = |key: &str| {
            let found = orchestration.and_then(|told| told.get(key)).or_else(|| fields.get(key));
            found.and_then(Value::as_array).into_iter().flatten().take(MAX)
        };
        for change in list("modeHistory") {
            self.put("mode", &get(change, "mode"), "", change.get("timestamp"));
        }
        for moved in list("compactionHistory") {
            let text =
                format!("{} agents' work moved to {}", get(moved, "count"), get(moved, "notePath"));
            self.put("history", &text, "", moved.get("compactedAt"));
        }
        list("agentHistory").for_each(|ran| self.agent(ran));
        for decision in list("decisions") {
            let told = [get(decision, "description"), get(decision, "rationale")];
            let kind = Some(get(decision, "type")).filter(|kind| !kind.is_empty() && kind != USUAL);
            let text = joined(&told, ": ")
                + &kind.map(|kind| format!(" ({kind})")).unwrap_or_default()
                + &with("approved by", decision.get("approvedBy"))
                + &with("rejected by", decision.get("rejectedBy"));
            self.put("decision", &text, &get(decision, "decidedBy"), decision.get("timestamp"));
        }
        for verdict in list("verdicts") {
            let confidence = verdict.get("confidence").map(|told| format!(" ({})", words(told)));
            let told = format!("{}{}", get(verdict, "decision"), confidence.unwrap_or_default());
            let text = joined(&[told, get(verdict, "reasoning")], ": ");
            let text = text
                + &with("if", verdict.get("conditions"))
                + &with("blocked by", verdict.get("blockers"));
            self.put("verdict", &text, &get(verdict, "agent"), verdict.get("timestamp"));
        }
        for handoff in list("pendingHandoffs") {
            let to = format!("to {}", get(handoff, "toAgent"));
            let text = joined(&[to, get(handoff, "reason"), get(handoff, "context")], ": ");
            self.put("handoff", &text, &get(handoff, "fromAgent"), handoff.get("createdAt"));
        }
    }

    /// What one agent did.
    pub(super) fn agent(&mut self, ran: &Value) {
        let agent = get(ran, "agent");
        let output = ran.get("output").unwrap_or(&Value::Null);
        let prompt = ran.get("input").map(|input| get(input, "prompt")).unwrap_or_default();
        let did = joined(&[prompt, get(output, "summary")], " -> ");
        let text = joined(&[get(ran, "status"), did], ": ");
        self.put("agent", &text, &agent, ran.get("startedAt"));
        let blockers = output.get("blockers").and_then(Value::as_array).into_iter().flatten();
        for blocker in blockers.take(MAX) {
            self.put("blocker", &words(blocker), &agent, ran.get("completedAt"));
        }
    }
}

/// Names after a word, where there are any.
fn with(word: &str, names: Option<&Value>) -> String {
    let names = names.and_then(Value::as_array).into_iter().flatten().take(MAX).map(words);
    let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    if names.is_empty() { String::new() } else { format!(" ({word} {})", names.join(", ")) }
}

fn joined(parts: &[String], between: &str) -> String {
    let parts: Vec<&str> =
        parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    parts.join(between)
}

/// A field in words.
pub(super) fn get(value: &Value, key: &str) -> String {
    value.get(key).map(words).unwrap_or_default()
}

/// A value in words.
pub(super) fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
